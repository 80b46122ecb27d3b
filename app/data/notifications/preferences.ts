import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { runQuery } from '../client/runQuery.ts'
import {
  outdatedClient,
  registerSentences,
  success,
  type Failure,
  type Outcome,
} from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { noWorkspace, workspaceId } from '../people/workspace.ts'
import { getClientSession, sessionEmitter, type ClientSession } from '../session/clientSession.ts'

const COLUMNS =
  'level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt, mail, mail_language'

/** Milliseconds until a failed request is repeated; doubled with each failure. */
const MIN_RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000

const tooManyKeywords = () => i18n._('You can have up to 20 keywords, with about 1,000 characters in total.')

registerSentences({
  notification_preferences_keywords_count: tooManyKeywords,
  notification_preferences_keywords_length: tooManyKeywords,
  notification_preferences_may_interrupt_count: () => i18n._('You can choose up to 20 people.'),
  notification_preferences_time_zone_known: () =>
    i18n._('The server doesn’t know this time zone. Choose another.'),
  notification_preferences_level_known: outdatedClient,
  notification_preferences_quiet_days_known: outdatedClient,
  notification_preferences_mail_language_known: outdatedClient,
  notification_preferences_of_a_member: () => i18n._('This doesn’t exist, or you don’t have access to it.'),
})

/** What the database has for a person without a row. */
const DEFAULTS: NotificationPreferences = {
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

interface Fetched {
  preferences: NotificationPreferences | null
  failure: Failure | null
  isWatched: boolean
  /** Only the response of the last request is used. */
  request: number
  retryMs: number
  /** The last change; null once it is saved. */
  saving: Promise<unknown> | null
}

/** By client session, so that they end with it. */
const bySession = new WeakMap<ClientSession, Fetched>()

function fetchedBy(session: ClientSession): Fetched {
  const known = bySession.get(session)
  if (known) return known
  const fetched: Fetched = {
    preferences: null,
    failure: null,
    isWatched: false,
    request: 0,
    retryMs: MIN_RETRY_MS,
    saving: null,
  }
  bySession.set(session, fetched)
  return fetched
}

async function fetchPreferences(session: ClientSession): Promise<void> {
  const fetched = fetchedBy(session)
  const { workspace } = session.store.get()
  if (!workspace) return
  const request = ++fetched.request
  const outcome = await runQuery<NotificationPreferences[]>((client) =>
    client.from('notification_preferences').select(COLUMNS).eq('workspace_id', workspace.id),
  )
  // The response of a change that is being saved replaces this one.
  if (getClientSession() !== session || request !== fetched.request || fetched.saving) return
  if (outcome.ok) {
    fetched.preferences = outcome.value[0] ?? DEFAULTS
    fetched.failure = null
    fetched.retryMs = MIN_RETRY_MS
  } else {
    fetched.failure = outcome.failure
    if (outcome.failure.isRetryable) {
      setTimeout(() => {
        if (getClientSession() === session && request === fetched.request) void fetchPreferences(session)
      }, fetched.retryMs)
      fetched.retryMs = Math.min(fetched.retryMs * 2, MAX_RETRY_MS)
    }
  }
  sessionEmitter.emit()
}

/** Fetches the preferences, and again after each change and each interruption of the connection. */
export function watchNotificationPreferences(session: ClientSession): void {
  const fetched = fetchedBy(session)
  if (fetched.isWatched) return
  fetched.isWatched = true
  void fetchPreferences(session)
  session.store.watch((event) => {
    if (event.type !== 'userEventReceived' || event.event.event !== 'notification_preferences') return
    if (event.event.payload.workspace_id === session.store.get().workspace?.id) void fetchPreferences(session)
  })
  let wasLive = session.isLive()
  const unsubscribe = sessionEmitter.subscribe(() => {
    if (getClientSession() !== session) return unsubscribe()
    const isLive = session.isLive()
    // Changes may have been missed.
    if (isLive && !wasLive) void fetchPreferences(session)
    wasLive = isLive
  })
}

/** The fetched preferences of the workspace; null while they are not known. */
export function currentNotificationPreferences(session: ClientSession): NotificationPreferences | null {
  return bySession.get(session)?.preferences ?? null
}

/** The user's notification preferences of the workspace; null while they are not known. */
export function useNotificationPreferences(): NotificationPreferences | null {
  const session = useClientSession((current) => current)
  const hasWorkspace = useClientSession((current) => Boolean(current?.store.get().workspace))
  useEffect(() => {
    if (session && hasWorkspace) watchNotificationPreferences(session)
  }, [session, hasWorkspace])
  return useClientSession((current) => current && currentNotificationPreferences(current))
}

/** Why the preferences are not known; null while they are, or are being fetched. */
export function useNotificationPreferencesFailure(): Failure | null {
  return useClientSession((session) => {
    const fetched = session && bySession.get(session)
    return fetched && !fetched.preferences ? fetched.failure : null
  })
}

/** Changes the given preferences of the workspace; others stay as they are. Changes are sent one after the other. */
export async function setNotificationPreferences(change: Partial<NotificationPreferences>): Promise<Outcome> {
  const session = getClientSession()
  const workspace = workspaceId()
  if (!session || !workspace) return noWorkspace()
  const fetched = fetchedBy(session)
  // Displayed at once.
  if (fetched.preferences) fetched.preferences = { ...fetched.preferences, ...change }
  sessionEmitter.emit()
  const saving = (fetched.saving ?? Promise.resolve()).then(() => savePreferences(workspace, change))
  fetched.saving = saving
  const saved = await saving
  // The response of the last change has the others.
  if (fetched.saving === saving) {
    fetched.saving = null
    const row = saved.ok ? saved.value[0] : undefined
    if (row) fetched.preferences = row
    else void fetchPreferences(session)
    sessionEmitter.emit()
  }
  return saved.ok ? success(undefined) : saved
}

/** Updates the row, or inserts it with the first change: the app's client library has no `upsert`. */
async function savePreferences(
  workspace: Uuid,
  change: Partial<NotificationPreferences>,
): Promise<Outcome<NotificationPreferences[]>> {
  const update = () =>
    runQuery<NotificationPreferences[]>((client) =>
      client.from('notification_preferences').update(change).eq('workspace_id', workspace).select(COLUMNS),
    )
  const updated = await update()
  if (!updated.ok || updated.value.length > 0) return updated
  const inserted = await runQuery<NotificationPreferences[]>((client) =>
    client
      .from('notification_preferences')
      .insert({ workspace_id: workspace, ...change })
      .select(COLUMNS),
  )
  // Another device has inserted it meanwhile.
  return !inserted.ok && inserted.failure.name === 'notification_preferences_pkey' ? update() : inserted
}
