import { useEffect, useEffectEvent, useState } from 'react'
import { success, type Outcome } from '../../data/failures/failures.ts'

/** The position after which a page starts. */
type Cursor = string | number

/** The maximum number of items that a list shows. */
const MAX_ITEMS = 1000

export interface Page<T, C extends Cursor = string> {
  items: readonly T[]
  /** The cursor of the next page; null if there is none. */
  next: C | null
  /** The number of items of all pages, if the server counts them. */
  total?: number
}

export interface Pages<T> {
  /** Null until the first page is loaded. After a change of `load`, the previous items remain until then. */
  items: readonly T[] | null
  total: number | null
  failure: string | null
  busy: boolean
  /** Loads the next page; null if there is none, or 1,000 items are shown. */
  more: (() => void) | null
  /** Whether there are more items than a list shows. */
  isCut: boolean
  /** Loads as many items again as are shown. */
  reload: () => void
}

interface Loaded<T, C> {
  load: unknown
  items: readonly T[]
  next: C | null
  total: number | null
}

/** Loads a list page by page. The list starts again when the identity of `load` changes. */
export function usePages<T, C extends Cursor = string>(
  load: (after: C | null) => Promise<Outcome<Page<T, C>>>,
): Pages<T> {
  const [loaded, setLoaded] = useState<Loaded<T, C> | null>(null)
  const [failed, setFailed] = useState<{ load: unknown; message: string } | null>(null)
  const [busy, setBusy] = useState(false)

  const show = (
    outcome: Outcome<Omit<Loaded<T, C>, 'load'>>,
    isNext: (now: Loaded<T, C> | null) => boolean,
  ) => {
    setFailed(outcome.ok ? null : { load, message: outcome.failure.message })
    if (outcome.ok) setLoaded((now) => (isNext(now) ? { load, ...outcome.value } : now))
  }
  const onFirst = useEffectEvent((outcome: Outcome<Omit<Loaded<T, C>, 'load'>>) => show(outcome, () => true))
  useEffect(() => {
    let isCurrent = true
    void loadItems(load, null, 1).then((outcome) => {
      if (isCurrent) onFirst(outcome)
    })
    return () => {
      isCurrent = false
    }
  }, [load])

  const request = async (before: Loaded<T, C> | null, wanted: number) => {
    setBusy(true)
    const outcome = await loadItems(load, before, wanted)
    setBusy(false)
    // Not after another list or page that was loaded in the meantime.
    show(outcome, (now) => (before ? now === before : !now || now.load === load))
  }
  const isCurrent = loaded?.load === load
  const next = isCurrent ? loaded.next : null
  const isCut = next !== null && loaded !== null && loaded.items.length >= MAX_ITEMS
  return {
    items: loaded?.items ?? null,
    total: loaded?.total ?? null,
    failure: failed?.load === load ? failed.message : null,
    busy: busy || (loaded !== null && !isCurrent),
    more: next === null || isCut ? null : () => void request(loaded, 1),
    isCut,
    reload: () => void request(null, isCurrent ? loaded.items.length : 1),
  }
}

/** Loads pages until there are `wanted` items in addition to `before`, at most 1,000 in all. */
async function loadItems<T, C extends Cursor>(
  load: (after: C | null) => Promise<Outcome<Page<T, C>>>,
  before: Loaded<T, C> | null,
  wanted: number,
): Promise<Outcome<Omit<Loaded<T, C>, 'load'>>> {
  const items = [...(before?.items ?? [])]
  const enough = Math.min(items.length + wanted, MAX_ITEMS)
  let next = before?.next ?? null
  let total: number | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- the cursor of the next page is in this one
    const outcome = await load(next)
    if (!outcome.ok) return outcome
    items.push(...outcome.value.items)
    total = outcome.value.total ?? null
    next = outcome.value.next
  } while (next !== null && items.length < enough)
  return success({ items, next, total })
}
