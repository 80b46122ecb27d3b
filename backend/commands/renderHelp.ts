import { groups, type Command, type Option } from './Command.ts'

const indent = '  '

/** Two columns; a first one that is too long has its line for itself. */
function renderRows(rows: [string, string][]): string[] {
  const width = Math.min(28, Math.max(...rows.map(([name]) => name.length)) + 2)
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

/** `linnet --help`: every command under its heading. */
export function renderOverview(commands: readonly Command[]): string {
  const lines = ['Linnet: a team messenger that a group owns, and its backend for any Supabase project.', '']
  for (const group of groups) {
    const rows = commands
      .filter((command) => command.group === group)
      .map(({ name, args = [], summary }): [string, string] => [[name, ...args].join(' '), summary])
    if (rows.length > 0) lines.push(group, ...renderRows(rows), '')
  }
  lines.push('"linnet <command> --help" tells its options.')
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

/** `linnet migration`: the commands that begin so. */
export function renderFamily(family: string, commands: readonly Command[]): string {
  const rows = commands.map(({ name, args = [], summary }): [string, string] => [
    [name, ...args].join(' '),
    summary,
  ])
  return [`linnet ${family} …`, '', ...renderRows(rows), ''].join('\n')
}
