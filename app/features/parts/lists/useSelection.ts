import { useState } from 'react'

export interface Selection<T> {
  items: readonly T[]
  has: (id: string) => boolean
  /** Adds items to the selection, or removes them. */
  set: (items: readonly T[], areSelected: boolean) => void
  clear: () => void
}

/**
 * The items of a list that the user has selected. They stay selected while further items are loaded.
 * @param list identifies the list: with another value, nothing is selected
 */
export function useSelection<T>(idOf: (item: T) => string, list: string): Selection<T> {
  const [selected, setSelected] = useState<{ list: string; items: ReadonlyMap<string, T> }>()
  const current: ReadonlyMap<string, T> = selected?.list === list ? selected.items : new Map()
  return {
    items: [...current.values()],
    has: (id) => current.has(id),
    set: (items, areSelected) => {
      const next = new Map(current)
      for (const item of items)
        if (areSelected) next.set(idOf(item), item)
        else next.delete(idOf(item))
      setSelected({ list, items: next })
    },
    clear: () => setSelected(undefined),
  }
}
