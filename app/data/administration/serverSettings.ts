import type {
  ServerSettings,
  SettingChanges,
  SettingsRefusal,
  TestMailResult,
} from '../../../wire/serverSettings.ts'
import { signInMethods } from '../account/signInMethods.ts'
import type { Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter, setAfter } from '../queries/createQuery.ts'
import { workspaceHealth } from './health.ts'
import { sendToServer, type ServerOutcome } from './sendToServer.ts'

const fetchSettings = () => sendToServer<ServerSettings>({ method: 'GET', path: 'settings' })

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
): Promise<ServerOutcome<ServerSettings>> {
  const body = { revision, changes, accept }
  const saved = sendToServer<ServerSettings>({ method: 'PUT', path: 'settings', body })
  await setAfter(serverSettingsQuery, [], saved)
  return saved
}

/** Has the server send the reader a mail with settings that need not be stored. */
export function sendTestMailWith(
  changes: SettingChanges,
  language: string,
): Promise<ServerOutcome<TestMailResult>> {
  return sendToServer({ method: 'POST', path: 'settings/test-mail', body: { changes }, language })
}

/** The server starts within this time (ms), unless it is very large. */
const RESTART_TIMEOUT_MS = 120_000
const POLL_INTERVAL_MS = 1_000

/** Restarts the server, and waits until it responds again. */
export async function restartServer(startedAt: string): Promise<Outcome<ServerSettings>> {
  const requested = await sendToServer<object>({ method: 'POST', path: 'restart', body: {} })
  if (!requested.ok) return requested
  let latest: Outcome<ServerSettings> = await fetchSettings()
  for (const end = Date.now() + RESTART_TIMEOUT_MS; Date.now() < end;) {
    if (latest.ok && latest.value.startedAt !== startedAt) break
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_INTERVAL_MS)
    })
    latest = await fetchSettings()
  }
  // Their values depend on settings.
  refetchAfter(latest, signInMethods, workspaceHealth)
  return setAfter(serverSettingsQuery, [], Promise.resolve(latest))
}
