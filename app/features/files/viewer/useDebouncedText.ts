import { useEffect, useState } from 'react'

/** The text once it has not changed for a moment, and nothing at first: a wheel would announce each step. */
export function useDebouncedText(text: string): string {
  const [first] = useState(text)
  const [debounced, setDebounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), 400)
    return () => clearTimeout(timer)
  }, [text])
  // The first text is the title of the dialog, which is read as it opens.
  return debounced === first && text === first ? '' : debounced
}
