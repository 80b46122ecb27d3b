import { useState } from 'react'
import { changeEntryState, readEntryState } from '../historyState.ts'

/**
 * The number of items that a list renders. It grows by a page at a time. The entry of the browser's history stores it, so
 * that the list is as long as before when the reader goes back.
 * @param list identifies the list: another one starts with its first page
 */
export function useGrowth(list: string, page: number): { count: number; grow: () => void } {
  const [grown, setGrown] = useState(() => readEntryState().grown)
  const count = grown?.list === list ? grown.count : page
  return {
    count,
    grow: () => {
      const next = { list, count: count + page }
      setGrown(next)
      changeEntryState({ grown: next })
    },
  }
}
