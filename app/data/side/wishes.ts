import type { Uuid } from '../../../wire/linnet.ts'

/** Changes of one's own rows that show at once, while `keepWish` still asks the server to keep them. */
export interface Wishes<P extends object> {
  /** What of the row is wished for and not answered; the same object until that changes. */
  of: (id: Uuid) => Partial<P> | undefined
  all: () => ReadonlyMap<Uuid, Partial<P>>
  /** Shows the change from now on, over earlier ones; the returned function ends that. */
  wish: (id: Uuid, change: Partial<P>) => () => void
}

/** Holds what is wished for; `tell` is called when what is shown has changed. */
export function createWishes<P extends object>(tell: () => void): Wishes<P> {
  let shown: ReadonlyMap<Uuid, Partial<P>> = new Map()
  /** What was asked of each row, in order, and isn't answered. */
  const waiting = new Map<Uuid, Partial<P>[]>()

  function become(id: Uuid, changes: Partial<P>[]) {
    const next = new Map(shown)
    if (changes.length > 0) {
      waiting.set(id, changes)
      next.set(id, Object.assign({}, ...changes) as Partial<P>)
    } else {
      waiting.delete(id)
      next.delete(id)
    }
    shown = next
    tell()
  }

  const asked = (id: Uuid) => waiting.get(id) ?? []
  return {
    of: (id) => shown.get(id),
    all: () => shown,
    wish: (id, change) => {
      become(id, [...asked(id), change])
      return () =>
        become(
          id,
          asked(id).filter((one) => one !== change),
        )
    },
  }
}
