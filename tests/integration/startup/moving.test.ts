import type { SupabaseClient } from '@supabase/supabase-js'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openArchive } from '../../../backend/optional/archive/openArchive.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import type {
  ExportLink,
  ImportReport,
  WorkspaceExport,
  WorkspaceExports,
  WorkspaceImport,
  WorkspaceImports,
} from '../../../wire/moving.ts'
import { bring, foundWorkspace, signUp } from '../../support/people.ts'
import { generateSlackZip } from '../../support/generateSlackZip.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')
const data = temporaryData()
const folder = mkdtempSync(join(tmpdir(), 'linnet-moving-'))
let server: Server
let ann: SupabaseClient
let workspace = ''
let channel = ''

beforeAll(async () => {
  await fillLinnetData(data.dir)
  server = await startServer({ root, dataDir: data.dir, args: ['--no-app', '--db-port', '0'] })
  const founded = await foundWorkspace(server)
  ann = founded.ann
  workspace = founded.workspace
  channel = founded.channel
})
afterAll(async () => {
  await server.end('SIGTERM')
  data.remove()
  rmSync(folder, { recursive: true })
})

const waitOptions = { interval: 500, timeout: 60_000 }

async function send<T>(
  client: SupabaseClient | null,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: T & { message?: string; error?: string } }> {
  const token = client && (await client.auth.getSession()).data.session?.access_token
  const response = await fetch(`${server.url}/server/v1${path}`, {
    method,
    headers: {
      apikey: server.publishableKey,
      ...(token && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify({ workspace, ...body }) }),
  })
  return { status: response.status, body: (await response.json()) as never }
}

const read = async (): Promise<WorkspaceExports> =>
  (await send<WorkspaceExports>(ann, 'GET', `/exports?workspace=${workspace}`)).body

const waitForEnd = (): Promise<WorkspaceExport> =>
  vi.waitFor(async () => {
    const { export: found, isBusy } = await read()
    expect(isBusy).toBe(false)
    expect(found!.state).not.toBe('running')
    return found!
  }, waitOptions)

const unknown = '0195e7a0-0000-7000-8000-000000000000'

it('members, guests, outsiders and callers without a token are refused as by a command', async () => {
  const bea = await bring(server, ann, { workspace, channels: [channel], name: 'Bea' })
  const gus = await bring(server, ann, { workspace, channels: [channel], name: 'Gus', role: 'guest' })
  const omar = await signUp(server, 'Omar')
  for (const [client, status, message] of [
    [bea, 403, 'not_allowed'],
    [gus, 403, 'not_allowed'],
    [omar, 404, 'not_found'],
    [null, 401, expect.any(String) as string],
  ] as const)
    for (const [method, path, body] of [
      ['GET', `/exports?workspace=${workspace}`, undefined],
      ['POST', '/exports', {}],
      ['DELETE', `/exports/${unknown}?workspace=${workspace}`, undefined],
      ['POST', `/exports/${unknown}/link`, {}],
      ['GET', `/imports?workspace=${workspace}`, undefined],
      ['POST', `/imports/uploads?workspace=${workspace}`, undefined],
      ['PATCH', `/imports/uploads/${unknown}?workspace=${workspace}`, undefined],
      ['POST', `/imports/${unknown}/preview`, { product: 'slack' }],
      ['POST', `/imports/${unknown}/start`, {}],
      ['POST', `/imports/${unknown}/cancel`, {}],
      ['GET', `/imports/${unknown}/preview?workspace=${workspace}`, undefined],
      ['GET', `/imports/${unknown}/receipt?workspace=${workspace}`, undefined],
      ['DELETE', `/imports/${unknown}?workspace=${workspace}`, undefined],
    ] as const) {
      const found = await send(client, method, path, body)
      expect(found.status, `${method} ${path}`).toBe(status)
      expect(found.body.message).toEqual(message)
    }
  expect(await read()).toEqual({ export: null, isBusy: false })
})

it('the progress that an open page fetches counts against no rate limit', async () => {
  // As many as the burst of the limit "other", and more.
  for (let batch = 0; batch < 8; batch++) {
    const path = `/imports?workspace=${workspace}`
    const statuses = Array.from({ length: 45 }, async () => (await send(ann, 'GET', path)).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
  }
}, 60_000)

it('an owner exports the workspace and downloads the archive, also a range of it', async () => {
  const started = await send<WorkspaceExports>(ann, 'POST', '/exports', {})
  expect(started).toMatchObject({ status: 202, body: { export: { state: 'running' }, isBusy: true } })
  expect(await send(ann, 'POST', '/exports', {})).toMatchObject({
    status: 409,
    body: { error: 'moving_busy' },
  })
  const done = await waitForEnd()
  expect(done).toMatchObject({ state: 'done', failure: null, result: { missingFiles: 0 } })
  expect(done.result!.rows).toBeGreaterThan(0)

  const link = await send<ExportLink>(ann, 'POST', `/exports/${done.id}/link`, {})
  expect(link.status).toBe(200)
  const response = await fetch(`${server.url}${link.body.path}`)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="linnet-[\d-]+\.zip"/)
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.length).toBe(done.bytes)
  const range = await fetch(`${server.url}${link.body.path}`, { headers: { range: 'bytes=4-9' } })
  expect([range.status, Buffer.from(await range.arrayBuffer())]).toEqual([206, bytes.subarray(4, 10)])

  const file = join(folder, 'archive.zip')
  writeFileSync(file, bytes)
  const archive = await openArchive(file)
  expect(archive.manifest.workspace).toEqual({ id: workspace, name: 'Harbour Street' })
  archive.close()
})

it('an archive is sent only with the token of a link, and ids of requests are no paths', async () => {
  const { export: found } = await read()
  const { body } = await send<ExportLink>(ann, 'POST', `/exports/${found!.id}/link`, {})
  for (const path of [
    body.path.replace(/token=.*/, 'token='),
    body.path.replace(/token=.{4}/, 'token=AAAA'),
    body.path.replace(found!.id, unknown),
    body.path.replace(found!.id, '..%2f..%2fsecrets.json'),
    body.path.replace(found!.id, `${found!.id}%2f..%2fexport.json`),
  ])
    expect((await fetch(`${server.url}${path}`)).status).toBe(404)
  for (const id of [unknown, '..%2f..%2fsecrets.json'])
    expect(await send(ann, 'POST', `/exports/${id}/link`, {})).toMatchObject({
      status: 404,
      body: { error: 'moving_not_found' },
    })
  for (const other of ['../..', '..%2f..', unknown, ''])
    expect((await send(ann, 'GET', `/exports?workspace=${other}`)).status).toBe(404)
})

it('an export that its owner removes leaves no file', async () => {
  const { export: found } = await read()
  const path = `/exports/${found!.id}?workspace=${workspace}`
  expect(readdirSync(join(data.dir, 'moving', workspace)).toSorted()).toEqual(['export.json', 'export.zip'])
  expect(await send(ann, 'DELETE', path)).toMatchObject({ status: 200, body: { export: null } })
  expect(readdirSync(join(data.dir, 'moving', workspace))).toEqual([])
  expect((await send(ann, 'DELETE', path)).status).toBe(404)
})

it('an export that runs when the server is killed is shown as interrupted, and another one can be made', async () => {
  const { body } = await send<WorkspaceExports>(ann, 'POST', '/exports', {})
  await server.end('SIGKILL')
  const port = new URL(server.url).port
  server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--port', port],
  })
  expect(await read()).toMatchObject({
    export: { id: body.export!.id, state: 'failed', failure: 'interrupted' },
    isBusy: false,
  })
  expect(existsSync(join(data.dir, 'moving', workspace, 'export.zip'))).toBe(false)
  expect((await send(ann, 'POST', '/exports', {})).status).toBe(202)
  expect(await waitForEnd()).toMatchObject({ state: 'done', reason: '' })
})

const tus = (headers: Record<string, string>, body?: Buffer): RequestInit => ({
  headers: { 'tus-resumable': '1.0.0', ...headers },
  ...(body && { body: new Uint8Array(body) }),
})

/** Sends a request of an upload. */
async function sendUpload(method: string, path: string, o: RequestInit): Promise<Response> {
  const token = (await ann.auth.getSession()).data.session!.access_token
  return fetch(`${server.url}${path}`, {
    ...o,
    method,
    headers: {
      apikey: server.publishableKey,
      authorization: `Bearer ${token}`,
      ...(o.headers as Record<string, string>),
    },
  })
}

/** Creates an upload, and returns its path. */
async function createUpload(size: number): Promise<string> {
  const name = Buffer.from('harbour slack.zip').toString('base64')
  const created = await sendUpload(
    'POST',
    `/server/v1/imports/uploads?workspace=${workspace}`,
    tus({ 'upload-length': String(size), 'upload-metadata': `filename ${name}` }),
  )
  expect(created.status).toBe(201)
  return created.headers.get('location')!
}

const sendChunk = (path: string, offset: number, bytes: Buffer): Promise<Response> =>
  sendUpload(
    'PATCH',
    path,
    tus({ 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }, bytes),
  )

const readImport = async (): Promise<WorkspaceImports> =>
  (await send<WorkspaceImports>(ann, 'GET', `/imports?workspace=${workspace}`)).body

const waitForImport = (): Promise<WorkspaceImport> =>
  vi.waitFor(async () => {
    const { import: found, isBusy } = await readImport()
    expect(isBusy).toBe(false)
    return found!
  }, waitOptions)

it('an export is uploaded in parts, also after the connection was lost and the server was restarted', async () => {
  const zip = await generateSlackZip({ seed: 7, people: 6, channels: 3, messages: 300, files: 6, days: 2 })
  const path = await createUpload(zip.length)
  expect((await sendChunk(path, 0, zip.subarray(0, 1_000))).headers.get('upload-offset')).toBe('1000')
  expect((await sendChunk(path, 500, zip.subarray(500))).status).toBe(409)
  expect((await sendChunk(path, 1_000, Buffer.concat([zip, zip]))).status).toBe(413)
  await server.end('SIGTERM')
  server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--port', new URL(server.url).port],
  })
  expect(await readImport()).toMatchObject({
    import: { state: 'uploading', uploadedBytes: 1_000, size: zip.length, fileName: 'harbour slack.zip' },
    products: expect.arrayContaining([expect.objectContaining({ product: 'slack', label: 'Slack' })]) as [],
  })
  expect((await sendUpload('HEAD', path, tus({}))).headers.get('upload-offset')).toBe('1000')
  expect((await sendChunk(path, 1_000, zip.subarray(1_000))).status).toBe(204)
  expect((await readImport()).import).toMatchObject({ state: 'uploaded', uploadedBytes: zip.length })
  for (const other of [unknown, '..%2f..%2fsecrets.json', '..'])
    expect([404, 405]).toContain(
      (await sendUpload('HEAD', `/server/v1/imports/uploads/${other}?workspace=${workspace}`, tus({})))
        .status,
    )
})

it('a preview writes nothing, and the import applies the choices of the owner', async () => {
  const { id } = (await readImport()).import!
  expect(await send(ann, 'POST', `/imports/${id}/start`, {})).toMatchObject({
    status: 400,
    body: { error: 'moving_invalid' },
  })
  for (const wrong of [{ product: '../slack' }, { product: 'slack', options: { receipt: '/tmp/a' } }])
    expect((await send(ann, 'POST', `/imports/${id}/preview`, wrong)).status).toBe(400)
  expect(await send(ann, 'POST', `/imports/${id}/preview`, { product: 'slack' })).toMatchObject({
    status: 202,
    body: { import: { state: 'checking' }, isBusy: true },
  })
  // One at a time, whatever it is.
  for (const path of ['/exports', `/imports/${id}/preview`])
    expect(await send(ann, 'POST', path, { product: 'slack' })).toMatchObject({
      status: 409,
      body: { error: 'moving_busy' },
    })
  expect(await waitForImport()).toMatchObject({ state: 'ready', failure: null, messages: 0 })
  const count = async (): Promise<number> =>
    (await ann.from('messages').select('id', { count: 'exact', head: true })).count!
  const before = await count()
  const { body: preview } = await send<ImportReport>(
    ann,
    'GET',
    `/imports/${id}/preview?workspace=${workspace}`,
  )
  expect(preview.people).toMatchObject({ matched: 0, imported: expect.any(Number) as number })
  expect(preview.channels.map(({ name, kind }) => [name, kind])).toEqual([
    ['channel-0', 'public'],
    ['channel-1', 'public'],
    ['channel-2', 'public'],
  ])
  const { data: me } = await ann.from('profiles').select('id').eq('name', 'Ann Okafor').single()
  const choices = {
    people: { U0: me!.id as string },
    channels: { C1: { isLeftOut: true }, C2: { name: 'Old shifts', kind: 'private' } },
  }
  const name = '--dry-run'
  expect(await send(ann, 'POST', `/imports/${id}/start`, { choices, name })).toMatchObject({
    status: 202,
    body: { import: { state: 'running' } },
  })
  expect(await waitForImport()).toMatchObject({ state: 'done' })
  expect(await count()).toBeGreaterThan(before)
  const { data: channels } = await ann.from('channels').select('name').order('name')
  expect(channels!.map(({ name }) => name as string)).toEqual(expect.arrayContaining(['channel-0']))
  expect(JSON.stringify(channels)).not.toContain('channel-1')
  const { body: receipt } = await send<ImportReport>(
    ann,
    'GET',
    `/imports/${id}/receipt?workspace=${workspace}`,
  )
  // The name is no option of the command.
  expect(receipt.sourceName).toBe(name)
  expect(receipt.people.list.find(({ key }) => key === 'U0')).toMatchObject({
    isMatched: true,
    profileId: me!.id,
  })
  expect(receipt.channels.map(({ name }) => name)).toEqual(['channel-0', 'Old shifts'])
  expect(existsSync(join(data.dir, 'moving', workspace, 'import.zip'))).toBe(false)
})

it('a damaged ZIP is refused with a sentence, and another file can be uploaded', async () => {
  const damaged = Buffer.from('PK'.padEnd(5_000, 'x'))
  const path = await createUpload(damaged.length)
  expect((await sendChunk(path, 0, damaged)).status).toBe(204)
  const { id } = (await readImport()).import!
  await send(ann, 'POST', `/imports/${id}/preview`, { product: 'slack' })
  const failed = await waitForImport()
  expect(failed).toMatchObject({ state: 'failed', failure: 'command_failed', startedAt: null })
  expect(failed.reason).toMatch(/^harbour slack\.zip .*\.$/)
  expect(await send(ann, 'DELETE', `/imports/${id}?workspace=${workspace}`)).toMatchObject({
    status: 200,
    body: { import: null },
  })
})

it('an import that runs when the server is killed is shown as interrupted, and continues', async () => {
  const zip = await generateSlackZip({
    seed: 8,
    team: 'T2',
    people: 6,
    channels: 4,
    messages: 4_000,
    files: 0,
    days: 2,
  })
  const path = await createUpload(zip.length)
  await sendChunk(path, 0, zip)
  const { id } = (await readImport()).import!
  await send(ann, 'POST', `/imports/${id}/preview`, { product: 'slack' })
  await waitForImport()
  const choices = {
    channels: Object.fromEntries([0, 1, 2, 3].map((at) => [`C${at}`, { name: `later-${at}` }])),
  }
  await send(ann, 'POST', `/imports/${id}/start`, { choices })
  await server.end('SIGKILL')
  server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--port', new URL(server.url).port],
  })
  expect((await readImport()).import).toMatchObject({ state: 'failed', failure: 'interrupted' })
  expect((await send(ann, 'POST', `/imports/${id}/start`, {})).status).toBe(202)
  expect(await waitForImport()).toMatchObject({ state: 'done' })
})
