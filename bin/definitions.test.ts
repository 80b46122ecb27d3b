import { expect, it } from 'vitest'
import { findByName, findDefinitions, findRepeatedDefinitions } from './definitions.mjs'

const check = (mayReplace: boolean, ...texts: string[]): string[] =>
  findRepeatedDefinitions({
    files: texts.map((text, i) => ({ path: `${i + 1}.sql`, text: `-- A file.\n${text}` })),
    mayReplace,
  })

it.each([
  ['create function app.a() returns int', 'create function app.a(b int) returns int', 'function app.a'],
  ['create table public.a (id int)', 'create unlogged table public.a (id int)', 'table public.a'],
  ['create index a on b (c)', 'create unique index a\n  on b (c)', 'index a'],
  [
    'create policy "all see" on a using (true)',
    'create policy "all see" on a using (false)',
    'policy all see on a',
  ],
  [
    'create trigger c after insert on a',
    'create constraint trigger c\n  after insert or update on a',
    'trigger c on a',
  ],
])('%s is defined once', (first, second, object) => {
  expect(check(false, `${first};`, 'select 1;')).toEqual([])
  expect(check(false, `${first};`, `${second};`)).toEqual([`2.sql:2 ${object}: 1.sql:2 defines it as well`])
  expect(check(true, `${first};`, `${second};`)).toEqual([`2.sql:2 ${object}: 1.sql:2 defines it as well`])
})

it.each([
  'create or replace function app.a() returns int',
  'drop function if exists app.a',
  'drop trigger c on a',
  'alter table public.a add column b int',
  'alter table public.a\n  drop constraint c',
  'alter policy "all see" on a using (true)',
  'alter function app.a set work_mem = 1',
])('the schema contains no %s', (statement) => {
  expect(check(false, `${statement};`)).toHaveLength(1)
})

it.each([
  'create policy "all see" on a using (true);\ncreate policy "all see" on b using (true)',
  'create trigger c after insert on a;\ncreate trigger c after insert on b',
  'alter table a enable row level security',
  'alter index a alter column 1 set statistics 0',
  'create function app.a() returns void as $$\ncreate or replace function b\ndrop table c\n$$',
  `comment on function app.a is 'As\ndrop table b'`,
  '-- The next statement:\n-- create table a\ncreate table a (id int)',
])('accepts %s', (text) => {
  expect(check(false, `${text};`)).toEqual([])
})

it('the platform may replace what it defined at an earlier start, but not add columns later', () => {
  expect(
    check(true, 'create or replace function a() returns int;', 'drop policy if exists "b c" on d;'),
  ).toEqual([])
  expect(check(true, 'alter table storage.a add column if not exists b int;')).toHaveLength(1)
})

it('names objects with the line on which their statement begins', () => {
  expect(
    findDefinitions(
      '-- A.\n\ncreate function app.Send(\n  a int\n) returns int;\ndrop policy "all see" on public.a;',
    ).map(({ verb, object, line }) => [verb, object, line]),
  ).toEqual([
    ['create', 'function app.send', 3],
    ['drop', 'policy all see on public.a', 6],
  ])
})

it('finds a table with its policies, triggers and indexes, with or without the schema', () => {
  const text = `create table public.a (b int);
create table public.ab (b int);
create index a_b on public.a (b);
create policy "all see" on public.a using (true);
create policy "all see" on public.ab using (true);
create trigger c after insert on public.a;
drop trigger c on public.a;`
  const found = [
    'create table public.a',
    'create index a_b',
    'create policy all see on public.a',
    'create trigger c on public.a',
    'drop trigger c on public.a',
  ]
  const list = (name: string): string[] => findByName(text, name).map((one) => `${one.verb} ${one.object}`)
  expect(list('a')).toEqual(found)
  expect(list('public.a')).toEqual(found)
  expect(list('app.a')).toEqual([])
  expect(list('c')).toEqual(found.slice(3))
})
