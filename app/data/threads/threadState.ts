import { useEffect } from 'react'
import type { ThreadState, Uuid } from '../../../wire/linnet.ts'
import { markThreadSeen, markThreadUnread } from '../messages/messages.ts'
import { withThreadOverlay } from '../mutations/currentOverlay.ts'
import { running } from '../session/clientSession.ts'
import { command } from '../client/callCommand.ts'
import { remembered } from '../hooks/memoize.ts'
import { useRunning } from '../hooks/useClientSession.ts'

const placeOf = remembered(
  (_before: ThreadState | undefined, place: ThreadState, _wishes: number) => withThreadOverlay(place),
  400,
)

/** One's own place in a thread, with what waits to be told; null while it isn't known. */
export function useThreadPlace(rootId: Uuid): ThreadState | null {
  return useRunning((now) => {
    const place = now?.store.get().threads.get(rootId)
    return now && place ? placeOf(rootId, place, now.wishes()) : null
  })
}

/** The same, asked for where it isn't known. `wanted` false: not yet. */
export function useAskedThreadPlace(rootId: Uuid, wanted = true): ThreadState | null {
  const place = useThreadPlace(rootId)
  const unknown = wanted && place === null
  useEffect(() => {
    const now = running()
    const workspace = now?.store.get().workspace?.id
    if (!unknown || !now || !workspace) return
    void command('thread_states', { workspace, roots: [rootId] }).then((outcome) => {
      if (!outcome.ok) return
      for (const thread of outcome.value.threads) now.store.dispatch({ type: 'threadStateReceived', thread })
    })
  }, [rootId, unknown])
  return place
}

/** Every thread that one follows counts as read. The answer takes it back. */
export function markAllThreadsRead(): () => void {
  const now = running()
  const unread = [...(now?.store.get().threads.values() ?? [])]
    .map(withThreadOverlay)
    .filter((place) => place.follows && place.counts.unread > 0)
  for (const { channel_id, root_id, last_thread_seq } of unread)
    markThreadSeen(channel_id, root_id, last_thread_seq)
  return () => {
    for (const { channel_id, root_id, last_read_thread_seq } of unread)
      void markThreadUnread(channel_id, root_id, last_read_thread_seq + 1)
  }
}
