import { useEffect, useSyncExternalStore } from 'react'
import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import { isReminder, type CheckCode } from '../../../wire/serverChecks.ts'
import { workspaceId } from '../workspaces/workspace.ts'
import { lastHealth, readHealth, subscribeToHealth } from './health.ts'

/** The server checks itself as often. */
const intervalMs = 15 * 60_000
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
  const unsubscribe = subscribeToHealth(listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
    unsubscribe()
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

function readAttention(): boolean {
  const last = lastHealth()
  return (
    last !== null &&
    last.workspace === workspaceId() &&
    needsAttention(last.health, readPostponed(), Date.now())
  )
}

let reading: Promise<unknown> | null = null

function refresh(): void {
  const last = lastHealth()
  const isRecent = last?.workspace === workspaceId() && Date.now() - last.at < intervalMs
  if (isRecent || document.hidden) return
  reading ??= readHealth().finally(() => {
    reading = null
  })
}

/**
 * Whether the server needs the attention of this owner. Read when the component is shown and every 15 minutes, and changed
 * by each other reading of the health.
 * @param isOwner for others it is false, and nothing is read
 */
export function useServerAttention(isOwner: boolean): boolean {
  useEffect(() => {
    if (!isOwner) return
    refresh()
    const timer = setInterval(refresh, intervalMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [isOwner])
  return useSyncExternalStore(subscribe, readAttention) && isOwner
}
