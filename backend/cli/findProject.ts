import { closeSync, existsSync, openSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { secretsFile } from '../startup/secrets.ts'
import { configFileNames, findConfigFile } from '../config/configFile.ts'
import { UsageError, type Options } from './Command.ts'
import { defaultDataDir } from './defaultDataDir.ts'

/** Options of every command that uses a project or its data. */
export const projectOptions = {
  data: {
    value: 'DIR',
    help: 'data directory (default: .linnet in the project; without a project and\na checkout, ~/.local/share/linnet/data)',
  },
  supabase: {
    value: 'DIR',
    help: "directory with config.toml and migrations (default: the directory of the\nproject in which the command runs; without a project Linnet's own)",
  },
} as const satisfies Options

/** A directory that contains one of these is a supabase folder. */
const projectEntries = [...configFileNames, 'migrations', 'functions', 'seed.sql']

const isSupabaseDir = (dir: string): boolean => projectEntries.some((mark) => existsSync(join(dir, mark)))

/** The nearest directory `supabase` that satisfies `isMatch`, in `dir` or its parents. */
function findUpwards(dir: string, isMatch: (found: string) => boolean): string | null {
  const found = join(dir, 'supabase')
  if (isMatch(found)) return found
  return dir === dirname(dir) ? null : findUpwards(dirname(dir), isMatch)
}

/**
 * The supabase folder of the project that contains `dir`: like the official CLI, the nearest with config.toml. Without
 * one, the nearest with migrations or functions: otherwise Linnet's own schema would be served there.
 */
const findEnclosingProject = (dir: string): string | null =>
  findUpwards(dir, (found) => existsSync(findConfigFile(found))) ?? findUpwards(dir, isSupabaseDir)

/** Resolves `--supabase`, which names a supabase folder or the project that contains it. */
function resolveNamedProject(path: string): string {
  const dir = resolve(path)
  if (!existsSync(dir)) {
    throw new UsageError(
      `There is no directory ${dir}. --supabase must name the directory that contains migrations.`,
    )
  }
  return !isSupabaseDir(dir) && isSupabaseDir(join(dir, 'supabase')) ? join(dir, 'supabase') : dir
}

const realPathOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/**
 * The supabase folder to serve and its data directory. The data of another project are in that project, so that no two
 * projects share a database. `isInProject` is false if no project was named or found. Throws UsageError.
 */
export function findProject(
  root: string,
  overrides: { supabase?: string | undefined; data?: string | undefined },
  cwd: string = process.cwd(),
): { supabaseDir: string; dataDir: string; isOwnSchema: boolean; isInProject: boolean } {
  const ownDir = join(root, 'supabase')
  const chosen =
    overrides.supabase === undefined ? findEnclosingProject(cwd) : resolveNamedProject(overrides.supabase)
  const found = chosen ?? ownDir
  const isOwnSchema = realPathOf(found) === realPathOf(ownDir)
  const supabaseDir = isOwnSchema ? ownDir : found
  const dataDir =
    overrides.data === undefined ? defaultDataDir(dirname(supabaseDir)) : resolve(overrides.data)
  return { supabaseDir, dataDir, isOwnSchema, isInProject: chosen !== null }
}

/** Throws UsageError outside of a project: the command would change Linnet's own folder. */
export function requireProject({ isInProject }: { isInProject: boolean }): void {
  if (isInProject) return
  throw new UsageError(
    'There is no supabase folder here or in a parent directory. Create one (mkdir -p supabase/migrations), or name it with --supabase.',
  )
}

/** Throws UsageError if the current user cannot read the data. Otherwise, a command would report that no server is running. */
export function requireReadableData(dataDir: string): void {
  try {
    closeSync(openSync(secretsFile(dataDir), 'r'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return
    throw new UsageError(
      `You can't read the data in ${dataDir}. Run this command as root or as the user of the server.`,
    )
  }
}

/** The server that runs on a data directory. Throws UsageError if there is none. */
export function requireRunningServer(dataDir: string): RunningServer {
  const running = readRunningServer(dataDir)
  if (running === null)
    throw new UsageError(
      `No server is running on ${dataDir}. Start it first, or name another directory with --data.`,
    )
  return running
}
