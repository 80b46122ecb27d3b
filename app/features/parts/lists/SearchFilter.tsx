import { useEffect, useState } from 'react'
import { TextField } from '../../../ui/TextField.tsx'

/** Milliseconds after the last keystroke until the filter is applied. */
const DEBOUNCE_MS = 250

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A field that filters a list by a text, which is applied after a pause in typing. */
export function SearchFilter({ label, value: current, onChange }: Props) {
  const [typed, setTyped] = useState({ text: current, applied: current })
  // The address changed, for example by going back.
  if (typed.applied !== current) setTyped({ text: current, applied: current })
  const { text, applied } = typed
  useEffect(() => {
    const next = text.trim()
    if (next === applied) return
    const timer = setTimeout(() => {
      setTyped((now) => ({ ...now, applied: next }))
      onChange(next)
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  })
  return (
    <TextField
      label={label}
      hideLabel
      type="search"
      placeholder={label}
      value={text}
      onChange={(text) => setTyped({ text: text, applied })}
    />
  )
}
