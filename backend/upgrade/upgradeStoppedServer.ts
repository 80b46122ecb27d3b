import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backUpData } from '../postgres/server/backUpData.ts'
import { withLockedData } from '../postgres/server/dataLock.ts'
import { endOrphanedPostgres } from '../postgres/server/endOrphanedPostgres.ts'
import { readProgram, rootOfRelease, selectRelease } from './installedReleases.ts'
import { rehearse } from './rehearse.ts'
import { startRelease } from './startRelease.ts'
import { beginSwitch, finishSwitch, restoreUnfinishedSwitch } from './unfinishedSwitch.ts'

/**
 * Upgrades an installation whose server does not run: backs up the database, rehearses on a copy, migrates, and selects the new
 * version for the next start. Throws StartError, after which everything is as before.
 * @param o.args arguments of `linnet start` that select the schema
 * @param o.isMove whether the new version moves the data to another major version of PostgreSQL
 * @param o.timeoutMs milliseconds for the migrations and the start
 */
export async function upgradeStoppedServer(o: {
  dataDir: string
  release: string
  programRoot: string
  args: readonly string[]
  isMove: boolean
  timeoutMs: number
  onStep: (title: string) => void
}): Promise<void> {
  const { dataDir, release, isMove, timeoutMs, onStep } = o
  onStep('Backing up the database')
  const folder = await withLockedData(dataDir, async () => {
    await restoreUnfinishedSwitch(dataDir)
    await endOrphanedPostgres(join(dataDir, 'postgres'))
    return backUpData(dataDir)
  })
  let isBegun = false
  try {
    onStep('Starting the new version on a copy')
    await rehearse({ dataDir, release, copy: { folder }, args: o.args, timeoutMs })
    // The move keeps the data before it.
    if (isMove) await rm(folder, { recursive: true, force: true })
    onStep(isMove ? 'Moving the data' : 'Migrating the database')
    const child = await startRelease({
      root: rootOfRelease(dataDir, release),
      kind: 'switch',
      args: [...o.args, '--no-app', '--host', '127.0.0.1', '--port', '0', '--data', dataDir],
      output: 'collected',
    })
    try {
      await withLockedData(dataDir, async () => beginSwitch(dataDir, release, isMove ? '' : folder))
      isBegun = true
      await child.prepare(timeoutMs)
      selectRelease(dataDir, release, readProgram(o.programRoot))
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
