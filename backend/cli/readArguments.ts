import { parseArgs } from 'node:util'
import { nearestName } from '../nearestName.ts'
import type { Command, Option } from './Command.ts'
import { UsageError } from './UsageError.ts'

type Value = string | boolean | string[] | undefined

/**
 * Reads what follows a command's name. Switches that were not given are false, lists empty, other options
 * undefined. Throws UsageError.
 */
export function readArguments(
  command: Command,
  argv: string[],
): { options: Record<string, Value>; args: string[] } {
  const known = command.options
  const { tokens } = parseArgs({
    args: argv,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(known).map(([name, { value, short, multiple }]) => [
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
    Object.entries(known).map(([name, option]) => [name, absent(option)]),
  )
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const option = known[token.name]
    if (option === undefined || !Object.hasOwn(known, token.name)) throw unknown(command, token.rawName)
    const value = readValue(token.rawName, option, token.value)
    const before = options[token.name]
    options[token.name] = Array.isArray(before) ? [...before, ...String(value).split(',')] : value
  }
  checkCount(command, args)
  return { options, args }
}

function absent(option: Option): Value {
  if (option.multiple === true) return []
  return option.value === undefined ? false : undefined
}

function readValue(rawName: string, option: Option, value: string | undefined): string | boolean {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value: it is there or not.`)
    return true
  }
  if (value === undefined || value === '') throw new UsageError(`${rawName} needs a value (${option.value}).`)
  if (option.choices && !option.choices.includes(value)) {
    throw new UsageError(`${rawName} must be ${option.choices.join(' or ')}, not "${value}".`)
  }
  return value
}

function unknown(command: Command, rawName: string): UsageError {
  const near = nearestName(rawName.replace(/^-+/, ''), Object.keys(command.options))
  const hint = near === null ? '' : ` Did you mean --${near}?`
  return new UsageError(
    `linnet ${command.name} has no option ${rawName}.${hint} See "linnet ${command.name} --help".`,
  )
}

function checkCount({ name, args = [] }: Command, given: string[]): void {
  const missing = args.filter((arg) => arg.startsWith('<'))[given.length]
  if (missing !== undefined) {
    throw new UsageError(`linnet ${name} needs ${missing}. See "linnet ${name} --help".`)
  }
  const open = args.at(-1)?.includes('...') === true
  const surplus = open ? undefined : given[args.length]
  if (surplus !== undefined) {
    throw new UsageError(`linnet ${name} can do nothing with "${surplus}". See "linnet ${name} --help".`)
  }
}
