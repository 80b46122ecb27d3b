import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createByteStore } from './createByteStore.ts'
import type { ByteStore } from './createByteStore.ts'

/** Free bytes of the disk; null: those of this machine's. */
let free: number | null = null
let isDiskUnknown = false
vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>()
  const statfs = async (path: string): Promise<object> => {
    if (isDiskUnknown) throw new Error('ENOSYS')
    return free === null ? fs.statfs(path) : { bavail: free, bsize: 1 }
  }
  return { ...fs, statfs }
})

let dir: string
let bytes: ByteStore

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-bytes-'))
  bytes = await createByteStore(dir)
})
afterEach(() => {
  free = null
  isDiskUnknown = false
  rmSync(dir, { recursive: true })
})

async function* chunks(...texts: (string | Error)[]): AsyncGenerator<Buffer> {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield Buffer.from(text)
  }
}

const pathOf = (version: string): string => join(dir, 'objects', version.slice(0, 2), version)

async function contentOf(version: string): Promise<string | null> {
  const opened = await bytes.open(version)
  if (!opened) return null
  const whole = await opened.read({ first: 0, last: opened.size - 1 })
  await opened.close()
  return whole.toString()
}

test('bytes are not readable until published, and then complete', async () => {
  const received = await bytes.receive(chunks('hel', 'lo'), 5)
  expect(received.size).toBe(5)
  expect(received.etag).toBe(`"${createHash('md5').update('hello').digest('hex')}"`)
  expect(await contentOf(received.version)).toBeNull()
  await bytes.publish(received.version)
  expect(await contentOf(received.version)).toBe('hello')
})

test('uploads that are too long or interrupted leave no files', async () => {
  await expect(bytes.receive(chunks('hello', '!'), 5)).rejects.toThrow('maximum allowed size')
  await expect(bytes.receive(chunks('hel', new Error('gone')), 5)).rejects.toThrow('gone')
  expect(readdirSync(join(dir, 'incoming'))).toEqual([])
})

const MiB = 1024 * 1024

test('uploads beyond the reserve of the disk are refused until there is space', async () => {
  bytes = await createByteStore(dir, 100 * MiB)
  free = 101 * MiB
  await bytes.requireSpace(MiB)
  await expect(bytes.requireSpace(MiB + 1)).rejects.toMatchObject({ httpStatus: 507 })
  free = 99 * MiB
  await expect(bytes.requireSpace(0)).rejects.toThrow('There is no space left')
  free = 110 * MiB
  await bytes.requireSpace(MiB)
})

test('uploads are accepted while the system does not report the free space', async () => {
  bytes = await createByteStore(dir, 100 * MiB)
  isDiskUnknown = true
  await expect(bytes.diskSpace()).rejects.toThrow('ENOSYS')
  await bytes.requireSpace(MiB)
})

test('many uploads at once use no more of the reserve than one', async () => {
  bytes = await createByteStore(dir, 100 * MiB)
  free = 104 * MiB
  const [chunk, received] = [Buffer.alloc(MiB), 10]
  async function* upload(): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < 15; sent++) {
      free! -= MiB
      yield chunk
    }
  }
  const uploads = Array.from({ length: received }, () => bytes.receive(upload(), 100 * MiB))
  const ended = await Promise.allSettled(uploads)
  // Between two checks 16 MiB, and one chunk of each upload.
  expect(free).toBeGreaterThanOrEqual((104 - 16 - received) * MiB)
  for (const one of ended) expect(one).toMatchObject({ reason: { httpStatus: 507 } })
  expect(readdirSync(join(dir, 'incoming'))).toEqual([])
  free = 200 * MiB
  expect((await bytes.receive(chunks('hello'), 5)).size).toBe(5)
})

test('an upload stays in the journal from its publication until it is settled', async () => {
  const { version } = await bytes.receive(chunks('x'), 1)
  expect(await bytes.unsettled()).toEqual([])
  await bytes.publish(version)
  expect(await bytes.unsettled()).toEqual([version])
  await bytes.settle(version)
  expect(await bytes.unsettled()).toEqual([])
})

test('a reader keeps the file that it opened although it is removed', async () => {
  const { version } = await bytes.receive(chunks('old'), 3)
  await bytes.publish(version)
  const opened = await bytes.open(version)
  await bytes.discard(version)
  expect(existsSync(pathOf(version))).toBe(false)
  expect(String(await opened!.read({ first: 0, last: 2 }))).toBe('old')
  await opened!.close()
})

test('a small file is cached, and removed from the cache when discarded', async () => {
  const { version } = await bytes.receive(chunks('face'), 4)
  await bytes.publish(version)
  expect(await contentOf(version)).toBe('face')
  writeFileSync(pathOf(version), 'else')
  expect(await contentOf(version)).toBe('face')
  const part = await bytes.open(version)
  expect(String(await part!.read({ first: 1, last: 2 }))).toBe('ac')
  expect(await text(part!.stream({ first: 2, last: 3 }, 1))).toBe('ce')
  await bytes.discard(version)
  expect(await bytes.open(version)).toBeNull()
})

test('a duplicate is a file of its own', async () => {
  const { version } = await bytes.receive(chunks('x'), 1)
  await bytes.publish(version)
  const copy = await bytes.duplicate(version)
  await bytes.publish(copy!)
  await bytes.discard(version)
  expect(await contentOf(copy!)).toBe('x')
  expect(await bytes.duplicate(version)).toBeNull()
})

test('a start removes temporary files and keeps the rest', async () => {
  const { version } = await bytes.receive(chunks('x'), 1)
  await bytes.publish(version)
  writeFileSync(join(dir, 'incoming', 'half'), 'h')
  bytes = await createByteStore(dir)
  expect(readdirSync(join(dir, 'incoming'))).toEqual([])
  expect(await bytes.unsettled()).toEqual([version])
  expect(await contentOf(version)).toBe('x')
})

test('the file of a deleted object moves to the folder that a backup has created', async () => {
  const { version } = await bytes.receive(chunks('x'), 1)
  await bytes.publish(version)
  mkdirSync(join(dir, 'removed'))
  await bytes.discard(version)
  await bytes.discard(version)
  expect(await bytes.open(version)).toBeNull()
  expect(readdirSync(join(dir, 'removed'))).toEqual([version])
})

test.each(['../../secret', '..', '', 'incoming', '00000000-0000-4000-8000-00000000000g'])(
  'a version %j from a tampered row names no file',
  async (version) => {
    mkdirSync(join(dir, 'objects', version.slice(0, 2)), { recursive: true })
    writeFileSync(join(dir, 'secret'), 's')
    expect(await bytes.open(version)).toBeNull()
    await bytes.discard(version)
    await bytes.mark([version])
    expect(existsSync(join(dir, 'secret'))).toBe(true)
    expect(readdirSync(join(dir, 'journal'))).toEqual([])
  },
)
