import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './StartError.ts'

const keptCopies = 3

/** Where the file system can share blocks the copy costs nothing; a `cp` that does not know how just copies. */
const ways: Partial<Record<NodeJS.Platform, string[][]>> = {
  linux: [['-a', '--reflink=auto'], ['-a']],
  darwin: [['-Rpc'], ['-Rp']],
}

/**
 * Copies PostgreSQL's files to `<dataDir>/backups/<time>`, keeping the last three copies. PostgreSQL must not run.
 * To go back: put the copy's `postgres` in the place of `<dataDir>/postgres`.
 * Throws StartError where there is no room; nothing half done is left then.
 * @returns the folder of the copy
 */
export function copyData(dataDir: string): string {
  const backups = join(dataDir, 'backups')
  // Only we need to enter it: PostgreSQL never runs in there.
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  const name = new Date().toISOString().replaceAll(':', '-')
  const copy = join(backups, name)
  const partial = `${copy}.partial`
  for (const left of readdirSync(backups)) {
    if (left.endsWith('.partial')) rmSync(join(backups, left), { recursive: true, force: true })
  }
  let said = ''
  for (const flags of ways[process.platform] ?? [['-Rp']]) {
    mkdirSync(partial, { mode: 0o700 })
    const { status, stderr, error } = spawnSync('cp', [...flags, join(dataDir, 'postgres'), partial], {
      encoding: 'utf8',
    })
    if (status === 0) {
      copyFileSync(join(dataDir, 'postgres-passwords.json'), join(partial, 'postgres-passwords.json'))
      renameSync(partial, copy)
      for (const old of readdirSync(backups).sort().slice(0, -keptCopies)) {
        rmSync(join(backups, old), { recursive: true, force: true })
      }
      return copy
    }
    said = error?.message ?? stderr.split('\n')[0] ?? ''
    rmSync(partial, { recursive: true, force: true })
  }
  throw new StartError(
    `The data can't be copied to ${backups}, as is done before their schema changes: ${said}. ` +
      'Make room and start again. Nothing was changed.',
  )
}
