import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { refetchRegularly } from '../queries/refetchRegularly.ts'
import { useQuery } from '../queries/useQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** The server checks itself as often (ms). */
const CHECK_INTERVAL_MS = 15 * 60_000

/** What works and what does not; for owners and admins. */
export const workspaceHealth = createQuery({
  maxStored: 1,
  freshMs: CHECK_INTERVAL_MS,
  follow: (entry) => refetchRegularly(entry, CHECK_INTERVAL_MS),
  fetch: () => callForWorkspace('workspace_health', {}),
})

/**
 * Whether this owner administers a server with settings of its own. Hosted projects report no checks, and owners of other
 * workspaces see none.
 * @param isOwner for others it is false, and nothing is fetched
 */
export function useHasServerSettings(isOwner: boolean): boolean {
  const { value: health } = useQuery(isOwner ? workspaceHealth : null)
  return Boolean(health?.server?.checks)
}

const readHealth = () => setAfter(workspaceHealth, [], callForWorkspace('workspace_health', {}))

/** Confirms that the original of this restored server is gone, so that it sends notifications and mails again. For owners. */
export function confirmRestore(): Promise<Outcome<{ paused: boolean }>> {
  return callForWorkspace('confirm_restore', {})
}

/** Results of a check arrive within this time, if a server reports. */
const maxWaitMs = 20_000
/** Without an earlier report, the server has just started, or the project is hosted and nothing reports. */
const maxFirstWaitMs = 5_000
const pollIntervalMs = 1_000

/** Requests that the server checks itself, and waits for its report. Where no server reports, it only reads again. */
export async function checkAgain(): Promise<Outcome<WorkspaceHealth>> {
  const before = await readHealth()
  if (!before.ok || before.value.server === null) return before
  const reportedAt = before.value.server.checks?.reported_at
  await callForWorkspace('request_server_checks', {})
  let latest: Outcome<WorkspaceHealth> = before
  for (const end = Date.now() + (reportedAt ? maxWaitMs : maxFirstWaitMs); Date.now() < end;) {
    await new Promise((resolve) => {
      setTimeout(resolve, pollIntervalMs)
    })
    latest = await readHealth()
    if (!latest.ok || latest.value.server?.checks?.reported_at !== reportedAt) return latest
  }
  return latest
}
