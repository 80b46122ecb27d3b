import { useEffect, useState } from 'react'

/** The words once they have stood for a moment, and nothing at first: a wheel would say each step. */
export function useDebouncedText(text: string): string {
  const [first] = useState(text)
  const [debounced, setDebounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), 400)
    return () => clearTimeout(timer)
  }, [text])
  // The first words are the title of the dialog, which is read as it opens.
  return debounced === first && text === first ? '' : debounced
}
