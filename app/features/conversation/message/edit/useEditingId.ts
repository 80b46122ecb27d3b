import { useCallback, useState } from 'react'

const KEY = 'linnet.editing'

/**
 * The id of the message of a list that is being edited, or null; `listId` is the channel or the thread's root.
 * Restored after a reload of this tab, like its draft.
 */
export function useEditingId(listId: string): [string | null, (id: string | null) => void] {
  const [editing, setEditing] = useState(() => read(listId))
  // Memoized: rows render again when it changes.
  const edit = useCallback(
    (id: string | null) => {
      setEditing(id)
      try {
        if (id === null) sessionStorage.removeItem(`${KEY}/${listId}`)
        else sessionStorage.setItem(`${KEY}/${listId}`, id)
      } catch {
        // Then the draft is used when the message is edited again.
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
