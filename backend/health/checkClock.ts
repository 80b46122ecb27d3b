import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** Whether the kernel considers its clock synchronised; null if nothing on this machine reports it. */
export type ClockFacts = boolean | null

/** Judges the clock. A container has no time service, so nothing is known there. */
export function judgeClock(isSynchronized: ClockFacts): LocalFinding[] {
  if (isSynchronized === null) return [createLocalFinding('clock.unknown', {})]
  return [createLocalFinding(isSynchronized ? 'clock.synchronized' : 'clock.not_synchronized', {})]
}

/**
 * Whether the clock is synchronised. systemd reads it from the kernel, whichever NTP client is used. The time of another
 * server would be no better: Linnet has no server that it may rely on, and its own public address has the same clock.
 */
export async function readClock(): Promise<ClockFacts> {
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '--property=NTPSynchronized', '--value'],
      { timeout: 2_000 },
    )
    const reported = stdout.trim()
    if (reported === 'yes') return true
    if (reported === 'no') return false
  } catch {
    // No systemd, or a container.
  }
  // systemd-timesyncd touches this file at each synchronisation since the start of the machine.
  return existsSync('/run/systemd/timesync/synchronized') ? true : null
}
