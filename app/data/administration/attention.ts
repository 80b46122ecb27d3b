import { useSyncExternalStore } from 'react'
import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import { isReminder, type CheckCode } from '../../../wire/serverChecks.ts'
import { useQuery } from '../queries/useQuery.ts'
import { workspaceHealth } from './health.ts'

const postponeMs = 28 * 86_400_000
const KEY = 'linnet.postponedReminders'

/** Until when the reminder of each finding is postponed in this browser, in ms since 1970. */
type Postponed = { [Code in CheckCode]?: number }

const listeners = new Set<() => void>()
let read: { text: string | null; postponed: Postponed } = { text: null, postponed: {} }

function readPostponed(): Postponed {
  try {
    const text = localStorage.getItem(KEY)
    if (text !== read.text) read = { text, postponed: JSON.parse(text ?? '{}') as Postponed }
  } catch {
    // Storage may be unavailable or contain something else: what was read last stays.
  }
  return read.postponed
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Postpones the reminder of a finding by four weeks in this browser. */
export function postponeReminder(code: CheckCode): void {
  const postponed = { ...readPostponed(), [code]: Date.now() + postponeMs }
  try {
    localStorage.setItem(KEY, JSON.stringify(postponed))
  } catch {
    // Applied all the same, until the page is closed.
    read = { ...read, postponed }
  }
  for (const listener of listeners) listener()
}

/** Until when each reminder is postponed. */
export function usePostponedReminders(): Postponed {
  return useSyncExternalStore(subscribe, readPostponed)
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
    subscribe,
    () => health !== undefined && needsAttention(health, readPostponed(), Date.now()),
  )
}
