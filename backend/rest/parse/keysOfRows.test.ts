import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keysOfRows } from './keysOfRows.ts'

/** The expected result, computed with JSON.parse; or the error. */
function expectedKeys(text: string): unknown {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'Empty or invalid json'
  }
  if (json === null || typeof json !== 'object') return null
  const rows: unknown[] = Array.isArray(json) ? json : [json]
  if (rows.length === 0) return null
  const lists = rows.map((row) =>
    row && typeof row === 'object' && !Array.isArray(row) ? Object.keys(row).toSorted() : null,
  )
  const first = JSON.stringify(lists[0])
  if (lists.some((list) => list === null || JSON.stringify(list) !== first))
    return 'All object keys must match'
  return { isObject: !Array.isArray(json), keys: lists[0] }
}

function foundKeys(text: string): unknown {
  try {
    return keysOfRows(Buffer.from(text))
  } catch (error) {
    return (error as Error).message
  }
}

const key = fc.constantFrom('a', 'b', 'ü"\\\n', '__proto__', '')
const row = fc.uniqueArray(fc.tuple(key, fc.jsonValue({ maxDepth: 2 })), { selector: ([name]) => name })
const body = fc.oneof(
  fc.json(),
  fc
    .array(
      row.map(
        (pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)}}`,
      ),
      { maxLength: 3 },
    )
    .map((rows) => `[ ${rows.join(' , ')} ]`),
)
/** JSON in which a part was replaced by a JSON token. */
const damaged = fc
  .tuple(
    body,
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom(...'{}[],:"\\ -+.0e1utn\u0001', '', 'true', 'nul'),
  )
  .map(([text, place, length, with_]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + with_ + text.slice(at + length)
  })

describe('the keys of rows', () => {
  it('equal those of JSON.parse, which also refuses the same texts', () => {
    fc.assert(
      fc.property(fc.oneof(body, damaged), (text) => {
        expect([text, foundKeys(text)]).toEqual([text, expectedKeys(text)])
      }),
      { numRuns: 3_000 },
    )
  })

  it('are found in any order, escaped or repeated', () => {
    for (const text of [
      '[{"a":1,"b":2},{"b":3,"a":4}]',
      '[{"a":1},{"\\u0061":2}]',
      '[{"a":1,"a":2},{"a":3}]',
      '[{"a":1},{"a":2,"a":3}]',
      '[{"a":1,"b":2},{"a":3,"a":4}]',
      '[{"a":1,"b":2},{"a":3}]',
      '[{"a":1},{"a":2,"b":3}]',
      '[{},{}]',
      '[{},{"a":1}]',
      '\ufeff{}',
      '{"a":[{"b":1},{"c":[[]]}]}',
    ]) {
      expect([text, foundKeys(text)]).toEqual([text, expectedKeys(text)])
    }
  })

  it('are limited to one more than the columns of a table', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]))
    expect(keysOfRows(Buffer.from(JSON.stringify(many)))?.keys).toHaveLength(1_601)
  })

  it('are refused in JSON that is nested too deeply', () => {
    expect(foundKeys(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)).toEqual({
      isObject: true,
      keys: ['a'],
    })
    for (const text of ['['.repeat(5_000_000), '{"a":'.repeat(1_000_000)]) {
      expect(foundKeys(text)).toBe('Empty or invalid json')
    }
  })
})
