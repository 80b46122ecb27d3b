import type { Message, Uuid } from '../../../wire/linnet.ts'
import { done, failureFrom } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { running } from '../session/clientSession.ts'
import { getClient } from '../client/getClient.ts'

/** Where a message stands: in its channel, in a thread, or in both. */
export type MessagePlace = Pick<Message, 'seq' | 'thread_root' | 'thread_seq'>

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

function placeOf(message: MessagePlace & Pick<Message, 'deleted_at'>): MessagePlace | null {
  return message.deleted_at === null ? message : null
}

/**
 * Where a message of a channel stands, from what is held here, else by asking. Null for one that was deleted, is
 * elsewhere, never was, or is not for us: the same answer, so that nothing is told of it.
 */
export async function findMessage(channel: Uuid, id: Uuid): Promise<Outcome<MessagePlace | null>> {
  const held = running()?.store.get().channels.get(channel)?.messages.get(id)
  if (held) return done(placeOf(held))
  if (!UUID.test(id) || !UUID.test(channel)) return done(null)
  try {
    const client = await getClient()
    // The token that this waits for is renewed where it has run out.
    const answer = await client
      .from('messages')
      .select('seq,thread_root,thread_seq,deleted_at')
      .eq('id', id)
      .eq('channel_id', channel)
      .maybeSingle<MessagePlace & Pick<Message, 'deleted_at'>>()
    if (answer.error) return { ok: false, failure: failureFrom(answer.error, answer.status) }
    return done(answer.data && placeOf(answer.data))
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
