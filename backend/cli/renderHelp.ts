import { groups, type Command, type Option } from './Command.ts'

const indent = '  '

type Rows = [string, string][]

const widthOf = (rows: Rows): number => Math.min(28, Math.max(...rows.map(([name]) => name.length)) + 2)

/** Two columns; a name that is too long is on its own line. */
function renderRows(rows: Rows, width = widthOf(rows)): string[] {
  return rows.flatMap(([name, text]) => {
    const lines = text.split('\n')
    const first =
      name.length < width ? [`${indent}${name.padEnd(width)}${lines.shift()}`] : [`${indent}${name}`]
    return [...first, ...lines.map((line) => `${indent}${' '.repeat(width)}${line}`)]
  })
}

function renderOption(name: string, option: Option): [string, string] {
  const short = option.short === undefined ? '' : `-${option.short}, `
  const value = option.choices?.join('|') ?? option.value
  return [`${short}--${name}${value === undefined ? '' : ` ${value}`}`, option.help]
}

const toRow = ({ name, args = [], summary }: Command): [string, string] => [
  [name, ...args].join(' '),
  summary,
]

/** `linnet --help`: all commands by group. */
export function renderOverview(commands: readonly Command[]): string {
  const lines = ['Linnet: a team messenger that a group owns, and its backend for any Supabase project.', '']
  const width = widthOf(commands.map(toRow))
  for (const group of groups) {
    const rows = commands.filter((command) => command.group === group).map(toRow)
    if (rows.length > 0) lines.push(group, ...renderRows(rows, width), '')
  }
  lines.push('"linnet <command> --help" describes a command. "linnet --version" prints the version.')
  return `${lines.join('\n')}\n`
}

/** `linnet <command> --help`. */
export function renderCommand(command: Command): string {
  const { name, args = [], summary, help, aliases = [] } = command
  const options = Object.entries(command.options).map(([key, option]) => renderOption(key, option))
  const lines = [`linnet ${[name, ...args].join(' ')}${options.length > 0 ? ' [options]' : ''}`, '']
  lines.push(`${summary}.`, ...(help === undefined ? [] : ['', help]))
  if (options.length > 0) lines.push('', 'Options', ...renderRows(options))
  if (aliases.length > 0) lines.push('', `Also: ${aliases.map((alias) => `linnet ${alias}`).join(', ')}`)
  return `${lines.join('\n')}\n`
}

/** `linnet migration`: all commands that start with this word. */
export function renderCommandFamily(family: string, commands: readonly Command[]): string {
  return [`linnet ${family} …`, '', ...renderRows(commands.map(toRow)), ''].join('\n')
}
