import { useEffect } from 'react'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { useTimeline, useTimelineState } from '../messages/timeline.ts'
import type { Timeline, TimelineState } from '../messages/timeline.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'

export interface ThreadEnd extends TimelineState {
  root: Message | null
}

export interface OpenThread extends Timeline {
  root: Message | null
}

function useRoot(channelId: Uuid, rootId: Uuid): Message | null {
  return useClientSession((session) => {
    const root = session?.store.get().channels.get(channelId)?.messages.get(rootId)
    return root ? withOptimisticUpdates(root) : null
  })
}

/** Returns the last replies of a thread. It fetches them if they are not loaded. */
export function useThreadEnd(channelId: Uuid, rootId: Uuid): ThreadEnd {
  const state = useTimelineState(channelId, rootId)
  const root = useRoot(channelId, rootId)
  const isMissing = state.status === 'loading'
  useEffect(() => {
    if (isMissing) getClientSession()?.timelineViews.fetchMissing({ channel: channelId, root: rootId })
  }, [isMissing, channelId, rootId])
  return { ...state, root }
}

/** Opens a thread at the first unread reply, or at the `thread_seq` `number`. */
export function useThread(channelId: Uuid, rootId: Uuid, number: number | null): OpenThread {
  const timeline = useTimeline(channelId, rootId)
  const root = useRoot(channelId, rootId)
  const isKnown = useClientSession((session) => session?.store.get().channels.has(channelId) === true)
  const isLoaded = useClientSession(
    (session) => session?.store.get().channels.get(channelId)?.threads.has(rootId) === true,
  )
  useEffect(() => {
    const at = { channel: channelId, root: rootId }
    getClientSession()?.timelineViews.open(at, number)
    return () => getClientSession()?.timelineViews.close(at)
  }, [channelId, rootId, number])
  useEffect(() => {
    // A reset of the channel evicts its threads.
    if (isKnown && !isLoaded)
      getClientSession()?.timelineViews.fetchMissing({ channel: channelId, root: rootId })
  }, [isKnown, isLoaded, channelId, rootId])
  return { ...timeline, root }
}
