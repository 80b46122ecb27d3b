import { useState } from 'react'

const KEY = 'linnet.folded'

/** Which parts of the side that everyone has are folded on this device; one's own sections keep it with them. */
export function useFolded(): [readonly string[], (key: string, on: boolean) => void] {
  const [folded, setFolded] = useState(read)
  return [
    folded,
    (key, on) => {
      const next = folded.filter((one) => one !== key)
      if (on) next.push(key)
      setFolded(next)
      try {
        localStorage.setItem(KEY, next.join(' '))
      } catch {
        // Then it holds as long as the page.
      }
    },
  ]
}

function read(): string[] {
  try {
    return (localStorage.getItem(KEY) ?? '').split(' ').filter(Boolean)
  } catch {
    return []
  }
}
