import type {
  ServerSettings,
  SettingChanges,
  SettingsError,
  SettingsRefusal,
  TestMailResult,
} from '../../../wire/serverSettings.ts'
import { getClient } from '../client/getClient.ts'
import { reauthenticate } from '../client/reauthentication.ts'
import { loadSettings } from '../client/settings.ts'
import { attempt, failureFrom, success, type Failure, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

/** A failure that may name the setting that caused it. */
type SettingsOutcome<T> = { ok: true; value: T } | { ok: false; failure: Failure & { field?: string } }

/** Timeout (ms) of a request. A test mail waits for the mail server. */
const TIMEOUT_MS = 45_000

/** Sends a request, and once more if the user has to authenticate again for it. */
async function send<T>(...request: Parameters<typeof sendOnce>): Promise<SettingsOutcome<T>> {
  const outcome = await sendOnce<T>(...request)
  const isRefused = !outcome.ok && outcome.failure.name === 'reauthentication_required'
  return isRefused && (await reauthenticate()) ? sendOnce<T>(...request) : outcome
}

async function sendOnce<T>(
  method: 'GET' | 'PUT' | 'POST',
  path: string,
  body?: object,
  language?: string,
): Promise<SettingsOutcome<T>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return attempt(async () => {
    const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
    const { data } = await client.auth.getSession()
    const query = method === 'GET' ? `?workspace=${workspace}` : ''
    const response = await fetch(`${url}/server/v1/${path}${query}`, {
      method,
      headers: {
        apikey: key,
        authorization: `Bearer ${data.session?.access_token ?? key}`,
        ...(language && { 'accept-language': language }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify({ ...body, workspace }) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const found: unknown = await response.json().catch(() => ({}))
    if (response.ok) return success(found as T)
    if (typeof (found as Partial<SettingsError>).error !== 'string')
      return { ok: false, failure: failureFrom(found, response.status) }
    const { error, message, setting } = found as SettingsError
    return { ok: false, failure: { name: error, message, isRetryable: false, field: setting ?? '' } }
  })
}

const fetchSettings = () => send<ServerSettings>('GET', 'settings')

/** The settings of the server, for owners of the first workspace. A form starts with them, so none are stored. */
export const serverSettingsQuery = createQuery({ fetch: fetchSettings })

/**
 * Stores changes of settings. They apply when the server restarts.
 * @param revision of the settings that the changes are based on
 * @param accept warnings that the reader has accepted
 */
export async function saveServerSettings(
  revision: string,
  changes: SettingChanges,
  accept: SettingsRefusal[] = [],
): Promise<SettingsOutcome<ServerSettings>> {
  const saved = send<ServerSettings>('PUT', 'settings', { revision, changes, accept })
  await setAfter(serverSettingsQuery, [], saved)
  return saved
}

/** Has the server send the reader a mail with settings that need not be stored. */
export function sendTestMailWith(
  changes: SettingChanges,
  language: string,
): Promise<SettingsOutcome<TestMailResult>> {
  return send('POST', 'settings/test-mail', { changes }, language)
}

/** The server starts within this time (ms), unless it is very large. */
const RESTART_TIMEOUT_MS = 120_000
const POLL_INTERVAL_MS = 1_000

/** Restarts the server, and waits until it responds again. */
export async function restartServer(startedAt: string): Promise<Outcome<ServerSettings>> {
  const requested = await send<object>('POST', 'restart', {})
  if (!requested.ok) return requested
  let latest: Outcome<ServerSettings> = await fetchSettings()
  for (const end = Date.now() + RESTART_TIMEOUT_MS; Date.now() < end;) {
    if (latest.ok && latest.value.startedAt !== startedAt) break
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_INTERVAL_MS)
    })
    latest = await fetchSettings()
  }
  return setAfter(serverSettingsQuery, [], Promise.resolve(latest))
}
