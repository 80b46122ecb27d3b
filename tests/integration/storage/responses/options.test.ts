import { gzipSync } from 'node:zlib'
import type { SupabaseClient } from '@supabase/supabase-js'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'

let server: StorageServer
let service: SupabaseClient
type Files = ReturnType<SupabaseClient['storage']['from']>
let files: Files

const headersOf = async (url: string): Promise<Headers> => {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  await response.body?.cancel()
  return response.headers
}

beforeAll(async () => {
  server = await startStorage()
  service = server.asService()
  for (const id of ['b', 'shown']) await service.storage.createBucket(id, { public: id === 'shown' })
  files = service.storage.from('b')
  const picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#a33' } })
    .png()
    .toBuffer()
  for (const bucket of ['b', 'shown']) {
    const { error } = await service.storage
      .from(bucket)
      .upload('p.png', picture, { contentType: 'image/png', cacheControl: '60' })
    expect(error).toBeNull()
  }
})
afterAll(() => server?.stop())

describe('upload options', () => {
  it.each(['raw', 'as a form'])('are stored by each of the three upload methods (%s)', async (how) => {
    const options = {
      cacheControl: '7',
      contentType: 'text/css',
      upsert: true,
      duplex: 'half',
      metadata: { by: 'Grüße', deep: { of: [1, null] } },
      headers: { 'x-robots-tag': 'noarchive: all' },
    }
    const body = how === 'raw' ? 'a{}' : new Blob(['a{}'], { type: 'text/css' })
    const link = await files.createSignedUploadUrl('options/2', { upsert: true })
    const responses = [
      await files.upload('options/0', body, options),
      await files.update('options/1', body, options),
      await files.uploadToSignedUrl('options/2', link.data!.token, body, options),
    ]
    for (const [i, { error }] of responses.entries()) {
      expect(error).toBeNull()
      expect((await files.info(`options/${i}`)).data).toMatchObject({
        contentType: 'text/css',
        cacheControl: 'max-age=7',
        metadata: options.metadata,
        size: 3,
      })
      const { data } = await files.createSignedUrl(`options/${i}`, 60)
      expect((await headersOf(data!.signedUrl)).get('x-robots-tag')).toBe('noarchive: all')
    }
  })

  it('a content encoding is stored, and the bytes are stored as they are sent', async () => {
    const packed = gzipSync('x'.repeat(1000))
    const contentEncoding = 'gzip'
    const { data } = await files.createSignedUploadUrl('packed', { upsert: true })
    const responses = [
      await files.upload('packed', packed, { contentEncoding, upsert: true }),
      await files.update('packed', packed, { contentEncoding }),
      await files.uploadToSignedUrl('packed', data!.token, packed, { contentEncoding }),
      await files.upload('packed', new Blob([packed]), { contentEncoding, upsert: true }),
    ]
    for (const { error } of responses) expect(error).toBeNull()
    expect(Buffer.from(await (await files.download('packed')).data!.arrayBuffer()).equals(packed)).toBe(true)
  })
})

describe('download options', () => {
  it('a transformation works in every method that accepts one', async () => {
    const transform = { width: 10, height: 10, resize: 'contain', quality: 50, format: 'origin' } as const
    const { data } = await files.createSignedUrl('p.png', 60, { transform })
    const { publicUrl } = service.storage.from('shown').getPublicUrl('p.png', { transform }).data
    const blobs = [
      (await files.download('p.png', { transform })).data!,
      await (await fetch(data!.signedUrl)).blob(),
      await (await fetch(publicUrl)).blob(),
    ]
    for (const blob of blobs) {
      const about = await sharp(await blob.arrayBuffer()).metadata()
      expect(about).toMatchObject({ width: 10, height: 5, format: 'png' })
    }
  })

  it.each([
    [true, 'p.png'],
    ['Übersicht, 100% & mehr.png', 'Übersicht, 100% & mehr.png'],
  ])('a download with the file name %j, in every kind of link', async (download, name) => {
    const one = await files.createSignedUrl('p.png', 60, { download, cacheNonce: 'n' })
    const many = await files.createSignedUrls(['p.png'], 60, { download, cacheNonce: 'n' })
    const shown = service.storage.from('shown').getPublicUrl('p.png', { download, cacheNonce: 'n' })
    for (const url of [one.data!.signedUrl, many.data![0]!.signedUrl!, shown.data.publicUrl]) {
      expect(url).toContain('cacheNonce=n')
      const disposition = (await headersOf(url)).get('content-disposition')
      expect(disposition).toContain(`; filename*=UTF-8''${encodeURIComponent(name)}`)
    }
  })

  it('an aborted download releases its resources', async () => {
    const given = { signal: AbortSignal.abort(), cache: 'no-store' } as const
    const responses = await Promise.allSettled([
      files.download('p.png', { cacheNonce: 'n' }, given),
      files.list('', {}, given),
      files.listV2({}, given),
      files.purgeCache('p.png', { transformations: true }, given),
      service.storage.purgeBucketCache('b', { transformations: true }, given),
    ])
    for (const response of responses) {
      const error = response.status === 'rejected' ? response.reason : response.value.error
      expect(String(error)).toMatch(/abort/i)
    }
    const taken = { cache: 'no-store' } as const
    expect((await files.download('p.png', {}, taken)).data?.size).toBeGreaterThan(0)
    expect((await files.list('', {}, taken)).error).toBeNull()
    expect((await files.listV2({}, taken)).error).toBeNull()
    const transformations = true
    expect((await files.purgeCache('p.png', { transformations }, taken)).error).toBeNull()
    expect((await service.storage.purgeBucketCache('b', { transformations }, taken)).error).toBeNull()
    expect(server.log.filter((line) => line.includes(' error '))).toEqual([])
  })

  it('custom headers and throwOnError work', async () => {
    const own = service.storage.from('b').setHeader('authorization', 'Bearer x.y.z')
    expect((await own.list()).error).toMatchObject({ statusCode: '403' })
    expect((await files.list()).error).toBeNull()
    const buckets = server.asService().storage
    buckets.setHeader('authorization', 'Bearer x.y.z')
    expect((await buckets.listBuckets()).error).toMatchObject({ statusCode: '403' })
    const strict = server.asService().storage
    strict.throwOnError()
    await expect(strict.getBucket('none')).rejects.toMatchObject({ code: 'NoSuchBucket' })
    await expect(strict.from('b').throwOnError().info('none')).rejects.toMatchObject({ code: 'NoSuchKey' })
  })

  it('a download can be streamed', async () => {
    const { data } = await files.download('p.png').asStream()
    const bytes = Buffer.from(await new Response(data).arrayBuffer())
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  })
})

describe('copy and move options', () => {
  it('the destination bucket and new metadata', async () => {
    await files.upload('from', 'x', { contentType: 'text/css', cacheControl: '7', metadata: { by: 'Bea' } })
    const destinationBucket = 'shown'
    const shown = service.storage.from(destinationBucket)
    const aboutOf = async (name: string) => (await shown.info(name)).data
    await files.copy('from', 'same', { destinationBucket, copyMetadata: true })
    const same = { contentType: 'text/css', cacheControl: 'max-age=7', metadata: { by: 'Bea' } }
    expect(await aboutOf('same')).toMatchObject(same)
    const metadata = { mimetype: 'text/csv', cacheControl: 'max-age=9', contentEncoding: 'gzip' }
    await files.copy('from', 'other', { destinationBucket, copyMetadata: false, metadata })
    expect(await aboutOf('other')).toMatchObject({ contentType: 'text/csv', cacheControl: 'max-age=9' })
    expect((await files.move('from', 'moved', { destinationBucket })).error).toBeNull()
    expect(await aboutOf('moved')).toMatchObject(same)
    const [etag] = new Set([(await aboutOf('same'))!.etag, (await aboutOf('moved'))!.etag])
    expect(etag).toBe('"9dd4e461268c8034f5c8564e155c67a6"')
  })
})

describe('options that the upstream service ignores', () => {
  it('versions of files and buckets', async () => {
    const versionId = 'x'
    const sourceVersionId = versionId
    const listed = { noncurrentVersions: 'only', deleteMarkers: 'only', exactMatch: true } as const
    const versioningStatus = 'ENABLED'
    await files.upload('v', 'x', { upsert: true })
    const shown = service.storage.from('shown').getPublicUrl('p.png', { versionId })
    const responses = [
      await files.download('v', { versionId }),
      await files.info('v', { versionId }),
      await files.createSignedUrl('v', 60, { versionId }),
      await files.copy('v', 'v2', { sourceVersionId }),
      await files.move('v2', 'v3', { sourceVersionId }),
      await service.storage.createBucket('versioned', { public: false, versioningStatus }),
      await service.storage.updateBucket('versioned', { public: true, versioningStatus }),
    ]
    for (const { error } of responses) expect(error).toBeNull()
    expect((await fetch(shown.data.publicUrl)).status).toBe(200)
    expect((await files.list('', listed)).data!.length).toBeGreaterThan(1)
    expect((await files.listV2({ prefix: 'v', ...listed })).data!.objects).toHaveLength(2)
    expect((await files.remove([{ path: 'v', versionId }])).error?.message).toBe(
      'body/prefixes/0 must be string',
    )
    expect((await files.exists('v')).data).toBe(true)
  })

  it('lifecycle rules, which have no endpoint', async () => {
    const rule = {
      status: 'Enabled',
      filter: {},
      noncurrentVersionExpiration: { noncurrentDays: 1 },
    } as const
    for (const { error } of [
      await service.storage.getBucketLifecycle('b'),
      await service.storage.updateBucketLifecycle('b', { rules: [rule] }),
      await service.storage.deleteBucketLifecycle('b'),
    ]) {
      expect(error).toMatchObject({
        status: 404,
        message: expect.stringMatching(/^Route \w+:.*lifecycle not found$/),
      })
    }
  })

  it('analytics buckets, vector buckets and S3 respond as on hosted Supabase where they are disabled', async () => {
    const absent = { status: 403, statusCode: '403', message: 'feature not enabled for this tenant' }
    const { storage } = service
    for (const { error } of [
      await storage.analytics.createBucket('lake'),
      await storage.analytics.listBuckets(),
      await storage.analytics.deleteBucket('lake'),
      await storage.vectors.createBucket('near'),
      await storage.vectors.listBuckets(),
      await storage.vectors
        .from('near')
        .index('x')
        .queryVectors({ queryVector: { float32: [1] }, topK: 1 }),
    ]) {
      expect(error).toMatchObject(absent)
    }
    const s3 = await fetch(`${server.url}/storage/v1/s3/b/a%3Cb`, {
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=x' },
    })
    expect([s3.status, s3.headers.get('content-type')]).toEqual([403, 'application/xml'])
    expect(await s3.text()).toContain(
      '<Resource>b/a&#60;b</Resource><Code>FeatureNotEnabled</Code><Message>feature not enabled for this tenant</Message>',
    )
  })
})
