import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { quoteArgument } from './quoteArgument.ts'

/** A release of the data folder runs in place of the program that a person has started. This variable has the script of the program. */
export const startedScriptVariable = 'LINNET_STARTED_SCRIPT'

/** The script that a person has started. */
export function startedScript(): string {
  return process.env[startedScriptVariable] ?? process.argv[1] ?? ''
}

/**
 * The command as a person in the current directory types it: `npx linnet` if npx has started it, `linnet` if it is in PATH, else
 * the path of the program, such as `bin/linnet` in a checkout.
 */
export function commandName(
  script = startedScript(),
  { cwd = process.cwd(), env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  // npx is `npm exec`.
  if (env['npm_command'] === 'exec') return 'npx linnet'
  // The installed command has started this release of the data folder.
  if (basename(script) !== 'linnet' || script.includes('/releases/')) return 'linnet'
  if ((env['PATH'] ?? '').split(delimiter).some((dir) => dir !== '' && existsSync(join(dir, 'linnet'))))
    return 'linnet'
  const path = relative(cwd, script)
  return quoteArgument(path.startsWith('..') ? script : path)
}

/**
 * The command for readers in other directories and on other machines: `bin/linnet` in a checkout, `npx linnet` if npx has
 * started it, else `linnet`.
 */
export function publicCommandName(
  script = startedScript(),
  o: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  const name = commandName(script, o)
  if (!name.includes('/')) return name
  // A service may have no PATH with the installed command.
  return realpathSync(script).includes('/node_modules/') ? 'linnet' : 'bin/linnet'
}

/** The schema of an installed release. See `rootOfRelease`. */
const schemaOfRelease = /\/releases\/[^/]+\/node_modules\/linnet\/supabase$/

/** The options of the current command that name the installation and its backups. */
export interface Place {
  to?: string | undefined
  data?: string | undefined
  supabase?: string | undefined
}

/**
 * A command line that can be pasted. It uses the same installation and the same backups as the current command.
 * @param words the command with its arguments: "logs -f"
 */
export function commandLine(words: string, options: Place): string {
  const named = (['to', 'data', 'supabase'] as const).flatMap((name) => {
    const value = options[name]
    // The command itself adds the schema of a release, so nobody has to type it.
    return value === undefined || (name === 'supabase' && schemaOfRelease.test(value))
      ? []
      : [` --${name} ${quoteArgument(value)}`]
  })
  return `${commandName()} ${words}${named.join('')}`
}
