import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { compareBytes } from '../../../../backend/storage/bytes/compareBytes.ts'
import { selectClaims, verifyBytes } from '../../../../backend/storage/bytes/verifyBytes.ts'
import type { Claim } from '../../../../backend/storage/bytes/verifyBytes.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageHome } from '../support/startStorage.ts'

let home: StorageHome
let bea: Record<string, string>

const mine = (name: string): string => `files/${people.bea}/${name}`

const put = (name: string, body: string): Promise<Response> =>
  fetch(`${home.url}/storage/v1/object/${mine(name)}`, { method: 'PUT', body, headers: bea })

const get = (name: string): Promise<Response> =>
  fetch(`${home.url}/storage/v1/object/${mine(name)}`, { headers: bea })

/** Names of the files in one of the store's folders. */
const filesIn = (folder: 'incoming' | 'journal' | 'objects', dir = home.dir): string[] =>
  readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

const versions = async (): Promise<string[]> =>
  (await home.sql.query<{ version: string }>('select version from storage.objects')).rows.map(
    (row) => row.version,
  )

/** Rows and files name each other, and nothing is left over. */
async function expectAgreement(): Promise<void> {
  expect(filesIn('incoming')).toEqual([])
  expect(filesIn('journal')).toEqual([])
  expect(filesIn('objects').toSorted()).toEqual((await versions()).toSorted())
}

/** What a trigger does when a row of an upload is written (its trial has version 1), and at the commit. */
async function setFaults(o: { atWrite?: string; atCommit?: string }): Promise<void> {
  const define = (name: string, body: string): string => `
    create or replace function public.${name}() returns trigger language plpgsql security definer as $$ begin
      if coalesce(new.version, '') <> '1' then ${body} end if; return coalesce(new, old); end $$;`
  await home.sql.query(define('at_write', o.atWrite ?? 'null;') + define('at_commit', o.atCommit ?? 'null;'))
}

const loseConnection = 'perform pg_terminate_backend(pg_backend_pid());'

beforeAll(async () => {
  home = await startStorage()
  await declareOwnFolders(home)
  await setFaults({})
  await home.sql.query(`
    create trigger at_write before insert or update on storage.objects
      for each row execute function public.at_write();
    create constraint trigger at_commit after insert or update or delete on storage.objects
      deferrable initially deferred for each row execute function public.at_commit()`)
  bea = { ...(await home.headersOf('bea')), 'content-type': 'text/plain' }
})
afterAll(() => home?.stop())
beforeEach(() => setFaults({}))

/** Writes that replace what has the name: at once, or in pieces, which are the first request's own or come after it. */
const writes = [
  async (name: string, body: string) => (await put(name, body)).status,
  async (name: string, body: string) => (await begin(name, body.length, { piece: body })).status,
  async (name: string, body: string) => {
    const half = body.length >> 1
    const begun = await begin(name, body.length, { piece: body.slice(0, half) })
    return (await sendPiece(addressIn(begun), half, body.slice(half))).status
  },
]

/** Whether an answer is one version, under the tag of the same. */
const isOneVersion = (text: string, etag: string | null, length: number): boolean =>
  text === text.slice(0, 1).repeat(length) && etag === `"${createHash('md5').update(text).digest('hex')}"`

test('fifty writers to one name, at once and in pieces: every reader sees one whole file, one file stays', async () => {
  // More than one chunk, so that there is a middle.
  const length = 150_000
  await put('busy', 'a'.repeat(length))
  const before = (await versions()).length
  const readBusy = async (): Promise<{ text: string; etag: string | null }> => {
    const response = await get('busy')
    return { text: await response.text(), etag: response.headers.get('etag') }
  }
  const first = await readBusy()
  expect(isOneVersion(first.text, first.etag, length)).toBe(true)
  expect(isOneVersion(`${first.text.slice(1)}b`, first.etag, length)).toBe(false)
  expect(isOneVersion('b'.repeat(length), first.etag, length)).toBe(false)
  const progress = { isWriting: true }
  const written = Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      writes[i % 3]!('busy', String.fromCharCode(97 + (i % 26)).repeat(length)),
    ),
  ).finally(() => {
    progress.isWriting = false
  })
  // Each goes on as long as somebody writes, so that they come between all the commits.
  const seen = new Set<string>()
  const readers = Array.from({ length: 4 }, async () => {
    while (progress.isWriting) {
      const { text, etag } = await readBusy()
      expect(isOneVersion(text, etag, length)).toBe(true)
      seen.add(etag!)
    }
  })
  expect(await written).toEqual(Array.from({ length: 50 }, (_, i) => [200, 201, 204][i % 3]))
  await Promise.all(readers)
  const last = await readBusy()
  expect(isOneVersion(last.text, last.etag, length)).toBe(true)
  expect(seen.size).toBeGreaterThan(1)
  expect(readdirSync(join(home.dir, 'resumable'))).toEqual([])
  expect(await versions()).toHaveLength(before)
  await expectAgreement()
})

/** Copies or moves within Bea's folder, over what is there already if need be. */
const ask = async (verb: 'move' | 'copy', from: string, to: string): Promise<number> =>
  (
    await fetch(`${home.url}/storage/v1/object/${verb}`, {
      method: 'POST',
      headers: { ...bea, 'content-type': 'application/json', 'x-upsert': 'true' },
      body: JSON.stringify({
        bucketId: 'files',
        sourceKey: `${people.bea}/${from}`,
        destinationKey: `${people.bea}/${to}`,
      }),
    })
  ).status
test('what is moved, copied and overwritten at once keeps its bytes', async () => {
  await put('restless', 'x')
  const copied: number[] = []
  for (let round = 0; round < 12; round++) {
    const [, , , one, two] = await Promise.all([
      put('restless', 'one'),
      ask('move', 'restless', `moved-${round}`),
      put('restless', 'two'),
      ask('copy', 'busy', 'copy'),
      ask('copy', 'busy', 'copy'),
      put('busy', `${round}`),
    ])
    copied.push(one, two)
  }
  expect(new Set(copied)).toEqual(new Set([200]))
  await expectAgreement()
})

test('what moves away while it is overwritten takes its bytes along', async () => {
  await put('leaving', 'one')
  await setFaults({ atWrite: `if tg_op = 'INSERT' then perform pg_advisory_xact_lock(42); end if;` })
  const waiting = async (): Promise<number> =>
    (
      await home.sql.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0]!.n
  let moved = false
  const under = await home.sql.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock(42)')
    const overwriting = put('leaving', 'two')
    await vi.waitFor(async () => expect(await waiting()).toBe(1))
    const moving = ask('move', 'leaving', 'left').finally(() => (moved = true))
    await vi.waitFor(async () => expect(moved || (await waiting()) === 2).toBe(true))
    return { overwriting, moving }
  })
  expect([(await under.overwriting).status, await under.moving]).toEqual([200, 200])
  await expectAgreement()
})

test('fifty creators of one name: one wins, the others are told', async () => {
  const create = async (): Promise<number> =>
    (
      await fetch(`${home.url}/storage/v1/object/${mine('raced')}`, {
        method: 'POST',
        body: 'x',
        headers: bea,
      })
    ).status
  const statuses = await Promise.all(Array.from({ length: 50 }, create))
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 400)).toHaveLength(49)
  await expectAgreement()
})

test('who may not upload is refused before a byte is taken', async () => {
  const { hostname, port } = new URL(home.url)
  const omar = await home.headersOf('omar')
  const status = await new Promise((resolve, reject) => {
    const upload = request({
      hostname,
      port,
      method: 'POST',
      path: `/storage/v1/object/${mine('not-his')}`,
      headers: { ...omar, 'content-type': 'text/plain', 'content-length': 1_000_000 },
    })
    upload.on('response', (response) => resolve(response.statusCode))
    upload.on('error', reject)
    // The head alone: the answer can't depend on a body that never comes.
    upload.flushHeaders()
  })
  expect(status).toBe(400)
  await expectAgreement()
})

test('a connection that breaks in the middle leaves the old object', async () => {
  await put('kept', 'old')
  const { hostname, port } = new URL(home.url)
  const upload = request({
    hostname,
    port,
    method: 'PUT',
    path: `/storage/v1/object/${mine('kept')}`,
    headers: { ...bea, 'content-length': 1_000_000 },
  })
  upload.on('error', () => {})
  upload.write('n'.repeat(100_000))
  await vi.waitFor(() => expect(filesIn('incoming')).toHaveLength(1))
  upload.destroy()
  await vi.waitFor(() => expect(filesIn('incoming')).toEqual([]))
  expect(await (await get('kept')).text()).toBe('old')
  await expectAgreement()
})

test('a row that is refused at the last moment leaves the old object', async () => {
  await put('kept', 'old')
  await setFaults({ atWrite: `raise exception 'not today';` })
  const response = await put('kept', 'new')
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: 'not today' })
  expect(await (await get('kept')).text()).toBe('old')
  await expectAgreement()
})

test('a database that is lost at the commit leaves the question to the next start', async () => {
  await put('kept', 'old')
  await setFaults({ atCommit: loseConnection })
  const response = await put('kept', 'new')
  expect(response.status).toBe(503)
  // Of both, since nobody knows yet which one the database names.
  expect(filesIn('journal')).toHaveLength(2)
  expect(await (await get('kept')).text()).toBe('old')
  await home.startAgain()
  expect(await (await get('kept')).text()).toBe('old')
  await expectAgreement()
})

/** Begins an upload in pieces, perhaps with its first one. */
async function begin(
  name: string,
  length: number,
  o: { to?: StorageHome; piece?: string } = {},
): Promise<Response> {
  const { to = home, piece } = o
  const pairs = Object.entries({ bucketName: 'files', objectName: mine(name).slice('files/'.length) })
  const begun = await fetch(`${to.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...(await to.headersOf('bea')),
      ...(piece !== undefined && { 'content-type': 'application/offset+octet-stream' }),
      'x-upsert': 'true',
      'tus-resumable': '1.0.0',
      'upload-length': String(length),
      'upload-metadata': pairs.map(([key, value]) => `${key} ${btoa(value)}`).join(','),
    },
    ...(piece !== undefined && { body: piece }),
  })
  expect(begun.status).toBe(201)
  return begun
}

const addressIn = (begun: Response): string => new URL(begun.headers.get('location')!, begun.url).href

async function sendPiece(address: string, offset: number, body: string | Buffer): Promise<Response> {
  return fetch(address, {
    method: 'PATCH',
    headers: {
      ...bea,
      'x-upsert': 'true',
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body,
  })
}

const offsetOf = async (address: string): Promise<string | null> =>
  (await fetch(address, { method: 'HEAD', headers: { ...bea, 'tus-resumable': '1.0.0' } })).headers.get(
    'upload-offset',
  )

test.each(['atWrite', 'atCommit'] as const)(
  'a database that is lost %s leaves the last piece of an upload to be sent again, now or after a start',
  async (when) => {
    const names = [`pieces-now-${when}`, `pieces-later-${when}`]
    const addresses: string[] = []
    for (const name of names) {
      const address = addressIn(await begin(name, 6))
      addresses.push(address)
      expect((await sendPiece(address, 0, 'abc')).status).toBe(204)
    }
    await setFaults({ [when]: loseConnection })
    for (const address of addresses) expect((await sendPiece(address, 3, 'deX')).status).toBe(503)
    await setFaults({})
    for (const [i, name] of names.entries()) {
      if (i === 1) await home.restart()
      expect((await get(name)).status).toBe(400)
      expect(await offsetOf(addresses[i]!)).toBe('3')
      expect((await sendPiece(addresses[i]!, 3, 'def')).status).toBe(204)
      expect(await (await get(name)).text()).toBe('abcdef')
      expect(await offsetOf(addresses[i]!)).toBe('6')
    }
    expect(readdirSync(join(home.dir, 'resumable'))).toEqual([])
    await expectAgreement()
  },
)

test('a deletion that is rolled back keeps the bytes', async () => {
  await put('kept', 'old')
  await setFaults({ atCommit: loseConnection })
  const removed = await fetch(`${home.url}/storage/v1/object/${mine('kept')}`, {
    method: 'DELETE',
    headers: bea,
  })
  expect(removed.status).toBe(503)
  expect(await (await get('kept')).text()).toBe('old')
  await home.startAgain()
  expect(await (await get('kept')).text()).toBe('old')
  await expectAgreement()
})

test('a bucket that goes while an upload runs takes no orphan with it', async () => {
  await home.sql.query(`insert into storage.buckets (id, name) values ('brief', 'brief')`)
  const service = { apikey: home.serviceRoleKey, authorization: `Bearer ${home.serviceRoleKey}` }
  const { hostname, port } = new URL(home.url)
  const answer = await new Promise<string>((resolve, reject) => {
    const upload = request({
      hostname,
      port,
      method: 'POST',
      path: '/storage/v1/object/brief/x',
      headers: { ...service, 'content-length': 2 },
    })
    upload.on('error', reject)
    upload.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve(text)
    })
    upload.write('a')
    void vi
      .waitFor(() => expect(filesIn('incoming')).toHaveLength(1))
      .then(() => fetch(`${home.url}/storage/v1/bucket/brief`, { method: 'DELETE', headers: service }))
      .then((deleted) => {
        expect(deleted.status).toBe(200)
        upload.end('b')
      })
  })
  expect(JSON.parse(answer)).toMatchObject({ statusCode: '404', code: 'InvalidRequest' })
  await expectAgreement()
})

test('what rows and files do not say of each other is counted', async () => {
  const compared = (): Promise<unknown> => compareBytes(home.dir, versions)
  await put('kept', 'x')
  await put('lost', 'y')
  expect(await compared()).toEqual({ withoutBytes: 0, withoutRow: 0 })
  const { rows } = await home.sql.query<{ version: string }>(
    `select version from storage.objects where name like '%/lost'`,
  )
  const [{ version }] = rows as [{ version: string }]
  rmSync(join(home.dir, 'objects', version.slice(0, 2), version))
  const spare = '00000000-0000-4000-8000-000000000001'
  mkdirSync(join(home.dir, 'objects', '00'), { recursive: true })
  writeFileSync(join(home.dir, 'objects', '00', spare), 'z')
  expect(await compared()).toEqual({ withoutBytes: 1, withoutRow: 1 })
  // What an upload or a deletion under way accounts for is no difference.
  writeFileSync(join(home.dir, 'journal', spare), '')
  expect(await compared()).toEqual({ withoutBytes: 1, withoutRow: 0 })
  rmSync(join(home.dir, 'journal', spare))
  rmSync(join(home.dir, 'objects', '00', spare))
  await put('lost', 'y')
  expect(await compared()).toEqual({ withoutBytes: 0, withoutRow: 0 })
})

test('a turned byte and a lost end are found by whoever reads all, and end no reading in a fault', async () => {
  const large = 'l'.repeat(400_000)
  for (const [name, text] of [
    ['turned', 'some words'],
    ['cut', large],
    ['gone', 'x'],
    ['whole', 'x'],
  ] as const)
    expect((await put(name, text)).status).toBe(200)
  const claims = async (): Promise<Claim[]> => (await home.sql.query<Claim>(selectClaims)).rows
  const damaged = async (): Promise<string[]> =>
    (await verifyBytes(home.dir, claims)).damaged.map(({ name }) => name.split('/')[1]!).toSorted()
  expect(await damaged()).toEqual([])
  const pathOf = new Map(
    (await claims()).map(({ name, version }) => [
      name.split('/')[1]!,
      join(home.dir, 'objects', version!.slice(0, 2), version!),
    ]),
  )
  writeFileSync(pathOf.get('turned')!, 'some wordz')
  truncateSync(pathOf.get('cut')!, 200_000)
  rmSync(pathOf.get('gone')!)
  expect(await damaged()).toEqual(['cut', 'gone', 'turned'])
  home.log.length = 0
  // Half a file under the tag of the whole one would lie in caches for good.
  for (const name of ['cut', 'gone']) {
    for (const range of ['', 'bytes=0-', 'bytes=300000-']) {
      const refused = await fetch(`${home.url}/storage/v1/object/${mine(name)}`, {
        headers: { ...bea, ...(range && { range }) },
      })
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { statusCode: '404', message: 'The resource was not found' },
      ])
    }
    expect(home.log.filter((line) => /storage bytes (missing|cut short)/.test(line))).toHaveLength(3)
    home.log.length = 0
  }
  expect((await get('whole')).status).toBe(200)
  await fetch(`${home.url}/storage/v1/object/files`, {
    method: 'DELETE',
    headers: { ...bea, 'content-type': 'application/json' },
    body: JSON.stringify({ prefixes: ['turned', 'cut', 'gone'].map((name) => `${people.bea}/${name}`) }),
  })
  await expectAgreement()
})

/** Mounts a file system of `size` on a fresh folder; null where this user may not. */
function mountSmall(size: string): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-small-'))
  try {
    execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' })
    return dir
  } catch {
    rmSync(dir, { recursive: true })
    return null
  }
}

/** A body that does not say how long it is. */
async function* endless(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < 600_000; sent += 60_000) yield new Uint8Array(60_000)
}

test('a full disk is said in a sentence, keeps what is there, and recovers', async (context) => {
  const dir = mountSmall('1m')
  if (dir === null) return context.skip('mounting needs root')
  const small = await startStorage({ dir })
  try {
    await declareOwnFolders(small)
    const headers = await small.headersOf('bea')
    const at = (name: string): string => `${small.url}/storage/v1/object/${mine(name)}`
    const upload = (name: string, bytes: number): Promise<Response> =>
      fetch(at(name), { method: 'PUT', body: new Uint8Array(bytes), headers })
    const address = addressIn(await begin('in-pieces', 600_000, { to: small }))
    expect((await sendPiece(address, 0, Buffer.alloc(1_000))).status).toBe(204)
    expect((await upload('first', 600_000)).status).toBe(200)
    const form = new FormData()
    form.append('', new Blob([new Uint8Array(600_000)]), 'x')
    const refused = [
      () => upload('second', 600_000),
      () => fetch(at('second'), { method: 'POST', headers, body: form }),
      // Nobody says how much comes: the disk alone does.
      () => fetch(at('second'), { method: 'POST', headers, body: endless(), duplex: 'half' }),
      () => sendPiece(address, 1_000, Buffer.alloc(599_000)),
    ]
    for (const ask of refused) {
      const full = await ask()
      expect(full.status).toBe(507)
      expect(await full.text()).toContain('There is no space left')
      expect(filesIn('incoming', dir)).toEqual([])
    }
    await expect(begin('too-much', 600_000, { to: small })).rejects.toThrow('507')
    expect((await fetch(at('second'), { headers })).status).toBe(400)
    expect((await (await fetch(at('first'), { headers })).arrayBuffer()).byteLength).toBe(600_000)
    expect(await offsetOf(address)).toBe('1000')
    expect((await fetch(at('first'), { method: 'DELETE', headers })).status).toBe(200)
    expect((await sendPiece(address, 1_000, Buffer.alloc(599_000))).status).toBe(204)
    expect((await fetch(at('in-pieces'), { method: 'DELETE', headers })).status).toBe(200)
    expect((await upload('second', 600_000)).status).toBe(200)
  } finally {
    await small.stop()
    execFileSync('/usr/bin/umount', [dir])
    rmSync(dir, { recursive: true })
  }
})
