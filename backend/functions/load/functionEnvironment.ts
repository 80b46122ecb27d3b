import { readFileSync } from 'node:fs'
import type { Config } from '../../config/loadConfig.ts'
import { FunctionError } from '../functionTypes.ts'
import type { Smtp } from '../../runtime/smtp/smtpOptions.ts'
import { mailEnvironment } from './serverEnvironment.ts'
import { parseEnvironment } from '../../config/parseEnvironment.ts'

/** Messages that name variables, never their values. */
type Warn = (sentence: string) => void

/** `[edge_runtime.secrets]`, with names in upper case as in the CLI. */
function secretsOf(config: Config, warn: Warn): Record<string, string> {
  const section = (config.tree['edge_runtime'] as { secrets?: unknown } | undefined)?.secrets
  const secrets: Record<string, string> = {}
  for (const [key, value] of Object.entries(section ?? {})) {
    const name = key.toUpperCase()
    if (typeof value !== 'string') warn(`edge_runtime.secrets.${key} must be text. It was ignored.`)
    else if (/^env\(\w+\)$/.test(value))
      warn(`edge_runtime.secrets.${key} refers to a variable that is not set. It was ignored.`)
    else if (value.startsWith('encrypted:'))
      warn(`edge_runtime.secrets.${key} is encrypted, which Linnet can't decrypt. It was ignored.`)
    else if (value !== '') secrets[name] = value
  }
  return secrets
}

function readEnvFile(file: string, isRequired: boolean): Record<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isRequired) return {}
    throw new FunctionError('unreadable', `The environment file ${file} can't be read (${code}).`, [file])
  }
  try {
    return parseEnvironment(text)
  } catch (error) {
    throw new FunctionError('unreadable', `${file}: ${(error as Error).message}`, [file])
  }
}

/**
 * The environment of functions: secrets of config.toml, overridden by the environment file, overridden by the variables
 * of the server. As in Supabase, names that start with SUPABASE_ are reserved for the server. Throws FunctionError.
 */
export function functionEnvironment(o: {
  config: Config
  /** `supabase/functions/.env`, which is optional, or the file that the developer named instead. */
  envFile: { path: string; isRequired: boolean }
  server: Record<string, string>
  /** The mail server, unless the project names its own. */
  smtp: Smtp | null
  warn: Warn
}): Record<string, string> {
  const own = { ...secretsOf(o.config, o.warn), ...readEnvFile(o.envFile.path, o.envFile.isRequired) }
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (name.startsWith('SUPABASE_'))
      o.warn(`${name} was ignored: names that start with SUPABASE_ are reserved.`)
    else env[name] = value
  }
  return { ...mailEnvironment(o.smtp, env), ...env, ...o.server }
}
