/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bring, call, clientOf } from '../../support/people.ts'
import { encodeMetadata } from '../storage/support/tusClient.ts'
import {
  request,
  contents,
  forge,
  openAccessFixture,
  outsiders,
  postFile,
  tokenOf,
  type AccessFixture,
  type Name,
} from './accessFixture.ts'

let fixture: AccessFixture
beforeAll(async () => {
  fixture = await openAccessFixture()
})
afterAll(() => fixture?.backend.stop())

const plain = { 'content-type': 'text/plain' }

/** Every way to read an object: responses must be equal for inaccessible and for unknown objects. */
function waysToRead(path: string): [string, RequestInit?][] {
  const json = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) })
  return [
    [`object/files/${path}`],
    [`object/authenticated/files/${path}`],
    [`object/files/${path}`, { method: 'HEAD' }],
    [`object/files/${path}`, { headers: { range: 'bytes=0-3' } }],
    [`object/info/files/${path}`],
    [`object/info/authenticated/files/${path}`],
    [`object/public/files/${path}`],
    [`object/info/public/files/${path}`],
    [`object/sign/files/${path}`, json({ expiresIn: 60 })],
    [
      `object/copy`,
      json({ bucketId: 'files', sourceKey: path, destinationKey: `${fixture.lobby}/${randomUUID()}/file` }),
    ],
    [
      `object/move`,
      json({ bucketId: 'files', sourceKey: path, destinationKey: `${fixture.lobby}/${randomUUID()}/file` }),
    ],
    [`object/files/${path}`, { method: 'DELETE' }],
    [`render/image/authenticated/files/${path}`],
  ]
}

/** Status and body, without the path. */
async function requestFile(
  who: string | null,
  [way, init]: [string, RequestInit?],
): Promise<[number, string]> {
  const response = await request(fixture, `/storage/v1/${way}`, who, init)
  return [response.status, (await response.text()).replaceAll(/[0-9a-f-]{36}/g, '…')]
}

test('a file is readable for readers of a message it is attached to, and does not exist for others', async () => {
  const { path, tokens, people } = fixture
  const { data } = await people.bea.storage.from('files').download(path)
  expect(await data!.text()).toBe(contents)
  expect((await request(fixture, `/storage/v1/object/info/files/${path}`, tokens.bea)).status).toBe(200)
  const nothing = `${fixture.partners}/${randomUUID()}/file`
  for (const who of outsiders) {
    const [ways, nowhere] = [waysToRead(path), waysToRead(nothing)]
    for (const [i, way] of ways.entries()) {
      const response = await requestFile(tokens[who], way)
      expect(response[0], `${who}: ${way[1]?.method ?? 'GET'} ${way[0]}`).toBeGreaterThanOrEqual(400)
      expect(response, `${who}: ${way[0]}`).toEqual(await requestFile(tokens[who], nowhere[i]!))
    }
  }
  expect(await (await people.bea.storage.from('files').download(path)).data!.text()).toBe(contents)
})

test('304 Not Modified is sent only to readers of a file', async () => {
  const { path, tokens } = fixture
  const way = `/storage/v1/object/authenticated/files/${path}`
  const etag = (await request(fixture, way, tokens.bea)).headers.get('etag')!
  const conditional = { headers: { 'if-none-match': etag } }
  const unchanged = await request(fixture, way, tokens.bea, conditional)
  expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([304, etag, ''])
  for (const who of outsiders) {
    expect((await request(fixture, way, tokens[who], conditional)).status, who).toBe(400)
    const range = { headers: { range: 'bytes=0-3', 'if-range': etag } }
    expect((await request(fixture, way, tokens[who], range)).status, who).toBe(400)
  }
})

test('no file is readable with only the publishable key, or with an expired or forged token', async () => {
  const { backend, path, tokens } = fixture
  const past = Math.floor(Date.now() / 1000) - 3600
  const bad = [
    null,
    await forge(tokens.bea, { exp: past }, backend.jwtSecret),
    await forge(tokens.bea, { role: 'service_role' }, 'x'.repeat(64)),
  ]
  for (const token of bad) {
    for (const way of waysToRead(path)) {
      const [status, text] = await requestFile(token, way)
      expect(status, way[0]).toBeGreaterThanOrEqual(400)
      expect(text).not.toContain(contents)
    }
  }
})

test('files of a channel on the web are readable with the publishable key, by download alone', async () => {
  const { admin, backend, lobby, path: internal, people } = fixture
  const files = clientOf(backend).storage.from('files')
  const publish = (on: boolean): Promise<unknown> =>
    call(people.ann, 'publish_channel', { channel: lobby, on, files: true })
  const earlier = await postFile(people.bea, { channel: lobby, message: randomUUID(), body: 'Before' })
  await publish(true)
  const message = randomUUID()
  const path = await postFile(people.bea, { channel: lobby, message, body: 'For everyone' })
  // This backend runs no functions.
  await admin.from('jobs').delete().eq('kind', 'remove_metadata')
  const { data } = await files.download(path)
  expect(await data!.text()).toBe(contents)
  const download = `/storage/v1/object/files/${path}`
  const part = await request(fixture, download, null, { headers: { range: 'bytes=0-3' } })
  expect([part.status, await part.text()]).toEqual([206, contents.slice(0, 4)])
  const whole = await request(fixture, download, null)
  expect(whole.headers.get('content-security-policy')).toContain('sandbox')

  // Nothing else: not by its address alone, which another page could embed, and no other file.
  const embedded = await fetch(`${backend.url}${download}?apikey=${backend.publishableKey}`)
  expect(embedded.status).toBe(400)
  const nothing = `${lobby}/${randomUUID()}/file`
  for (const [at, way] of waysToRead(path).entries()) {
    const response = await requestFile(null, way)
    if (way[0].startsWith('object/files') || way[0].startsWith('object/authenticated'))
      if (!way[1]?.method) continue
    expect(response, way[0]).toEqual(await requestFile(null, waysToRead(nothing)[at]!))
    expect(response[0], way[0]).toBeGreaterThanOrEqual(400)
  }
  for (const folder of ['', lobby, path.replace('/file', '')]) {
    expect((await files.list(folder)).data ?? [], folder).toEqual([])
    expect((await files.listV2({ prefix: folder })).data?.objects ?? [], folder).toEqual([])
  }
  expect((await files.createSignedUrls([path], 60)).data?.filter(({ signedUrl }) => signedUrl) ?? []).toEqual(
    [],
  )
  for (const other of [earlier, internal, path.replace(/file$/, 'thumb')])
    expect((await files.download(other)).error, other).not.toBeNull()
  expect((await files.upload(`${lobby}/${randomUUID()}/file`, new Blob(['x']))).error).not.toBeNull()

  // A browser that has the file asks again, and does not get it after the channel was removed.
  const etag = whole.headers.get('etag')!
  const conditional = { headers: { 'if-none-match': etag } }
  expect((await request(fixture, download, null, conditional)).status).toBe(304)
  await publish(false)
  expect((await request(fixture, download, null, conditional)).status).toBe(400)
  await publish(true)
  expect((await files.download(path)).error).not.toBeNull()
  const again = randomUUID()
  const second = await postFile(people.bea, { channel: lobby, message: again, body: 'Once more' })
  await admin.from('jobs').delete().eq('kind', 'remove_metadata')
  expect((await files.download(second)).error).toBeNull()
  await call(people.bea, 'delete_message', { id: again })
  expect((await files.download(second)).error).not.toBeNull()
  await publish(false)
})

test('nobody can list, create, publish or empty buckets', async () => {
  const { path, people } = fixture
  for (const who of ['bea', ...outsiders] as const) {
    expect((await people[who].storage.listBuckets()).data ?? [], who).toEqual([])
    expect((await people[who].storage.createBucket(`of-${who}`)).error, who).not.toBeNull()
    expect((await people[who].storage.updateBucket('files', { public: true })).error, who).not.toBeNull()
    expect((await people[who].storage.emptyBucket('files')).error, who).not.toBeNull()
  }
  expect(await (await people.bea.storage.from('files').download(path)).data!.text()).toBe(contents)
})

test('only members can upload files to a channel, each under an upload of their own', async () => {
  const { partners, annex, lobby, path, tokens } = fixture
  const put = async (who: Name | null, to: string): Promise<number> =>
    (
      await request(fixture, `/storage/v1/object/files/${to}`, who && tokens[who], {
        method: 'POST',
        headers: plain,
        body: contents,
      })
    ).status
  expect(await put('bea', `${partners}/${randomUUID()}/file`)).toBe(200)
  expect(await put('gus', `${annex}/${randomUUID()}/file`)).toBe(200)
  for (const who of [null, ...outsiders]) {
    expect(await put(who, `${partners}/${randomUUID()}/file`), `${who}`).toBe(400)
    expect(await put(who, `${randomUUID()}/${randomUUID()}/file`), `${who}`).toBe(400)
    // An attached file can't be replaced.
    expect(await put(who, path.replace(/file$/, 'thumb')), `${who}`).toBe(400)
  }
  expect(await put('gus', `${lobby}/${randomUUID()}/file`)).toBe(400)
  for (const to of [
    path.replace(/file$/, 'thumb'),
    `${partners}/file`,
    `${partners}/${randomUUID()}/other`,
    `${partners}/${randomUUID()}/file/x`,
    `x/${partners}/${randomUUID()}/file`,
    `${partners.toUpperCase()}/${randomUUID()}/file`,
    `${partners}//${randomUUID()}/file`,
  ]) {
    expect(await put('bea', to), to).toBeGreaterThanOrEqual(400)
  }
})

test('nobody can attach an upload of somebody else, or of another channel', async () => {
  const { people, annex, lobby, admin } = fixture
  const upload = randomUUID()
  await people.bea.storage.from('files').upload(`${annex}/${upload}/file`, new Blob([contents]))
  const attach = async (who: Name, channel: string, id: string): Promise<string> => {
    const { error } = await people[who].rpc('send_message', {
      id: randomUUID(),
      channel,
      body: 'Look',
      attachments: [{ id, name: 'a.txt', width: null, height: null, thumb: false }],
    })
    return error?.message ?? 'sent'
  }
  for (const id of [upload, randomUUID()]) {
    expect(await attach('ann', annex, id)).toBe('attachments_missing')
    expect(await attach('gus', annex, id)).toBe('attachments_missing')
    expect(await attach('bea', lobby, id)).toBe('attachments_missing')
  }
  // An unattached upload is accessible to its uploader.
  expect((await people.ann.storage.from('files').download(`${annex}/${upload}/file`)).error).not.toBeNull()
  expect((await people.bea.storage.from('files').download(`${annex}/${upload}/file`)).error).toBeNull()
  expect(await attach('bea', annex, upload)).toBe('sent')
  expect((await people.gus.storage.from('files').download(`${annex}/${upload}/file`)).error).toBeNull()

  // An upload of the same name in another channel does not keep the bytes of a deleted one.
  const twice = randomUUID()
  for (const channel of [annex, lobby]) {
    await people.bea.storage.from('files').upload(`${channel}/${twice}/file`, new Blob([contents]))
  }
  expect(await attach('bea', annex, twice)).toBe('sent')
  expect(await attach('bea', lobby, twice)).toBe('sent')
  const { data } = await people.bea
    .from('attachments')
    .select('message_id')
    .eq('upload_id', twice)
    .eq('upload_channel_id', annex)
  await call(people.bea, 'delete_message', { id: String(data![0]!['message_id']) })
  const { data: queued } = await admin
    .from('file_deletion_queue')
    .select('name')
    .like('name', `%${twice}/file`)
  expect(queued).toEqual([{ name: `${annex}/${twice}/file` }])
})

test('an avatar is readable for people who can see the person, and writable for that person', async () => {
  const { people, profiles } = fixture
  const avatar = `${profiles.bea}/face.png`
  const picture = new Blob(['x'], { type: 'image/png' })
  const avatars = (who: Name) => people[who].storage.from('avatars')
  expect((await avatars('bea').upload(avatar, picture)).error).toBeNull()
  for (const who of ['ann', 'eli', 'gus'] as const) {
    expect((await avatars(who).download(avatar)).error, who).toBeNull()
  }
  for (const who of ['omar', 'dee', 'max', 'sid'] as const) {
    expect((await avatars(who).download(avatar)).error, who).not.toBeNull()
    const own = `${who === 'omar' ? randomUUID() : profiles[who]}/face.png`
    expect((await avatars(who).upload(own, picture)).error, who).not.toBeNull()
  }
  for (const who of outsiders) {
    expect((await avatars(who).upload(avatar, picture, { upsert: true })).error, who).not.toBeNull()
    expect((await avatars(who).update(avatar, picture)).error, who).not.toBeNull()
    expect((await avatars(who).remove([avatar])).data ?? [], who).toEqual([])
    expect((await avatars(who).list(profiles.bea)).data ?? [], who).toEqual([])
  }
  expect((await avatars('bea').upload(avatar, picture, { upsert: true })).error).toBeNull()
  expect(
    (await avatars('bea').copy(fixture.path, avatar, { destinationBucket: 'files' })).error,
  ).not.toBeNull()
})

test('an upload in progress ends when permission is revoked', async () => {
  const { backend, people, workspace, annex } = fixture
  const ivo = await bring(backend, people.ann, { workspace, channels: [annex], name: 'ivo' })
  const me = (await call(ivo, 'bootstrap', {})).me!.profile.id
  const token = await tokenOf(ivo)
  const avatar = `${me}/face.png`
  const shown = async (): Promise<string> =>
    (await people.ann.storage.from('avatars').download(avatar)).data!.text()
  /** Sends half of the bytes at once and the rest on request. */
  const slowly = (method: string, path: string): (() => Promise<number>) => {
    let rest = (): void => {}
    const waiting = new Promise<void>((resolve) => (rest = resolve))
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('Rude ')),
      async pull(controller) {
        await waiting
        controller.enqueue(Buffer.from('picture'))
        controller.close()
      },
    })
    const response = request(fixture, `/storage/v1/object/${path}`, token, {
      method,
      body,
      headers: { 'content-type': 'image/png' },
      duplex: 'half',
    } as RequestInit)
    return async () => {
      rest()
      return (await response).status
    }
  }
  await ivo.storage.from('avatars').upload(avatar, new Blob(['Nice picture'], { type: 'image/png' }))
  expect(await slowly('PUT', `avatars/${avatar}`)()).toBe(200)
  expect(await shown()).toBe('Rude picture')
  await ivo.storage.from('avatars').update(avatar, new Blob(['Nice picture'], { type: 'image/png' }))

  const upload = randomUUID()
  await ivo.storage.from('files').upload(`${annex}/${upload}/file`, new Blob([contents]))
  const tus = (
    method: string,
    at: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Response> =>
    request(fixture, at, token, {
      method,
      headers: { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', ...headers },
      ...(body !== undefined && { body }),
    })
  const chunks = `${annex}/${randomUUID()}/file`
  const begun = (
    await tus('POST', '/storage/v1/upload/resumable', {
      'upload-length': '6',
      'upload-metadata': encodeMetadata({ bucketName: 'files', objectName: chunks }),
    })
  ).headers.get('location')!
  expect((await tus('PATCH', begun, { 'upload-offset': '0' }, 'abc')).status).toBe(204)
  const [late, thumb] = [slowly('PUT', `avatars/${avatar}`), slowly('POST', `files/${annex}/${upload}/thumb`)]
  await call(ivo, 'send_message', {
    id: randomUUID(),
    channel: annex,
    body: 'Look',
    attachments: [{ id: upload, name: 'a.txt', width: null, height: null, thumb: true }],
  })
  expect(await thumb()).toBe(400)
  await call(people.ann, 'deactivate_member', { workspace, person: me })
  expect(await late()).toBe(400)
  expect(await shown()).toBe('Nice picture')
  const refusal = await tus('PATCH', begun, { 'upload-offset': '3' }, 'def')
  expect([refusal.status, await refusal.text()]).toEqual([403, 'new row violates row-level security policy'])
  expect((await fixture.admin.storage.from('files').exists(chunks)).data).toBe(false)
  // No new upload can be created either.
  const again = await tus('POST', '/storage/v1/upload/resumable', {
    'upload-length': '6',
    'upload-metadata': encodeMetadata({ bucketName: 'files', objectName: `${annex}/${randomUUID()}/file` }),
  })
  expect(again.status).toBe(403)
})

test('quotas apply to every way of storing files', async () => {
  const { people, profiles, annex, workspace, tokens } = fixture
  const path = await postFile(people.bea, { channel: annex, message: randomUUID(), body: 'To be copied' })
  const files = people.gus.storage.from('files')
  const fresh = (): string => `${annex}/${randomUUID()}/file`
  const quota = 1024 * 1024
  const { max_bytes, max_bytes_per_person } = await call(people.ann, 'storage_usage', { workspace })
  await call(people.ann, 'set_storage_quotas', { workspace, max_bytes, max_bytes_per_person: quota })
  const block = (bytes: number): Blob => new Blob([new Uint8Array(bytes)])
  const [first, second] = [fresh(), fresh()]
  const before = (await call(people.ann, 'storage_usage', { workspace })).people.find(
    ({ profile_id }) => profile_id === profiles.gus,
  )
  const left = quota - (before?.used_bytes ?? 0)
  expect((await files.upload(first, block(left - 1000))).error).toBeNull()
  const { error } = await files.upload(second, block(1001))
  expect(error).toMatchObject({ statusCode: '413', message: 'person_storage_full' })
  const begun = await request(fixture, '/storage/v1/upload/resumable', tokens.gus, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '1001',
      'upload-metadata': encodeMetadata({ bucketName: 'files', objectName: second }),
    },
  })
  expect([begun.status, await begun.text()]).toEqual([413, 'person_storage_full'])
  // Copies, which need no upload, are refused: of an own file, and of one that somebody else attached.
  for (const source of [first, path]) {
    expect((await files.copy(source, fresh())).error).toMatchObject({ statusCode: '404' })
    expect((await files.move(source, fresh())).error).toMatchObject({ statusCode: '404' })
  }
  // Deleting frees the quota.
  await files.remove([first])
  expect((await files.upload(second, block(left - 1000))).error).toBeNull()
  await files.remove([second])
  await call(people.ann, 'set_storage_quotas', { workspace, max_bytes, max_bytes_per_person })
})

test('a removed member cannot read files, nor anybody a file of a deleted message', async () => {
  const { people, annex, profiles, messages } = fixture
  const path = await postFile(people.bea, { channel: annex, message: randomUUID(), body: 'For Gus too' })
  const open = async (who: Name): Promise<boolean> =>
    (await people[who].storage.from('files').download(path)).error === null
  expect([await open('gus'), await open('ann')]).toEqual([true, true])
  // Media are read by range: a range after the removal is refused.
  const part = async (range: string): Promise<number> =>
    (
      await request(fixture, `/storage/v1/object/authenticated/files/${path}`, fixture.tokens.gus, {
        headers: { range },
      })
    ).status
  expect(await part('bytes=0-3')).toBe(206)
  await call(people.ann, 'remove_member', { channel: annex, person: profiles.gus })
  expect([await open('gus'), await open('ann')]).toEqual([false, true])
  expect(await part('bytes=4-7')).toBe(400)
  const secret = fixture.path
  await call(people.bea, 'delete_message', { id: messages.secret })
  expect((await people.bea.storage.from('files').download(secret)).error).not.toBeNull()
})
