import * as fc from 'fast-check'
import { encodePairs, quoted } from './printQuery.ts'

/** A request for the pipeline, with headers by lower-case names. */
export interface ShapedRequest {
  method: string
  path: string
  search: string
  headers: Record<string, string>
  body: string
}

/** A table whose column names look like parts of a shape: lengths, separators, lists of names. */
export const oddTable = `
  create table odd (a int primary key, b int, "1" int, "a,b" int, "a"",""b" int, ":" int, "1:a" int, "f1,3:a" int)`

/** Parts of shapes, so that different requests have similar shapes. */
const piece = fc.constantFrom(
  'a',
  'b',
  '1',
  '3',
  ',',
  ':',
  '"',
  '[',
  ']',
  'f',
  's',
  'i',
  'r',
  'eq.',
  'is.null',
  '.',
)
const scrap = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
const name = fc.oneof(fc.constantFrom('a', 'b'), scrap.map(quoted))
const parameter = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      name,
      scrap.map((text) => `eq.${text}`),
    ),
  },
  fc.tuple(
    name,
    fc.constantFrom('is.null', 'is.true', 'not.is.null', 'in.(1)', 'like.a', 'eq(any).{1}', 'eq(all).{1}'),
  ),
  fc.tuple(
    fc.constant('select'),
    fc
      .array(fc.oneof(name, fc.constantFrom('*', 'a::text', 'b:a', 'a->b')), { minLength: 1, maxLength: 3 })
      .map(String),
  ),
  fc.tuple(fc.constant('order'), fc.constantFrom('a', 'a.desc', 'b', 'a,b', '"a,b"')),
  fc.tuple(
    fc.constantFrom('or', 'and', 'not.or'),
    fc.constantFrom('(a.eq.1,b.eq.2)', '(a.eq.1)', '(a.eq."1,b.eq.2")'),
  ),
  fc.tuple(fc.constantFrom('limit', 'offset'), fc.constantFrom('0', '1', '12', '2')),
  fc.tuple(fc.constantFrom('columns', 'on_conflict'), fc.constantFrom('a', 'b', 'a,b', '"a,b"')),
)
const search = fc.array(parameter, { maxLength: 3 }).map(encodePairs)
const keys = fc.subarray(['a', 'b', '1', 'a,b', 'a","b', ':', '1:a', 'f1,3:a'], { maxLength: 3 })
const row = keys.map((names) => Object.fromEntries(names.map((name) => [name, 1])))
const body = fc.oneof(
  row.map((each) => JSON.stringify(each)),
  row.map((each) => JSON.stringify([each, each])),
  keys.map((names) => names.map((name) => `${encodeURIComponent(name)}=1`).join('&')),
  fc.constantFrom('[]', '{}', 'a,b\n1,2', 'a\n1'),
)
const someHeaders = fc.record(
  {
    accept: fc.constantFrom(
      '*/*',
      'text/csv',
      'application/vnd.pgrst.object+json',
      'text/csv,*/*',
      'application/json',
    ),
    prefer: fc.constantFrom(
      'return=representation',
      'count=exact',
      'return=representation,count=exact',
      'tx=rollback',
      'missing=default',
      'resolution=merge-duplicates',
      'resolution=ignore-duplicates',
      'handling=strict,max-affected=1',
      'handling=strict,max-affected=2',
      'return=headers-only',
      'count=planned',
    ),
    range: fc.constantFrom('0-1', '1-2', '0-0', '0-'),
    'content-type': fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/csv',
      'text/plain',
    ),
    'accept-profile': fc.constantFrom('public', 'public', 'public', 'other'),
    'content-profile': fc.constantFrom('public', 'public', 'public', 'other'),
  },
  { requiredKeys: [] },
)

const headers = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: someHeaders })
const table = fc.constantFrom('/odd', '/%6fdd', '/od%64')
const read = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  path: table,
  search,
  headers,
  body: fc.constant(''),
})
const write = fc.record({
  method: fc.constantFrom('POST', 'PATCH', 'DELETE', 'PUT'),
  path: table,
  search: fc.oneof(fc.constant('a=eq.1'), search),
  headers,
  body,
})
const given = fc.tuple(fc.constantFrom('a', 'b', 'words'), fc.constantFrom('1', '12', 'eq', ':', '1:a'))
const call = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path: fc.constantFrom('/rpc/add', '/rpc/over', '/rpc/joined', '/rpc/echo_json'),
  search: fc.array(given, { maxLength: 3 }).map(encodePairs),
  headers,
  body: fc.oneof(body, fc.constantFrom('{"a":1}', '{"a":1,"b":2}', '{"words":["a"]}')),
})

/** Requests with small differences, in all parts that affect a plan. */
export const anyShape: fc.Arbitrary<ShapedRequest> = fc.oneof(
  { weight: 2, arbitrary: read },
  { weight: 2, arbitrary: write },
  { weight: 1, arbitrary: call },
)
