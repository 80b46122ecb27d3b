import { randomBytes, randomUUID } from 'node:crypto'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anonymous, publicHeaders, service, target, usePeople, type Person } from './target.ts'

const people = usePeople()
const admin = service().storage
const [closed, open] = ['private', 'public'].map((kind) => `acceptance-${kind}-${randomUUID()}`) as [
  string,
  string,
]
const files = admin.from(closed)
const text = (content: string): Blob => new Blob([content], { type: 'text/plain' })
let bea: Person

beforeAll(async () => {
  bea = await people.signUp()
  expect((await admin.createBucket(closed, { public: false })).error).toBeNull()
  const limits = { public: true, fileSizeLimit: 1000, allowedMimeTypes: ['text/plain'] }
  expect((await admin.createBucket(open, limits)).error).toBeNull()
})
afterAll(async () => {
  for (const bucket of [closed, open]) {
    await admin.emptyBucket(bucket)
    await admin.deleteBucket(bucket)
  }
})

describe('a bucket', () => {
  it('is read, changed, and refused twice under one name', async () => {
    expect((await admin.getBucket(open)).data).toMatchObject({
      id: open,
      public: true,
      file_size_limit: 1000,
      allowed_mime_types: ['text/plain'],
    })
    expect((await admin.createBucket(closed)).error).toMatchObject({
      statusCode: '409',
      message: 'The resource already exists',
    })
    expect((await admin.updateBucket(closed, { public: false, fileSizeLimit: '20MB' })).error).toBeNull()
    expect((await admin.getBucket(closed)).data!.file_size_limit).toBe(20_000_000)
  })

  it('is deleted only when it is empty', async () => {
    const name = `acceptance-${randomUUID()}`
    await admin.createBucket(name)
    await admin.from(name).upload('file.txt', text('here'))
    expect((await admin.deleteBucket(name)).error).toMatchObject({ statusCode: '409' })
    expect((await admin.emptyBucket(name)).error).toBeNull()
    await expect.poll(async () => (await admin.deleteBucket(name)).error).toBeNull()
    expect((await admin.getBucket(name)).error).toMatchObject({
      statusCode: '404',
      message: 'Bucket not found',
    })
  })
})

describe('an object', () => {
  it('is uploaded, read and described', async () => {
    const uploaded = await files.upload('folder/one.txt', text('first'), { cacheControl: '60' })
    expect(uploaded).toMatchObject({
      error: null,
      data: { path: 'folder/one.txt', fullPath: `${closed}/folder/one.txt`, id: expect.any(String) },
    })
    const { data } = await files.download('folder/one.txt')
    expect([data!.type.split(';')[0], await data!.text()]).toEqual(['text/plain', 'first'])
    expect((await files.info('folder/one.txt')).data).toMatchObject({
      name: 'folder/one.txt',
      size: 5,
      contentType: 'text/plain',
    })
    expect((await files.exists('folder/one.txt')).data).toBe(true)
    expect((await files.exists('folder/two.txt')).data).toBe(false)
  })

  it('is replaced only on request', async () => {
    await files.upload('kept.txt', text('old'))
    expect((await files.upload('kept.txt', text('new'))).error).toMatchObject({
      statusCode: '409',
      message: 'The resource already exists',
    })
    expect(await (await files.download('kept.txt')).data!.text()).toBe('old')
    expect((await files.upload('kept.txt', text('new'), { upsert: true })).error).toBeNull()
    expect(await (await files.download('kept.txt')).data!.text()).toBe('new')
  })

  it('is served in ranges, and not again where the reader has it', async () => {
    await files.upload('range.txt', text('0123456789'))
    const url = (await files.createSignedUrl('range.txt', 60)).data!.signedUrl
    const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ])
    const whole = await fetch(url)
    const again = await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag')! } })
    expect([await whole.text(), again.status]).toEqual(['0123456789', 304])
  })

  it('is listed by folder, name and order', async () => {
    for (const name of ['b', 'a', 'c/d']) await files.upload(`listed/${name}`, text(name))
    const all = await files.list('listed', { sortBy: { column: 'name', order: 'desc' } })
    expect(all.data!.map(({ name, id }) => [name, id === null])).toEqual([
      ['c', true],
      ['b', false],
      ['a', false],
    ])
    expect((await files.list('listed', { search: 'a' })).data!.map(({ name }) => name)).toEqual(['a'])
    expect((await files.list('listed', { limit: 1, offset: 1 })).data!.map(({ name }) => name)).toEqual(['b'])
  })

  it('is copied, moved and removed', async () => {
    await files.upload('from.txt', text('moved'))
    expect((await files.copy('from.txt', 'copy.txt')).error).toBeNull()
    expect((await files.move('from.txt', 'to.txt')).error).toBeNull()
    expect((await files.download('from.txt')).error).not.toBeNull()
    expect(await (await files.download('copy.txt')).data!.text()).toBe('moved')
    const removed = await files.remove(['to.txt', 'copy.txt', 'never.txt'])
    expect(removed.data!.map(({ name }) => name).sort()).toEqual(['copy.txt', 'to.txt'])
  })

  it('cannot have a name with characters outside ASCII', async () => {
    expect((await files.upload('größe.txt', text('x'))).error).toMatchObject({ statusCode: '400' })
  })
})

describe('a signed link', () => {
  it('serves one object to anyone who has it', async () => {
    await files.upload('signed.txt', text('by link'))
    const { data } = await files.createSignedUrl('signed.txt', 60, { download: 'name.txt' })
    const response = await fetch(data!.signedUrl)
    expect(await response.text()).toBe('by link')
    expect(response.headers.get('content-disposition')).toContain('name.txt')
    const wrong = new URL(data!.signedUrl)
    wrong.pathname = wrong.pathname.replace('signed.txt', 'other.txt')
    expect((await fetch(wrong)).status).toBe(400)
    expect((await files.createSignedUrl('never.txt', 60)).error).toMatchObject({ statusCode: '404' })
  })

  it('accepts one upload', async () => {
    const { data } = await files.createSignedUploadUrl('drop.txt')
    expect(
      (await anonymous().storage.from(closed).uploadToSignedUrl('drop.txt', data!.token, text('dropped')))
        .error,
    ).toBeNull()
    expect(await (await files.download('drop.txt')).data!.text()).toBe('dropped')
  })
})

describe('limits of a bucket', () => {
  it('refuse what is too large or of another type', async () => {
    const bucket = admin.from(open)
    expect((await bucket.upload('large.txt', text('x'.repeat(1001)))).error).toMatchObject({
      statusCode: '413',
    })
    expect((await bucket.upload('page.html', new Blob(['<p>'], { type: 'text/html' }))).error).toMatchObject({
      statusCode: '415',
    })
  })
})

describe('without a policy', () => {
  it('a person reads public objects only, and writes none', async () => {
    await admin.from(open).upload('poster.txt', text('for all'))
    await files.upload('secret.txt', text('for none'))
    const { data } = anonymous().storage.from(open).getPublicUrl('poster.txt')
    expect(await (await fetch(data.publicUrl)).text()).toBe('for all')
    const own = bea.client.storage
    expect((await own.from(closed).download('secret.txt')).error).not.toBeNull()
    expect((await own.from(closed).list()).data).toEqual([])
    expect((await own.from(closed).upload('mine.txt', text('x'))).error).toMatchObject({ statusCode: '403' })
    expect((await own.from(closed).createSignedUrl('secret.txt', 60)).error).toMatchObject({
      statusCode: '404',
    })
    expect((await own.createBucket(`acceptance-${randomUUID()}`)).error).toMatchObject({ statusCode: '403' })
    expect((await own.from(open).remove(['poster.txt'])).data).toEqual([])
    const path = `${target.url}/storage/v1/object/public/${closed}/secret.txt`
    expect((await fetch(path, { headers: publicHeaders })).status).toBe(400)
  })
})

describe('a resumable upload', () => {
  it('is sent in chunks, and resumes at its offset', async () => {
    const bytes = randomBytes(7 * 1024 * 1024)
    const start = (onProgress: (upload: Upload, sent: number) => void): Promise<string> =>
      new Promise((resolve, reject) => {
        const upload: Upload = new Upload(bytes, {
          endpoint: `${target.url}/storage/v1/upload/resumable`,
          headers: { authorization: `Bearer ${target.serviceKey}`, apikey: target.serviceKey },
          metadata: {
            bucketName: closed,
            objectName: 'large.bin',
            contentType: 'application/octet-stream',
            cacheControl: '60',
          },
          chunkSize: 6 * 1024 * 1024,
          uploadUrl: previous ?? null,
          uploadDataDuringCreation: false,
          retryDelays: null,
          onError: reject,
          onSuccess: () => resolve('whole'),
          onChunkComplete: (_, accepted) => onProgress(upload, accepted),
        })
        upload.start()
        interrupted = (url) => resolve(url)
      })
    let previous: string | undefined
    let interrupted: (url: string) => void = () => {}
    previous = await start((upload, sent) => {
      if (sent === bytes.length) return
      void upload.abort()
      interrupted(upload.url!)
    })
    expect(previous).toContain('/upload/resumable/')
    expect((await files.exists('large.bin')).data).toBe(false)
    expect(await start(() => {})).toBe('whole')
    expect(Buffer.from(await (await files.download('large.bin')).data!.arrayBuffer()).equals(bytes)).toBe(
      true,
    )
  })
})
