import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planOf, requestNeeds } from './requestNeeds.ts'
import type { Answer, Asking, Places, Verb } from './requestNeeds.ts'
import { people, startStorage } from './startStorage.ts'
import type { StorageHome } from './startStorage.ts'

let home: StorageHome
let ann: Asking
let nobody: Asking
let service: Asking

const typeOf = (body: unknown): string => (typeof body === 'string' ? 'text/plain' : 'application/json')
const asking = (keys: Record<string, string>): Asking => ({
  send: (method, path, body, headers) =>
    fetch(`${home.url}/storage/v1/${path}`, {
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
    fetch(path.startsWith('/storage') ? home.url + path : `${home.url}/storage/v1/upload/resumable${path}`, {
      method,
      headers: { ...keys, 'tus-resumable': '1.0.0', ...headers },
      ...(body !== undefined && { body }),
    }),
})

/** Lets Ann have these verbs in that operation, and nobody anything else. */
const allow = (on: string, operation: string, verbs: readonly string[]): Promise<unknown> =>
  home.sql.query(
    `with gone as (delete from public.allowed)
     insert into public.allowed select $1, unnest($2::text[]), $3, $4`,
    [on, verbs, operation, people.ann],
  )

/** Puts what a request needs, by the service or while the policies let Ann. */
async function prepare(given: (typeof requestNeeds)[number]['given']): Promise<Places> {
  const at = { name: `${randomUUID()}/x`, free: `${randomUUID()}/x`, begun: '', token: '' }
  if (given === undefined) await service.send('POST', `object/kept/${at.name}`, 'x')
  if (given === 'bucket') {
    at.name = randomUUID()
    await home.sql.query('insert into storage.buckets (id, name) values ($1, $1)', [at.name])
  }
  if (given === 'upload') {
    await allow('objects', 'storage.tus.upload.create', ['insert'])
    at.begun = (await ann.tus('POST', '', planOf(at.free, 3))).headers.get('location')!
  }
  if (given === 'link') {
    const link = await service.send('POST', `object/upload/sign/kept/${at.free}`, {})
    at.token = ((await link.json()) as { token: string }).token
  }
  return at
}

/** What came: a list of nothing, whatever its form, is no more than a refusal. */
async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  if (response.ok)
    return text === '[]' || /"folders":\[\],"objects":\[\]|"signedURL":null/.test(text) ? 'nothing' : 'done'
  if (!text.startsWith('{')) return text === '' ? [response.status] : [response.status, text]
  const { statusCode, code, message } = JSON.parse(text) as Record<string, string>
  return [response.status, statusCode!, code!, message!]
}

beforeAll(async () => {
  home = await startStorage()
  await home.sql.query(`
    create table public.allowed (on_table text, verb text, operation text, person uuid);
    insert into storage.buckets (id, name) values ('kept', 'kept');
    create function public.allows(on_table text, verb text) returns boolean
    language sql stable security definer set search_path = '' as $$
      select exists (
        select from public.allowed a
        where a.on_table = allows.on_table and a.verb = allows.verb and a.operation = storage.operation()
          and a.person = auth.uid() and current_setting('role') = 'authenticated')
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
  ann = asking(await home.headersOf('ann'))
  nobody = asking({})
  service = asking({ apikey: home.serviceRoleKey, authorization: `Bearer ${home.serviceRoleKey}` })
})
afterAll(() => home?.stop())

/**
 * A policy a verb and table lets through what `allowed` names, by the operation that the service tells. So each line
 * shows both: without any one of what it names the request is refused, and with that and nothing else it is done.
 */
describe('what is asked of policies', () => {
  it.each(requestNeeds)('$what', async ({ operation, needs, ask, given, keyless }) => {
    const at = await prepare(given)
    const on = given === 'bucket' ? 'buckets' : 'objects'
    const verbs = Object.keys(needs) as Verb[]
    const came: Record<string, Answer> = {}
    for (const missing of [...verbs, 'none']) {
      const others = verbs.filter((verb) => verb !== missing)
      await allow(on, operation, others)
      came[missing] = await answerOf(await ask(keyless ? nobody : ann, at))
    }
    expect(came).toEqual({ ...needs, none: 'done' })
  })
})

/**
 * Who may upload, but replace nothing, is asked while a name is free, and somebody else takes it before the end.
 */
describe('a name that somebody takes meanwhile is not replaced by who may not', () => {
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
  it.each(ways)('%s', async (_, operation, ask) => {
    const { name, free } = await prepare(undefined)
    await allow('objects', operation, ['insert', 'select'])
    const rows = await home.sql.withClient(async (client) => {
      // Writers to a name come one after another; this one is before Ann's.
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`kept/${free}`])
      const answer = ask(free, name)
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
      expect(await answerOf(await answer)).toContain('new row violates row-level security policy')
      const found = await client.query('select owner_id, version from storage.objects where name = $1', [
        free,
      ])
      return found.rows
    })
    expect(rows).toEqual([{ owner_id: people.omar, version: 'theirs' }])
  })
})
