import { i18n } from '@lingui/core'
import type { Reminder } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { createFailure, registerSentences, success, type Outcome } from '../failures/failures.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { localTimeZone } from '../people/localTimeZone.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'
import { storeOwnRow } from '../session/storeOwnRow.ts'

/** What the database permits. */
export const REMINDER_CHARACTERS = 500

registerSentences({
  reminders_at_most_100: () =>
    i18n._('You’ve reached the limit of 100 reminders. Complete or delete one to add another.'),
  bad_reminder: () => i18n._('A reminder needs a text of up to 500 characters.'),
})

const timeOf = ({ reminded_at, due_at }: Reminder) => Date.parse(reminded_at ?? due_at)
const sorted = memoizeByKey(
  (_before: readonly Reminder[] | undefined, rows: ReadonlyMap<Uuid, Reminder>) =>
    [...rows.values()].sort(
      (a, b) =>
        Number(b.reminded_at !== null) - Number(a.reminded_at !== null) ||
        timeOf(a) - timeOf(b) ||
        a.id.localeCompare(b.id),
    ),
  1,
)
const NONE: readonly Reminder[] = []

/** The user's reminders of the workspace: those that are due, then the next one. */
export function useReminders(): readonly Reminder[] {
  return useClientSession((session) => (session ? sorted('', session.store.get().reminders) : NONE))
}

type ReminderInput = Pick<Reminder, 'id' | 'text' | 'message_id' | 'due_at' | 'repeats'>

/** Creates or changes a reminder. It is repeated by the clock of this device. Idempotent by its id. */
export async function setReminder({
  id,
  text,
  message_id,
  due_at,
  repeats,
}: ReminderInput): Promise<Outcome> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  if (Date.parse(due_at) <= Date.now()) return { ok: false, failure: createFailure('scheduled_in_the_past') }
  const outcome = await callCommand('set_reminder', {
    id,
    workspace,
    due_at,
    time_zone: localTimeZone(),
    text,
    message: message_id,
    repeats,
  })
  if (!outcome.ok) return outcome
  storeOwnRow('reminders', id, outcome.value.reminder)
  return success(undefined)
}

/** Completes a reminder; one that is repeated waits for its next time. */
export async function completeReminder(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('complete_reminder', { id })
  if (!outcome.ok) return outcome
  storeOwnRow('reminders', id, outcome.value.reminder)
  return success(undefined)
}

/** Deletes a reminder with all its times. */
export async function deleteReminder(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('delete_reminder', { id })
  if (!outcome.ok) return outcome
  storeOwnRow('reminders', id, null)
  return success(undefined)
}
