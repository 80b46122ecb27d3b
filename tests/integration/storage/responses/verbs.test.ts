import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { stricterRows } from '../support/server.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { Person, StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let bea: SupabaseClient
let omar: SupabaseClient
let service: SupabaseClient
const mine = (name: string, person: Person = 'bea'): string => `${people[person]}/${name}`

beforeAll(async () => {
  server = await startStorage({
    config: `
[storage]
file_size_limit = "1MiB"
[storage.buckets.declared]
public = true
file_size_limit = "10KiB"
allowed_mime_types = ["image/*"]`,
  })
  await declareOwnFolders(server)
  bea = await server.as('bea')
  omar = await server.as('omar')
  service = server.asService()
})
afterAll(() => server?.stop())

/** The body of an error response, without values that differ between runs. */
const refusal = (error: unknown): Record<string, unknown> => {
  const { status, statusCode, message } = error as Record<string, unknown>
  return { status, statusCode, message }
}

const notFound = { status: 400, statusCode: '404', message: 'Object not found' }
const denied = { status: 400, statusCode: '403', message: 'new row violates row-level security policy' }
const duplicate = { status: 400, statusCode: '409', message: 'The resource already exists' }

describe('buckets', () => {
  it('the service role creates, reads, lists, updates and deletes a bucket', async () => {
    const created = await service.storage.createBucket('pics', {
      public: true,
      fileSizeLimit: '20KB',
      allowedMimeTypes: ['image/png'],
    })
    expect(created).toMatchObject({ data: { name: 'pics' }, error: null })
    expect((await service.storage.getBucket('pics')).data).toMatchObject({
      id: 'pics',
      public: true,
      file_size_limit: 20_000,
      allowed_mime_types: ['image/png'],
      type: 'STANDARD',
    })
    expect(refusal((await service.storage.createBucket('pics')).error)).toEqual(duplicate)
    const updated = await service.storage.updateBucket('pics', { public: false, fileSizeLimit: null })
    expect(updated.data).toEqual({ message: 'Successfully updated' })
    expect((await service.storage.getBucket('pics')).data).toMatchObject({
      public: false,
      file_size_limit: null,
    })
    const listed = await service.storage.listBuckets({ search: 'PIC', sortColumn: 'name', sortOrder: 'desc' })
    expect(listed.data?.map((bucket) => bucket.id)).toEqual(['pics'])
    expect((await service.storage.deleteBucket('pics')).data).toEqual({ message: 'Successfully deleted' })
    expect(refusal((await service.storage.getBucket('pics')).error)).toEqual({
      status: 400,
      statusCode: '404',
      message: 'Bucket not found',
    })
  })

  it('users without a policy cannot see or change buckets', async () => {
    expect((await service.storage.listBuckets()).data?.length).toBeGreaterThan(2)
    expect((await bea.storage.listBuckets()).data).toEqual([])
    expect(refusal((await bea.storage.getBucket('files')).error).message).toBe('Bucket not found')
    expect(refusal((await bea.storage.createBucket('mine')).error)).toEqual(denied)
    expect((await bea.storage.updateBucket('files', { public: true })).error?.message).toBe(
      'Bucket not found',
    )
    expect((await bea.storage.deleteBucket('shown')).error?.message).toBe('Bucket not found')
    expect((await bea.storage.emptyBucket('files')).error?.message).toBe('Bucket not found')
    expect((await service.storage.getBucket('files')).data?.public).toBe(false)
  })

  it('can be searched by a part of their name, with paging and sorting', async () => {
    for (const name of ['page_a', 'page-b', 'PAGE_c']) await service.storage.createBucket(name)
    const ids = async (options: object): Promise<string[]> =>
      (await service.storage.listBuckets(options)).data!.map((bucket) => bucket.id)
    expect((await ids({ search: 'page' })).toSorted()).toEqual(['PAGE_c', 'page-b', 'page_a'])
    // The search has no wildcards: `_` matches only itself.
    expect((await ids({ search: 'E_' })).toSorted()).toEqual(['PAGE_c', 'page_a'])
    expect(await ids({ search: '%' })).toEqual([])
    const made = { search: 'page', sortColumn: 'created_at' as const }
    expect(await ids({ ...made, sortOrder: 'desc', limit: 1, offset: 1 })).toEqual(['page-b'])
    expect(await ids({ ...made, sortOrder: 'asc', limit: 2 })).toEqual(['page_a', 'page-b'])
    for (const [options, message] of [
      [{ limit: 0 }, 'querystring/limit must be >= 1'],
      [{ offset: -1 }, 'querystring/offset must be >= 0'],
      [{ sortColumn: 'owner' }, 'querystring/sortColumn must be equal to one of the allowed values'],
      [{ sortOrder: 'up' }, 'querystring/sortOrder must be equal to one of the allowed values'],
    ] as const) {
      expect((await service.storage.listBuckets(options as object)).error?.message).toBe(message)
    }
    for (const name of ['page_a', 'page-b', 'PAGE_c']) await service.storage.deleteBucket(name)
  })

  it('purging the cache is a no-op that only the service role can request', async () => {
    for (const who of [service, bea]) {
      const responses = [
        await who.storage.purgeBucketCache('files'),
        await who.storage.from('files').purgeCache('a/b'),
      ]
      for (const { data, error } of responses) {
        expect(data?.message ?? error?.message).toBe(
          who === service ? 'success' : 'Access denied: Invalid role',
        )
      }
    }
  })

  it('only an empty bucket can be deleted, and a bucket can be emptied', async () => {
    await service.storage.createBucket('full')
    await service.storage.from('full').upload('a/b.txt', 'x')
    expect(refusal((await service.storage.deleteBucket('full')).error)).toEqual({
      status: 400,
      statusCode: '409',
      message: 'The bucket you tried to delete is not empty',
    })
    expect((await service.storage.emptyBucket('full')).error).toBeNull()
    expect((await service.storage.from('full').list('a')).data).toEqual([])
    expect((await service.storage.deleteBucket('full')).error).toBeNull()
  })

  it('a person who empties a bucket removes the objects that the policies let them delete', async () => {
    await server.sql.query(`
      insert into storage.buckets (id, name) values ('shared', 'shared');
      insert into storage.objects (bucket_id, name) select 'shared', 'a/' || n from generate_series(1, 1500) n;
      insert into storage.objects (bucket_id, name) values ('shared', 'hers/x'), ('shared', 'unseen/x');`)
    const stored = async (): Promise<string> =>
      (
        await server.sql.query<{ names: string }>(
          `select string_agg(distinct split_part(name, '/', 1), ' ' order by split_part(name, '/', 1)) as names
           from storage.objects where bucket_id = 'shared'`,
        )
      ).rows[0]!.names
    const empty = async (): Promise<string | undefined> =>
      (await bea.storage.emptyBucket('shared')).error?.message
    try {
      expect(await empty()).toBe('Bucket not found')
      await server.sql.query(`
        create policy "shared is seen" on storage.buckets for select to authenticated using (id = 'shared');
        create policy "some is seen" on storage.objects for select to authenticated
          using (bucket_id = 'shared' and name not like 'unseen/%');`)
      expect(await empty()).toBe('Access denied')
      expect(await stored()).toBe('a hers unseen')
      await server.sql.query(`create policy "hers is cleared" on storage.objects for delete to authenticated
        using (bucket_id = 'shared' and name not like 'a/%')`)
      expect(await empty()).toBeUndefined()
      expect(await stored()).toBe('a unseen')
    } finally {
      await server.sql.query(`
        drop policy if exists "shared is seen" on storage.buckets;
        drop policy if exists "some is seen" on storage.objects;
        drop policy if exists "hers is cleared" on storage.objects;`)
      await service.storage.emptyBucket('shared')
      await service.storage.deleteBucket('shared')
    }
  })

  it('are declared in config.toml with their limits', async () => {
    const { data } = await service.storage.getBucket('declared')
    expect(data).toMatchObject({ public: true, file_size_limit: 10_240, allowed_mime_types: ['image/*'] })
    const to = service.storage.from('declared')
    expect((await to.upload('a.png', new Blob(['x'], { type: 'image/png' }))).error).toBeNull()
    expect(refusal((await to.upload('a.txt', new Blob(['x'], { type: 'text/plain' }))).error)).toEqual({
      status: 400,
      statusCode: '415',
      message: 'mime type text/plain is not supported',
    })
    const large = new Blob([new Uint8Array(10_241)], { type: 'image/png' })
    expect(refusal((await to.upload('b.png', large)).error)).toEqual({
      status: 400,
      statusCode: '413',
      message: 'The object exceeded the maximum allowed size',
    })
    expect((await to.exists('b.png')).data).toBe(false)
  })

  it('reject every bucket type except the one for files', async () => {
    for (const [type, message] of [
      ['ANALYTICS', 'The feature iceberg_catalog is not enabled for this resource'],
      ['OTHER', 'body/type must be equal to one of the allowed values'],
      ['STANDARD', undefined],
    ] as const) {
      const { error } = await service.storage.createBucket('kind', { public: false, type })
      expect(error?.message).toBe(message)
    }
    await service.storage.deleteBucket('kind')
  })

  it('changes of the limits and of public access take effect immediately', async () => {
    await service.storage.createBucket('turned', { public: true })
    const turned = service.storage.from('turned')
    const put = async (type: string, size = 1): Promise<string | undefined> =>
      (await turned.upload('x', new Blob(['x'.repeat(size)], { type }), { upsert: true })).error?.message
    expect(await put('text/plain')).toBeUndefined()
    const { publicUrl } = turned.getPublicUrl('x').data
    for (const isPublic of [false, true]) {
      await service.storage.updateBucket('turned', { public: isPublic })
      expect((await fetch(publicUrl)).status).toBe(isPublic ? 200 : 400)
    }
    const set = async (allowedMimeTypes: string[] | null, fileSizeLimit: number | string | null = null) =>
      (await service.storage.updateBucket('turned', { public: true, allowedMimeTypes, fileSizeLimit })).error
        ?.message
    for (const [allowed, type, taken] of [
      [['image/*'], 'IMAGE/PNG', true],
      [['image/*'], 'imagex/png', false],
      [['text/csv', ''], 'text/csv; charset=utf-8', true],
      [['text/csv; charset=utf-8'], 'text/csv', true],
      [['*/*'], 'a/b', true],
      [['*'], 'a/b', true],
      [[], 'a/b', true],
      [null, 'a/b', true],
    ] as const) {
      expect(await set(allowed && [...allowed])).toBeUndefined()
      expect([allowed, type, await put(type)]).toEqual([
        allowed,
        type,
        taken ? undefined : `mime type ${type} is not supported`,
      ])
    }
    for (const bad of ['image', '*/png', 'a/b/c', 'x'.repeat(1001), '\u0000*', 'a/b *']) {
      expect(await set([bad])).toBe(`mime type ${bad.slice(0, 1000)} is not supported`)
    }
    expect(await set(null, '0.002kb')).toBeUndefined()
    expect([await put('a/b', 2), await put('a/b', 3)]).toEqual([
      undefined,
      'The object exceeded the maximum allowed size',
    ])
    expect(await set(null, '1025kb')).toBeUndefined()
    expect(await set(null, '1.1mb')).toBe('The object exceeded the maximum allowed size')
    await service.storage.emptyBucket('turned')
    await service.storage.deleteBucket('turned')
  })

  it('are emptied of any number of objects', async () => {
    await service.storage.createBucket('many')
    await server.sql.query(
      `insert into storage.objects (bucket_id, name) select 'many', 'a/' || n from generate_series(1, 2500) n`,
    )
    const names = Array.from({ length: 1000 }, (_, n) => `a/${n + 1}`)
    expect((await service.storage.from('many').remove(names)).data).toHaveLength(1000)
    const counted = `select count(*)::int as number from storage.objects where bucket_id = 'many'`
    expect((await server.sql.query(counted)).rows).toEqual([{ number: 1500 }])
    expect((await service.storage.emptyBucket('many')).error).toBeNull()
    expect((await server.sql.query(counted)).rows).toEqual([{ number: 0 }])
    await service.storage.deleteBucket('many')
  })

  it.each(["a!b.c*d'e", '(f) &$@=;:+,?-_', 'x'.repeat(100), ...stricterRows('..'), 'ANALYTICS'])(
    'take the name %j',
    async (name) => {
      expect((await service.storage.createBucket(name)).data).toEqual({ name })
      const { rows } = await server.sql.query('select name from storage.buckets where id = $1', [name])
      expect(rows).toEqual([{ name }])
    },
  )

  it.each(['', ' lead', 'a/b', 'Ä', 'x'.repeat(101), 'a--iceberg', 'a\u202eb'])(
    'refuse the name %j',
    async (name) => {
      expect((await service.storage.createBucket(name)).error?.message).toMatch(
        /Bucket name invalid|required property/,
      )
    },
  )
})

describe('uploading', () => {
  it('returns the id and the key, for form and raw bodies', async () => {
    const files = bea.storage.from('files')
    for (const [name, body] of [
      ['form.txt', new Blob(['hello'], { type: 'text/plain' })],
      ['raw.txt', 'hello'],
      ['stream.txt', new Blob(['hello']).stream()],
    ] as const) {
      const { data, error } = await files.upload(mine(name), body, {
        contentType: 'text/plain',
        cacheControl: '60',
        metadata: { shown: 'Grüße.txt' },
        duplex: 'half',
      })
      expect(error).toBeNull()
      expect(data).toEqual({ path: mine(name), fullPath: `files/${mine(name)}`, id: expect.any(String) })
      const { rows } = await server.sql.query(
        'select owner, owner_id, metadata, user_metadata from storage.objects where id = $1',
        [data!.id],
      )
      expect(rows[0]).toMatchObject({
        owner: people.bea,
        owner_id: people.bea,
        metadata: {
          size: 5,
          contentLength: 5,
          mimetype: 'text/plain',
          cacheControl: 'max-age=60',
          eTag: '"5d41402abc4b2a76b9719d911017c592"',
        },
        user_metadata: { shown: 'Grüße.txt' },
      })
      expect(await (await files.download(mine(name))).data?.text()).toBe('hello')
    }
  })

  it('replaces an object only with x-upsert', async () => {
    const files = bea.storage.from('files')
    const first = await files.upload(mine('once.txt'), 'one')
    expect(refusal((await files.upload(mine('once.txt'), 'two')).error)).toEqual(duplicate)
    expect(await (await files.download(mine('once.txt'))).data?.text()).toBe('one')
    const second = await files.upload(mine('once.txt'), 'two', { upsert: true })
    expect(second.data?.id).toBe(first.data?.id)
    expect(await (await files.download(mine('once.txt'))).data?.text()).toBe('two')
    expect((await files.update(mine('once.txt'), 'three')).error).toBeNull()
    expect(await (await files.download(mine('once.txt'))).data?.text()).toBe('three')
  })

  it('refuses a file over the global size limit', async () => {
    const large = new Uint8Array(1024 * 1024 + 1)
    const files = bea.storage.from('files')
    for (const body of [large, new Blob([large])]) {
      expect(refusal((await files.upload(mine('large'), body)).error).statusCode).toBe('413')
    }
    expect((await files.upload(mine('largest'), large.subarray(1))).error).toBeNull()
    expect((await files.exists(mine('large'))).data).toBe(false)
  })

  it('refuses a bucket that does not exist', async () => {
    expect(refusal((await bea.storage.from('nope').upload('x', 'x')).error)).toEqual({
      status: 400,
      statusCode: '404',
      message: 'Bucket not found',
    })
  })
})

describe('objects of another user', () => {
  const verbs: [string, (who: SupabaseClient, name: string) => Promise<{ data: unknown; error: unknown }>][] =
    [
      ['download', (who, name) => who.storage.from('files').download(name)],
      ['info', (who, name) => who.storage.from('files').info(name)],
      ['upload', (who, name) => who.storage.from('files').upload(`${name}.new`, 'x')],
      ['upsert', (who, name) => who.storage.from('files').upload(name, 'same', { upsert: true })],
      ['update', (who, name) => who.storage.from('files').update(name, 'same')],
      ['copy', (who, name) => who.storage.from('files').copy(name, `${name}.copy`)],
      ['move', (who, name) => who.storage.from('files').move(name, `${name}.moved`)],
    ]

  it.each(verbs)(
    '%s: allowed for Bea, refused for Omar without revealing that the object exists',
    async (verb, act) => {
      const name = mine(`wall/${randomUUID()}`)
      await bea.storage.from('files').upload(name, 'same')
      const missing = mine(`wall/${randomUUID()}`)

      const omars = await act(omar, name)
      expect(omars.data).toBeNull()
      expect(refusal(omars.error)).toEqual(refusal((await act(omar, missing)).error))
      expect(refusal(omars.error)).toEqual(/up/.test(verb) ? denied : notFound)
      expect((await act(bea, name)).error).toBeNull()
    },
  )

  it('lists, removes and signs for Omar as if the objects did not exist', async () => {
    const name = mine(`wall/${randomUUID()}`)
    await bea.storage.from('files').upload(name, 'x')
    expect((await bea.storage.from('files').list(mine('wall'))).data?.length).toBeGreaterThan(0)
    expect((await omar.storage.from('files').list(mine('wall'))).data).toEqual([])
    expect((await omar.storage.from('files').list('')).data).toEqual([])
    expect((await omar.storage.from('files').exists(name)).data).toBe(false)
    expect((await omar.storage.from('files').remove([name])).data).toEqual([])
    const raw = await fetch(`${server.url}/storage/v1/object/files/${name}`, {
      method: 'DELETE',
      headers: await server.headersOf('omar'),
    })
    expect(await raw.json()).toEqual({
      statusCode: '404',
      error: 'not_found',
      code: 'NoSuchKey',
      message: 'Object not found',
    })
    const removed = await bea.storage.from('files').remove([name, mine('never')])
    expect(removed.data?.map((object) => object.name)).toEqual([name])
    expect((await bea.storage.from('files').exists(name)).data).toBe(false)
  })

  it('refuses to move or copy into the folder or bucket of another user', async () => {
    const files = bea.storage.from('files')
    const name = mine(`wall/${randomUUID()}`)
    await files.upload(name, 'x')
    for (const verb of ['copy', 'move'] as const) {
      expect(refusal((await files[verb](name, mine('stolen', 'omar'))).error)).toEqual(denied)
      const abroad = await files[verb](name, mine('x'), { destinationBucket: 'shown' })
      expect(refusal(abroad.error)).toEqual(denied)
    }
    expect(await (await files.download(name)).data?.text()).toBe('x')
  })

  it('signs only objects that a policy allows to be signed', async () => {
    await service.storage.from('files').upload('free/x.txt', 'free')
    const one = await service.storage.from('files').createSignedUrl('free/x.txt', 60)
    const opened = await fetch(`${one.data!.signedUrl}&download=%C3%84.txt`)
    expect(await opened.text()).toBe('free')
    expect(opened.headers.get('content-disposition')).toContain("UTF-8''%C3%84.txt")
    const name = mine(`wall/${randomUUID()}`)
    await bea.storage.from('files').upload(name, 'x')
    expect((await bea.storage.from('files').download(name)).error).toBeNull()
    expect(refusal((await bea.storage.from('files').createSignedUrl(name, 60)).error)).toEqual(notFound)
    const many = await bea.storage.from('files').createSignedUrls([name], 60)
    expect(many.data?.[0]).toMatchObject({
      error: 'Either the object does not exist or you do not have access to it',
      signedUrl: null,
    })
    const forged = one.data!.signedUrl.replace('free/x.txt', name)
    expect(await (await fetch(forged)).json()).toMatchObject({ code: 'InvalidSignature' })
  })

  it('creates signed upload URLs only for users who can upload', async () => {
    const name = mine(`wall/${randomUUID()}`)
    expect(refusal((await omar.storage.from('files').createSignedUploadUrl(name)).error)).toEqual(denied)
    const { data } = await bea.storage.from('files').createSignedUploadUrl(name)
    const anyone = await omar.storage.from('files').uploadToSignedUrl(name, data!.token, 'by link')
    expect(anyone.error).toBeNull()
    expect(await (await bea.storage.from('files').download(name)).data?.text()).toBe('by link')
    const { rows } = await server.sql.query('select owner_id from storage.objects where name = $1', [name])
    expect(rows).toEqual([{ owner_id: people.bea }])
    // The name exists now, and a signed URL without upsert cannot replace it with a header.
    for (const upsert of [false, true]) {
      const again = await omar.storage.from('files').uploadToSignedUrl(name, data!.token, 'again', { upsert })
      expect(refusal(again.error)).toEqual(duplicate)
    }
    const replacing = await bea.storage.from('files').createSignedUploadUrl(name, { upsert: true })
    expect(
      (await omar.storage.from('files').uploadToSignedUrl(name, replacing.data!.token, 'new')).error,
    ).toBeNull()
    expect(await (await bea.storage.from('files').download(name)).data?.text()).toBe('new')
    const elsewhere = await omar.storage.from('files').uploadToSignedUrl(mine('x'), data!.token, 'x')
    expect(elsewhere.error?.message).toBe('Invalid signature')
  })

  it('anyone can read public buckets, and no others', async () => {
    await service.storage.from('shown').upload('a.txt', 'seen')
    const name = mine(`wall/${randomUUID()}`)
    await bea.storage.from('files').upload(name, 'x')
    const open = (path: string, init?: RequestInit): Promise<Response> =>
      fetch(`${server.url}/storage/v1/object/${path}`, init)
    const { publicUrl } = service.storage.from('shown').getPublicUrl('a.txt').data
    expect(await (await fetch(publicUrl)).text()).toBe('seen')
    expect((await open('public/shown/a.txt', { method: 'HEAD' })).headers.get('content-length')).toBe('4')
    expect((await open('info/public/shown/a.txt')).status).toBe(200)
    for (const path of [`public/files/${name}`, `info/public/files/${name}`]) {
      expect(await (await open(path)).json()).toMatchObject({ code: 'NoSuchBucket' })
    }
    const headers = { apikey: server.publishableKey, authorization: 'Bearer x.y.z' }
    expect(await (await open('shown/a.txt', { headers })).text()).toBe('seen')
    // As upstream's gateway: the token identifies the caller, with or without a key. Without both it is refused.
    const { authorization } = await server.headersOf('bea')
    const bare = { authorization: authorization! }
    expect(await (await open(`authenticated/files/${name}`, { headers: bare })).text()).toBe('x')
    expect((await open(`authenticated/files/${name}`)).status).toBe(401)
    expect((await open(`files/${name}`, { headers: { ...bare, apikey: 'wrong' } })).status).toBe(401)
    // Upstream accepts a token with and without the prefix "Bearer".
    const wordless = { authorization: authorization!.replace('Bearer ', '') }
    expect(await (await open(`files/${name}`, { headers: wordless })).text()).toBe('x')
    const both = { ...wordless, apikey: server.publishableKey }
    expect(await (await open(`files/${name}`, { headers: both })).text()).toBe('x')
    const storage = `${server.url}/storage/v1`
    expect((await fetch(`${storage}/status`)).status).toBe(200)
    expect(await (await fetch(`${storage}/version`)).text()).toMatch(/^\d+\.\d+\.\d+$/)
    const publishable = { authorization: `Bearer ${server.publishableKey}` }
    expect((await open(`files/${name}`, { headers: publishable })).status).toBe(401)
    expect(await (await open(`files/${name}`, { headers })).json()).toMatchObject({ code: 'NoSuchBucket' })
    expect(await (await open('authenticated/shown/a.txt', { headers })).json()).toMatchObject({
      statusCode: '403',
      error: 'Unauthorized',
    })
  })
})

it.each([
  ['x-client-info', 'supabase-py/2.17.3', false],
  ['x-client-info', 'supabase-py/2.18.0', true],
  ['x-client-info', 'supabase-py/1.99.0', false],
  ['user-agent', 'supabase-py/storage3 v0.12.0', false],
  ['user-agent', 'supabase-py/storage3 v0.12.1', true],
  ['user-agent', 'supabase-py/storage3 v1.0.0', true],
  ['user-agent', 'storage3', true],
])('buckets are listed with %s: %s with a type: %s', async (header, client, hasType) => {
  const headers = {
    apikey: server.serviceRoleKey,
    authorization: `Bearer ${server.serviceRoleKey}`,
    [header]: client,
  }
  const response = await fetch(`${server.url}/storage/v1/bucket`, { headers })
  const buckets = (await response.json()) as Record<string, unknown>[]
  expect(buckets.length).toBeGreaterThan(0)
  expect(new Set(buckets.map((bucket) => 'type' in bucket))).toEqual(new Set([hasType]))
})

it('policies read metadata, type and length of the request that makes a link to upload', async () => {
  const bucket = `metadata-${crypto.randomUUID()}`
  await server.sql.query(`
    insert into storage.buckets (id, name) values ('${bucket}', '${bucket}');
    create policy "tagged text of ${bucket}" on storage.objects for insert to authenticated
      with check (bucket_id = '${bucket}' and user_metadata ->> 'tag' = 'yes'
        and metadata ->> 'mimetype' = 'text/plain' and (metadata ->> 'contentLength')::int = 2)`)
  const sign = async (tag: string): Promise<Response> =>
    fetch(`${server.url}/storage/v1/object/upload/sign/${bucket}/a`, {
      method: 'POST',
      headers: {
        ...(await server.headersOf('bea')),
        'content-type': 'text/plain',
        'x-metadata': Buffer.from(JSON.stringify({ tag })).toString('base64'),
      },
      body: '{}',
    })
  expect(await (await sign('no')).json()).toMatchObject({ code: 'AccessDenied' })
  expect(await (await sign('yes')).json()).toMatchObject({ token: expect.any(String) })
})

it('a link can be valid up to the latest date that can be represented', async () => {
  const { data, error } = await service.storage.from('files').createSignedUploadUrl('long')
  expect(error).toBeNull()
  await service.storage.from('files').uploadToSignedUrl('long', data!.token, 'long')
  const signed = await service.storage.from('files').createSignedUrl('long', 9_000_000_000_000)
  const response = await fetch(signed.data!.signedUrl)
  expect([await response.text(), response.headers.get('expires')]).toEqual([
    'long',
    'Sat, 13 Sep 275760 00:00:00 GMT',
  ])
})

describe('into another bucket', () => {
  it.each(['copy', 'move'] as const)('%s applies the limits of the destination bucket', async (verb) => {
    const files = service.storage.from('files')
    const destinationBucket = 'declared'
    const name = `between/${verb}`
    const put = (type: string, size: number): Promise<unknown> =>
      files.upload(name, new Blob([new Uint8Array(size)], { type }), {
        upsert: true,
        metadata: { by: 'Bea' },
      })
    await put('text/plain', 1)
    expect(refusal((await files[verb](name, name, { destinationBucket })).error).statusCode).toBe('415')
    await put('image/png', 10_241)
    expect(refusal((await files[verb](name, name, { destinationBucket })).error).statusCode).toBe('413')
    expect((await service.storage.from(destinationBucket).exists(name)).data).toBe(false)
    await put('image/png', 10_240)
    expect((await files[verb](name, name, { destinationBucket })).error).toBeNull()
    const { data } = await service.storage.from(destinationBucket).info(name)
    expect(data).toMatchObject({ bucketId: 'declared', size: 10_240, metadata: { by: 'Bea' } })
    expect((await files.exists(name)).data).toBe(verb === 'copy')
    expect(refusal((await files[verb](name, name, { destinationBucket: 'nowhere' })).error).statusCode).toBe(
      '404',
    )
    await service.storage.from(destinationBucket).remove([name])
  })

  it('copies with new metadata where requested, and replaces where allowed', async () => {
    const files = service.storage.from('files')
    await files.upload('copied/from', new Blob(['x'], { type: 'text/plain' }), { metadata: { by: 'Bea' } })
    await files.upload('copied/to', 'old')
    const copy = (extra: Record<string, string>, body: object): Promise<Response> =>
      fetch(`${server.url}/storage/v1/object/copy`, {
        method: 'POST',
        headers: {
          apikey: server.serviceRoleKey,
          authorization: `Bearer ${server.serviceRoleKey}`,
          'content-type': 'application/json',
          ...extra,
        },
        body: JSON.stringify({
          bucketId: 'files',
          sourceKey: 'copied/from',
          destinationKey: 'copied/to',
          ...body,
        }),
      })
    expect(await (await copy({}, {})).json()).toMatchObject({ code: 'KeyAlreadyExists' })
    const own = {
      copyMetadata: false,
      metadata: { mimetype: 'text/css\r\nset-cookie: a=b', cacheControl: 'max-age=1\r\nx: y' },
    }
    const metadata = Buffer.from(JSON.stringify({ by: 'Ann', '\r\nx': 'y' })).toString('base64')
    expect((await copy({ 'x-upsert': 'true', 'x-metadata': metadata }, own)).status).toBe(200)
    expect((await files.info('copied/to')).data).toMatchObject({
      size: 1,
      contentType: 'application/octet-stream',
      cacheControl: 'no-cache',
      metadata: { by: 'Ann', '\r\nx': 'y' },
    })
    expect((await copy({ 'x-upsert': 'true' }, {})).status).toBe(200)
    expect((await files.info('copied/to')).data).toMatchObject({
      contentType: 'text/plain',
      metadata: { by: 'Bea' },
    })
  })
})

describe('the database', () => {
  it('shows the operation and the owner to triggers, and refuses deletion by SQL', async () => {
    await server.sql.query(`
      create table public.seen (operation text, name text);
      grant insert on public.seen to service_role;
      create function public.note() returns trigger language plpgsql as $$ begin
        insert into public.seen values (storage.operation(), new.name); return new; end $$;
      create trigger note after insert on storage.objects for each row execute function public.note();
      grant insert on public.seen to authenticated;`)
    await bea.storage.from('files').upload(mine('noted.txt'), 'x')
    const { rows } = await server.sql.query('select distinct * from public.seen')
    expect(rows).toEqual([{ operation: 'storage.object.upload', name: mine('noted.txt') }])
    await server.sql.query('drop trigger note on storage.objects')
    await expect(
      server.sql.query('delete from storage.objects where name = $1', [mine('noted.txt')]),
    ).rejects.toMatchObject({ code: '42501' })
  })
})
