import { expect, it } from 'vitest'
import type { Catalogue, CatalogueEntry, Kind } from '../catalogue/readCatalogue.ts'
import { selectDifferences } from './selectDifferences.ts'

const entry = (kind: Kind, name: string, schema: string | null, value = ''): CatalogueEntry => ({
  kind,
  name,
  of: null,
  schema,
  value,
})
const catalogue = (...entries: CatalogueEntry[]): Catalogue =>
  new Map(entries.map((one) => [`${one.kind} ${one.name}`, one]))

const platform = [
  entry('schema', 'auth', 'auth'),
  entry('table', 'auth.users', 'auth'),
  entry('role', 'anon', null),
  entry('function', 'auth.uid()', 'auth', 'new'),
]
const created = [
  ...platform,
  entry('table', 'public.messages', 'public'),
  entry('bucket', 'files', null, 'private'),
]

const differences = (...source: CatalogueEntry[]): string[] =>
  selectDifferences({
    platform: catalogue(...platform),
    created: catalogue(...created),
    source: catalogue(...source),
  })

it('objects that the migrations do not create are named, wherever they are', () => {
  expect(
    differences(
      ...created,
      entry('table', 'public.by_hand', 'public'),
      entry('extension', 'citext', null),
      entry('role', 'by_hand', null),
      entry('policy', '"by hand" on auth.users', 'auth'),
      entry('trigger', 'by_hand on auth.users', 'auth', 'EXECUTE FUNCTION public.by_hand()'),
    ),
  ).toEqual([
    'table public.by_hand',
    'extension citext',
    'role by_hand',
    'policy "by hand" on auth.users',
    'trigger by_hand on auth.users',
  ])
})

it('an object that differs or is missing is described', () => {
  const [changed] = differences(...platform, entry('table', 'public.messages', 'public', 'unlogged'))
  expect(changed).toMatch(/^The table public\.messages differs/)
  expect(differences(...platform)).toEqual(['The table public.messages is missing.'])
})

it('rows, objects of another version of the platform and NOT NULL constraints are no differences', () => {
  expect(
    differences(
      ...created.filter(({ name }) => name !== 'auth.uid()'),
      entry('function', 'auth.uid()', 'auth', 'earlier'),
      entry('function', 'auth.earlier()', 'auth'),
      entry('trigger', 'earlier on auth.users', 'auth', 'EXECUTE FUNCTION auth.earlier()'),
      entry('bucket', 'files', null, 'public'),
      entry('bucket', 'more', null),
      entry('constraint', 'messages_id_not_null of public.messages', 'public', 'NOT NULL id'),
    ),
  ).toEqual([])
})
