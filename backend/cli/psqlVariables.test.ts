import { expect, test } from 'vitest'
import { interpolate, readArguments } from './psqlVariables.ts'

const variables = new Map([
  ['id', '7'],
  ['name', "O'Neil"],
  ['Table', 'odd "name"'],
])

test.each([
  ['select :id', 'select 7'],
  [`select :'name', :"Table"`, `select 'O''Neil', "odd ""name"""`],
  ['select 1::id, a[1:2], :other, :table', 'select 1::id, a[1:2], :other, :table'],
  [`select ':id', $$:id$$, ":id" -- :id`, `select ':id', $$:id$$, ":id" -- :id`],
  [`select :id::text || :'id'::text`, `select 7::text || '7'::text`],
  [`select :'other'`, `select :'other'`],
])('variables of psql in %s are replaced outside of quotes', (sql, expected) => {
  expect(interpolate(sql, variables)).toBe(expected)
})

test.each([
  ['', []],
  [`a b`, ['a', 'b']],
  [`address '\\'f3\\'' 'it''s' x'y z'`, ['address', "'f3'", "it's", 'xy z']],
  [`next :id 'line\\n' ':id'`, ['next', '7', 'line\n', ':id']],
])('the arguments %s of a command of psql are separated', (text, expected) => {
  expect(readArguments(text, variables)).toEqual(expected)
})
