import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { Outcome } from '../failures/failures.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { workspaceId } from '../workspaces/workspace.ts'

/** What works and what does not; for owners and admins. */
export function readHealth(): Promise<Outcome<WorkspaceHealth>> {
  return callForWorkspace('workspace_health', {})
}

/** Confirms that the original of this restored server is gone, so that it sends notifications and mails again. For owners. */
export function confirmRestore(): Promise<Outcome<{ paused: boolean }>> {
  return callForWorkspace('confirm_restore', {})
}

/** Results of a check arrive within this time, if a server reports. */
const maxWaitMs = 20_000
const pollIntervalMs = 1_000

/** Requests that the server checks itself, and waits for its report. Where no server reports, it only reads again. */
export async function checkAgain(): Promise<Outcome<WorkspaceHealth>> {
  const before = await readHealth()
  const reportedAt = before.ok ? before.value.server?.checks?.reported_at : undefined
  if (reportedAt === undefined) return before
  await callForWorkspace('request_server_checks', {})
  let latest = before
  for (const end = Date.now() + maxWaitMs; Date.now() < end;) {
    await new Promise((resolve) => {
      setTimeout(resolve, pollIntervalMs)
    })
    latest = await readHealth()
    if (!latest.ok || latest.value.server?.checks?.reported_at !== reportedAt) return latest
  }
  return latest
}

/** A result is reused for this time: the menu, the settings and the sidebar show it. */
const maxAgeMs = 15 * 60_000
let last: { workspace: string | null; at: number; outcome: Promise<Outcome<boolean>> } | null = null

/** Whether the server has a problem that an owner should know of; read at most every 15 minutes. */
export function hasServerProblem(): Promise<Outcome<boolean>> {
  const workspace = workspaceId()
  if (last && last.workspace === workspace && Date.now() - last.at < maxAgeMs) return last.outcome
  const outcome = readHealth().then((health): Outcome<boolean> => {
    if (!health.ok) return health
    const isProblem = findingsOfHealth(health.value).some(({ state }) => state === 'problem')
    return { ok: true, value: health.value.server !== null && isProblem }
  })
  last = { workspace, at: Date.now(), outcome }
  return outcome
}
