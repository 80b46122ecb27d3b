import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backUpData } from '../postgres/server/backUpData.ts'
import { lockData } from '../postgres/server/dataLock.ts'
import { endOrphanedPostgres } from '../postgres/server/endOrphanedPostgres.ts'
import { rootOfRelease, selectRelease, type Program } from './installedReleases.ts'
import { rehearse } from './rehearse.ts'
import { startRelease } from './startRelease.ts'
import { beginSwitch, finishSwitch, restoreUnfinishedSwitch } from './unfinishedSwitch.ts'

/** Milliseconds for the migrations and the start. */
const prepareTimeoutMs = 3_600_000

/** Runs `work` while no server can start on the data. Throws StartError if one runs. */
async function withLockedData<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockData(dataDir)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/**
 * Upgrades an installation whose server does not run: backs up the database, rehearses on a copy, migrates, and selects the new
 * version for the next start. Throws StartError, after which everything is as before.
 * @param o.args arguments of `linnet start` that select the schema
 */
export async function upgradeStoppedServer(o: {
  dataDir: string
  release: string
  program: Program
  args: readonly string[]
  onStep: (title: string) => void
}): Promise<void> {
  const { dataDir, release, onStep } = o
  onStep('Backing up the database')
  const folder = await withLockedData(dataDir, async () => {
    await restoreUnfinishedSwitch(dataDir)
    await endOrphanedPostgres(join(dataDir, 'postgres'))
    return backUpData(dataDir)
  })
  let isBegun = false
  try {
    onStep('Starting the new version on a copy')
    await rehearse({ dataDir, release, copy: { folder }, args: o.args })
    onStep('Migrating the database')
    const child = await startRelease({
      root: rootOfRelease(dataDir, release),
      kind: 'switch',
      args: [...o.args, '--no-app', '--host', '127.0.0.1', '--port', '0', '--data', dataDir],
      output: 'collected',
    })
    try {
      await withLockedData(dataDir, async () => beginSwitch(dataDir, release, folder))
      isBegun = true
      await child.prepare(prepareTimeoutMs)
      selectRelease(dataDir, release, o.program)
      finishSwitch(dataDir)
    } finally {
      await child.end()
    }
  } catch (error) {
    await withLockedData(dataDir, () => restoreUnfinishedSwitch(dataDir))
    if (!isBegun) await rm(folder, { recursive: true, force: true })
    throw error
  }
}
