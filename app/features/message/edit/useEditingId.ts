import { useCallback, useState } from 'react'

const KEY = 'linnet.editing'

/**
 * The message of a list that is being rewritten, or null; `place` is the channel or the thread's root. It is so
 * again after a reload of this tab, as its draft is.
 */
export function useEditingId(listId: string): [string | null, (id: string | null) => void] {
  const [editing, setEditing] = useState(() => read(listId))
  // Rows are drawn anew when it changes.
  const edit = useCallback(
    (id: string | null) => {
      setEditing(id)
      try {
        if (id === null) sessionStorage.removeItem(`${KEY}/${listId}`)
        else sessionStorage.setItem(`${KEY}/${listId}`, id)
      } catch {
        // Then the draft waits until one edits the message again.
      }
    },
    [listId],
  )
  return [editing, edit]
}

function read(listId: string): string | null {
  try {
    return sessionStorage.getItem(`${KEY}/${listId}`)
  } catch {
    return null
  }
}
