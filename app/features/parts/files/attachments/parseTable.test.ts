import { expect, test } from 'vitest'
import { isTable, parseTable } from './parseTable.ts'

test('values between commas, semicolons or tabs are a table, with quoted cells', () => {
  expect(parseTable('\uFEFFname,place\r\n"Ferry, late","the ""old"" pier"\r\n')?.rows).toEqual([
    ['name', 'place'],
    ['Ferry, late', 'the "old" pier'],
  ])
  expect(parseTable('Name;Preis\nBrot;1,20')?.rows).toEqual([
    ['Name', 'Preis'],
    ['Brot', '1,20'],
  ])
  expect(parseTable('a\tb\n"two\nlines"\t')?.rows).toEqual([
    ['a', 'b'],
    ['two\nlines', ''],
  ])
})

test('rows are filled up to the longest one, and their number is bounded', () => {
  expect(parseTable('a,b,c\n1')?.rows[1]).toEqual(['1', '', ''])
  const long = parseTable('a,b\n'.repeat(2_000))
  expect(long?.rows).toHaveLength(500)
  expect(long?.cut).toBe(true)
  const wide = parseTable(`${'a,'.repeat(99)}a\n1`)
  expect(wide?.rows[0]).toHaveLength(50)
  expect(wide?.cut).toBe(true)
})

test('one row, one column and an unfinished cell are no table', () => {
  for (const text of ['', '06:10,07:40', 'one\ntwo', 'a,b\n"open,c'.slice(0, -1)])
    expect(parseTable(text)).toBeNull()
})

test('a table is known by its type or the end of its name', () => {
  expect(isTable({ type: 'text/csv; charset=utf-8', name: 'x' })).toBe(true)
  expect(isTable({ type: 'text/plain', name: 'rota.TSV' })).toBe(true)
  expect(isTable({ type: 'text/plain', name: 'csv.txt' })).toBe(false)
})
