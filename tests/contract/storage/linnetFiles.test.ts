import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBackend } from '../../support/backend.ts'
import type { Backend } from '../../support/backend.ts'
import { adminOf, bring, call, foundWorkspace, signUp } from '../../support/people.ts'

let backend: Backend
let ann: SupabaseClient
let bea: SupabaseClient
let omar: SupabaseClient
let workspace: string
let secret: string

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Uploads a picture under a fresh id and posts it. */
async function post(
  person: SupabaseClient,
  channel: string,
): Promise<{ path: string; upload: string; message: string }> {
  const upload = randomUUID()
  const path = `${channel}/${upload}/file`
  const { error } = await person.storage.from('files').upload(path, new Blob([png], { type: 'image/png' }))
  expect(error).toBeNull()
  const message = randomUUID()
  await call(person, 'send_message', {
    id: message,
    channel,
    body: 'Look',
    attachments: [{ id: upload, name: 'Ålesund.png', width: 1, height: 1, thumb: false }],
  })
  return { path, upload, message }
}

const download = async (person: SupabaseClient, path: string): Promise<Buffer | string> => {
  const { data, error } = await person.storage.from('files').download(path)
  return data ? Buffer.from(await data.arrayBuffer()) : error!.message
}

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  ann = founded.ann
  workspace = founded.workspace
  secret = randomUUID()
  await call(ann, 'create_channel', { id: secret, workspace, kind: 'private', name: 'secret' })
  bea = await bring(backend, ann, { workspace, channels: [secret], name: 'bea' })
  omar = await bring(backend, ann, { workspace, channels: [], name: 'omar' })
})
afterAll(() => backend?.stop())

test('a picture is for those who read its message', async () => {
  const { path } = await post(ann, secret)
  expect(await download(bea, path)).toEqual(png)
  expect(await download(omar, path)).toBe('Object not found')
  expect((await omar.storage.from('files').list(secret)).data).toEqual([])
  expect(
    (await omar.storage.from('files').upload(`${secret}/${randomUUID()}/file`, png)).error?.message,
  ).toBe('new row violates row-level security policy')
})

test('nothing is signed, listed, replaced or carried off, even by who may read it', async () => {
  const { path } = await post(ann, secret)
  const files = bea.storage.from('files')
  expect(await download(bea, path)).toEqual(png)
  expect((await files.createSignedUrl(path, 60)).error?.message).toBe('Object not found')
  expect((await files.createSignedUrls([path], 60)).data?.[0]?.signedUrl).toBeFalsy()
  expect((await files.createSignedUploadUrl(`${secret}/${randomUUID()}/file`)).error).not.toBeNull()
  expect((await files.list(secret)).data).toEqual([])
  expect((await files.update(path, 'other')).error).not.toBeNull()
  expect((await files.move(path, `${secret}/${randomUUID()}/file`)).error).not.toBeNull()
  expect((await files.remove([path])).data).toEqual([])
  expect(await download(bea, path)).toEqual(png)
})

test("an upload that no message carries is its maker's alone", async () => {
  const path = `${secret}/${randomUUID()}/file`
  expect((await bea.storage.from('files').upload(path, png)).error).toBeNull()
  expect(await download(bea, path)).toEqual(png)
  expect(await download(ann, path)).toBe('Object not found')
  expect((await bea.storage.from('files').remove([path])).data).toHaveLength(1)
})

test('a file ends with its message, and the bytes soon after', async () => {
  const { path, message } = await post(ann, secret)
  expect(await download(bea, path)).toEqual(png)
  await call(ann, 'delete_message', { id: message })
  expect(await download(bea, path)).toBe('Object not found')
  expect(await download(ann, path)).toBe('Object not found')
  // Which empties itself, by a function of our own.
  const { storage } = adminOf(backend)
  const kept = async (): Promise<unknown> => (await storage.from('files').exists(path)).data
  await expect.poll(kept, { timeout: 20_000 }).toBe(false)
})

test('a file ends with membership, at once', async () => {
  const { path } = await post(ann, secret)
  const gone = await bring(backend, ann, { workspace, channels: [secret], name: 'gone' })
  expect(await download(gone, path)).toEqual(png)
  const { me } = await call(gone, 'bootstrap', {})
  await call(ann, 'remove_member', { channel: secret, person: me!.profile.id })
  expect(await download(gone, path)).toBe('Object not found')
})

test('whose browser kept a file is asked again: not modified is for readers alone', async () => {
  const { path } = await post(ann, secret)
  const ask = async (person: SupabaseClient, headers: Record<string, string>) => {
    const { data } = await person.auth.getSession()
    const answer = await fetch(`${backend.url}/storage/v1/object/authenticated/files/${path}`, {
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${data.session!.access_token}`,
        ...headers,
      },
    })
    return {
      status: answer.status,
      etag: answer.headers.get('etag'),
      length: (await answer.arrayBuffer()).byteLength,
    }
  }
  const { status, etag } = await ask(bea, {})
  expect([status, etag]).toEqual([200, expect.any(String)])
  const kept = { 'if-none-match': etag! }
  expect(await ask(bea, kept)).toEqual({ status: 304, etag, length: 0 })
  expect((await ask(omar, kept)).status).toBe(400)
  expect((await ask(omar, { range: 'bytes=0-3', 'if-range': etag! })).status).toBe(400)
})

test('an account without a workspace sees and writes nothing', async () => {
  const { path } = await post(ann, secret)
  expect(await download(bea, path)).toEqual(png)
  const stranger = await signUp(backend, 'stranger')
  expect(await download(stranger, path)).toBe('Object not found')
  expect((await stranger.storage.from('avatars').upload('x/face', png)).error).not.toBeNull()
})
