import { i18n } from '@lingui/core'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import { runQuery } from '../client/runQuery.ts'
import {
  outdatedClient,
  registerSentences,
  success,
  withoutValue,
  type Outcome,
} from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'
import { getClientSession, type ClientSession } from '../session/clientSession.ts'

const COLUMNS =
  'level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt, mail, mail_language'

const tooManyKeywords = () => i18n._('You can have up to 20 keywords, with about 1,000 characters in total.')

registerSentences({
  notification_preferences_keywords_count: tooManyKeywords,
  notification_preferences_keywords_length: tooManyKeywords,
  notification_preferences_may_interrupt_count: () => i18n._('You can choose up to 20 people.'),
  notification_preferences_time_zone_known: () =>
    i18n._('The server doesn’t know this time zone. Choose another.'),
  notification_preferences_level_known: outdatedClient,
  notification_preferences_quiet_days_known: outdatedClient,
  notification_preferences_mail_language_tag: outdatedClient,
  notification_preferences_of_a_member: () => i18n._('This doesn’t exist, or you don’t have access to it.'),
})

/** What the database has for a person without a row. */
export const DEFAULT_PREFERENCES: NotificationPreferences = {
  level: 'mentions',
  keywords: [],
  quiet_days: [],
  quiet_from: '18:00:00',
  quiet_to: '09:00:00',
  time_zone: 'UTC',
  may_interrupt: [],
  mail: true,
  mail_language: null,
}

/** The last change of each session that is not saved yet. */
const saving = new WeakMap<ClientSession, Promise<unknown>>()

/** The user's notification preferences of the workspace. */
export const notificationPreferences = createQuery({
  events: ['notification_preferences'],
  fetch: async () => {
    const session = getClientSession()
    const workspace = workspaceId()
    if (!session || !workspace) return noWorkspace()
    // Before it is saved, a change that is displayed already would disappear.
    for (let change = saving.get(session); change; change = saving.get(session)) await change
    const outcome = await runQuery<NotificationPreferences[]>((client) =>
      client.from('notification_preferences').select(COLUMNS).eq('workspace_id', workspace),
    )
    return outcome.ok ? success(outcome.value[0] ?? DEFAULT_PREFERENCES) : outcome
  },
})

/** Changes the given preferences of the workspace; others stay as they are. Changes are sent one after the other. */
export async function setNotificationPreferences(change: Partial<NotificationPreferences>): Promise<Outcome> {
  const session = getClientSession()
  const workspace = workspaceId()
  if (!session || !workspace) return noWorkspace()
  // Displayed at once.
  notificationPreferences.change([], (known) => ({ ...known, ...change }))
  const last = (saving.get(session) ?? Promise.resolve()).then(() =>
    // A person has no row before the first change.
    runQuery<NotificationPreferences[]>((client) =>
      client
        .from('notification_preferences')
        .upsert({ workspace_id: workspace, ...change })
        .select(COLUMNS),
    ),
  )
  saving.set(session, last)
  const saved = await last
  // The response of the last change has the others.
  if (saving.get(session) === last) {
    saving.delete(session)
    const row = saved.ok ? saved.value[0] : undefined
    if (row && getClientSession() === session) notificationPreferences.set([], row)
    else notificationPreferences.invalidate()
  }
  return withoutValue(saved)
}
