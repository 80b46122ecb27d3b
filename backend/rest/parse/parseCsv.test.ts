import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RestError } from '../errors.ts'
import { parseCsv } from './parseCsv.ts'
import type { CsvRows } from './parseCsv.ts'

/** Characters with a meaning in CSV or JSON, and some others. */
const piece = fc.constantFrom(
  '"',
  ',',
  '\n',
  '\r',
  '\\',
  '\t',
  '\u0000',
  '\u001f',
  'a',
  ' ',
  'NULL',
  'ü',
  '𝄞',
  '{',
)
const field = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

interface Sheet {
  header: string[]
  rows: string[][]
  quotes: boolean
  end: string
  isEnded: boolean
}

const sheet: fc.Arbitrary<Sheet> = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    header: fc.uniqueArray(field, { minLength: width, maxLength: width }),
    rows: fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 5 }),
    quotes: fc.boolean(),
    end: lineEnd,
    isEnded: fc.boolean(),
  }),
)

function write({ header, rows, quotes, end, isEnded }: Sheet): string {
  const written = (value: string): string =>
    quotes || /["\r\n,]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  const lines = [header, ...rows].map((row) => row.map(written).join(','))
  return lines.join(end) + (isEnded || rows.length === 0 ? end : '')
}

it('parses what was written for any table', () => {
  fc.assert(
    fc.property(sheet, (any) => {
      const isBlank = (row: string[]): boolean => row.length === 1 && row[0] === ''
      const rows = any.rows.filter((row) => !isBlank(row))
      const { json, keys } = parseCsv(Buffer.from(write(any)))
      const expected = rows.map((row) =>
        Object.fromEntries(row.map((value, i) => [any.header[i], value === 'NULL' ? null : value])),
      )
      expect(JSON.parse(json)).toEqual(expected)
      expect(keys).toEqual(rows.length === 0 ? [] : any.header.toSorted())
    }),
    { numRuns: 500 },
  )
})

/** Null if the text is refused. */
function parsed(text: string): CsvRows | null {
  try {
    return parseCsv(Buffer.from(text))
  } catch (error) {
    if (error instanceof RestError && error.body.code === 'PGRST102') return null
    throw error
  }
}

it('converts any text to JSON rows, or refuses it', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const read = parsed(pieces.join(''))
      const rows = JSON.parse(read?.json ?? '[]') as object[]
      for (const row of rows) expect(Object.keys(row).sort()).toEqual(read?.keys)
    }),
    { numRuns: 2_000 },
  )
})
