import { describe, expect, it } from 'vitest'
import { readTargets } from './readTargets.ts'

const entry = (column: number, table: number, origin: number, expr = '{VAR :varno 1}'): string =>
  `{TARGETENTRY :expr ${expr} :resno ${column} :resname a :resorigtbl ${table} :resorigcol ${origin} :resjunk false}`
const query = (targets: string, before = ''): string =>
  `{QUERY :commandType 1 :rtable (${before}) :targetList (${targets}) :override 0 :groupClause <>}`

describe('readTargets', () => {
  it('reads the columns that come from a table, and leaves out the computed', () => {
    expect(
      readTargets(`(${query(`${entry(1, 16_384, 3)} ${entry(2, 0, 0)} ${entry(3, 16_390, 1)}`)})`),
    ).toEqual([
      { column: 1, originTable: 16_384, originColumn: 3 },
      { column: 3, originTable: 16_390, originColumn: 1 },
    ])
  })

  it('passes over the lists of sub-queries, before and within its own', () => {
    const inner = query(entry(1, 7, 7))
    const tree = `(${query(entry(1, 8, 1, `{SUBLINK :subselect ${inner}}`), `{RANGETBLENTRY :subquery ${inner}}`)})`
    expect(readTargets(tree)).toEqual([{ column: 1, originTable: 8, originColumn: 1 }])
  })

  it('takes escaped characters for names', () => {
    const name = '\\{a\\ :resorigtbl\\ 9\\)'
    expect(readTargets(`(${query(entry(1, 8, 1).replace(':resname a', `:resname ${name}`))})`)).toEqual([
      { column: 1, originTable: 8, originColumn: 1 },
    ])
  })

  it('makes nothing of what is no query', () => {
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
