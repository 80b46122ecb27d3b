import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extensionFiles } from './extensionFiles.ts'

/**
 * Writes the stand-ins to `<home>/extensions/extension`, where PostgreSQL finds them by `extension_control_path`;
 * what an older Linnet has left there goes. PostgreSQL's user may read them and no more: what they hold is run by
 * a superuser.
 * @returns the folder for `extension_control_path`, which looks in its sub-folder `extension`
 */
export function writeExtensions(home: string): string {
  const folder = join(home, 'extensions')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'extension'), { recursive: true })
  for (const { name, text } of extensionFiles()) writeFileSync(join(folder, 'extension', name), text)
  // Whatever the umask is: PostgreSQL may run as another user.
  for (const open of [folder, join(folder, 'extension')]) chmodSync(open, 0o755)
  for (const { name } of extensionFiles()) chmodSync(join(folder, 'extension', name), 0o644)
  return folder
}
