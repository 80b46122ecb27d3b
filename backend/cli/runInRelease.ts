import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  entryOf,
  hashProgram,
  isTrusted,
  readManifest,
  readSelection,
  releasesDir,
  rootOfRelease,
} from '../upgrade/installedReleases.ts'
import { startedScriptVariable, startedScript } from '../runtime/commandName.ts'
import { UsageError, type Command } from './Command.ts'

/** Which version runs a command on a data directory. */
interface SelectedRelease {
  /** The root of the release that runs in place of this program; null if this program runs. */
  root: string | null
  /** Why this program runs although a release is selected, in one sentence for people; empty otherwise. */
  unusedReason: string
}

/**
 * Finds the release that runs in place of this program on a data directory. A release runs only in place of the program from
 * which it was selected, so that a program which somebody has changed since then, or another one, is never ignored. Throws
 * UsageError if another user could have changed the release.
 */
export function findSelectedRelease(root: string, dataDir: string): SelectedRelease {
  const selection = readSelection(dataDir)
  if (selection === null) return { root: null, unusedReason: '' }
  const release = rootOfRelease(dataDir, selection.release)
  const own = realpathSync(root)
  // A release runs itself, also before it is selected.
  if (own.startsWith(`${realpathSync(releasesDir(dataDir))}${sep}`)) return { root: null, unusedReason: '' }
  const { program } = selection
  if (program.root !== own || program.hash !== hashProgram(own)) {
    const reason =
      program.root === own
        ? 'its files have changed since "linnet upgrade" installed'
        : `"linnet upgrade" was run with the program in ${program.root} when it installed`
    const { version } = readManifest(release)!
    const ownVersion = readManifest(own)?.version ?? ''
    return {
      root: null,
      unusedReason: `Version ${ownVersion} in ${own} runs, not version ${version} in ${release}: ${reason} that one.`,
    }
  }
  if (isTrusted(dataDir)) return { root: release, unusedReason: '' }
  throw new UsageError(
    `${dataDir} has the version that "linnet upgrade" has installed, but another user can change it. Run the command as the owner ` +
      `of ${releasesDir(dataDir)}.`,
  )
}

/**
 * Runs a command line with the code of a release, in this process, and returns the exit code.
 * @param project the project that this program has found. If it is Linnet's own, the schema of the release is used instead
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
  process.env[startedScriptVariable] = startedScript()
  process.argv = [process.argv[0]!, entry, ...argv.slice(0, end), ...added, ...argv.slice(end)]
  await import(/* @vite-ignore */ pathToFileURL(entry).href)
  return Number(process.exitCode ?? 0)
}
