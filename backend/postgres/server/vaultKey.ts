import { randomBytes } from 'node:crypto'
import { chownSync, closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OsUser } from './osUser.ts'

/**
 * Makes the key of the vault where there is none: 32 bytes in hex, in a file beside PostgreSQL's own that only its
 * user reads. It goes wherever the data folder is copied; a dump of the tables does not hold it.
 */
export function createVaultKey(data: string, user: Pick<OsUser, 'isSwitched' | 'uid' | 'gid'>): void {
  const file = join(data, 'linnet-vault.key')
  if (existsSync(file)) return
  // On disk before the first secret is: what was written with a lost key is lost too.
  const descriptor = openSync(`${file}.new`, 'w', 0o600)
  writeSync(descriptor, `${randomBytes(32).toString('hex')}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  if (user.isSwitched) chownSync(`${file}.new`, user.uid, user.gid)
  renameSync(`${file}.new`, file)
}
