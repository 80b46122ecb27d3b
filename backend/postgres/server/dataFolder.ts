import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { postgresUser, requireReachable } from './osUser.ts'
import { StartError } from './StartError.ts'
import { commandName } from '../../runtime/commandName.ts'

/** Turns file system errors into sentences; other errors are defects and keep their stack trace. */
export function asStartError(error: unknown, dataDir: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  if (error instanceof StartError || code === undefined) return error
  const where = path ?? dataDir
  if (code === 'ENOSPC')
    return new StartError(`The disk is full: ${where} can't be written.`, { cause: error })
  if (code === 'EROFS') return new StartError(`${where} is on a read-only file system.`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM') {
    return new StartError(
      `${where} can't be written by this user. Change its permissions, or choose another folder with --data.`,
      { cause: error },
    )
  }
  if (code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') {
    return new StartError(`${where} can't be a folder (${code}). Choose another with --data.`, {
      cause: error,
    })
  }
  return error
}

/** The folder in a data folder in which a restore is written, until its entries are moved into the data folder. */
export const partialFolder = 'restore.partial'
/** The file in a folder whose restore is not complete. */
export const partialMark = 'incomplete-restore'

/** Whether the data folder contains a restore that runs, or that was interrupted. */
export function hasIncompleteRestore(dataDir: string): boolean {
  return existsSync(join(dataDir, partialFolder, partialMark))
}

/** Throws StartError where a restore into the data folder was interrupted. */
export function requireCompleteRestore(dataDir: string): void {
  if (hasIncompleteRestore(dataDir))
    throw new StartError(
      `A restore into ${dataDir} was interrupted, so these data are not complete. Run ${commandName()} restore again: it removes them and ` +
        'begins anew.',
    )
}

/** Lets PostgreSQL, which may run as another user, pass through the data folder to its own folder. */
export function allowPassage(dataDir: string): void {
  chmodSync(dataDir, lstatSync(dataDir).mode | 0o011)
}

/** The missing folders on the way to `path`, the outermost first. */
function findMissingFolders(path: string): string[] {
  const missing: string[] = []
  for (let folder = path; !statSync(folder, { throwIfNoEntry: false }); folder = dirname(folder))
    missing.unshift(folder)
  return missing
}

/**
 * Creates the data folder where it is missing, and returns the folders that it has created. Throws StartError, or the error
 * of the file system. `mkdirSync` with `recursive` never returns where a folder exists but refuses new entries as missing
 * ones (ENOENT), as /proc does.
 */
export function createDataFolder(dataDir: string): string[] {
  const stat = lstatSync(dataDir, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory() && !stat.isSymbolicLink()) {
    throw new StartError(`${dataDir} is not a folder. Choose another folder with --data.`)
  }
  const created: string[] = []
  for (const folder of findMissingFolders(dataDir)) {
    try {
      mkdirSync(folder, { mode: 0o711 })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Another start may create it too.
      if (code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })) continue
      if (code !== 'ENOENT' && code !== 'EEXIST') throw error
      throw new StartError(`The folder ${folder} can't be created. Choose another folder with --data.`, {
        cause: error,
      })
    }
    created.push(folder)
  }
  return created
}

/**
 * Checks that the data folder can be created or written, and that PostgreSQL's user can reach it, without leaving anything
 * behind. Throws StartError.
 */
export function checkDataFolder(dataDir: string): void {
  let created: string[] = []
  try {
    created = createDataFolder(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    // The folders above it: its own permissions are changed by the start.
    requireReachable(dataDir, postgresUser(join(dataDir, 'postgres'), dataDir))
  } catch (error) {
    throw asStartError(error, dataDir)
  } finally {
    for (const folder of created.reverse()) rmdirSync(folder)
  }
}
