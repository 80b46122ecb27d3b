import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { compareRowsAndFiles } from '../../../../backend/storage/bytes/compareRowsAndFiles.ts'
import { createCrashPoints } from './crashPoints.ts'
import type { CrashPoints } from './crashPoints.ts'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { people, startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'
import { encodeMetadata } from '../support/tusClient.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-crashes-'))
let server: StorageServer
let points: CrashPoints
let bea: Record<string, string>

/** Several chunks of a connection, so that a request can break in the middle. */
const contents = { old: Buffer.alloc(150_000, 'o'), new: Buffer.alloc(180_000, 'n') }
const half = contents.new.length >> 1

const key = `${people.bea}/one`
const other = `${people.bea}/other`
const at = (name = key): string => `${server.url}/storage/v1/object/files/${name}`

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: RequestInit['body']
  signal?: AbortSignal
}
const sendRequest = (address: string, o: RequestOptions = {}): Promise<Response> =>
  fetch(address, { ...o, headers: { ...bea, ...o.headers } })

const tus = (address: string, o: RequestOptions): Promise<Response> =>
  sendRequest(address, { ...o, headers: { 'tus-resumable': '1.0.0', 'x-upsert': 'true', ...o.headers } })

const json = (body: unknown): RequestOptions => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', 'x-upsert': 'true' },
})

const pieceFrom = (offset: number, to: number): RequestOptions => ({
  method: 'PATCH',
  headers: { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
  body: contents.new.subarray(offset, to),
})

async function begin(piece?: RequestOptions): Promise<string> {
  const begun = await tus(`${server.url}/storage/v1/upload/resumable`, {
    ...piece,
    method: 'POST',
    headers: {
      ...piece?.headers,
      'upload-length': String(contents.new.length),
      'upload-metadata': encodeMetadata({ bucketName: 'files', objectName: key }),
    },
  })
  expect(begun.status).toBe(201)
  return server.url + begun.headers.get('location')!
}

interface Verb {
  name: string
  /** The contents that the object may have afterwards; null is no object. */
  before: 'old' | null
  after: 'old' | 'new' | null
  isUsual?: true
  /** Creates what the request needs; returns the URL of an upload if it created one. */
  prepare?: () => Promise<string>
  act(signal: AbortSignal, upload: string): Promise<Response>
}

function form(): FormData {
  const made = new FormData()
  made.append('cacheControl', '60')
  made.append('', new Blob([contents.new]), 'one')
  return made
}

const verbs: Verb[] = [
  {
    name: 'an upload',
    before: null,
    after: 'new',
    act: (signal) => sendRequest(at(), { method: 'POST', body: contents.new, signal }),
  },
  {
    name: 'an overwrite',
    isUsual: true,
    before: 'old',
    after: 'new',
    act: (signal) => sendRequest(at(), { method: 'PUT', body: contents.new, signal }),
  },
  {
    name: 'an overwrite by a form',
    before: 'old',
    after: 'new',
    act: (signal) => sendRequest(at(), { method: 'PUT', body: form(), signal }),
  },
  {
    name: 'a copy over it',
    before: 'old',
    after: 'new',
    act: (signal) =>
      sendRequest(`${server.url}/storage/v1/object/copy`, {
        method: 'POST',
        ...json({ bucketId: 'files', sourceKey: other, destinationKey: key }),
        signal,
      }),
  },
  {
    name: 'a deletion',
    isUsual: true,
    before: 'old',
    after: null,
    act: (signal) => sendRequest(at(), { method: 'DELETE', signal }),
  },
  {
    name: 'a deletion among others',
    before: 'old',
    after: null,
    act: (signal) =>
      sendRequest(`${server.url}/storage/v1/object/files`, {
        method: 'DELETE',
        ...json({ prefixes: [key] }),
        signal,
      }),
  },
  {
    name: 'the beginning of an upload in pieces',
    before: 'old',
    after: 'old',
    act: (signal) => begin({ signal, ...pieceFrom(0, half) }).then(() => new Response()),
  },
  {
    name: 'a piece in the middle',
    isUsual: true,
    before: 'old',
    after: 'old',
    prepare: () => begin(),
    act: (signal, upload) => tus(upload, { ...pieceFrom(0, half), signal }),
  },
  {
    name: 'the last piece',
    before: null,
    after: 'new',
    prepare: () => begin(pieceFrom(0, half)),
    act: (signal, upload) => tus(upload, { ...pieceFrom(half, contents.new.length), signal }),
  },
  {
    name: 'the last piece of an overwrite',
    isUsual: true,
    before: 'old',
    after: 'new',
    prepare: () => begin(pieceFrom(0, half)),
    act: (signal, upload) => tus(upload, { ...pieceFrom(half, contents.new.length), signal }),
  },
  {
    name: 'giving up an upload in pieces',
    before: 'old',
    after: 'old',
    prepare: () => begin(pieceFrom(0, half)),
    act: (signal, upload) => tus(upload, { method: 'DELETE', signal }),
  },
]

const versions = async (name?: string): Promise<string[]> => {
  const { rows } = await server.sql.query<{ version: string }>(
    'select version from storage.objects where name = coalesce($1, name)',
    [name ?? null],
  )
  return rows.map((row) => row.version)
}

const digest = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

/** Which of the contents the object has; null if it has none of them. */
async function read(): Promise<'old' | 'new' | 'mixed' | null> {
  const response = await sendRequest(at())
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status === 400) return null
  const is = response.headers.get('etag') === `"${digest(body)}"`
  if (body.equals(contents.old) && is) return 'old'
  return body.equals(contents.new) && is ? 'new' : 'mixed'
}

/** Files that belong to no row and to no resumable upload. */
async function leftovers(): Promise<unknown[]> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const known = new Set(await versions())
  const records = new Set(files.map(({ name }) => name).filter((name) => name.endsWith('.json')))
  return files
    .filter(({ name, parentPath }) =>
      parentPath.endsWith('resumable')
        ? !records.has(`${name.replace('.json', '')}.json`)
        : parentPath.includes('rendered')
          ? !known.has(parentPath.split('/').at(-1)!)
          : !known.has(name) || !parentPath.includes('/objects/'),
    )
    .map(({ name, parentPath }) => join(parentPath, name).slice(dir.length))
}

/** Resumes an upload at its offset if it still exists, and completes it. */
async function goOn(upload: string): Promise<void> {
  const response = await tus(upload, { method: 'HEAD' })
  if (response.status === 404) return
  const offset = Number(response.headers.get('upload-offset'))
  if (offset === contents.new.length) return
  expect((await tus(upload, pieceFrom(offset, contents.new.length))).status).toBe(204)
  expect(await read()).toBe('new')
}

beforeAll(async () => {
  points = await createCrashPoints(dir)
  server = await startStorage({ dir, wrapPool: points.wrapPool })
  await declareOwnFolders(server)
  bea = { ...(await server.headersOf('bea')), 'x-upsert': 'true' }
  await sendRequest(at(other), { method: 'POST', body: contents.new })
})
afterAll(async () => {
  points?.remove()
  await server?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function prepare(verb: Verb): Promise<string> {
  if (verb.before === null) await sendRequest(at(), { method: 'DELETE' })
  else {
    expect((await sendRequest(at(), { method: 'PUT', body: contents.old })).status).toBe(200)
    const rendered = join(dir, 'rendered/kept', (await versions(key))[0]!)
    mkdirSync(rendered, { recursive: true })
    writeFileSync(join(rendered, 'small.webp'), 'x')
  }
  return (await verb.prepare?.()) ?? ''
}

/** What is wrong after the requests of the operation, as text; empty if nothing is. */
async function faultsAfter(allowed: Verb['after'][]): Promise<string[]> {
  const found = await read()
  const faults: string[] = allowed.includes(found as 'old') ? [] : [`the object is ${found}`]
  // The start removes the renditions of deleted versions in the background.
  const left = await vi.waitFor(async () => {
    const some = await leftovers()
    if (some.length > 0) throw new Error(`left over: ${some.join(', ')}`)
    return some
  })
  const { withoutBytes, withoutRow } = await compareRowsAndFiles(dir, () => versions())
  if (left.length + withoutBytes + withoutRow > 0) faults.push(`${withoutBytes} rows, ${withoutRow} files`)
  return faults
}

/** Kills the service before that step of the operation; after the last step it is not killed. */
async function killAt(verb: Verb, step: number): Promise<{ steps: readonly string[]; faults: string[] }> {
  const upload = await prepare(verb)
  const letGo = new AbortController()
  points.arm(step)
  const answered = verb.act(letGo.signal, upload).then(
    ({ ok }) => ok,
    () => false,
  )
  const isDone = await Promise.race([points.died(), answered])
  const steps = [...points.steps()]
  const lived = !points.isDead()
  points.disarm()
  letGo.abort()
  await answered
  if (!lived) {
    await points.bury()
    await server.reviveKilled()
  }
  const faults = await faultsAfter(lived ? [verb.after] : [verb.before, verb.after]).catch((error: Error) => [
    error.message,
  ])
  if (lived && !isDone) faults.push('it was refused')
  if (upload) await goOn(upload)
  return { steps, faults: faults.map((fault) => `killed before ${step}, ${steps.at(-1)}: ${fault}`) }
}

/** All operations at all steps take long; by default only those that include the others' steps, and each step once. */
const isThorough = process.env.LINNET_CRASHES === 'all'

test.each(verbs.filter((verb) => isThorough || verb.isUsual))(
  '$name leaves the old or the new, whatever step it is killed at',
  async (verb) => {
    const { steps, faults } = await killAt(verb, Infinity)
    expect(steps.length).toBeGreaterThan(1)
    const places = steps.map((_, i) => i).filter((i) => isThorough || steps[i] !== steps[i - 1])
    for (const i of places) faults.push(...(await killAt(verb, i + 1)).faults)
    expect(faults).toEqual([])
  },
)
