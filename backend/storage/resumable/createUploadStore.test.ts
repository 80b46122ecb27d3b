import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUploadStore } from './createUploadStore.ts'
import type { UploadStore } from './createUploadStore.ts'
import type { UploadChunk } from './openChunk.ts'
import { receiveChunk } from './receiveChunk.ts'
import type { UploadRecord } from './UploadRecord.ts'

let dir: string
let uploads: UploadStore
let clock = 0

const day = 24 * 60 * 60 * 1000

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-uploads-'))
  clock = 0
  uploads = await createUploadStore(dir, () => clock)
})
afterEach(() => rmSync(dir, { recursive: true }))

const recordOf = (o: Partial<UploadRecord> = {}): UploadRecord => ({
  version: randomUUID(),
  bucket: 'b',
  name: 'n',
  length: 100,
  offset: 0,
  by: 'bea',
  account: 'bea',
  mimetype: 'text/plain',
  cacheControl: 'no-cache',
  metadata: '',
  created: clock,
  ...o,
})

function pieceOf(text: string): UploadChunk {
  const content = new PassThrough()
  content.end(text)
  return { content, release: () => {}, isComplete: () => true }
}

const receive = (version: string, text: string, limit = 100) =>
  receiveChunk(uploads, uploads.find(version)!, pieceOf(text), {
    limit,
    checksum: null,
    countWritten: async () => {},
  })

const noneUncertain = async (): Promise<void> => {
  throw new Error('no upload is uncertain')
}

const restart = async (): Promise<void> => {
  uploads = await createUploadStore(dir, () => clock)
}

test('an upload resumes after a crash at its synced offset', async () => {
  const record = recordOf()
  await uploads.create(record, null)
  await receive(record.version, 'hello')
  // What had come, unsynced, when the process died.
  writeFileSync(join(dir, record.version), 'lost', { flag: 'a' })
  await restart()
  expect(uploads.find(record.version)!.record.offset).toBe(5)
  const { offset, hash } = await receive(record.version, ' world')
  expect(offset).toBe(11)
  // Only the file knows what came before.
  expect(hash).toBeNull()
  expect(readFileSync(join(dir, record.version), 'utf8')).toBe('hello world')
})

test('the hash is that of all pieces, also after one that was refused', async () => {
  const record = recordOf({ length: 6 })
  await uploads.create(record, null)
  await receive(record.version, 'abc')
  await expect(receive(record.version, 'XYZW', 3)).rejects.toMatchObject({ status: 413 })
  const { offset, hash } = await receive(record.version, 'def')
  expect(offset).toBe(6)
  expect(hash!.digest('hex')).toBe(createHash('md5').update('abcdef').digest('hex'))
  // Complete is what has a row: until then the last piece may come again.
  expect(uploads.find(record.version)!.record.offset).toBe(3)
})

test('a start removes files without their counterpart, and unknown files', async () => {
  const kept = recordOf()
  await uploads.create(kept, null)
  writeFileSync(join(dir, randomUUID()), 'bytes without a record')
  writeFileSync(join(dir, `${randomUUID()}.json`), JSON.stringify(recordOf()))
  const torn = randomUUID()
  writeFileSync(join(dir, torn), '')
  writeFileSync(join(dir, `${torn}.json`), '{"version":')
  writeFileSync(join(dir, `${kept.version}.json.new`), '{')
  const foreign = randomUUID()
  writeFileSync(join(dir, foreign), '')
  writeFileSync(join(dir, `${foreign}.json`), JSON.stringify(kept))
  await restart()
  expect(uploads.versions()).toEqual([kept.version])
  expect(readdirSync(dir).toSorted()).toEqual([kept.version, `${kept.version}.json`])
})

test('the number and bytes of open uploads are limited for each account', async () => {
  const bound = { number: 2, bytes: 150 }
  const first = await uploads.create(recordOf(), bound)
  await expect(uploads.create(recordOf(), bound)).rejects.toMatchObject({ statusCode: 429 })
  await uploads.create(recordOf({ length: 1 }), bound)
  await expect(uploads.create(recordOf({ length: 1 }), bound)).rejects.toMatchObject({ statusCode: 429 })
  await uploads.create(recordOf({ account: 'ann' }), bound)
  await uploads.remove(first)
  await uploads.create(recordOf(), bound)
})

test('the limit holds for concurrent requests', async () => {
  const attempts = Array.from({ length: 10 }, () => uploads.create(recordOf(), { number: 3, bytes: 1e6 }))
  const made = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled')
  expect(made).toHaveLength(3)
})

test('expired uploads are removed, unless a request is using them', async () => {
  const old = recordOf()
  const busy = await uploads.create(recordOf(), null)
  await uploads.create(old, null)
  clock = day
  expect(await uploads.sweep(noneUncertain)).toBe(0)
  const young = recordOf()
  await uploads.create(young, null)
  clock = day + 1
  const unlock = await busy.lock.acquire(() => {})
  expect(await uploads.sweep(noneUncertain)).toBe(1)
  expect(uploads.versions().toSorted()).toEqual([busy.record.version, young.version].toSorted())
  unlock()
  expect(await uploads.sweep(noneUncertain)).toBe(1)
})

test('an expired upload with an uncertain commit is resolved, then removed', async () => {
  const [stored, lost, unknown] = [recordOf(), recordOf(), recordOf()]
  for (const record of [stored, lost, unknown]) (await uploads.create(record, null)).isUncertain = true
  clock = day + 1
  const removed = await uploads.sweep(async (upload) => {
    expect(upload.lock.isHeld()).toBe(true)
    if (upload.record === unknown) throw new Error('the database is away')
    if (upload.record === stored) return uploads.remove(upload)
    upload.isUncertain = false
  })
  expect(removed).toBe(1)
  expect(uploads.versions()).toEqual([unknown.version])
})
