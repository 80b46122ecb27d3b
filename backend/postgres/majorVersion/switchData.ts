import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolderSync } from '../../runtime/durableFiles.ts'
import { StartError } from '../server/StartError.ts'

/** The folder in which the data of the new version are created. It is a data folder of its own. */
export const workFolder = (dataDir: string): string => join(dataDir, 'postgres-next')

/** Exists once the data of the new version are complete, verified and synchronised. */
const verifiedFile = (dataDir: string): string => join(workFolder(dataDir), 'verified')

/** The folder in which the data of an earlier version are stored after the move. */
export const formerFolder = (dataDir: string, version: number): string => join(dataDir, `postgres-${version}`)

/** The version of PostgreSQL that created a folder of data; null if there are no data. */
export function readDataVersion(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'PG_VERSION')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null
}

/** Whether an interrupted move has left files, or an interrupted switch has left the folder without data. */
export function isInterrupted(dataDir: string): boolean {
  if (existsSync(workFolder(dataDir))) return true
  return !existsSync(join(dataDir, 'postgres')) && findFormer(dataDir).length > 0
}

function findFormer(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter((name) => /^postgres-\d+$/.test(name)) : []
}

/** Replaces the data by the data of the new version. The earlier data keep existing under another name. */
export function switchData(dataDir: string, from: number): void {
  writeFileSync(verifiedFile(dataDir), `${from}\n`, { mode: 0o600 })
  syncFolderSync(workFolder(dataDir))
  renameSync(join(dataDir, 'postgres'), formerFolder(dataDir, from))
  completeSwitch(dataDir)
}

function completeSwitch(dataDir: string): void {
  renameSync(join(workFolder(dataDir), 'postgres'), join(dataDir, 'postgres'))
  syncFolderSync(dataDir)
  rmSync(workFolder(dataDir), { recursive: true, force: true })
}

/**
 * Brings a data folder in order after a move was interrupted. The caller holds the lock of the folder. While the earlier data
 * are in their place, they count, and the unfinished copy is removed. Throws StartError if there are no data in their place and
 * no complete copy.
 */
export function recoverFromInterruption(dataDir: string): void {
  const hasData = existsSync(join(dataDir, 'postgres'))
  if (!hasData && existsSync(verifiedFile(dataDir))) return completeSwitch(dataDir)
  const former = findFormer(dataDir)
  if (!hasData && former.length > 0) {
    const path = join(dataDir, former[0]!)
    throw new StartError(
      `${join(dataDir, 'postgres')} is missing, but data of an earlier version are in ${path}. Nothing was changed. ` +
        `To use these data again, run: mv ${path} ${join(dataDir, 'postgres')}`,
    )
  }
  rmSync(workFolder(dataDir), { recursive: true, force: true })
}
