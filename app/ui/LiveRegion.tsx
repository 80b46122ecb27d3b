import { useEffect, useState } from 'react'
import { onAnnouncement } from './announce.ts'

/** One for the whole page: says what `announce` is given. The same words twice are said twice. */
export function LiveRegion() {
  const [text, setText] = useState('')
  useEffect(
    () =>
      onAnnouncement((next) => {
        setText('')
        requestAnimationFrame(() => setText(next))
      }),
    [],
  )
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {text}
    </div>
  )
}
