import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from './ConfigError.ts'
import { EnvironmentError, parseEnvironment } from './parseEnvironment.ts'

/** The value of `env(NAME)`; undefined if it is not set. */
export type Environment = (name: string) => string | undefined

/** The paths of possible `.env` files, existing or not; the first that contains a variable wins. */
export function environmentFiles(supabaseDir: string): string[] {
  const stage = process.env['SUPABASE_ENV'] || 'development'
  const names = [`.env.${stage}.local`, ...(stage === 'test' ? [] : ['.env.local']), `.env.${stage}`, '.env']
  return [supabaseDir, dirname(supabaseDir)].flatMap((dir) => names.map((name) => join(dir, name)))
}

/**
 * The variables of the process, then those of the project's files, like the official CLI:
 * `.env.<stage>.local`, `.env.local`, `.env.<stage>`, `.env`, first of the supabase folder and then of the
 * project; the first that contains a variable wins. The stage is SUPABASE_ENV, else development; "test" skips
 * `.env.local`. The variables are not added to the environment of this process. Throws ConfigError.
 */
export function loadEnvironment(supabaseDir: string): Environment {
  const fileValues = new Map<string, string>()
  for (const file of environmentFiles(supabaseDir).filter((file) => existsSync(file))) {
    for (const [name, value] of Object.entries(readFile(file))) {
      if (!fileValues.has(name)) fileValues.set(name, value)
    }
  }
  // An empty variable counts as unset, as in the official CLI.
  return (name) => process.env[name] || fileValues.get(name) || undefined
}

function readFile(file: string): Record<string, string> {
  try {
    return parseEnvironment(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof EnvironmentError) throw new ConfigError(`${file}: ${error.message}`)
    // Only the error code: the file contains secrets.
    throw new ConfigError(`${file} can't be read (${(error as NodeJS.ErrnoException).code ?? 'not a text'}).`)
  }
}
