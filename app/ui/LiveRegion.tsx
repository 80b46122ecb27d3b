import { useEffect, useState } from 'react'
import { onAnnouncement } from './announce.ts'

/** The live region of the page: announces what is passed to `announce`, also the same text twice. */
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
