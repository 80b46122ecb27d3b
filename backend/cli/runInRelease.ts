import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  entryOf,
  hashProgram,
  isTrusted,
  readSelection,
  releasesDir,
  rootOfRelease,
} from '../upgrade/installedReleases.ts'
import { UsageError, type Command } from './Command.ts'

/**
 * The root of the release that runs in place of this program on a data directory; null if this program runs. A release runs
 * only in place of the program from which it was selected, so that a program which somebody has changed since then, or another
 * one, is never ignored. Throws UsageError if another user could have changed the release.
 */
export function findSelectedRelease(root: string, dataDir: string): string | null {
  const selection = readSelection(dataDir)
  if (selection === null) return null
  const release = rootOfRelease(dataDir, selection.release)
  const own = realpathSync(root)
  if (own === realpathSync(release)) return null
  if (selection.program.root !== own || selection.program.hash !== hashProgram(own)) return null
  if (isTrusted(dataDir)) return release
  throw new UsageError(
    `${dataDir} has the version that "linnet upgrade" has installed, but another user can change it. Run the command as the owner ` +
      `of ${releasesDir(dataDir)}.`,
  )
}

/**
 * Runs a command line with the code of a release, in this process, and returns the exit code.
 * @param project the project that this program has found: its own schema is that of the release
 */
export async function runInRelease(
  release: string,
  command: Command,
  argv: readonly string[],
  project: { dataDir: string; supabaseDir: string; isOwnSchema: boolean },
): Promise<number> {
  const supabaseDir = project.isOwnSchema ? join(release, 'supabase') : project.supabaseDir
  const added = [
    '--data',
    project.dataDir,
    ...('supabase' in command.options ? ['--supabase', supabaseDir] : []),
  ]
  const end = argv.indexOf('--') < 0 ? argv.length : argv.indexOf('--')
  const entry = entryOf(release)
  process.argv = [process.argv[0]!, entry, ...argv.slice(0, end), ...added, ...argv.slice(end)]
  await import(/* @vite-ignore */ pathToFileURL(entry).href)
  return Number(process.exitCode ?? 0)
}
