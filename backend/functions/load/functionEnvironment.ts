import { readFileSync } from 'node:fs'
import type { Config } from '../../config/loadConfig.ts'
import { FunctionError } from '../functionSeam.ts'
import { parseEnvironment } from '../../config/parseEnvironment.ts'

/** Sentences that name variables, never what they hold. */
type Warn = (sentence: string) => void

/** `[edge_runtime.secrets]`, with names in capitals as the CLI makes them. */
function secretsOf(config: Config, warn: Warn): Record<string, string> {
  const section = (config.tree['edge_runtime'] as { secrets?: unknown } | undefined)?.secrets
  const secrets: Record<string, string> = {}
  for (const [key, value] of Object.entries(section ?? {})) {
    const name = key.toUpperCase()
    if (typeof value !== 'string') warn(`edge_runtime.secrets.${key} must be text. It was left out.`)
    else if (/^env\(\w+\)$/.test(value))
      warn(`edge_runtime.secrets.${key} asks for a variable that is not set. It was left out.`)
    else if (value.startsWith('encrypted:'))
      warn(`edge_runtime.secrets.${key} is encrypted, which Linnet can't undo. It was left out.`)
    else if (value !== '') secrets[name] = value
  }
  return secrets
}

function readEnvFile(file: string, isAsked: boolean): Record<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isAsked) return {}
    throw new FunctionError('unreadable', `The environment file ${file} can't be read (${code}).`, [file])
  }
  try {
    return parseEnvironment(text)
  } catch (error) {
    throw new FunctionError('unreadable', `${file}: ${(error as Error).message}`, [file])
  }
}

/**
 * What functions find in their environment: secrets of config.toml, over them the environment file, over both what
 * the house tells each function. Names that begin with SUPABASE_ are the house's alone, as upstream.
 * Throws FunctionError.
 */
export function functionEnvironment(o: {
  config: Config
  /** `supabase/functions/.env`, which need not be there, or what the developer named instead. */
  envFile: { path: string; isAsked: boolean }
  house: Record<string, string>
  warn: Warn
}): Record<string, string> {
  const own = { ...secretsOf(o.config, o.warn), ...readEnvFile(o.envFile.path, o.envFile.isAsked) }
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (name.startsWith('SUPABASE_')) o.warn(`${name} was left out: SUPABASE_ is for the house's own names.`)
    else env[name] = value
  }
  return { ...env, ...o.house }
}
