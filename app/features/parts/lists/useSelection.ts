import { useState } from 'react'

export interface Selection<T> {
  items: readonly T[]
  has: (id: string) => boolean
  set: (item: T, isSelected: boolean) => void
  clear: () => void
}

/** The items of a list that the user has selected; they stay selected while other pages and searches are shown. */
export function useSelection<T>(idOf: (item: T) => string): Selection<T> {
  const [selected, setSelected] = useState<ReadonlyMap<string, T>>(new Map())
  return {
    items: [...selected.values()],
    has: (id) => selected.has(id),
    set: (item, isSelected) => {
      const next = new Map(selected)
      if (isSelected) next.set(idOf(item), item)
      else next.delete(idOf(item))
      setSelected(next)
    },
    clear: () => setSelected(new Map()),
  }
}
