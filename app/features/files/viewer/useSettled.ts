import { useEffect, useState } from 'react'

/** The words once they have stood for a moment, and nothing at first: a wheel would say each step. */
export function useSettled(words: string): string {
  const [first] = useState(words)
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), 400)
    return () => clearTimeout(timer)
  }, [words])
  // The first words are the title of the dialog, which is read as it opens.
  return settled === first && words === first ? '' : settled
}
