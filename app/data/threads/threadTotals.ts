import { withThreadOverlay } from '../mutations/currentOverlay.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface ThreadTotals {
  /** How many threads that one follows have replies one has not read. */
  unread: number
  /** How many of those replies call the reader. */
  mentions: number
}

const NONE: ThreadTotals = { unread: 0, mentions: 0 }

const totalsOf = memoizeByKey(
  (before: ThreadTotals | undefined, threads: State['threads'], _overlayVersion: number): ThreadTotals => {
    let unread = 0
    let mentions = 0
    for (const { follows, counts } of [...threads.values()].map(withThreadOverlay)) {
      if (!follows || counts.unread === 0) continue
      unread += 1
      mentions += counts.mentions
    }
    return reuseIfEqual(before, { unread, mentions })
  },
)

/** What waits in the threads that one follows, for the sidebar. */
export function useThreadTotals(): ThreadTotals {
  return useClientSession((now) =>
    now ? totalsOf('totals', now.store.get().threads, now.overlayVersion()) : NONE,
  )
}
