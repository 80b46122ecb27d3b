import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { compareRowsAndFiles } from '../../../../backend/storage/bytes/compareRowsAndFiles.ts'
import { selectExpectedBytes, verifyBytes } from '../../../../backend/storage/bytes/verifyBytes.ts'
import type { ExpectedBytes } from '../../../../backend/storage/bytes/verifyBytes.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'
import { declareFaults, loseConnection } from './declareFaults.ts'
import type { Faults } from './declareFaults.ts'
import { expectAgreement, filesIn, versionsIn } from './expectAgreement.ts'
import { openFolder } from './openFolder.ts'
import type { Folder } from './openFolder.ts'

let server: StorageServer
let folder: Folder
let setFaults: (faults: Faults) => Promise<void>

beforeAll(async () => {
  server = await startStorage()
  await declareOwnFolders(server)
  setFaults = await declareFaults(server)
  folder = await openFolder(server)
})
afterAll(() => server?.stop())
beforeEach(() => setFaults({}))

/** Writes that replace an object, whole or in chunks; the first chunk is sent with the creation or after it. */
const writes = [
  async (name: string, body: string) => (await folder.put(name, body)).ok,
  async (name: string, body: string) => (await folder.begin(name, body.length, body)) !== '',
  async (name: string, body: string) => {
    const half = body.length >> 1
    const address = await folder.begin(name, body.length, body.slice(0, half))
    return (await folder.sendPiece(address, half, body.slice(half))).ok
  },
]

/** Whether a response is one whole version with the ETag of that version. */
const isOneVersion = (text: string, etag: string | null, length: number): boolean =>
  text === text.slice(0, 1).repeat(length) && etag === `"${createHash('md5').update(text).digest('hex')}"`

test('fifty concurrent writers to one name: every reader gets one complete file, and one file remains', async () => {
  // More than one chunk, so that a request can break in the middle.
  const length = 150_000
  await folder.put('busy', 'a'.repeat(length))
  const before = (await versionsIn(server)).length
  const readBusy = async (): Promise<{ text: string; etag: string | null }> => {
    const response = await folder.get('busy')
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
  // Each reads until all writes have ended, so that reads fall between all commits.
  const seen = new Set<string>()
  const readers = Array.from({ length: 4 }, async () => {
    while (progress.isWriting) {
      const { text, etag } = await readBusy()
      expect(isOneVersion(text, etag, length)).toBe(true)
      seen.add(etag!)
    }
  })
  expect(await written).toEqual(Array(50).fill(true))
  await Promise.all(readers)
  const last = await readBusy()
  expect(isOneVersion(last.text, last.etag, length)).toBe(true)
  expect(seen.size).toBeGreaterThan(1)
  expect(filesIn(server.dir, 'resumable')).toEqual([])
  expect(await versionsIn(server)).toHaveLength(before)
  await expectAgreement(server)
})

test('concurrent moves, copies and overwrites keep the bytes', async () => {
  await folder.put('restless', 'x')
  const copied: number[] = []
  for (let round = 0; round < 12; round++) {
    const [, , , one, two] = await Promise.all([
      folder.put('restless', 'one'),
      folder.relocate('move', 'restless', `moved-${round}`),
      folder.put('restless', 'two'),
      folder.relocate('copy', 'busy', 'copy'),
      folder.relocate('copy', 'busy', 'copy'),
      folder.put('busy', `${round}`),
    ])
    copied.push(one, two)
  }
  expect(new Set(copied)).toEqual(new Set([200]))
  await expectAgreement(server)
})

test('an object that is moved during an overwrite keeps its bytes', async () => {
  await folder.put('leaving', 'one')
  await setFaults({ atWrite: `if tg_op = 'INSERT' then perform pg_advisory_xact_lock(42); end if;` })
  const waiting = async (): Promise<number> =>
    (
      await server.sql.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0]!.n
  let moved = false
  const under = await server.sql.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock(42)')
    const overwriting = folder.put('leaving', 'two')
    await vi.waitFor(async () => expect(await waiting()).toBe(1))
    const moving = folder.relocate('move', 'leaving', 'left').finally(() => (moved = true))
    await vi.waitFor(async () => expect(moved || (await waiting()) === 2).toBe(true))
    return { overwriting, moving }
  })
  expect([(await under.overwriting).status, await under.moving]).toEqual([200, 200])
  await expectAgreement(server)
})

test('of fifty concurrent creations of one name one succeeds, and the others get an error', async () => {
  const create = async (): Promise<number> =>
    (await fetch(folder.at('raced'), { method: 'POST', body: 'x', headers: folder.headers })).status
  const statuses = await Promise.all(Array.from({ length: 50 }, create))
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 400)).toHaveLength(49)
  await expectAgreement(server)
})

test('an upload that is not allowed is refused before its body is read', async () => {
  const { hostname, port } = new URL(server.url)
  const omar = await server.headersOf('omar')
  const status = await new Promise((resolve, reject) => {
    const upload = request({
      hostname,
      port,
      method: 'POST',
      path: new URL(folder.at('not-his')).pathname,
      headers: { ...omar, 'content-type': 'text/plain', 'content-length': 1_000_000 },
    })
    upload.on('response', (response) => resolve(response.statusCode))
    upload.on('error', reject)
    // Only the headers are sent: the response cannot depend on a body that is never sent.
    upload.flushHeaders()
  })
  expect(status).toBe(400)
  await expectAgreement(server)
})

test('an upload whose connection breaks leaves the old object', async () => {
  await folder.put('kept', 'old')
  const { hostname, port } = new URL(server.url)
  const upload = request({
    hostname,
    port,
    method: 'PUT',
    path: new URL(folder.at('kept')).pathname,
    headers: { ...folder.headers, 'content-length': 1_000_000 },
  })
  upload.on('error', () => {})
  upload.write('n'.repeat(100_000))
  await vi.waitFor(() => expect(filesIn(server.dir, 'incoming')).toHaveLength(1))
  upload.destroy()
  await vi.waitFor(() => expect(filesIn(server.dir, 'incoming')).toEqual([]))
  expect(await (await folder.get('kept')).text()).toBe('old')
  await expectAgreement(server)
})

test('an upload whose row is refused at commit leaves the old object', async () => {
  await folder.put('kept', 'old')
  await setFaults({ atWrite: `raise exception 'not today';` })
  const response = await folder.put('kept', 'new')
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: 'not today' })
  expect(await (await folder.get('kept')).text()).toBe('old')
  await expectAgreement(server)
})

test('an upload whose connection to the database breaks at commit is resolved at the next start', async () => {
  await folder.put('kept', 'old')
  await setFaults({ atCommit: loseConnection })
  const response = await folder.put('kept', 'new')
  expect(response.status).toBe(503)
  // Both files exist, since it is not known yet which one the row names.
  expect(filesIn(server.dir, 'journal')).toHaveLength(2)
  expect(await (await folder.get('kept')).text()).toBe('old')
  await server.startAgain()
  expect(await (await folder.get('kept')).text()).toBe('old')
  await expectAgreement(server)
})

test.each(['atWrite', 'atCommit'] as const)(
  'after a lost database connection (%s) the last chunk can be sent again, before and after a restart',
  async (when) => {
    const names = [`pieces-now-${when}`, `pieces-later-${when}`]
    const addresses: string[] = []
    for (const name of names) {
      const address = await folder.begin(name, 6)
      addresses.push(address)
      expect((await folder.sendPiece(address, 0, 'abc')).status).toBe(204)
    }
    await setFaults({ [when]: loseConnection })
    for (const address of addresses) expect((await folder.sendPiece(address, 3, 'deX')).status).toBe(503)
    await setFaults({})
    for (const [i, name] of names.entries()) {
      if (i === 1) await server.restart()
      expect((await folder.get(name)).status).toBe(400)
      expect(await folder.offsetOf(addresses[i]!)).toBe('3')
      expect((await folder.sendPiece(addresses[i]!, 3, 'def')).status).toBe(204)
      expect(await (await folder.get(name)).text()).toBe('abcdef')
      expect(await folder.offsetOf(addresses[i]!)).toBe('6')
    }
    expect(filesIn(server.dir, 'resumable')).toEqual([])
    await expectAgreement(server)
  },
)

test('a deletion that is rolled back leaves the bytes', async () => {
  await folder.put('kept', 'old')
  await setFaults({ atCommit: loseConnection })
  expect((await folder.remove('kept')).status).toBe(503)
  expect(await (await folder.get('kept')).text()).toBe('old')
  await server.startAgain()
  expect(await (await folder.get('kept')).text()).toBe('old')
  await expectAgreement(server)
})

test('a bucket that is deleted during an upload leaves no orphaned file', async () => {
  await server.sql.query(`insert into storage.buckets (id, name) values ('brief', 'brief')`)
  const service = { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` }
  const { hostname, port } = new URL(server.url)
  const response = await new Promise<string>((resolve, reject) => {
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
      .waitFor(() => expect(filesIn(server.dir, 'incoming')).toHaveLength(1))
      .then(() => fetch(`${server.url}/storage/v1/bucket/brief`, { method: 'DELETE', headers: service }))
      .then((deleted) => {
        expect(deleted.status).toBe(200)
        upload.end('b')
      })
  })
  expect(JSON.parse(response)).toMatchObject({ statusCode: '404', code: 'InvalidRequest' })
  await expectAgreement(server)
})

test('files without rows and rows without files are counted', async () => {
  const compared = (): Promise<unknown> => compareRowsAndFiles(server.dir, () => versionsIn(server))
  await folder.put('kept', 'x')
  await folder.put('lost', 'y')
  expect(await compared()).toEqual({ withoutBytes: 0, withoutRow: 0 })
  const { rows } = await server.sql.query<{ version: string }>(
    `select version from storage.objects where name like '%/lost'`,
  )
  const [{ version }] = rows as [{ version: string }]
  rmSync(join(server.dir, 'objects', version.slice(0, 2), version))
  const spare = '00000000-0000-4000-8000-000000000001'
  mkdirSync(join(server.dir, 'objects', '00'), { recursive: true })
  writeFileSync(join(server.dir, 'objects', '00', spare), 'z')
  expect(await compared()).toEqual({ withoutBytes: 1, withoutRow: 1 })
  // Files of an upload or a deletion in progress are not counted.
  writeFileSync(join(server.dir, 'journal', spare), '')
  expect(await compared()).toEqual({ withoutBytes: 1, withoutRow: 0 })
  rmSync(join(server.dir, 'journal', spare))
  rmSync(join(server.dir, 'objects', '00', spare))
  await folder.put('lost', 'y')
  expect(await compared()).toEqual({ withoutBytes: 0, withoutRow: 0 })
})

test('a flipped bit and a truncated file are found by the verification, and reads of them get 404', async () => {
  const large = 'l'.repeat(400_000)
  for (const [name, text] of [
    ['turned', 'some words'],
    ['cut', large],
    ['gone', 'x'],
    ['whole', 'x'],
  ] as const)
    expect((await folder.put(name, text)).status).toBe(200)
  const claims = async (): Promise<ExpectedBytes[]> =>
    (await server.sql.query<ExpectedBytes>(selectExpectedBytes)).rows
  const damaged = async (): Promise<string[]> =>
    (await verifyBytes(server.dir, claims)).damaged.map(({ name }) => name.split('/')[1]!).toSorted()
  expect(await damaged()).toEqual([])
  const pathOf = new Map(
    (await claims()).map(({ name, version }) => [
      name.split('/')[1]!,
      join(server.dir, 'objects', version!.slice(0, 2), version!),
    ]),
  )
  writeFileSync(pathOf.get('turned')!, 'some wordz')
  truncateSync(pathOf.get('cut')!, 200_000)
  rmSync(pathOf.get('gone')!)
  expect(await damaged()).toEqual(['cut', 'gone', 'turned'])
  server.log.length = 0
  // Caches would keep half a file under the ETag of the whole one.
  for (const name of ['cut', 'gone']) {
    for (const range of ['', 'bytes=0-', 'bytes=300000-']) {
      const refused = await fetch(folder.at(name), {
        headers: { ...folder.headers, ...(range && { range }) },
      })
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { statusCode: '404', message: 'The resource was not found' },
      ])
    }
    expect(server.log.filter((line) => /storage\.bytes_(missing|truncated)/.test(line))).toHaveLength(3)
    server.log.length = 0
  }
  expect((await folder.get('whole')).status).toBe(200)
  await fetch(`${server.url}/storage/v1/object/files`, {
    method: 'DELETE',
    headers: { ...folder.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ prefixes: ['turned', 'cut', 'gone'].map((name) => `${people.bea}/${name}`) }),
  })
  await expectAgreement(server)
})
