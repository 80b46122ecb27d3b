import { withOptimisticThreadUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface ThreadTotals {
  /** Number of followed threads with unread replies. */
  unread: number
  /** Number of these replies that mention the reader. */
  mentions: number
}

const NONE: ThreadTotals = { unread: 0, mentions: 0 }

const totalsOf = memoizeByKey(
  (before: ThreadTotals | undefined, threads: State['threads'], _optimisticVersion: number): ThreadTotals => {
    let unread = 0
    let mentions = 0
    for (const { follows, counts } of [...threads.values()].map(withOptimisticThreadUpdates)) {
      if (!follows || counts.unread === 0) continue
      unread += 1
      mentions += counts.mentions
    }
    return reuseIfEqual(before, { unread, mentions })
  },
)

/** Unread counts of the followed threads, for the sidebar. */
export function useThreadTotals(): ThreadTotals {
  return useClientSession((session) =>
    session ? totalsOf('totals', session.store.get().threads, session.optimisticVersion()) : NONE,
  )
}
