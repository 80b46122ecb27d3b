import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { runQuery } from '../client/runQuery.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { applyMessage } from './applyMessage.ts'

/** Pinned messages that are listed: as many as `messages_by_ids` takes. */
const MAX_PINS = 50

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
  if (ids.length === 0) return success([])
  const outcome = await callCommand('messages_by_ids', { ids })
  if (!outcome.ok) return outcome
  const byId = new Map(outcome.value.messages.map((message) => [message.id, message]))
  return success(ids.flatMap((id) => byId.get(id) ?? []))
}
