import { describe, expect, it } from 'vitest'
import { readTargets } from './readTargets.ts'

const entry = (column: number, table: number, origin: number, expr = '{VAR :varno 1}'): string =>
  `{TARGETENTRY :expr ${expr} :resno ${column} :resname a :resorigtbl ${table} :resorigcol ${origin} :resjunk false}`
const query = (targets: string, before = ''): string =>
  `{QUERY :commandType 1 :rtable (${before}) :targetList (${targets}) :override 0 :groupClause <>}`

describe('readTargets', () => {
  it('returns columns of a table, but not computed ones', () => {
    expect(
      readTargets(`(${query(`${entry(1, 16_384, 3)} ${entry(2, 0, 0)} ${entry(3, 16_390, 1)}`)})`),
    ).toEqual([
      { column: 1, originTable: 16_384, originColumn: 3 },
      { column: 3, originTable: 16_390, originColumn: 1 },
    ])
  })

  it('skips the target lists of sub-queries', () => {
    const inner = query(entry(1, 7, 7))
    const tree = `(${query(entry(1, 8, 1, `{SUBLINK :subselect ${inner}}`), `{RANGETBLENTRY :subquery ${inner}}`)})`
    expect(readTargets(tree)).toEqual([{ column: 1, originTable: 8, originColumn: 1 }])
  })

  it('handles escaped characters in names', () => {
    const name = '\\{a\\ :resorigtbl\\ 9\\)'
    expect(readTargets(`(${query(entry(1, 8, 1).replace(':resname a', `:resname ${name}`))})`)).toEqual([
      { column: 1, originTable: 8, originColumn: 1 },
    ])
  })

  it('returns nothing for invalid trees', () => {
    for (const text of [
      '',
      '<>',
      '(',
      ')))',
      '({QUERY :targetList <>})',
      '({QUERY :targetList ({TARGETENTRY',
    ]) {
      expect(readTargets(text)).toEqual([])
    }
  })
})
