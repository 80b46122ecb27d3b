import * as fc from 'fast-check'

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
/** One parameter with the maximum depth, length or size of a URL. */
const large: fc.Arbitrary<[string, string]> = fc
  .tuple(
    fc.constantFrom<(n: number) => [string, string]>(
      (n) => ['or', `${'(and'.repeat(n)}(id.eq.1${')'.repeat(n)})`],
      (n) => ['select', `${'people!people_boss_fkey('.repeat(n)}id${')'.repeat(n)}`],
      (n) => ['select', Array.from({ length: n }, (_, i) => `a${i}:clients(id)`).join(',')],
      (n) => ['id', `in.(${'1,'.repeat(n * 10)}1)`],
      (n) => ['or', `(${'id.eq.1,'.repeat(n)}id.eq.2)`],
      (n) => ['order', 'id.desc,'.repeat(n)],
      (n) => ['text', `eq.${'x'.repeat(n * 20)}`],
      (n) => ['doc->k'.repeat(n), 'eq.1'],
      (n) => ['limit', '9'.repeat(n)],
    ),
    fc.constantFrom(2, 12, 60),
  )
  .map(([make, n]) => make(n))
const query = fc
  .array(fc.oneof({ weight: 30, arbitrary: parameter }, { weight: 1, arbitrary: large }), { maxLength: 5 })
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
/** Invalid UTF-8, invalid CSV, unclosed lists. */
const rawBody = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.constantFrom(
    '['.repeat(5_000),
    '{"a":'.repeat(5_000),
    `[${'{},'.repeat(2_000)}{}]`,
    '\u0000',
    '"\\u0000"',
  ),
  fc.constantFrom(
    'id,name\n1',
    'id,name\n1,x,y',
    'id,"name\n1,x',
    '"',
    '\n\n',
    ',',
    'a=1&a=2&=&%',
    '[1,2,3]',
    'null',
    '1e999',
  ),
)
const body = fc.oneof(
  rawBody,
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
const plain = fc.string({ unit: fc.constantFrom(...'abz019=;,:*/+-."\\\' ()<>@[]{}|%q'), maxLength: 24 })
const headers = fc.record(
  {
    Prefer: fc
      .array(
        fc.oneof(
          plain,
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
        ),
      )
      .map((list) => list.join(', ')),
    Accept: fc.oneof(
      plain,
      fc.constantFrom(
        '*/*',
        'application/json',
        'text/csv',
        'application/vnd.pgrst.object+json',
        'application/vnd.pgrst.array+json;nulls=stripped',
        'text/html',
        ';;;',
        'a/b;q=x',
        'application/vnd.pgrst.plan+json; options=analyze|x',
        'text/xml, application/geo+json;q=0.5',
      ),
    ),
    Cookie: plain,
    'X-Own': plain,
    Range: fc.constantFrom('1-', '-1', '0-0,2-3', '0-1', '5-2', '0-', 'x', '99999999999999999999-'),
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

const METHODS = 'GET GET GET HEAD POST POST PATCH PUT DELETE OPTIONS PROPFIND get'.split(' ')

/** Any request that fetch can send. */
export interface Anything {
  method: string
  path: string
  query: string
  body: string | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

export const anything: fc.Arbitrary<Anything> = fc.record({
  method: fc.constantFrom(...METHODS),
  path,
  query,
  body,
  headers,
})
