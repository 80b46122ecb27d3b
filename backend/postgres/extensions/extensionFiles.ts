/// <reference types="vite/types/importMeta.d.ts" />

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A stand-in's control file, its script, or a script that brings an older version up to it. */
export interface ExtensionFile {
  /** As PostgreSQL looks for it: `pg_net.control`, `pg_net--0.20.4.sql`. */
  name: string
  text: string
}

/**
 * The files of all stand-ins: extensions of the same name and version as upstream's, written in SQL alone where
 * theirs have a library. A script that has been released changes by a new version and a script that leads to it,
 * since PostgreSQL runs each but once.
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
