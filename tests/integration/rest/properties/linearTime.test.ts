import { expect, it } from 'vitest'
import { RestError } from '../../../../backend/rest/errors.ts'
import { Scanner } from '../../../../backend/rest/parse/scanner.ts'
import { readMeaning } from './parseMeaning.ts'

/** Repeated parts of long queries, with their start and end. */
const LONG: [open: string, repeated: string, close: string][] = [
  ['select=', 'a,', 'a'],
  ['select=', 'a:b::text,', 'a'],
  ['select=', 'a(b),', 'a'],
  ['select=', '"a",', 'a'],
  ['select=', '*,', '*'],
  ['select=', 'a.sum(),', 'a'],
  ['select=', 'a', ''],
  ['select=', 'a-', 'a'],
  ['select=', 'a(', ''],
  ['select=', ' ', 'a'],
  ['select=', 'a!b', '(c)'],
  ['select="', 'a', ''],
  ['select=a', '->b', ''],
  ['select=a->', '1', 'x'],
  ['or=(', 'a.eq.1,', 'a.eq.1)'],
  ['or=', '(and', ''],
  ['or=(a.cs.', '{a,', ')'],
  ['or=(a.in.(', '"a,', '))'],
  ['or=(a.in.(', '"\\",', '))'],
  ['a=in.(', '1,', '1)'],
  ['a=in.(', '"', ')'],
  ['a=in.(', '"\\', ')'],
  ['a=', 'not.', 'eq.1'],
  ['a=eq(', 'x', ''],
  ['a=eq.', 'x', ''],
  ['a=eq.', '%C3%28', ''],
  ['order=', 'a.desc,', 'a'],
  ['', 'a.', 'a=eq.1'],
  ['', 'a=eq.1&', 'a=eq.1'],
  ['', 'a.limit=1&', 'limit=1'],
]

const COUNTED = ['peek', 'sees', 'eat', 'match', 'skipBlanks', 'quoted', 'name'] as const

/** Number of scanner calls and consumed characters during `work`. */
function stepsOf(work: () => void): number {
  let steps = 0
  const methods = Scanner.prototype as unknown as Record<string, (...given: unknown[]) => unknown>
  const own = COUNTED.map((name) => [name, methods[name]!] as const)
  for (const [name, method] of own) {
    methods[name] = function (this: Scanner, ...given) {
      const start = this.at
      const response = method.apply(this, given)
      steps += 1 + Math.abs(this.at - start)
      return response
    }
  }
  try {
    work()
  } finally {
    for (const [name, method] of own) methods[name] = method
  }
  return steps
}

function parse(search: string): void {
  try {
    readMeaning(search)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
  }
}

const SMALL = 16 * 1024
const LARGE = 256 * 1024

it.each(LONG)('parses %s%s…%s in linear time', (open, repeated, close) => {
  const long = (size: number): string => open + repeated.repeat(Math.floor(size / repeated.length)) + close
  const small = stepsOf(() => parse(long(SMALL)))
  const large = stepsOf(() => parse(long(LARGE)))
  // A backtracking parser takes 256 times the steps for 16 times the length.
  expect(large).toBeLessThan((small + 100) * (LARGE / SMALL) * 1.5)
})

it('detects a backtracking parser', () => {
  const goingBack = (size: number) => (): void => {
    const scan = new Scanner('a'.repeat(size), 'test')
    for (let at = 0; at < size; at += 16) {
      scan.at = 0
      scan.match(new RegExp(`a{${at}}`, 'y'))
    }
  }
  expect(stepsOf(goingBack(16_384))).toBeGreaterThan(stepsOf(goingBack(1_024)) * 16 * 1.5)
})
