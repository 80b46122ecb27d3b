import type { Uuid } from '../../../../wire/scalars.ts'
import { advanceRev, advanceRevTo } from '../../store/revProgress.ts'
import type { RevProgress } from '../../store/revProgress.ts'

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

export function createRevTracker(): RevTracker {
  let progress = new Map<Uuid, RevProgress>()

  function update(channel: Uuid, advance: (before: RevProgress) => RevProgress) {
    const before = progress.get(channel)
    if (before) progress.set(channel, advance(before))
  }

  return {
    begin: (revs) => {
      const before = progress
      progress = new Map()
      for (const [channel, rev] of revs) {
        let next: RevProgress = { rev, aheadRevs: [] }
        for (const ahead of before.get(channel)?.aheadRevs ?? []) next = advanceRev(next, ahead)
        progress.set(channel, next)
      }
    },
    has: (channel) => progress.has(channel),
    add: (channel, rev) => update(channel, (before) => advanceRev(before, rev)),
    addRange: (channel, after, to) => update(channel, (before) => advanceRevTo(before, after, to)),
    isBehind: (revs) => {
      if (revs.size !== progress.size) return true
      for (const [channel, rev] of revs) if ((progress.get(channel)?.rev ?? -1) < rev) return true
      return false
    },
  }
}
