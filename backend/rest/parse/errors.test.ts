import { expect, it } from 'vitest'
import { RestError } from '../errors.ts'
import { parseQuery } from './parseQuery.ts'
import { parseRange } from './parseRange.ts'
import { splitQuery } from './splitQuery.ts'

/** The error for a query. */
function errorOf(search: string): unknown {
  try {
    parseQuery(splitQuery(search), false)
    return null
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return [error.status, error.body.code, error.body.message, error.body.details]
  }
}

it.each([
  ['select=a::', 'select parameter (a::)', 4, 'unexpected end of input expecting letter or digit'],
  ['select=*!b', 'select parameter (*!b)', 2, `unexpected '!' expecting ")", "," or end of input`],
  [
    'select=b(a[])',
    'select parameter (b(a[]))',
    4,
    `unexpected '[' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`,
  ],
  ['select=a->--1', 'select parameter (a->--1)', 5, 'unexpected "-" expecting digit'],
  ['select=a->-x', 'select parameter (a->-x)', 5, 'unexpected "x" expecting digit'],
  [
    'select=a->-1x',
    'select parameter (a->-1x)',
    6,
    `unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`,
  ],
  [
    'select=a->(b',
    'select parameter (a->(b)',
    4,
    'unexpected "(" expecting "-", digit or any non reserved character different from: .,>()',
  ],
  [
    'order=a.smth',
    'order (a.smth)',
    3,
    'unexpected "s" expecting "asc", "desc", "nullsfirst" or "nullslast"',
  ],
  ['order=a.asc.smth', 'order (a.asc.smth)', 7, 'unexpected "s" expecting "nullsfirst" or "nullslast"'],
  ['order=a.ascx', 'order (a.ascx)', 6, `unexpected 'x' expecting delimiter (.), "," or end of input`],
  ['order=a.nullslastx', 'order (a.nullslastx)', 12, `unexpected 'x' expecting "," or end of input`],
  ['a=5', 'filter (5)', 1, 'unexpected "5" expecting "not" or operator (eq, gt, ...)'],
  ['a=not.odd.1', 'filter (not.odd.1)', 5, 'unexpected "o" expecting operator (eq, gt, ...)'],
  [
    'a=is.maybe',
    'filter (is.maybe)',
    4,
    'unexpected "m" expecting isVal: (null, not_null, true, false, unknown)',
  ],
  ['=eq.1', 'tree path ()', 1, 'unexpected end of input expecting field name (* or [a..z0..9_$])'],
  [
    'or=()',
    'logic tree (())',
    4,
    'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
  ],
])('%s', (search, subject, column, details) => {
  const message = `"failed to parse ${subject}" (line 1, column ${column})`
  expect(errorOf(search)).toEqual([400, 'PGRST100', message, details])
})

it('ignores extra parentheses, but nothing that could be a condition', () => {
  expect([errorOf('select=a,b(c))'), errorOf('or=(a.eq.1,b.eq.2))')]).toEqual([null, null])
  expect(errorOf('or=(a.eq.1)(b.eq.2)')).not.toBeNull()
})

it('counts rows before the first', () => {
  expect(parseRange('GET', { offset: -4, limit: null }, undefined)).toEqual({ offset: 0, limit: null })
  expect(parseRange('GET', { offset: -2, limit: 5 }, undefined)).toEqual({ offset: 0, limit: 3 })
  expect(() => parseRange('GET', { offset: -6, limit: 5 }, undefined)).toThrow('not satisfiable')
})
