import { chownSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WalChunk } from '../backup/repository/layout.ts'
import type { BackupManifest } from '../backup/repository/manifest.ts'
import { writeSegments } from '../backup/repository/walSegments.ts'
import type { Owner } from './unpack.ts'

/** In the data folder. PostgreSQL runs `restore_command` there, so the command has no path that would have to be quoted. */
const folderName = 'linnet-restore'
/** PostgreSQL stops with this message where no transaction was committed at or after the moment. */
export const targetNotReached = 'recovery ended before configured recovery target was reached'

/** A prepared recovery. */
export interface Recovery {
  /** Replays the log to its end instead. */
  removeTarget(): Promise<void>
  /** Removes the settings and the segments. */
  finish(): Promise<void>
}

/**
 * Prepares the data folder so that the next start of PostgreSQL replays the ranges of the log up to a moment, and continues on
 * the next timeline.
 * @param data PostgreSQL's data folder
 * @param options.isScratch the data need not survive a power failure
 */
export async function prepareRecovery(
  data: string,
  o: {
    from: string
    selected: { manifest: BackupManifest; wal: WalChunk[] }
    identities: readonly string[]
    at: Date | null
  },
  { owner, isScratch }: { owner: Owner; isScratch: boolean },
): Promise<Recovery> {
  const { manifest, wal } = o.selected
  const folder = join(data, folderName)
  await mkdir(folder, { mode: 0o700 })
  await writeSegments(o.from, manifest.log, wal, o.identities, folder)
  const settingsFile = join(data, 'postgresql.auto.conf')
  const original = await readFile(settingsFile, 'utf8')
  const settings = [
    `restore_command = 'test -f ${folderName}/%f && cp ${folderName}/%f "%p"'`,
    `recovery_target_timeline = 'current'`,
    `recovery_target_action = 'promote'`,
    // Nobody connects before the recovery has ended. Other settings of the original may be larger than here.
    `hot_standby = off`,
    // The time of the last transaction is read from the log of PostgreSQL.
    `timezone = 'UTC'`,
    `log_timezone = 'UTC'`,
    // These data are removed afterwards.
    ...(isScratch ? ['fsync = off'] : []),
  ]
  const write = async (lines: readonly string[]): Promise<void> => {
    await writeFile(settingsFile, original)
    await appendFile(settingsFile, `\n${lines.join('\n')}\n`)
  }
  // With an offset: PostgreSQL does not know names of zones yet when it reads this setting.
  const target = o.at === null ? [] : [`recovery_target_time = '${o.at.toISOString().replace('Z', '+00')}'`]
  await write([...settings, ...target])
  await writeFile(join(data, 'recovery.signal'), '', { mode: 0o600 })
  if (owner)
    for (const path of [
      'recovery.signal',
      folderName,
      ...(await readdir(folder)).map((name) => join(folderName, name)),
    ])
      chownSync(join(data, path), owner.uid, owner.gid)
  return {
    removeTarget: () => write(settings),
    async finish() {
      await writeFile(settingsFile, original)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The commit time of the last replayed transaction, from PostgreSQL's log; null if there was none. */
export function readRecoveredTo(lines: readonly string[]): Date | null {
  const line = lines.findLast((one) => one.includes('last completed transaction was at log time'))
  const time = / at log time (.+?)\s*$/.exec(line ?? '')?.[1]
  // `2026-11-30 14:05:33.123456+01`
  const match = /^(\S+) ([\d:]+(?:\.\d{1,3})?)\d*\s?([+-]\d\d(?::?\d\d)?|UTC|GMT)?$/.exec(time ?? '')
  if (!match) return null
  const [, day, clock, zone = 'UTC'] = match
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : /^[+-]/.test(zone) ? zone : 'Z'
  const found = new Date(`${day}T${clock}${offset}`)
  return Number.isNaN(found.getTime()) ? null : found
}
