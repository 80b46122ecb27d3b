import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formerFolder, readDataVersion } from '../postgres/majorVersion/switchData.ts'
import { endOrphanedPostgres } from '../postgres/server/endOrphanedPostgres.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { moveFolderSync, readJson, removeFileSync, replaceFileSync } from '../runtime/durableFiles.ts'
import { releasesDir } from './installedReleases.ts'
import { readOutcome, recordOutcome } from './outcome.ts'

/**
 * The switch to another version after PostgreSQL of the old version has stopped, until the new version is about to accept
 * requests. While the file exists, the data are in an unknown state and the copy has the state before.
 */
interface UnfinishedSwitch {
  /** The name of the new version's release. */
  release: string
  /**
   * The folder with the copy of PostgreSQL's files, complete up to the stop of the old version. Empty if the new version moves the
   * data to another major version of PostgreSQL: the move keeps the data before it.
   */
  copy: string
  /** The major version of PostgreSQL that the data have before the switch. */
  postgres: number
  /** ISO 8601. */
  begunAt: string
  /** Content of `schema.digest` before the switch; null if there was none. */
  schemaDigest: string | null
}

const switchFile = (dataDir: string): string => join(releasesDir(dataDir), 'switch.json')
const digestFile = (dataDir: string): string => join(dataDir, 'schema.digest')

/**
 * Records that the new version may change the data from now on.
 * @param copy empty if the new version moves the data to another major version of PostgreSQL
 */
export function beginSwitch(dataDir: string, release: string, copy: string): void {
  const digest = digestFile(dataDir)
  const state: UnfinishedSwitch = {
    release,
    copy,
    postgres: readDataVersion(dataDir)!,
    begunAt: new Date().toISOString(),
    schemaDigest: existsSync(digest) ? readFileSync(digest, 'utf8') : null,
  }
  replaceFileSync(switchFile(dataDir), `${JSON.stringify(state)}\n`)
}

/** Records that the data belong to the new version. The new version accepts requests only after this. */
export function finishSwitch(dataDir: string): void {
  removeFileSync(switchFile(dataDir))
}

/** Whether a switch has begun and not ended, so that the next start restores the data. */
export const hasUnfinishedSwitch = (dataDir: string): boolean => existsSync(switchFile(dataDir))

/**
 * Puts the data back to the moment at which the old version stopped, if a switch was not finished. The new version has not
 * accepted a request then. Repeating it after a crash continues it.
 * @param dataDir locked by the caller
 * @returns whether there was anything to restore
 */
export async function restoreUnfinishedSwitch(dataDir: string): Promise<boolean> {
  const data = join(dataDir, 'postgres')
  const failed = join(dataDir, 'postgres.failed')
  const state = readJson<UnfinishedSwitch>(switchFile(dataDir))
  if (state === null) return false
  const copy = state.copy === '' ? formerFolder(dataDir, state.postgres) : join(state.copy, 'postgres')
  if (existsSync(copy)) {
    if (existsSync(data)) {
      await endOrphanedPostgres(data)
      rmSync(failed, { recursive: true, force: true })
      moveFolderSync(data, failed)
    }
    moveFolderSync(copy, data)
  } else if (!existsSync(data)) {
    throw new StartError(
      `An upgrade was interrupted, and ${copy}, the state of the database before it, is missing. Put it back, or restore a backup.`,
    )
  }
  if (state.schemaDigest === null) rmSync(digestFile(dataDir), { force: true })
  else writeFileSync(digestFile(dataDir), state.schemaDigest, { mode: 0o600 })
  rmSync(join(dataDir, 'schema.changing'), { force: true })
  const { release } = state
  const outcome = readOutcome(dataDir)
  // A server that was killed has not reported why.
  if (outcome === null || outcome.release !== release || outcome.endedAt < state.begunAt) {
    const reason = 'The server has ended before the new version accepted requests.'
    recordOutcome(dataDir, { release, result: 'restored', reason, withoutServiceMs: 0 })
  }
  await rm(failed, { recursive: true, force: true })
  finishSwitch(dataDir)
  if (state.copy !== '') await rm(state.copy, { recursive: true, force: true })
  return true
}
