import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import type { ScheduledMessage } from '../../../wire/messages.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import {
  createFailure,
  registerSentences,
  success,
  withoutValue,
  type Outcome,
} from '../failures/failures.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession } from '../session/clientSession.ts'
import { storeOwnRow } from '../session/storeOwnRow.ts'

registerSentences({
  scheduled_at_most_100: () =>
    i18n._('You’ve reached the limit of 100 scheduled messages. Send or delete one to schedule another.'),
  scheduled_in_the_past: () => i18n._('Choose a time in the future.'),
  scheduled_too_far: () => i18n._('Choose a time within the next 12 months.'),
})

const sorted = memoizeByKey(
  (_before: readonly ScheduledMessage[] | undefined, rows: ReadonlyMap<Uuid, ScheduledMessage>) =>
    [...rows.values()].sort(
      (a, b) => Date.parse(a.send_at) - Date.parse(b.send_at) || a.id.localeCompare(b.id),
    ),
  1,
)
const NONE: readonly ScheduledMessage[] = []

/** The user's scheduled messages of the workspace, the next one first. */
export function useScheduledMessages(): readonly ScheduledMessage[] {
  return useClientSession((session) => (session ? sorted('', session.store.get().scheduled) : NONE))
}

/** Why a message could not be sent at its time, as a sentence. */
export function scheduleProblemSentence(problem: NonNullable<ScheduledMessage['problem']>): string {
  switch (problem) {
    case 'not_a_member':
      return i18n._('Not sent: you were no longer a member of this conversation.')
    case 'archived':
      return i18n._('Not sent: the channel was archived.')
    case 'channel_on_web':
      return i18n._(
        'Not sent: the channel is on the web now, where anyone can read it. Send it if it may be public.',
      )
    case 'posting_admins':
      return i18n._('Not sent: only channel managers can post in this channel.')
    case 'silenced':
      return i18n._('Not sent: an admin had silenced you.')
    case 'attachments_missing':
      return i18n._('Not sent: its files are no longer on the server.')
    case 'message_deleted':
      return i18n._('Not sent: the message it replies to or quotes was deleted.')
    case 'not_found':
      return i18n._('Not sent: you can no longer read the message it replies to or quotes.')
    default:
      return i18n._('Not sent because of a server error.')
  }
}

type NewMessage = Omit<ScheduledMessage, 'send_at' | 'files' | 'problem' | 'rev'>
type ScheduleArgs = Commands['schedule_message']['args']

/**
 * Schedules a message, in its stored form. Idempotent by its id, which will be that of the message.
 * @param attachments its files, which are uploaded
 */
export async function scheduleMessage(
  message: NewMessage,
  sendAt: Timestamp,
  attachments: ScheduleArgs['attachments'] = [],
): Promise<Outcome> {
  if (isPast(sendAt)) return { ok: false, failure: createFailure('scheduled_in_the_past') }
  const { id, channel_id: channel, thread_root, also_to_channel, body, quote } = message
  const args: ScheduleArgs & Record<keyof ScheduleArgs, unknown> = {
    id,
    channel,
    body,
    send_at: sendAt,
    thread_root,
    also_to_channel,
    quote,
    attachments,
  }
  return storeRow(id, await callCommand('schedule_message', args))
}

/**
 * Changes the text, the time, which of its files it keeps (`kept_files`), and adds uploaded files (`attachments`). Fails with
 * `not_found` where it was sent or deleted meanwhile.
 */
export async function changeScheduledMessage(
  id: Uuid,
  change: Omit<Commands['change_scheduled_message']['args'], 'id'>,
): Promise<Outcome> {
  if (change.send_at && isPast(change.send_at))
    return { ok: false, failure: createFailure('scheduled_in_the_past') }
  return storeRow(id, await callCommand('change_scheduled_message', { id, ...change }))
}

/** Sends it now. Succeeds if it was sent before. */
export async function sendScheduledMessage(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('send_scheduled_message', { id })
  if (outcome.ok) {
    getClientSession()?.store.dispatch({ type: 'messageReceived', message: outcome.value.message })
    storeOwnRow('scheduled', id, null)
  }
  return withoutValue(outcome)
}

/** Deletes it, so that it is not sent. Fails with `not_found` where it was sent before. */
export async function deleteScheduledMessage(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('delete_scheduled_message', { id })
  if (outcome.ok) storeOwnRow('scheduled', id, null)
  return withoutValue(outcome)
}

function isPast(at: Timestamp): boolean {
  return Date.parse(at) <= Date.now()
}

/** Stores the row of a response, so that it is displayed before its event arrives. */
function storeRow(id: Uuid, outcome: Outcome<{ scheduled: ScheduledMessage | null }>): Outcome {
  if (!outcome.ok) return outcome
  const { scheduled: row } = outcome.value
  if (row) storeOwnRow('scheduled', id, row)
  return success(undefined)
}
