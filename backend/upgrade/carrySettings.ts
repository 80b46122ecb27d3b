import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Directories of a program in which variables of an installation may be: `.env`, `.env.local` and others. */
const directories = ['.', 'supabase', 'supabase/functions']

/** Copies the files of environment variables, which are no part of a version, from one version to another. */
export function carrySettings(fromRoot: string, toRoot: string): void {
  for (const directory of directories) {
    const folder = join(fromRoot, directory)
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) {
      if (!/^\.env(?:\.|$)/.test(name)) continue
      const target = join(toRoot, directory, name)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(folder, name), target)
    }
  }
}
