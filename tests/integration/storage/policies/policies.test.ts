import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planOf, requestNeeds } from './requestNeeds.ts'
import type { Answer, StorageCaller, Places, Verb } from './requestNeeds.ts'
import { ownOnly, pathOfUpload } from '../support/server.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let ann: StorageCaller
let nobody: StorageCaller
let service: StorageCaller

const typeOf = (body: unknown): string => (typeof body === 'string' ? 'text/plain' : 'application/json')
const createClient = (keys: Record<string, string>): StorageCaller => ({
  send: (method, path, body, headers) =>
    fetch(`${server.url}/storage/v1/${path}`, {
      method,
      headers: {
        ...keys,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': typeOf(body) }),
        ...headers,
      },
      ...(body !== undefined && {
        body: body instanceof FormData || typeof body === 'string' ? body : JSON.stringify(body),
      }),
    }),
  tus: (method, path, headers, body) =>
    fetch(
      path.startsWith('/storage') ? server.url + path : `${server.url}/storage/v1/upload/resumable${path}`,
      {
        method,
        headers: { ...keys, 'tus-resumable': '1.0.0', ...headers },
        ...(body !== undefined && { body }),
      },
    ),
})

/** Allows Ann these verbs in that operation, and nothing else to anyone. */
const allow = (on: string, operation: string, verbs: readonly string[]): Promise<unknown> =>
  server.sql.query(
    `with gone as (delete from public.allowed)
     insert into public.allowed select $1, unnest($2::text[]), $3, $4`,
    [on, verbs, operation, people.ann],
  )

/** Creates what a request needs, with the service key or while the policies allow Ann to. */
async function prepare(given: (typeof requestNeeds)[number]['given']): Promise<Places> {
  const at = { name: `${randomUUID()}/x`, free: `${randomUUID()}/x`, begun: '', token: '' }
  if (given === undefined) await service.send('POST', `object/kept/${at.name}`, 'x')
  if (given === 'bucket') {
    at.name = randomUUID()
    await server.sql.query('insert into storage.buckets (id, name) values ($1, $1)', [at.name])
  }
  if (given === 'upload') {
    await allow('objects', 'storage.tus.upload.create', ['insert'])
    const begun = await ann.tus('POST', '', planOf(at.free, 3))
    at.begun = pathOfUpload(begun.headers.get('location')!)
  }
  if (given === 'link') {
    const link = await service.send('POST', `object/upload/sign/kept/${at.free}`, {})
    at.token = ((await link.json()) as { token: string }).token
  }
  return at
}

/** The result of a response: an empty list in any form counts as a refusal. */
async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  if (response.ok)
    return text === '[]' || /"folders":\[\],"objects":\[\]|"signedURL":null/.test(text) ? 'nothing' : 'done'
  if (!text.startsWith('{')) return text === '' ? [response.status] : [response.status, text]
  const { statusCode, code, message } = JSON.parse(text) as Record<string, string>
  return [response.status, statusCode!, code!, message!]
}

beforeAll(async () => {
  server = await startStorage()
  await server.sql.query(`
    create table public.allowed (on_table text, verb text, operation text, person text);
    insert into storage.buckets (id, name) values ('kept', 'kept');
    create function public.allows(on_table text, verb text) returns boolean
    language sql stable security definer set search_path = '' as $$
      select exists (
        select from public.allowed a
        where a.on_table = allows.on_table and a.verb = allows.verb
          and coalesce(a.operation, storage.operation()) = storage.operation()
          and a.person = auth.jwt() ->> 'sub' and current_setting('role') = 'authenticated')
    $$;
    do $$
    declare
      verb text; on_table text; clause text;
    begin
      foreach on_table in array array['objects', 'buckets'] loop
        foreach verb in array array['select', 'insert', 'update', 'delete'] loop
          clause := case when verb = 'insert' then 'with check' else 'using' end;
          execute format('create policy %I on storage.%I for %s to anon, authenticated %s (public.allows(%L, %L))',
            'allowed to ' || verb, on_table, verb, clause, on_table, verb);
        end loop;
      end loop;
    end $$`)
  ann = createClient(await server.headersOf('ann'))
  nobody = createClient({})
  service = createClient({ apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` })
})
afterAll(() => server?.stop())

/**
 * One policy for each verb and table allows what `allowed` names, by the operation that the service sets. So each line
 * shows both: without any one of what it names the request is refused, and with that and nothing else it is done.
 */
describe('what requests require of policies', () => {
  it.each(requestNeeds)('$what', async ({ operation, needs, sendRequest, given, keyless }) => {
    const at = await prepare(given)
    const on = given === 'bucket' ? 'buckets' : 'objects'
    const verbs = Object.keys(needs) as Verb[]
    const came: Record<string, Answer> = {}
    for (const missing of [...verbs, 'none']) {
      const others = verbs.filter((verb) => verb !== missing)
      await allow(on, operation, others)
      came[missing] = await answerOf(await sendRequest(keyless ? nobody : ann, at))
    }
    expect(came).toEqual({ ...needs, none: 'done' })
  })
})

/**
 * A caller who can upload but not replace is checked while a name is free, and another user creates it before the end.
 */
describe('a name that is created meanwhile is not replaced without the permission', () => {
  const over = { 'x-upsert': 'true' }
  const ways: [string, string, (name: string, source: string) => Promise<Response>][] = [
    ['upload', 'storage.object.upload', (name) => ann.send('POST', `object/kept/${name}`, 'mine', over)],
    [
      'copy',
      'storage.object.copy',
      (name, source) => {
        const keys = { bucketId: 'kept', sourceKey: source, destinationKey: name }
        return ann.send('POST', 'object/copy', keys, over)
      },
    ],
    [
      'resumable upload',
      'storage.tus.upload.create',
      (name) => {
        const headers = { ...planOf(name, 4), ...over, 'content-type': 'application/offset+octet-stream' }
        return ann.tus('POST', '', headers, 'mine')
      },
    ],
  ]
  it.each(ways)('%s', ownOnly, async (_, operation, sendRequest) => {
    const { name, free } = await prepare(undefined)
    await allow('objects', operation, ['insert', 'select'])
    const rows = await server.sql.withClient(async (client) => {
      // Writes to a name are serialized; this one is before Ann's.
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`kept/${free}`])
      const response = sendRequest(free, name)
      await vi.waitFor(
        async () => {
          const { rowCount } = await client.query(
            `select from pg_locks where locktype = 'advisory' and not granted`,
          )
          expect(rowCount).toBe(1)
        },
        { interval: 5 },
      )
      await client.query(
        `insert into storage.objects (bucket_id, name, owner_id, version) values ('kept', $1, $2, 'theirs')`,
        [free, people.omar],
      )
      await client.query('select pg_advisory_unlock_all()')
      expect(await answerOf(await response)).toContain('new row violates row-level security policy')
      const found = await client.query('select owner_id, version from storage.objects where name = $1', [
        free,
      ])
      return found.rows
    })
    expect(rows).toEqual([{ owner_id: people.omar, version: 'theirs' }])
  })
})

describe('owner of an object', () => {
  const outsider = 'somebody|of another service'
  let other: StorageCaller
  beforeAll(async () => {
    other = createClient({
      apikey: server.publishableKey,
      authorization: `Bearer ${await server.token({ sub: outsider, role: 'authenticated' })}`,
    })
    await server.sql.query(
      `with gone as (delete from public.allowed)
       insert into public.allowed select 'objects', verb, null, person
       from unnest(array['select', 'insert', 'update']) verb, unnest(array[$1, $2]) person`,
      [people.ann, outsider],
    )
  })

  type Operation = (free: string, omars: string) => Promise<Response>
  const over = { 'x-upsert': 'true' }
  const carry = (verb: string, from: string, to: string): [string, string, object] => [
    'POST',
    `object/${verb}`,
    { bucketId: 'kept', sourceKey: from, destinationKey: to },
  ]
  // The older column stores only UUIDs; upstream's rows have the same values after each of these.
  const operations: [string, Operation, string | null, string | null][] = [
    ['Ann uploads', (free) => ann.send('POST', `object/kept/${free}`, 'x'), people.ann, people.ann],
    ['an outsider uploads', (free) => other.send('POST', `object/kept/${free}`, 'x'), null, outsider],
    ['the service uploads', (free) => service.send('POST', `object/kept/${free}`, 'x'), null, null],
    ['Ann replaces', (_, omars) => ann.send('PUT', `object/kept/${omars}`, 'x'), people.ann, people.ann],
    [
      'an outsider replaces',
      (_, omars) => other.send('PUT', `object/kept/${omars}`, 'x'),
      people.omar,
      outsider,
    ],
    [
      'the service replaces',
      (_, omars) => service.send('POST', `object/kept/${omars}`, 'x', over),
      people.omar,
      people.omar,
    ],
    ['Ann copies', (free, omars) => ann.send(...carry('copy', omars, free)), people.ann, people.ann],
    ['the service copies', (free, omars) => service.send(...carry('copy', omars, free)), null, null],
    ['Ann moves', (free, omars) => ann.send(...carry('move', omars, free)), people.ann, people.ann],
    [
      'the service moves',
      (free, omars) => service.send(...carry('move', omars, free)),
      people.omar,
      people.omar,
    ],
    [
      'an anonymous caller uploads with a signed URL of Ann',
      async (free) => {
        const link = await ann.send('POST', `object/upload/sign/kept/${free}`, {})
        const { token } = (await link.json()) as { token: string }
        return nobody.send('PUT', `object/upload/sign/kept/${free}?token=${token}`, 'x')
      },
      people.ann,
      people.ann,
    ],
    [
      'Ann uploads with a resumable upload',
      (free) =>
        ann.tus('POST', '', { ...planOf(free, 1), 'content-type': 'application/offset+octet-stream' }, 'x'),
      people.ann,
      people.ann,
    ],
  ]
  it.each(operations)('%s', async (_, act, owner, ownerId) => {
    const { name, free } = await prepare(undefined)
    await server.sql.query('update storage.objects set owner = $2::uuid, owner_id = $2 where name = $1', [
      name,
      people.omar,
    ])
    const response = await act(free, name)
    expect(response.ok).toBe(true)
    const { rows } = await server.sql.query(
      `select owner, owner_id, path_tokens, updated_at >= created_at as later from storage.objects
       where name = any ($1) order by name = $2 desc limit 1`,
      [[name, free], free],
    )
    const [{ path_tokens: tokens, ...row }] = rows as [{ path_tokens: string[] }]
    expect(row).toEqual({ owner, owner_id: ownerId, later: true })
    expect([name, free]).toContain(tokens.join('/'))
  })

  it('SQL can delete objects and buckets only with storage.allow_delete_query', async () => {
    const { name } = await prepare(undefined)
    await server.sql.withClient(async (client) => {
      for (const statement of [
        `delete from storage.objects where name = '${name}'`,
        `delete from storage.objects where false`,
        `delete from storage.buckets where id = 'nowhere'`,
        `set local role service_role; delete from storage.objects where name = '${name}'`,
      ]) {
        await expect(client.query(`begin; ${statement}`)).rejects.toMatchObject({ code: '42501' })
        await client.query('rollback')
      }
      await client.query(
        `begin; set local storage.allow_delete_query = 'true';
         delete from storage.objects where name = '${name}'; commit`,
      )
    })
    expect((await service.send('GET', `object/kept/${name}`)).status).toBe(400)
  })
})
