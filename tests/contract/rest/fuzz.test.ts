import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'id',
      'name',
      'text',
      'tags',
      'span',
      'words',
      'doc',
      'mood',
      'clients',
      'tasks',
      'people',
      'projects',
      '*',
      'a b',
      'shout',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '"',
      '\\',
      '\u0000',
      '%',
      "'",
      '--',
      '/*',
      ';',
      '$1',
      '::',
      '\ud800',
      '\u202e',
      '""',
      'toString',
      '__proto__',
      '9'.repeat(40),
    ),
  },
)
const mark = fc.constantFrom(
  '(',
  ')',
  ',',
  '.',
  '->',
  '->>',
  '::',
  ':',
  '!',
  '"',
  '...',
  '!inner',
  '()',
  ' ',
  '{',
  '}',
  '[',
  '-',
)
const soup = fc.array(fc.oneof(word, mark), { maxLength: 12 }).map((parts) => parts.join(''))
const operator = fc.constantFrom(
  'eq',
  'neq',
  'gt',
  'like',
  'ilike',
  'match',
  'imatch',
  'in',
  'is',
  'isdistinct',
  'fts',
  'plfts(english)',
  'wfts(no such)',
  'cs',
  'cd',
  'ov',
  'sl',
  'sr',
  'nxr',
  'nxl',
  'adj',
  'eq(any)',
  'like(all)',
  'not.eq',
  'not.in',
  'not.is',
  'toString',
  'not',
)
const value = fc.oneof(
  soup,
  fc.constantFrom('1', '(1,2)', '("a,b")', 'null', '{a,b}', '[1,2)', '(', '*', '(?', '[[:alpha:', 'not.null'),
)
const filter = fc
  .tuple(word, operator, value)
  .map(([name, op, operand]): [string, string] => [name, `${op}.${operand}`])
const logic = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(word, operator, value).map((parts) => parts.join('.')),
    fc
      .tuple(fc.constantFrom('and', 'or', 'not.and', 'xor'), fc.array(tie('tree'), { maxLength: 3 }))
      .map(([op, items]) => `${op}(${items.join(',')})`),
  ),
})).tree
const parameter: fc.Arbitrary<[string, string]> = fc.oneof(
  { weight: 4, arbitrary: filter },
  { weight: 3, arbitrary: soup.map((text): [string, string] => ['select', text]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('or', 'and', 'not.or', 'tasks.or'), logic)
      .map(([name, tree]): [string, string] => [name, `(${tree})`]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('order', 'tasks.order', 'limit', 'offset', 'tasks.limit', 'columns', 'on_conflict'),
      fc.oneof(
        soup,
        fc.integer().map(String),
        fc.constantFrom('id.desc', 'clients(name)', '1e9', '-1', '99999999999999999999'),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(soup, soup) },
)
const encode = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}
const query = fc
  .array(parameter, { maxLength: 5 })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&'))
const path = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '/kinds',
      '/projects',
      '/people',
      '/items',
      '/pairs',
      '/notes',
      '/rpc/add',
      '/rpc/joined',
      '/rpc/some_projects',
      '/rpc/echo_json',
      '/rpc/as_table',
    ),
  },
  { weight: 1, arbitrary: soup.filter((text) => !/^\.\.?$/.test(text)).map((text) => `/${encode(text)}`) },
)
const body = fc.oneof(
  fc.json(),
  fc
    .array(
      fc.dictionary(fc.constantFrom('id', 'name', 'size', 'a', 'b', 'label', 'words'), fc.jsonValue(), {
        maxKeys: 3,
      }),
      { maxLength: 3 },
    )
    .map((rows) => JSON.stringify(rows)),
  fc
    .dictionary(fc.constantFrom('id', 'name', 'size', 'a', 'b', 'x"y'), fc.jsonValue(), { maxKeys: 3 })
    .map((row) => JSON.stringify(row)),
  soup,
)
const headers = fc.record(
  {
    Prefer: fc
      .array(
        fc.constantFrom(
          'return=representation',
          'return=headers-only',
          'count=exact',
          'count=planned',
          'count=estimated',
          'resolution=merge-duplicates',
          'resolution=ignore-duplicates',
          'missing=default',
          'handling=strict',
          'max-affected=1',
          'max-affected=-9',
          'timezone=Nowhere',
          'tx=rollback',
          'x',
        ),
      )
      .map((list) => list.join(', ')),
    Accept: fc.constantFrom(
      '*/*',
      'application/json',
      'text/csv',
      'application/vnd.pgrst.object+json',
      'application/vnd.pgrst.array+json;nulls=stripped',
      'text/html',
      ';;;',
      'a/b;q=x',
    ),
    Range: fc.constantFrom('0-1', '5-2', '0-', 'x', '99999999999999999999-'),
    'Content-Type': fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'text/csv',
      'x',
      'application/octet-stream',
    ),
    'Accept-Profile': fc.constantFrom('public', 'other', 'hidden', '"'),
  },
  { requiredKeys: [] },
)

/** What only a server that gave up would say. */
const inside = /\.ts:\d|\.js:\d|node_modules|\bat (?:async )?\w+ \(|TypeError|RangeError|\[object /

it('answers whatever is sent with the contract, never with its inside', async () => {
  const request = fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'),
    path,
    query,
    body,
    headers,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, headers }) => {
      const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'
      const told = await server.ask(`${path}?${query}`, { method, headers, ...(hasBody ? { body } : {}) })
      expect(told.status < 500 ? '' : `${told.status} ${told.text}`).toBe('')
      if (told.status < 400 || method === 'HEAD') return
      expect(Object.keys(told.json as object).sort()).toEqual(['code', 'details', 'hint', 'message'])
      expect((told.json as { code: string }).code).toMatch(/^(PGRST\d{3}|[0-9A-Z]{5})$/)
      expect(told.text).not.toMatch(inside)
    }),
    { numRuns: 400, endOnFailure: true },
  )
  expect(server.logged).toEqual([])
  expect((await server.ask('/clients?select=id&order=id&limit=1')).json).toEqual([{ id: 1 }])
})
