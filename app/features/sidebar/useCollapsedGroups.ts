import { useState } from 'react'

const KEY = 'linnet.folded'

/** Which parts of the side that everyone has are folded on this device; one's own sections keep it with them. */
export function useCollapsedGroups(): [readonly string[], (key: string, isCollapsed: boolean) => void] {
  const [collapsed, setCollapsed] = useState(read)
  return [
    collapsed,
    (key, isCollapsed) => {
      const next = collapsed.filter((one) => one !== key)
      if (isCollapsed) next.push(key)
      setCollapsed(next)
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
