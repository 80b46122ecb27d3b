import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/**
 * The help of all commands as text. It lets a checkout print help, and check options, before it is built. A test of
 * `backend/cli` compares it with the commands, and `npx vitest run --project unit backend/cli/linnet.test.ts -u` writes it.
 */
const helpFile = join(root, 'bin', 'help.txt')

/** The line between two commands. */
const separator = '----\n'

const readSections = () => readFileSync(helpFile, 'utf8').split(separator)

/** Whether a command line requests help. Words after "--" are arguments of another program. */
export const isHelp = (/** @type {string[]} */ args) =>
  args.length === 0 ||
  args[0] === 'help' ||
  args.slice(0, args.indexOf('--') >>> 0).some((word) => word === '--help' || word === '-h')

/** The help for a command line: the section of its command, else the list of commands. */
export function helpFor(/** @type {string[]} */ args) {
  const [overview = '', ...sections] = readSections()
  const line = args.filter((word) => !word.startsWith('-') && word !== 'help').join(' ')
  const matching = sections
    .map((section) => ({ section, name: /^linnet ((?:[a-z][\w-]* ?)+)/.exec(section)?.[1]?.trim() ?? '' }))
    .filter(({ name }) => name !== '' && `${line} `.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)
  return matching[0]?.section ?? overview
}

/**
 * The options of `linnet start`, each with whether it takes a value.
 * @returns {Map<string, boolean>}
 */
export function startOptions() {
  const lines = helpFor(['start']).split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^ {2}(?:-\w, )?--([\w-]+)(?: (\S+))?(?: {2}|$)/.exec(line) ?? []
      return name === undefined ? [] : [[name, value !== undefined]]
    }),
  )
}
