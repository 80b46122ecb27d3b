/// <reference types="vite/types/importMeta.d.ts" />

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of a stand-in: its control file, its script, or a script that updates an older version. */
export interface ExtensionFile {
  /** The name that PostgreSQL looks for: `pg_net.control`, `pg_net--0.20.4.sql`. */
  name: string
  text: string
}

/**
 * Returns the files of all stand-ins. A stand-in is an extension with upstream's name and version, written in SQL
 * alone instead of with a library. Never edit a released script, since PostgreSQL runs each script once. Add a new
 * version with an update script instead.
 */
export function extensionFiles(): ExtensionFile[] {
  const files = import.meta.glob<string>(['./*/*.control', './*/*.sql'], {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  return Object.entries(files).map(([path, text]) => ({ name: path.slice(path.lastIndexOf('/') + 1), text }))
}

/**
 * Writes the stand-ins to `<home>/extensions/extension`, where PostgreSQL finds them by `extension_control_path`. It
 * removes files of an older Linnet. PostgreSQL's user may only read them, because a superuser runs their content.
 * @returns the folder for `extension_control_path`, which looks in its sub-folder `extension`
 */
export function writeExtensions(home: string): string {
  const folder = join(home, 'extensions')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'extension'), { recursive: true })
  for (const { name, text } of extensionFiles()) writeFileSync(join(folder, 'extension', name), text)
  // Independent of the umask: PostgreSQL may run as another user.
  for (const open of [folder, join(folder, 'extension')]) chmodSync(open, 0o755)
  for (const { name } of extensionFiles()) chmodSync(join(folder, 'extension', name), 0o644)
  return folder
}
