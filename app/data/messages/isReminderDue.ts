import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import type { State } from '../store/state.ts'

/** Whether a reminder that became due at this time was not completed since, as far as this page knows. */
export function isReminderDue(
  { reminders }: Pick<State, 'reminders'>,
  { id, at }: { id: Uuid; at: Timestamp },
): boolean {
  const reminder = reminders.get(id)
  // Before the event arrives, the time is the next one.
  const time = reminder?.reminded_at ?? reminder?.due_at
  return time !== undefined && Date.parse(time) === Date.parse(at)
}
