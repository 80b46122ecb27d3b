import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defaultDataDir } from './defaultDataDir.ts'
import type { Options } from './Command.ts'
import { UsageError } from './UsageError.ts'

/** For every command that concerns a project or its data. */
export const placeOptions = {
  data: { value: 'DIR', help: 'where the data are (.linnet in the project unless said)' },
  supabase: {
    value: 'DIR',
    help: "the folder with config.toml and migrations: that of the project one is in,\nelse Linnet's own",
  },
} as const satisfies Options

/** What a folder may hold for it to be a supabase folder. */
const marks = ['config.toml', 'migrations', 'functions', 'seed.sql']

const isSupabaseDir = (dir: string): boolean => marks.some((mark) => existsSync(join(dir, mark)))

/** `supabase` of the project that one stands in, as the official CLI finds it: upwards, by its config.toml. */
function projectAround(dir: string): string | null {
  const found = join(dir, 'supabase')
  if (existsSync(join(found, 'config.toml'))) return found
  return dir === dirname(dir) ? null : projectAround(dirname(dir))
}

/** `--supabase` may name the project instead of its supabase folder. */
function named(path: string): string {
  const dir = resolve(path)
  if (!existsSync(dir)) {
    throw new UsageError(`There is no folder ${dir}. --supabase names the folder with migrations.`)
  }
  return !isSupabaseDir(dir) && isSupabaseDir(join(dir, 'supabase')) ? join(dir, 'supabase') : dir
}

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/**
 * The supabase folder to serve and where its data are. Another project's data are in that project, so that
 * no two share a database. Throws UsageError.
 */
export function findProject(
  root: string,
  given: { supabase?: string | undefined; data?: string | undefined },
  cwd: string = process.cwd(),
): { supabaseDir: string; dataDir: string; ownSchema: boolean } {
  const own = join(root, 'supabase')
  const found = given.supabase === undefined ? (projectAround(cwd) ?? own) : named(given.supabase)
  const ownSchema = real(found) === real(own)
  const supabaseDir = ownSchema ? own : found
  const dataDir = given.data === undefined ? defaultDataDir(dirname(supabaseDir)) : resolve(given.data)
  return { supabaseDir, dataDir, ownSchema }
}
