import type { SupabaseClient } from '@supabase/supabase-js'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openArchive } from '../../../backend/optional/archive/openArchive.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import type { ExportLink, WorkspaceExport, WorkspaceExports } from '../../../wire/moving.ts'
import { bring, foundWorkspace, signUp } from '../../support/people.ts'
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

const waitOptions = { interval: 100, timeout: 60_000 }

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
    ] as const) {
      const found = await send(client, method, path, body)
      expect(found.status, `${method} ${path}`).toBe(status)
      expect(found.body.message).toEqual(message)
    }
  expect(await read()).toEqual({ export: null, isBusy: false })
})

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
  expect(await waitForEnd()).toMatchObject({ state: 'done' })
})
