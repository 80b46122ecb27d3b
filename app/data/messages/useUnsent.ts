import type { Uuid } from '../../../wire/linnet.ts'
import { pendingMessage } from './pendingMessage.ts'
import type { PendingMessage } from './pendingMessage.ts'
import { remembered, steady } from '../hooks/memoize.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { useRunning } from '../hooks/useClientSession.ts'

const NOTHING: readonly PendingMessage[] = []

const unsentOf = remembered(
  (before: readonly PendingMessage[] | undefined, channelId: Uuid, items: readonly OutboxItem[]) =>
    steady<readonly PendingMessage[]>(
      before,
      items.filter((item) => item.channel === channelId).map(pendingMessage),
    ),
)

/** Words of one's own that a conversation has not taken, also where it isn't open to one any more. */
export function useUnsent(channelId: Uuid): readonly PendingMessage[] {
  return useRunning((now) => (now ? unsentOf(channelId, channelId, now.outbox.items()) : NOTHING))
}
