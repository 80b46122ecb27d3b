import type { Uuid } from '../../../../wire/scalars.ts'

/** Tracks which changes of which channels a list includes. */
export interface RevTracker {
  /** The list is requested at these revs: it includes all changes up to them. */
  begin: (revs: ReadonlyMap<Uuid, number>) => void
  has: (channel: Uuid) => boolean
  /** Records that one change was applied. */
  add: (channel: Uuid, rev: number) => void
  /** Records that all changes above `after` up to `to` were applied. */
  addRange: (channel: Uuid, after: number, to: number) => void
  /** Whether a channel has changes without an event, or the set of channels differs from before. */
  isBehind: (revs: ReadonlyMap<Uuid, number>) => boolean
}

/** Each change of a channel has the next rev, so that a missed event is a gap. */
export function createRevTracker(): RevTracker {
  let settled = new Map<Uuid, number>()
  const seen = new Map<Uuid, Set<number>>()

  function settle(channel: Uuid) {
    const ahead = seen.get(channel)
    let at = settled.get(channel)
    if (!ahead || at === undefined) return
    while (ahead.delete(at + 1)) at += 1
    for (const rev of ahead) if (rev <= at) ahead.delete(rev)
    settled.set(channel, at)
  }

  return {
    begin: (revs) => {
      settled = new Map(revs)
      for (const channel of seen.keys()) {
        if (settled.has(channel)) settle(channel)
        else seen.delete(channel)
      }
    },
    has: (channel) => settled.has(channel),
    add: (channel, rev) => {
      seen.set(channel, (seen.get(channel) ?? new Set()).add(rev))
      settle(channel)
    },
    addRange: (channel, after, to) => {
      const at = settled.get(channel)
      if (at !== undefined && after <= at && to > at) settled.set(channel, to)
      settle(channel)
    },
    isBehind: (revs) => {
      if (revs.size !== settled.size) return true
      for (const [channel, rev] of revs) if ((settled.get(channel) ?? -1) < rev) return true
      return false
    },
  }
}
