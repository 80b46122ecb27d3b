import { i18n } from '@lingui/core'
import { messageAddress, replyAddress } from '../../paths.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createFailure, registerSentences, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { runQuery } from '../client/runQuery.ts'
import { isBehind } from '../store/state.ts'

type FoundRow = Pick<
  Message,
  'id' | 'channel_id' | 'seq' | 'thread_root' | 'thread_seq' | 'deleted_at' | 'extras'
>

/** Where a message is shown: at its number in its channel, or at a path of its own. */
export type FoundMessage = { seq: number } | { path: string }

/** A loaded message of any channel; null if it is not loaded. */
export function findLoadedMessage(session: ClientSession, id: Uuid): Message | null {
  for (const rows of session.store.get().channels.values()) {
    const message = rows.messages.get(id)
    if (message) return message
  }
  return null
}

registerSentences({
  message_unavailable: () => i18n._('This message was deleted, or you don’t have access to it.'),
})

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether the loaded messages of a channel include all changes that the server has announced. */
function isUpToDate(session: ClientSession, channel: Uuid): boolean {
  const { source, channels } = session.store.get()
  const rows = channels.get(channel)
  return source === 'live' && rows !== undefined && !isBehind(rows)
}

/**
 * A message of any channel, loaded or from the server; null if it is not readable. A row that this browser stored before a
 * message was moved has its former place, so a loaded row counts only if it is up to date or the server can't be reached.
 */
async function fetchRow(id: Uuid): Promise<Outcome<FoundRow | null>> {
  const session = getClientSession()
  const loaded = session && findLoadedMessage(session, id)
  if (loaded && isUpToDate(session, loaded.channel_id)) return success(loaded)
  const fetched = await runQuery((client) =>
    client
      .from('messages')
      .select('id,channel_id,seq,thread_root,thread_seq,deleted_at,extras')
      .eq('id', id)
      .maybeSingle<FoundRow>(),
  )
  return loaded && !fetched.ok && fetched.failure.isRetryable ? success(loaded) : fetched
}

/**
 * Finds a message of a channel. A reply is in its thread; a moved message where it is now, if the reader may read it there.
 * Fails with `message_unavailable` if it was deleted, is in another channel, never existed or is not readable, which the
 * server does not distinguish.
 */
export async function findMessage(channel: Uuid, id: Uuid): Promise<Outcome<FoundMessage>> {
  const found = UUID.test(id) ? await fetchRow(id) : success(null)
  if (!found.ok) return found
  const row = found.value
  const movedTo = row?.extras?.moved_to
  if (row?.channel_id !== channel || (row.deleted_at !== null && !movedTo))
    return { ok: false, failure: createFailure('message_unavailable') }
  const copy = movedTo && (await fetchRow(movedTo.message_id))
  if (copy?.ok && copy.value)
    return success({
      path: messageAddress(copy.value),
    })
  if (row.seq === null) return success({ path: replyAddress(row) })
  return success({ seq: row.seq })
}
