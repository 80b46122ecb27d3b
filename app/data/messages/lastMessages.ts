import type { Attachment } from '../../../wire/files.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { createRowQuery } from '../queries/fetchedRows.ts'
import { useQuery } from '../queries/useQuery.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { hasAfter, loadedWindow } from '../store/state.ts'
import { pendingMessage } from './pendingMessage.ts'

/** What a list of conversations displays of the last message. */
export interface LastMessage extends Pick<Message, 'author_id' | 'kind' | 'system' | 'body' | 'extras'> {
  attachments: readonly Pick<Attachment, 'name'>[]
}

/** The newest message that is not deleted, if the end of the conversation is loaded; else null. */
export function findLastMessage(session: ClientSession, channelId: Uuid): Message | null {
  const rows = session.store.get().channels.get(channelId)
  const window = rows && loadedWindow(rows, null, 'end')
  if (!window || hasAfter(rows, null, window)) return null
  for (let seq = window.to; seq >= window.from; seq -= 1) {
    const loaded = rows.messages.get(rows.byNumber.get(seq) ?? '')
    const message = loaded && withOptimisticUpdates(loaded)
    if (message && message.deleted_at === null) return message
  }
  return null
}

interface FetchedRow {
  id: Uuid
  messages: LastMessage[]
}

/** The last messages of conversations by their ids. */
const fetchedMessages = createRowQuery<LastMessage>(async (ids) => {
  const outcome = await runQuery((client) =>
    client
      .from('channels')
      .select(
        'id,messages!messages_channel_id_fkey(author_id,kind,system,body,extras,attachments(name,position))',
      )
      .in('id', ids)
      .not('messages.seq', 'is', null)
      .is('messages.deleted_at', null)
      .order('seq', { referencedTable: 'messages', ascending: false })
      .limit(1, { referencedTable: 'messages' })
      .order('position', { referencedTable: 'messages.attachments' })
      .overrideTypes<FetchedRow[], { merge: false }>(),
  )
  if (!outcome.ok) return outcome
  return success(outcome.value.flatMap(({ id, messages: [row] }) => (row ? [{ id, row }] : [])))
})

function isNewIn(channelId: Uuid, item: OutboxItem): boolean {
  return (
    item.kind === 'send' && item.channel === channelId && (item.threadRoot === null || item.alsoToChannel)
  )
}

/**
 * The last message of a conversation: an own pending one, the loaded one, else fetched with the reader's own rights; null
 * if there is none, undefined until it is known.
 */
export function useLastMessage(channelId: Uuid): LastMessage | null | undefined {
  const me = useClientSession((session) => session?.store.get().me?.profile.id)
  const pending = useClientSession((session) =>
    session?.outbox.items().findLast((item) => isNewIn(channelId, item)),
  )
  const loaded = useClientSession((session) => session && findLastMessage(session, channelId))
  const revision = useClientSession(
    (session) => session?.store.get().channels.get(channelId)?.entry.counters.rev,
  )
  const { value } = useQuery(loaded === null ? fetchedMessages : null, [channelId], { revision })
  if (!pending || me === undefined) return loaded ?? value
  const { body, extras, files } = pendingMessage(pending)
  return { author_id: me, kind: 'text', system: null, body, extras, attachments: files }
}
