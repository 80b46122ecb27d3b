import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { stricterRows } from '../support/server.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

/** Names that caused bugs in other listings: siblings before the slash, wildcards, a file named as its folder, depth. */
const names = [
  'a',
  'a b',
  'a.txt',
  'a/one',
  'a/two/three',
  'a-',
  'a0',
  'A',
  'x_y',
  'x_y/1',
  'xzy/2',
  '100%',
  '100x/3',
  'b//double',
  'b/.emptyFolderPlaceholder',
  'ends/',
  ...stricterRows('../up'),
  'z',
  ...Array.from({ length: 4 }, (_, i) => `many/${i}`),
]

let server: StorageServer
let bea: SupabaseClient
let omar: SupabaseClient
const mine = (name: string): string => `${people.bea}/${name}`

beforeAll(async () => {
  server = await startStorage()
  await declareOwnFolders(server)
  bea = await server.as('bea')
  omar = await server.as('omar')
  await server.sql.query(
    `insert into storage.objects (bucket_id, name, owner_id, version, metadata, created_at, updated_at)
     select 'files', n.name, '${people.bea}', gen_random_uuid()::text, '{"size": 1}',
       timestamptz '2026-01-01' + ((n.place * 7) % 5) * interval '1 second',
       timestamptz '2026-02-01' + n.place * interval '1 second'
     from unnest($1::text[]) with ordinality as n (name, place)`,
    [[...names.map((name) => mine(`v2/${name}`)), mine('v2x/other'), `${people.omar}/v2/secret.txt`]],
  )
})
afterAll(() => server?.stop())

describe('listing', () => {
  it('lists one level with its folders, with order, limit, offset and search', async () => {
    const files = bea.storage.from('files')
    for (const name of ['l/b.txt', 'l/a.txt', 'l/deep/c.txt', 'l/100_x/d.txt', 'l/Z.txt']) {
      await files.upload(mine(name), name)
    }
    const names = async (options?: object, folder = 'l'): Promise<(string | undefined)[]> => {
      const { data, error } = await files.list(mine(folder), options)
      expect(error).toBeNull()
      return data!.map((entry) => entry.name)
    }
    expect(await names()).toEqual(['100_x', 'a.txt', 'b.txt', 'deep', 'Z.txt'])
    expect(await names({ limit: 2, offset: 1 })).toEqual(['a.txt', 'b.txt'])
    expect(await names({ sortBy: { column: 'name', order: 'desc' } })).toEqual([
      'Z.txt',
      'deep',
      'b.txt',
      'a.txt',
      '100_x',
    ])
    expect(await names({ sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
      '100_x',
      'deep',
      'b.txt',
      'a.txt',
      'Z.txt',
    ])
    expect(await names({ search: 'a' })).toEqual(['a.txt'])
    expect(await names({ search: '100_' })).toEqual(['100_x'])
    for (const search of ['_', '%', '\\', "'", '*']) expect(await names({ search })).toEqual([])
    expect(await names({ search: 'Z.T' })).toEqual(['Z.txt'])
    expect(await names({ search: 'DEEP/c' })).toEqual(['deep/c.txt'])
    expect(await names({ offset: 5 })).toEqual([])
    expect(await names({ limit: 2 ** 53 - 1, offset: 4 })).toEqual(['Z.txt'])
    expect(await names({}, 'l/')).toEqual(await names())
    expect(await names({}, 'l/de')).toEqual([])
    for (const column of ['updated_at', 'created_at', 'last_accessed_at']) {
      expect(await names({ sortBy: { column, order: 'desc' } })).toEqual([
        'deep',
        '100_x',
        'Z.txt',
        'a.txt',
        'b.txt',
      ])
    }
    const { data } = await files.list(mine('l'), { search: 'deep' })
    expect(data).toEqual([
      { name: 'deep', id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null },
    ])
  })
})

interface Entry {
  name: string
  id: string | null
}

/** C's order, which is that of UTF-16 for ASCII. */
const inOrder = (list: string[], order: 'asc' | 'desc'): string[] => {
  const sorted = list.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return order === 'asc' ? sorted : sorted.toReversed()
}

/** The expected listing by name, computed without SQL: each folder once, at the position of its first object. */
function expected(prefix: string, withFolders: boolean, order: 'asc' | 'desc'): string[] {
  const below = inOrder(
    names.map((name) => mine(`v2/${name}`)),
    order,
  ).filter((name) => name.startsWith(prefix))
  if (!withFolders) return below
  const shown = below.map((name) => {
    const slash = name.indexOf('/', prefix.length)
    return slash < 0 ? name : name.slice(0, slash + 1) + '|folder'
  })
  return shown.filter((name, i) => name !== shown[i - 1])
}

/** All pages of a listing, as text in which folders are marked. */
async function pages(who: SupabaseClient, options: object): Promise<{ all: string[]; longest: number }> {
  const all: string[] = []
  let longest = 0
  let cursor: string | undefined
  do {
    const { data, error } = await who.storage.from('files').listV2({ ...options, ...(cursor && { cursor }) })
    expect(error).toBeNull()
    expect(data!.hasNext).toBe(data!.nextCursor !== undefined)
    const page = [...data!.folders, ...data!.objects] as Entry[]
    longest = Math.max(longest, page.length)
    all.push(...page.map((entry) => (entry.id === null ? `${entry.name}|folder` : entry.name)))
    cursor = data!.nextCursor
  } while (cursor !== undefined)
  return { all, longest }
}

const raw = async (body: unknown, path = 'list-v2/files', who: 'bea' | 'omar' = 'bea') =>
  (
    await fetch(`${server.url}/storage/v1/object/${path}`, {
      method: 'POST',
      headers: { ...(await server.headersOf(who)), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json() as Promise<Record<string, never>>

/** The expected level by name, computed without SQL: as above, but case-insensitive. */
function level(folder: string, order: 'asc' | 'desc'): string[] {
  const lowered = (name: string): string => `${name.toLowerCase()}\0${name}`
  const below = names.filter((name) => name.toLowerCase().startsWith(folder)).map(lowered)
  const shown = inOrder(below, order).map((pair) => {
    const rest = pair.slice(pair.indexOf('\0') + 1 + folder.length)
    return rest.includes('/') ? `${rest.slice(0, rest.indexOf('/'))}|folder` : rest
  })
  return shown.filter(
    (name, i) => !name.endsWith('|folder') || name.toLowerCase() !== shown[i - 1]?.toLowerCase(),
  )
}

describe('listing by offsets', () => {
  it.each(
    (['asc', 'desc'] as const).flatMap((order) =>
      ['', 'a/', 'b/', 'many/'].map((folder) => ({ order, folder })),
    ),
  )('goes through all of $folder ($order), page by page', async ({ order, folder }) => {
    const wanted = level(folder, order)
    for (const limit of [1, 3, 100]) {
      const all: string[] = []
      for (let offset = 0; offset <= wanted.length; offset += limit) {
        const sortBy = { column: 'name', order }
        const { data } = await bea.storage.from('files').list(mine(`v2/${folder}`), { limit, offset, sortBy })
        all.push(...data!.map(({ id, name }) => (id === null ? `${name}|folder` : name)))
      }
      expect(all).toEqual(wanted)
    }
  })
})

describe('listing with a cursor', () => {
  const orders = ['asc', 'desc'] as const
  const cases = orders.flatMap((order) =>
    ['', 'a', 'x_', 'b/', 'ends/'].flatMap((prefix) =>
      [true, false].map((withFolders) => ({ order, prefix, withFolders })),
    ),
  )

  it.each(cases)('lists all pages of $prefix ($order, delimiter: $withFolders)', async (o) => {
    const prefix = mine(`v2/${o.prefix}`)
    const options = { prefix, with_delimiter: o.withFolders, sortBy: { column: 'name', order: o.order } }
    const wanted = expected(prefix, o.withFolders, o.order)
    const whole = await pages(bea, options)
    expect(inOrder(whole.all, 'asc')).toEqual(inOrder(wanted, 'asc'))
    for (const limit of [1, 3]) {
      const { all, longest } = await pages(bea, { ...options, limit })
      expect(longest).toBeLessThanOrEqual(limit)
      // A page with several entries lists folders apart from files.
      expect(limit === 1 ? all : wanted).toEqual(wanted)
      expect(inOrder(all, 'asc')).toEqual(inOrder(wanted, 'asc'))
    }
  })

  it.each(
    orders.flatMap((order) =>
      (['created_at', 'updated_at'] as const).flatMap((column) =>
        [true, false].map((withFolders) => ({ order, column, withFolders })),
      ),
    ),
  )('sorts by $column $order (delimiter: $withFolders), without duplicates or gaps', async (o) => {
    const prefix = mine('v2/')
    const options = { prefix, with_delimiter: o.withFolders, sortBy: { column: o.column, order: o.order } }
    const one = await pages(bea, { ...options, limit: 1 })
    expect(inOrder(one.all, 'asc')).toEqual(inOrder(expected(prefix, o.withFolders, 'asc'), 'asc'))
    expect(inOrder((await pages(bea, { ...options, limit: 7 })).all, 'asc')).toEqual(inOrder(one.all, 'asc'))
    const files = one.all.filter((name) => !name.endsWith('|folder'))
    const made = names.map((name) => mine(`v2/${name}`)).filter((name) => files.includes(name))
    const byTime = o.order === 'asc' ? made : made.toReversed()
    expect(o.column === 'updated_at' ? files : byTime).toEqual(byTime)
  })

  it('returns what upstream returns', async () => {
    const response = await raw({ prefix: mine('v2/x'), with_delimiter: true, limit: 2 })
    expect(response).toEqual({
      hasNext: true,
      nextCursor: expect.stringMatching(/^[\w-]+$/),
      nextCursorKey: mine('v2/x_y'),
      folders: [
        {
          key: 'x_y',
          name: `${mine('v2/x_y')}/`,
          id: null,
          updated_at: null,
          created_at: null,
          last_accessed_at: null,
          metadata: null,
        },
      ],
      objects: [
        {
          key: 'x_y',
          name: mine('v2/x_y'),
          id: expect.any(String),
          updated_at: expect.stringMatching(/^2026-02-01T/),
          created_at: expect.stringMatching(/^2026-01-01T/),
          last_accessed_at: expect.any(String),
          metadata: { size: 1 },
        },
      ],
    })
    const { data } = await bea.storage
      .from('files')
      .listV2({ prefix: mine('v2/x'), with_delimiter: true, limit: 2 })
    expect(data).toEqual(response)
    expect(await raw({})).toMatchObject({ hasNext: false, folders: [] })
    expect(await raw({}, 'list-v2/nowhere')).toEqual({ hasNext: false, folders: [], objects: [] })
  })

  it('lists nothing that the caller cannot read, with any cursor', async () => {
    const { nextCursor } = await raw({ prefix: mine('v2/'), limit: 2 })
    for (const cursor of [undefined, nextCursor]) {
      const seen = await raw({ prefix: mine('v2/'), cursor }, 'list-v2/files', 'omar')
      expect(seen).toEqual({ hasNext: false, folders: [], objects: [] })
    }
    expect((await pages(omar, { with_delimiter: true })).all).toEqual([`${people.omar}/|folder`])
    expect((await pages(bea, { with_delimiter: true })).all).toEqual([`${people.bea}/|folder`])
  })

  it('continues after a file that was deleted and whose name is now a folder', async () => {
    const prefix = mine('gone/')
    const put = (name: string): Promise<unknown> =>
      server.sql.query(`insert into storage.objects (bucket_id, name) values ('files', $1)`, [prefix + name])
    await put('x')
    await put('y')
    const { nextCursor } = await raw({ prefix, limit: 1, with_delimiter: true })
    await put('x/1')
    await server.sql.query(
      `begin; set local storage.allow_delete_query = 'true';
       delete from storage.objects where name = '${prefix}x'; commit`,
    )
    const next = await raw({ prefix, cursor: nextCursor, with_delimiter: true })
    expect([...next['folders']!, ...next['objects']!].map((entry: Entry) => entry.name)).toEqual([
      `${prefix}x/`,
      `${prefix}y`,
    ])
  })

  it('rejects an invalid cursor and a cursor of another listing', async () => {
    const query = { prefix: mine('v2/'), with_delimiter: true }
    const nextCursor: string = (await raw({ ...query, limit: 2 }))['nextCursor']!
    expect((await raw({ ...query, cursor: nextCursor }))['objects']).not.toEqual([])
    const bytes = Buffer.from(nextCursor, 'base64url')
    bytes[bytes.length - 4]! ^= 1
    const upstreams = Buffer.from(`l:${people.omar}/v2/\no:asc`).toString('base64')
    for (const [body, path] of [
      [{ ...query, cursor: bytes.toString('base64url') }],
      [{ ...query, cursor: upstreams }],
      [{ ...query, cursor: '\0\u{1f426}' }],
      [{ ...query, cursor: nextCursor, prefix: `${people.omar}/` }],
      [{ ...query, cursor: nextCursor, with_delimiter: false }],
      [{ ...query, cursor: nextCursor }, 'list-v2/shown'],
    ] as const) {
      expect(await raw(body, path)).toEqual({
        statusCode: '400',
        error: 'InvalidParameter',
        code: 'InvalidParameter',
        message: 'Invalid Parameter continuation token',
      })
    }
  })

  it.each([
    [{ limit: 0 }, 'body/limit must be >= 1'],
    [{ limit: 1.5 }, 'body/limit must be integer'],
    [{ prefix: [] }, 'body/prefix must be string'],
    [{ cursor: {} }, 'body/cursor must be string'],
    [{ with_delimiter: 'x' }, 'body/with_delimiter must be boolean'],
    [{ sortBy: {} }, "body/sortBy must have required property 'column'"],
    [
      { sortBy: { column: 'last_accessed_at' } },
      'body/sortBy/column must be equal to one of the allowed values',
    ],
    [
      { sortBy: { column: 'name', order: 'up' } },
      'body/sortBy/order must be equal to one of the allowed values',
    ],
  ])('refuses %j', async (body, message) => {
    expect(await raw(body)).toMatchObject({ statusCode: '400', message })
  })

  it.each(['\u{10ffff}', 'é', '\u202e', '%', '\ud800'])(
    'returns an empty list for the prefix %j',
    async (prefix) => {
      for (const delimited of [true, false]) {
        expect(await raw({ prefix, with_delimiter: delimited })).toEqual({
          hasNext: false,
          folders: [],
          objects: [],
        })
      }
    },
  )
})

describe('the functions in SQL', () => {
  const sendRequest = async (text: string, values: unknown[]): Promise<Entry[]> =>
    (await server.sql.query<{ name: string; id: string | null }>(text, values)).rows

  it('continue after a folder named without its slash, as upstream names them', async () => {
    const search = `select name, id from storage.search_v2($1, 'files', 2, 3, $2)`
    const first = await sendRequest(search, [mine('v2/'), mine('v2/b')])
    expect(first.map((row) => row.name)).toEqual([mine('v2/ends'), mine('v2/many')])
  })

  it('return the size of each bucket', async () => {
    const sizes = await sendRequest(
      `select * from storage.get_size_by_bucket() where bucket_id = 'files'`,
      [],
    )
    expect(sizes).toEqual([{ size: expect.stringMatching(/^[1-9]\d+$/), bucket_id: 'files' }])
  })
})
