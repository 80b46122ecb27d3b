import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from './ConfigError.ts'
import { EnvironmentError, parseEnvironment } from './parseEnvironment.ts'

/** What `env(NAME)` stands for; undefined where nobody has set it. */
export type Environment = (name: string) => string | undefined

/** The files that may name variables, whether they are there or not; the first to name one wins. */
export function environmentFiles(supabaseDir: string): string[] {
  const stage = process.env['SUPABASE_ENV'] || 'development'
  const names = [`.env.${stage}.local`, ...(stage === 'test' ? [] : ['.env.local']), `.env.${stage}`, '.env']
  return [supabaseDir, dirname(supabaseDir)].flatMap((dir) => names.map((name) => join(dir, name)))
}

/**
 * The process's own variables, and under them those of the project's files, as the official CLI loads them:
 * `.env.<stage>.local`, `.env.local`, `.env.<stage>`, `.env`, of the supabase folder first and then of the
 * project; the first to name a variable wins. The stage is SUPABASE_ENV, else development; "test" leaves
 * `.env.local` out. Files are looked up, never put into this process's own environment. Throws ConfigError.
 */
export function loadEnvironment(supabaseDir: string): Environment {
  const known = new Map<string, string>()
  for (const file of environmentFiles(supabaseDir).filter((file) => existsSync(file))) {
    for (const [name, value] of Object.entries(readFile(file))) {
      if (!known.has(name)) known.set(name, value)
    }
  }
  // An empty variable is as good as none, as for the CLI.
  return (name) => process.env[name] || known.get(name) || undefined
}

function readFile(file: string): Record<string, string> {
  try {
    return parseEnvironment(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof EnvironmentError) throw new ConfigError(`${file}: ${error.message}`)
    // The reason alone: what the file holds are secrets.
    throw new ConfigError(`${file} can't be read (${(error as NodeJS.ErrnoException).code ?? 'not a text'}).`)
  }
}
