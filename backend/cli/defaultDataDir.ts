import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The standard directory for persistent state of system services. */
const systemData = '/var/lib/linnet'

/** Whether every user can traverse `folder` and all its parents. */
function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false
  return folder === dirname(folder) || isOpen(dirname(folder))
}

/**
 * `.linnet` in the checkout. If root starts Linnet from a directory that other users cannot enter (root's home, a new
 * temporary directory), a directory under /var/lib/linnet instead, the same at every start: PostgreSQL refuses to run
 * as root, and its user could not reach the checkout.
 */
export function defaultDataDir(root: string, uid: number | undefined = process.getuid?.()): string {
  const dataDir = join(root, '.linnet')
  if (uid !== 0 || existsSync(join(dataDir, 'postgres')) || isOpen(root)) return dataDir
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return join(systemData, `${basename(root)}-${digest}`)
}
