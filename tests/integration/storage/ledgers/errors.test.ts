import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { errors } from '../../../../backend/storage/errors.ts'
import { caseOf } from '../../../support/caseOf.ts'
import { errorLedger, shownElsewhere } from './errorLedger.ts'
import type { LedgerRequest, Entry } from './errorLedger.ts'
import { png } from '../hostile/hostilePictures.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { isOwnService, ownOnly } from '../support/server.ts'
import { startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

let server: StorageServer
/** Placeholders of the ledger whose values are known after the server has started. */
const words: Record<string, string> = {}

beforeAll(async () => {
  server = await startStorage()
  await declareOwnFolders(server)
  const files = server.asService().storage.from('files')
  const contents = { a: 'text', b: 'text', pinned: 'text', vast: png(60_000, 60_000), heavy: png(1, 1) }
  for (const [name, content] of Object.entries(contents)) {
    expect((await files.upload(name, content)).error).toBeNull()
  }
  await server.sql.query(`
    insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
      values ('narrow', 'narrow', 10, '{image/png}');
    insert into storage.objects (bucket_id, name, version) values ('files', 'bare', gen_random_uuid());
    create table public.pins (object uuid references storage.objects);
    insert into public.pins select id from storage.objects where name = 'pinned';
    create function public.fault() returns trigger language plpgsql as $$ begin
      raise exception using errcode = split_part(new.name, '/', 2), message = 'raised by the trigger'; end $$;
    create trigger fault before insert on storage.objects for each row
      when (new.name like 'fault/%') execute function public.fault()`)
  const { rows } = await server.sql.query(`select version from storage.objects where name = 'heavy'`)
  const { version } = rows[0] as { version: string }
  if (isOwnService) truncateSync(join(server.dir, 'objects', version.slice(0, 2), version), 25_000_001)
  const { data } = await files.createSignedUrl('a', 60)
  words['link to a'] = new URL(data!.signedUrl).searchParams.get('token')!
  words['anon'] = server.anonKey
})
afterAll(() => server?.stop())

const filled = (text: string): string =>
  text.replace(/\{([^}"]+)\}/g, (all, name: string) => words[name] ?? all)

const sendRequest = ({ method = 'GET', path, body, headers }: LedgerRequest): Promise<Response> =>
  fetch(`${server.url}/storage/v1/${filled(path)}`, {
    method,
    headers: {
      apikey: server.serviceRoleKey,
      authorization: `Bearer ${server.serviceRoleKey}`,
      'content-type': 'application/json',
      ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, filled(value)])),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

/** A client whose requests all get this response. */
const clientOf = (response: Response) =>
  createClient(server.url, 'key', {
    global: { fetch: async () => response },
    realtime: { transport: WebSocket as never },
  })

type Reached = Extract<Entry, { request: unknown }>
const reached = errorLedger.filter(
  (entry): entry is Reached =>
    // An image whose bytes were changed in the folder.
    'request' in entry && (isOwnService || !entry.request.path.includes('heavy')),
)

describe('the ledger of refusals', () => {
  it.each(reached)('$code: $refusal.message', async ({ code, request, refusal }) => {
    const response = await sendRequest(request)
    const { status, ...body } = refusal
    expect([response.status, await response.clone().json()]).toEqual([status, { ...body, code }])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('retry-after') !== null).toBe(['429', '503'].includes(body.statusCode))
    // As the client library reports it; its callers use either status.
    const reading = clientOf(response).storage.getBucket('any')
    expect((await reading).error).toMatchObject({
      status,
      code,
      statusCode: body.statusCode,
      message: body.message,
    })
  })

  it('reveals no internal details', async () => {
    const texts = await Promise.all(reached.map(async ({ request }) => (await sendRequest(request)).text()))
    for (const text of texts)
      expect(text).not.toMatch(/\.ts\b|node_modules|storage\.objects|select |\bat \w+ \(/)
  })

  const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

  it('has every code that the service knows', ownOnly, () => {
    const text =
      read('../../../../backend/storage/errors.ts') + read('../../../../backend/storage/toStorageError.ts')
    const own = [...text.matchAll(/code: '(\w+)'|createError\(\s*\d+,\s*'(\w+)'/g)].map(([, a, b]) => a ?? b!)
    expect(own.length).toBeGreaterThan(40)
    const reachable = errorLedger.filter((entry) => !('unreachable' in entry) || entry.code === 'Aborted')
    expect([...new Set(own)].toSorted()).toEqual(
      [...new Set(reachable.map((entry) => entry.code))].toSorted(),
    )
  })

  it('has every message of the service, here or in the test that it names', ownOnly, () => {
    const messages = reached.map(({ refusal }) => refusal.message)
    const missing = Object.entries(errors).filter(([name, make]) => {
      const shown = shownElsewhere[name]
      if (shown) return caseOf(import.meta.dirname, ...shown) === null
      const { message } = (make as (...words: string[]) => Error)('§', '§')
      const parts = message.split('§')
      return !messages.some((one) => parts.every((part) => one.includes(part)))
    })
    expect(missing.map(([name]) => name)).toEqual([])
    const named = errorLedger.filter(
      (entry) => 'file' in entry && !caseOf(import.meta.dirname, entry.file, entry.title),
    )
    expect(named).toEqual([])
  })
})
