import { useCallback, useSyncExternalStore } from 'react'
import type { ActivityFilter } from '../../../wire/activity.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { createFailure } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createActivityFeed, LOADING_ACTIVITY } from './createActivityFeed.ts'
import type { ActivityFeed, ActivityState } from './createActivityFeed.ts'

export interface Activity extends Omit<ActivityState, 'before'> {
  hasMore: boolean
  loadMore: () => void
}

interface Feeds {
  /** The last state of each list, shown when it is opened again. */
  shown: Map<ActivityFilter, ActivityState>
  running: Map<ActivityFilter, ActivityFeed>
}

/** By client session, so that the lists end with it. */
const feedsBySession = new WeakMap<ClientSession, Feeds>()

function feedsOf(session: ClientSession): Feeds {
  const feeds = feedsBySession.get(session) ?? { shown: new Map(), running: new Map() }
  feedsBySession.set(session, feeds)
  return feeds
}

/** What concerns the user, newest first; new entries are added while it is shown. */
export function useActivity(filter: ActivityFilter): Activity {
  const session = useClientSession((session) => (session?.store.get().source === 'live' ? session : null))
  const subscribe = useCallback(
    (listener: () => void) => (session ? follow(session, filter, listener) : () => {}),
    [session, filter],
  )
  const { before, ...shown } = useSyncExternalStore(
    subscribe,
    () => (session && feedsOf(session).shown.get(filter)) ?? LOADING_ACTIVITY,
  )
  return {
    ...shown,
    hasMore: before !== null,
    loadMore: () => (session ? feedsOf(session).running.get(filter)?.loadMore() : undefined),
  }
}

/** Keeps a list up to date until the returned function is called. */
function follow(session: ClientSession, filter: ActivityFilter, listener: () => void): () => void {
  const { store } = session
  const { shown, running } = feedsOf(session)
  const findMessage = (channel: Uuid, id: Uuid) => store.get().channels.get(channel)?.messages.get(id) ?? null
  const feed = createActivityFeed(
    {
      fetchPage: async (before) => {
        const workspace = store.get().workspace?.id
        if (!workspace) return { ok: false, failure: createFailure('session_ended') }
        const outcome = await callCommand('activity', { workspace, filter, before })
        if (outcome.ok)
          for (const { thread } of outcome.value.entries)
            if (thread) store.dispatch({ type: 'threadStateReceived', thread })
        return outcome
      },
      me: () => store.get().me?.profile.id ?? null,
      findMessage,
      after: (ms, run) => {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
      isVisible: () => document.visibilityState === 'visible',
      markSeen: (until) => {
        const workspace = store.get().workspace?.id
        // After a failure they are new again when the list is opened next.
        if (workspace) void callCommand('mark_activity_seen', { workspace, until })
      },
    },
    (state) => {
      shown.set(filter, state)
      listener()
    },
    shown.get(filter),
  )
  running.set(filter, feed)
  const unwatch = store.watch(feed.onEvent)
  addEventListener('online', feed.refresh)
  document.addEventListener('visibilitychange', feed.markSeen)
  return () => {
    running.delete(filter)
    removeEventListener('online', feed.refresh)
    document.removeEventListener('visibilitychange', feed.markSeen)
    unwatch()
    feed.stop()
    // Another visit marks as new what is new by then.
    shown.set(filter, { ...feed.get(), seenAt: null })
  }
}

/** The message as it is loaded, with pending changes; else as it was fetched. */
export function useLatestMessage(fetched: Message): Message {
  return useClientSession((session) =>
    withOptimisticUpdates(
      session?.store.get().channels.get(fetched.channel_id)?.messages.get(fetched.id) ?? fetched,
    ),
  )
}
