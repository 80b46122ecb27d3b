import type { Uuid } from '../../../wire/scalars.ts'
import { pendingMessage } from './pendingMessage.ts'
import type { PendingMessage } from './pendingMessage.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

const NOTHING: readonly PendingMessage[] = []

const unsentOf = memoizeByKey(
  (before: readonly PendingMessage[] | undefined, channelId: Uuid, items: readonly OutboxItem[]) =>
    reuseIfEqual<readonly PendingMessage[]>(
      before,
      items.filter((item) => item.channel === channelId).map(pendingMessage),
    ),
)

/** The user's pending and rejected messages of a conversation, also after they have lost access to it. */
export function useUnsent(channelId: Uuid): readonly PendingMessage[] {
  return useClientSession((session) =>
    session ? unsentOf(channelId, channelId, session.outbox.items()) : NOTHING,
  )
}
