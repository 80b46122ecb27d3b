import { createHash } from 'node:crypto'
import { chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findInaccessibleFolder, type OsUser } from './osUser.ts'

/** Of a unix socket's path, in bytes: 108 on Linux, 104 on macOS, minus the terminator. */
const maxPathBytes = 103

/** Alternatives of names that were taken, remembered because pools reconnect to a restarted PostgreSQL at the same path. */
const alternativeFolders = new Map<string, string>()

/**
 * Creates a folder for the socket that only its user (and root) can enter. Its path is short, whatever the path of the
 * data, and the same at each start, so that kills leave no further folders behind.
 */
export function createSocketFolder(data: string, port: number, user: OsUser): string {
  const name = `linnet-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`
  const room = maxPathBytes - `/${name}-XXXXXX/.s.PGSQL.${port}.lock`.length
  const fits =
    Buffer.byteLength(tmpdir()) <= room && findInaccessibleFolder(join(tmpdir(), name), user) === null
  const folder = join(fits ? tmpdir() : '/tmp', name)
  try {
    mkdirSync(folder, { mode: 0o700 })
    if (user.isSwitched) chownSync(folder, user.uid, user.gid)
    return folder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // In a world-writable folder somebody else may have created this name, to listen in place of PostgreSQL.
  const stat = lstatSync(folder)
  if (stat.isDirectory() && stat.uid === user.uid && (stat.mode & 0o077) === 0) return folder
  const existing = alternativeFolders.get(folder)
  if (existing && existsSync(existing)) return existing
  const alternative = mkdtempSync(`${folder}-`)
  if (user.isSwitched) chownSync(alternative, user.uid, user.gid)
  alternativeFolders.set(folder, alternative)
  return alternative
}
