import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseBenchArguments, parts } from './benchArguments.mjs'

const namesOf = (...args: string[]): string[] | undefined => parseBenchArguments(args).names

it('every module of the bench is described as a part, and every part has a module', () => {
  const modules = readdirSync('bench')
    .filter(
      (file) =>
        file.endsWith('.ts') && /export async function run\(/.test(readFileSync(`bench/${file}`, 'utf8')),
    )
    .map((file) => file.replace('.ts', ''))
  expect(parts.map((part) => part.name)).toEqual(modules.toSorted())
})

it('no argument selects all parts except the ones that run only by name', () => {
  const selected = namesOf()
  expect(selected).toEqual(
    parts.map(({ name }) => name).filter((name) => !['abuse', 'archive', 'backup', 'peers'].includes(name)),
  )
  expect(namesOf('abuse')).toEqual(['abuse'])
})

it('parts run in the order of the table', () => {
  expect(namesOf('send', 'page')).toEqual(['page', 'send'])
})

it('an option is passed on with its value, which is not the name of a part', () => {
  expect(parseBenchArguments(['search', '--keep', 'send', '--json'])).toEqual({
    names: ['search'],
    options: ['--keep', 'send', '--json'],
  })
})

/** No part runs. */
const nothing = { names: [], options: [] }

it.each([[['--help']], [['-h']], [['send', '--help']]])('%j prints the help and starts nothing', (args) => {
  const parsed = parseBenchArguments(args)
  expect(parsed).toEqual({ ...nothing, help: expect.any(String) })
  for (const { name, minutes, measures } of parts) {
    expect(parsed.help).toMatch(new RegExp(`^ +${name} +${minutes} min +`, 'm'))
    expect(parsed.help).toContain(measures)
  }
})

it.each([
  [['--hepl'], 'There is no option --hepl.'],
  [['send', '-x'], 'There is no option -x.'],
  [['nothing'], 'There is no part nothing.'],
  [['summary', 'nothing'], 'There is no part nothing.'],
  [['search', '--keep'], 'The option --keep needs a value: --keep FOLDER.'],
])('%j prints the help with an error and starts nothing', (args, error) => {
  expect(parseBenchArguments(args)).toEqual({
    ...nothing,
    help: expect.stringContaining('Parts'),
    error,
  })
})
