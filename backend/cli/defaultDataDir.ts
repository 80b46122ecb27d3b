import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The standard directory for persistent state of system services. */
const systemData = '/var/lib/linnet'

/** Whether `root` is the package that npm or npx installed, whose folder npm may replace at any time. */
const isInstalledPackage = (root: string): boolean => basename(dirname(root)) === 'node_modules'

/** The directory of the installed package's data: one for each user, wherever the command runs. */
function packageDataDir(uid: number | undefined): string {
  const dataHome = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share')
  return join(uid === 0 ? systemData : join(dataHome, 'linnet'), 'data')
}

/** Whether every user can traverse `folder` and all its parents. */
function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false
  return folder === dirname(folder) || isOpen(dirname(folder))
}

/**
 * `.linnet` in the checkout, or `~/.local/share/linnet/data` for an installed package. If root starts Linnet from a directory that other users cannot enter (root's home, a new
 * temporary directory), a directory under /var/lib/linnet instead, the same at every start: PostgreSQL refuses to run
 * as root, and its user could not reach the checkout.
 */
export function defaultDataDir(root: string, uid: number | undefined = process.getuid?.()): string {
  if (isInstalledPackage(root)) return packageDataDir(uid)
  const dataDir = join(root, '.linnet')
  if (uid !== 0 || existsSync(join(dataDir, 'postgres')) || isOpen(root)) return dataDir
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return join(systemData, `${basename(root)}-${digest}`)
}
