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

/** The nearest folder `supabase` that `isOne` takes, upwards from `dir`. */
function nearest(dir: string, isOne: (found: string) => boolean): string | null {
  const found = join(dir, 'supabase')
  if (isOne(found)) return found
  return dir === dirname(dir) ? null : nearest(dirname(dir), isOne)
}

/**
 * `supabase` of the project that one stands in, as the official CLI finds it: upwards, by its config.toml. Where there
 * is none, a folder with migrations or functions is a project as well: better than to start something else there.
 */
const projectAround = (dir: string): string | null =>
  nearest(dir, (found) => existsSync(join(found, 'config.toml'))) ?? nearest(dir, isSupabaseDir)

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
 * no two share a database. `inProject` is false where neither was found: it is Linnet's own then, for want of another.
 * Throws UsageError.
 */
export function findProject(
  root: string,
  given: { supabase?: string | undefined; data?: string | undefined },
  cwd: string = process.cwd(),
): { supabaseDir: string; dataDir: string; ownSchema: boolean; inProject: boolean } {
  const own = join(root, 'supabase')
  const asked = given.supabase === undefined ? projectAround(cwd) : named(given.supabase)
  const found = asked ?? own
  const ownSchema = real(found) === real(own)
  const supabaseDir = ownSchema ? own : found
  const dataDir = given.data === undefined ? defaultDataDir(dirname(supabaseDir)) : resolve(given.data)
  return { supabaseDir, dataDir, ownSchema, inProject: asked !== null }
}

/** Throws UsageError in no project, before anything of Linnet's own is changed in another's stead. */
export function requireProject({ inProject }: { inProject: boolean }): void {
  if (inProject) return
  throw new UsageError(
    'There is no folder supabase here or above. Make one (mkdir -p supabase/migrations), or name it with --supabase.',
  )
}
