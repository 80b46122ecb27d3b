import { parseArgs } from 'node:util'
import { nearestName } from '../config/nearestName.ts'
import { UsageError, type Command, type Option } from './Command.ts'
import { parseUrl } from '../runtime/parseUrl.ts'
import { commandName } from '../runtime/commandName.ts'

type Value = string | boolean | string[] | undefined

/**
 * Parses the arguments after a command's name. Absent flags are false, absent lists are empty, other absent options are
 * undefined. Throws UsageError.
 */
export function readArguments(
  command: Command,
  argv: string[],
): { options: Record<string, Value>; args: string[] } {
  const definitions = command.options
  const { tokens } = parseArgs({
    args: argv,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(definitions).map(([name, { value, short, multiple }]) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          ...(short === undefined ? {} : { short }),
          ...(multiple === true ? { multiple } : {}),
        },
      ]),
    ),
  })
  const options: Record<string, Value> = Object.fromEntries(
    Object.entries(definitions).map(([name, option]) => [name, absentValue(option)]),
  )
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const option = definitions[token.name]
    if (option === undefined || !Object.hasOwn(definitions, token.name))
      throw unknownOption(command, token.rawName)
    const value = readValue(token.rawName, option, token.value)
    const before = options[token.name]
    options[token.name] = Array.isArray(before) ? [...before, ...String(value).split(',')] : value
  }
  checkCount(command, args)
  return { options, args }
}

function absentValue(option: Option): Value {
  if (option.multiple === true) return []
  return option.value === undefined ? false : undefined
}

function readValue(rawName: string, option: Option, value: string | undefined): string | boolean {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} does not take a value.`)
    return true
  }
  if (value === undefined || value === '') throw new UsageError(`${rawName} needs a value (${option.value}).`)
  if (option.choices && !option.choices.includes(value)) {
    throw new UsageError(`${rawName} must be ${option.choices.join(' or ')}, not "${value}".`)
  }
  return value
}

function unknownOption(command: Command, rawName: string): UsageError {
  const near = nearestName(rawName.replace(/^-+/, ''), Object.keys(command.options))
  const hint = near === null ? '' : ` Did you mean --${near}?`
  return new UsageError(
    `linnet ${command.name} has no option ${rawName}.${hint} See "${commandName()} ${command.name} --help".`,
  )
}

function checkCount({ name, args = [] }: Command, received: string[]): void {
  const missing = args.filter((arg) => arg.startsWith('<'))[received.length]
  if (missing !== undefined) {
    throw new UsageError(`linnet ${name} needs ${missing}. See "${commandName()} ${name} --help".`)
  }
  const isVariadic = args.at(-1)?.includes('...') === true
  const extra = isVariadic ? undefined : received[args.length]
  if (extra !== undefined) {
    throw new UsageError(
      `linnet ${name} does not take the argument "${extra}". See "${commandName()} ${name} --help".`,
    )
  }
}

/** The origin of a URL with no path but an optional slash; null if it is none. */
export function toOrigin(value: string): string | null {
  const url = parseUrl(value)
  return url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash
    ? url.origin
    : null
}

/** Parses the value of an option as an origin, with no path but an optional slash. Throws UsageError. */
export function parseOrigin(option: string, value: string): string {
  const origin = toOrigin(value)
  if (origin !== null) return origin
  throw new UsageError(`${option} must be a URL such as https://chat.example.org, not "${value}".`)
}
