import { useSyncExternalStore } from 'react'
import { readPreference, storePreference, watchPreferences } from '../../devicePreferences.ts'
import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import { isReminder, type CheckCode } from '../../../wire/serverChecks.ts'
import { useQuery } from '../queries/useQuery.ts'
import { workspaceHealth } from './health.ts'

const postponeMs = 28 * 86_400_000

type Postponed = ReturnType<typeof readPreference<'postponedReminders'>>

/** Postpones the reminder of a finding by four weeks in this browser. */
export function postponeReminder(code: CheckCode): void {
  const postponed = { ...readPreference('postponedReminders'), [code]: Date.now() + postponeMs }
  storePreference('postponedReminders', postponed)
}

/**
 * Whether an owner should open Server health: because of a problem, or because of a reminder that is not postponed.
 * @param now in ms since 1970
 */
export function needsAttention(health: WorkspaceHealth, postponed: Postponed, now: number): boolean {
  if (health.server === null) return false
  return findingsOfHealth(health).some(
    (finding) =>
      finding.state === 'problem' || (isReminder(finding) && now >= (postponed[finding.code] ?? 0)),
  )
}

/**
 * Whether the server needs the attention of this owner.
 * @param isOwner for others it is false, and nothing is fetched
 */
export function useServerAttention(isOwner: boolean): boolean {
  const { value: health } = useQuery(isOwner ? workspaceHealth : null)
  return useSyncExternalStore(
    watchPreferences,
    () => health !== undefined && needsAttention(health, readPreference('postponedReminders'), Date.now()),
  )
}
