import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from '../../runtime/durableFiles.ts'
import type { OsUser } from './osUser.ts'

/**
 * Creates the key of the vault where there is none: 32 bytes in hex, in a file in PostgreSQL's data folder that only its
 * user can read. A copy of the data folder includes it, a dump of the tables does not.
 */
export function createVaultKey(data: string, user: Pick<OsUser, 'isSwitched' | 'uid' | 'gid'>): void {
  const file = join(data, 'linnet-vault.key')
  if (existsSync(file)) return
  // Synced before the first secret is written: secrets encrypted with a lost key are lost too.
  replaceFileSync(file, `${randomBytes(32).toString('hex')}\n`, user.isSwitched ? user : undefined)
}
