import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where a system keeps what its programs must not lose. */
const systemData = '/var/lib/linnet'

/** Whether everybody may pass through each folder above and including `folder`. */
function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false
  return folder === dirname(folder) || isOpen(dirname(folder))
}

/**
 * `.linnet` in the checkout. Where root starts Linnet from a folder that is closed to others (root's home, a
 * fresh temporary folder), PostgreSQL, which refuses to be root, could not enter that: then a folder of the
 * checkout's own under /var/lib/linnet, the same at every start.
 */
export function defaultDataDir(root: string, uid: number | undefined = process.getuid?.()): string {
  const own = join(root, '.linnet')
  if (uid !== 0 || existsSync(join(own, 'postgres')) || isOpen(root)) return own
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return join(systemData, `${basename(root)}-${digest}`)
}
