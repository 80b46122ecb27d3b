import { useEffect, useState } from 'react'
import { listenForAnnouncements } from './announce.ts'

/** One for the whole page: says what `announce` is given. The same words twice are said twice. */
export function LiveRegion() {
  const [words, setWords] = useState('')
  useEffect(
    () =>
      listenForAnnouncements((next) => {
        setWords('')
        requestAnimationFrame(() => setWords(next))
      }),
    [],
  )
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {words}
    </div>
  )
}
