import type { NotificationPreferences } from '../../../wire/notifications.ts'
import { LIMITS } from '../../../wire/limits.ts'
import { runQuery } from '../client/runQuery.ts'
import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { currentOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { putMutations } from '../mutations/putMutations.ts'
import { NOTIFICATION_COLUMNS } from '../mutations/saveOwnRow.ts'
import { createQuery } from '../queries/createQuery.ts'
import { useQuery, type QueryResult } from '../queries/useQuery.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

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
  shares_reads: false,
}

/** The notification preferences of the workspace as the server has them. */
const storedPreferences = createQuery({
  events: ['notification_preferences'],
  fetch: async () => {
    const workspace = workspaceId()
    if (!workspace) return noWorkspace()
    const outcome = await runQuery<NotificationPreferences[]>((client) =>
      client.from('notification_preferences').select(NOTIFICATION_COLUMNS).eq('workspace_id', workspace),
    )
    return outcome.ok ? success(outcome.value[0] ?? DEFAULT_PREFERENCES) : outcome
  },
  // Otherwise the value before a change would be displayed from its response until the event.
  follow: (entry, { store }) =>
    store.watch((event) => {
      if (event.type === 'notificationPreferencesSaved') entry.set(event.preferences)
    }),
})

const pendingChange = () =>
  currentOptimisticUpdates()
    .notificationPreferences()
    .get(workspaceId() ?? '')

const withChange = (
  stored: NotificationPreferences | undefined,
  change: Partial<NotificationPreferences> | undefined,
) => stored && { ...stored, ...change }

/** The user's notification preferences of the workspace, with pending changes. */
export function useNotificationPreferences(): QueryResult<NotificationPreferences> {
  const stored = useQuery(storedPreferences)
  const change = useClientSession(pendingChange)
  return { ...stored, value: withChange(stored.value, change) }
}

/** The same for code that is no component; undefined if they are not known. `watchNotificationPreferences` fetches them. */
export function currentNotificationPreferences(): NotificationPreferences | undefined {
  return withChange(storedPreferences.get(), pendingChange())
}

/** Fetches the preferences, and fetches them again after changes, until the returned function is called. */
export function watchNotificationPreferences(): () => void {
  return storedPreferences.watch()
}

/** Changes the given preferences of the workspace; others stay as they are. */
export async function setNotificationPreferences(change: Partial<NotificationPreferences>): Promise<Outcome> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const refused = change.keywords && refusedKeywords(change.keywords)
  if (refused) return { ok: false, failure: createFailure(refused) }
  const id = crypto.randomUUID()
  return putMutations([{ kind: 'notificationPreferences', id, channel: '', workspace, change }])
}

/** The constraint that refuses the keywords. Checked here too, so that the form keeps what was typed. */
function refusedKeywords(keywords: readonly string[]) {
  if (keywords.length > LIMITS.keywords) return 'notification_preferences_keywords_count'
  const bytes = new TextEncoder().encode(keywords.join(' ')).length
  return bytes > LIMITS.keywordBytes ? 'notification_preferences_keywords_length' : undefined
}
