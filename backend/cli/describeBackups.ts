import type { BackupState } from '../backup/state.ts'
import { renderSize } from './progress.ts'
import { renderDuration } from './statusMetrics.ts'

/**
 * When the last backup was made and where it is, then when a restore proved that it can be used: the lines of `linnet status`.
 * @param now in ms since 1970
 */
export function describeBackups(state: BackupState, now: number): string[] {
  const { backup, verification } = state
  const age = (at: string): string =>
    `${renderDuration(Math.max(0, Math.round((now - Date.parse(at)) / 1000)))} ago`
  const lines =
    backup === null
      ? ['none yet']
      : [
          `${age(backup.at)}, ${renderSize(backup.addedBytes)}, ` +
            (backup.isOnSameDisk ? 'on the same disk as the data' : `in ${backup.dir}`),
        ]
  if (verification !== null)
    lines.push(
      verification.failure === null
        ? `Last proven restore: ${age(verification.at)}`
        : `The check ${age(verification.at)} could not restore it.`,
    )
  else if (backup !== null) lines.push('No check has restored a backup yet.')
  return lines
}
