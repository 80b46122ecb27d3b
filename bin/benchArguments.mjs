// The command line of `npm run bench`. Uses only Node's own modules, so that the help needs no installation and no build.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './setup.mjs'

/**
 * A part of the bench: the file of this name in `bench/`.
 * @typedef {object} BenchPart
 * @property {string} name
 * @property {string} measures what it measures
 * @property {number} minutes how long it takes on two cores without other work
 * @property {boolean} [isOnlyByName] whether it runs only when it is named
 * @property {Record<string, string>} [options] its options (`--big`, `--keep FOLDER`) and environment variables, and their effects
 */

/** All parts, in the order in which they run. @type {BenchPart[]} */
export const parts = JSON.parse(readFileSync(join(root, 'bench/parts.json'), 'utf8'))

/** Options that every part accepts. @type {Record<string, string>} */
const sharedOptions = {
  '--json': 'prints one line with all tables, and one with the summaries of the parts that have one',
  '--help': 'prints this text; so does -h',
}

/**
 * Reads the arguments of `npm run bench`. Returns the names of the parts to run and the options for them, or what to print
 * instead: `help`, and `error` unless the help was requested.
 * @param {string[]} args
 * @returns {{ names: string[], options: string[], help?: string, error?: string }}
 */
export function parseBenchArguments(args) {
  const instead = (/** @type {string} */ error = '') => ({
    names: [],
    options: [],
    help: renderBenchHelp(),
    ...(error !== '' && { error }),
  })
  if (args.includes('--help') || args.includes('-h')) return instead()
  const knownOptions = [sharedOptions, ...parts.map((part) => part.options ?? {})].flatMap(Object.keys)
  /** @type {string[]} */
  const names = []
  /** @type {string[]} */
  const options = []
  for (const rest = [...args]; rest.length > 0;) {
    const [arg = ''] = rest.splice(0, 1)
    if (!arg.startsWith('-')) {
      names.push(arg)
      continue
    }
    const option = knownOptions.find((known) => known.split(' ')[0] === arg)
    if (option === undefined) return instead(`There is no option ${arg}.`)
    options.push(arg)
    if (!option.includes(' ')) continue
    const value = rest.shift()
    if (value === undefined) return instead(`The option ${arg} needs a value: ${option}.`)
    options.push(value)
  }
  const unknown = names.find((name) => name !== 'summary' && !parts.some((part) => part.name === name))
  if (unknown !== undefined) return instead(`There is no part ${unknown}.`)
  if (names.includes('summary')) return { names: ['summary'], options }
  const chosen = parts.filter((part) => (names.length > 0 ? names.includes(part.name) : !part.isOnlyByName))
  return { names: chosen.map((part) => part.name), options }
}

/** The usage, the parts with their durations, and the options. */
function renderBenchHelp() {
  const described = parts.map(({ name, minutes, measures, isOnlyByName }) => ({
    minutes: isOnlyByName ? 0 : minutes,
    line: `  ${name.padEnd(14)} ${`${minutes} min`.padStart(6)}  ${isOnlyByName ? '* ' : ''}${measures}`,
  }))
  const total = described.reduce((sum, part) => sum + part.minutes, 0)
  const optionLines = (/** @type {Record<string, string>} */ options) =>
    Object.entries(options).map(([option, effect]) => `  ${option.padEnd(30)} ${effect}`)
  return [
    `npm run bench                  runs all parts without *, which takes about ${total} minutes`,
    'npm run bench -- PART…         runs these parts',
    'npm run bench -- summary       prints the results of the last runs',
    '',
    'Parts, how long each takes on two cores, and what it measures (* runs only when it is named):',
    ...described.map((part) => part.line),
    '',
    'Options:',
    ...optionLines(sharedOptions),
    '',
    'Options and environment variables of single parts:',
    ...parts.flatMap(({ name, options = {} }) =>
      Object.entries(options).map(([option, effect]) => `  ${name.padEnd(9)} ${option.padEnd(30)} ${effect}`),
    ),
  ].join('\n')
}
