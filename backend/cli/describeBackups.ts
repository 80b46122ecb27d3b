import type { BackupState } from '../backup/state.ts'
import { renderSize } from './progress.ts'
import { renderDuration } from './statusMetrics.ts'

/**
 * When the last backup was made and where it is, then when a restore proved that it can be used: the lines of `linnet status`.
 * @param now in ms since 1970
 */
export function describeBackups(state: BackupState, now: number): string[] {
  const { backup, failure, verification } = state
  const age = (at: string): string =>
    `${renderDuration(Math.max(0, Math.round((now - Date.parse(at)) / 1000)))} ago`
  const lines =
    backup === null
      ? ['none yet']
      : [
          `${age(backup.at)}, ${renderSize(backup.addedBytes)}, ` +
            (backup.isOnSameDisk ? 'on the same disk as the data' : `in ${backup.dir}`),
        ]
  if (failure !== null) lines.push(`The attempt ${age(failure.at)} failed: ${failure.reason}`)
  if (verification !== null)
    lines.push(
      verification.failure === null
        ? `Last proven restore: ${age(verification.at)}`
        : `The test of a restore ${age(verification.at)} failed: ${verification.failure}`,
    )
  else if (backup !== null) lines.push('No backup has been proven by a restore yet.')
  return lines
}
