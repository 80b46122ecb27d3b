import { useState } from 'react'

const KEY = 'linnet.folded'

/** Which default groups are collapsed on this device; the state of own sections is stored on the server. */
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
        // Then it lasts until the page is closed.
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
