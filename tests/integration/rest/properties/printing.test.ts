import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RestError } from '../../../../backend/rest/errors.ts'
import { anyQuery } from './anyQuery.ts'
import { readMeaning } from './parseMeaning.ts'
import type { Meaning } from './parseMeaning.ts'
import { encodePairs, printPairs } from './printQuery.ts'
import type { Quoting } from './printQuery.ts'
import { timeoutMs, runs } from './runs.ts'

function printed(query: Meaning, quote?: Quoting): string {
  return encodePairs(printPairs(query, quote))
}

it(
  'reads what a query is printed as back to the same query',
  () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(readMeaning(printed(query))).toEqual(query)
      }),
      { numRuns: runs(3_000) },
    )
  },
  timeoutMs,
)

/** Tokens of queries, so that many random texts are valid. */
const pieces = [
  'id name a-b "a.b" Ü * , ( ) . : :: -> ->> ! ... eq. not. in.( is.null or and asc desc nullsfirst 0 " \\ sum()',
].flatMap((line) => line.split(' '))
const piece = fc.constantFrom(' ', ...pieces)
const soup = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('select', 'order', 'or', 'not.and', 'id', 'a.b.order', 'limit'), soup),
  fc.oneof(
    soup,
    soup.map((text) => `(${text})`),
    soup.map((text) => `eq.${text}`),
  ),
)

/** Null if the query is refused; throws other errors. */
function readIfItParses(search: string): Meaning | null {
  try {
    return readMeaning(search)
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}

it(
  'prints whatever could be read so that it is read the same again',
  () => {
    let read = 0
    fc.assert(
      fc.property(fc.array(parameter, { minLength: 1, maxLength: 3 }), (pairs) => {
        const query = readIfItParses(encodePairs(pairs))
        if (query === null) return
        read++
        expect(readMeaning(printed(query))).toEqual(query)
      }),
      { numRuns: runs(20_000) },
    )
    expect(read).toBeGreaterThan(runs(500))
  },
  timeoutMs,
)

it('detects wrong quoting', () => {
  const careless: Quoting = (text) => `"${text}"`
  const law = fc.property(anyQuery, (query) => {
    expect(readMeaning(printed(query, careless))).toEqual(query)
  })
  expect(fc.check(law, { numRuns: 500 }).failed).toBe(true)
})
