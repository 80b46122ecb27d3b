import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { runQuery } from '../client/runQuery.ts'

/** Numbers of a message in its channel, its thread, or both. */
export type MessagePosition = Pick<Message, 'seq' | 'thread_root' | 'thread_seq'>

/** A loaded message of any channel; null if it is not loaded. */
export function findLoadedMessage(session: ClientSession, id: Uuid): Message | null {
  for (const rows of session.store.get().channels.values()) {
    const message = rows.messages.get(id)
    if (message) return message
  }
  return null
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

function positionOf(message: MessagePosition & Pick<Message, 'deleted_at'>): MessagePosition | null {
  return message.deleted_at === null ? message : null
}

/**
 * Finds a message of a channel among the loaded ones, else on the server. Null if it was deleted, is in another channel,
 * never existed or is not readable, which the server does not distinguish.
 */
export async function findMessage(channel: Uuid, id: Uuid): Promise<Outcome<MessagePosition | null>> {
  const loaded = getClientSession()?.store.get().channels.get(channel)?.messages.get(id)
  if (loaded) return success(positionOf(loaded))
  if (!UUID.test(id) || !UUID.test(channel)) return success(null)
  const row = await runQuery((client) =>
    client
      .from('messages')
      .select('seq,thread_root,thread_seq,deleted_at')
      .eq('id', id)
      .eq('channel_id', channel)
      .maybeSingle<MessagePosition & Pick<Message, 'deleted_at'>>(),
  )
  return row.ok ? success(row.value && positionOf(row.value)) : row
}
