import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError } from './ConfigError.ts'

/** What `env(NAME)` stands for; undefined where nobody has set it. */
export type Environment = (name: string) => string | undefined

/**
 * The process's own variables, and under them those of the project's files, as the official CLI loads them:
 * `.env.<stage>.local`, `.env.local`, `.env.<stage>`, `.env`, of the supabase folder first and then of the
 * project; the first to name a variable wins. The stage is SUPABASE_ENV, else development; "test" leaves
 * `.env.local` out. Files are looked up, never put into this process's own environment. Throws ConfigError.
 */
export function loadEnvironment(supabaseDir: string): Environment {
  const stage = process.env['SUPABASE_ENV'] || 'development'
  const names = [`.env.${stage}.local`, ...(stage === 'test' ? [] : ['.env.local']), `.env.${stage}`, '.env']
  const files = [supabaseDir, dirname(supabaseDir)].flatMap((dir) => names.map((name) => join(dir, name)))
  const known = new Map<string, string>()
  for (const file of files.filter((file) => existsSync(file))) {
    for (const [name, value] of Object.entries(readFile(file))) {
      if (value !== undefined && !known.has(name)) known.set(name, value)
    }
  }
  // An empty variable is as good as none, as for the CLI.
  return (name) => process.env[name] || known.get(name) || undefined
}

function readFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    // The reason alone: what the file holds are secrets.
    throw new ConfigError(`${file} can't be read (${(error as NodeJS.ErrnoException).code ?? 'not a text'}).`)
  }
}
