import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from './StartError.ts'

const run = promisify(execFile)

const maxBackups = 3

/** Where the file system can share blocks the copy costs nothing; a `cp` that does not know how just copies. */
const copyFlags: Partial<Record<NodeJS.Platform, string[][]>> = {
  linux: [['-a', '--reflink=auto'], ['-a']],
  darwin: [['-Rpc'], ['-Rp']],
}

/**
 * Copies PostgreSQL's files to `<dataDir>/backups/<time>`, keeping the last three copies. PostgreSQL must not run.
 * To go back: put the copy's `postgres` in the place of `<dataDir>/postgres`.
 * Nothing in here blocks the event loop: a copy can take minutes, and the heartbeat of the data lock must go on.
 * Throws StartError where there is no room; nothing half done is left then.
 * @returns the folder of the copy
 */
export async function backUpData(dataDir: string): Promise<string> {
  const backups = join(dataDir, 'backups')
  // Only we need to enter it: PostgreSQL never runs in there.
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const name = new Date().toISOString().replaceAll(':', '-')
  const backup = join(backups, name)
  const partial = `${backup}.partial`
  for (const leftover of await readdir(backups)) {
    if (leftover.endsWith('.partial')) await rm(join(backups, leftover), { recursive: true, force: true })
  }
  let reason = ''
  for (const flags of copyFlags[process.platform] ?? [['-Rp']]) {
    await mkdir(partial, { mode: 0o700 })
    try {
      await run('cp', [...flags, join(dataDir, 'postgres'), partial])
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string }
      reason = stderr?.split('\n')[0] || message
      await rm(partial, { recursive: true, force: true })
      continue
    }
    await copyFile(join(dataDir, 'postgres-passwords.json'), join(partial, 'postgres-passwords.json'))
    await rename(partial, backup)
    for (const old of (await readdir(backups)).sort().slice(0, -maxBackups)) {
      await rm(join(backups, old), { recursive: true, force: true })
    }
    return backup
  }
  throw new StartError(
    `The data can't be copied to ${backups}, as is done before their schema changes: ${reason}. ` +
      'Make room and start again. Nothing was changed.',
  )
}
