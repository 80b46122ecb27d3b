import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { applyMessage } from './applyMessage.ts'

/** Pinned messages that are listed. */
const MAX_PINS = 500
/** The number of ids that `messages_by_ids` takes. */
const MAX_IDS = 50

/** Pins a message for everyone in its channel, or unpins it. */
export function pinMessage(id: Uuid, on: boolean): Promise<Outcome> {
  return applyMessage(callCommand('pin_message', { message: id, on }))
}

/** The pinned messages of a channel that the reader may read, last pinned first. */
export async function pinnedMessages(channelId: Uuid): Promise<Outcome<Message[]>> {
  const pins = await runQuery((client) =>
    client
      .from('pins')
      .select('message_id')
      .eq('channel_id', channelId)
      .order('pinned_at', { ascending: false })
      .limit(MAX_PINS),
  )
  if (!pins.ok) return pins
  const ids = pins.value.map((row) => row.message_id as Uuid)
  const byId = new Map<Uuid, Message>()
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const outcome = await callCommand('messages_by_ids', { ids: ids.slice(from, from + MAX_IDS) })
    if (!outcome.ok) return outcome
    for (const message of outcome.value.messages) byId.set(message.id, message)
  }
  return success(ids.flatMap((id) => byId.get(id) ?? []))
}

/** The pinned messages of a channel, as `pinnedMessages` returns them. */
export const pinnedMessageList = createQuery({ fetch: pinnedMessages })
