import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { caseOf } from '../../../support/caseOf.ts'
import { clientOptions } from './clientOptions.ts'

/** A test that calls a method of the client: its file and its title. */
type Shown = [file: string, title: string]
/** The reason why no test calls it. */
interface Unshown {
  because: string
}

const inside = { because: 'private in the types of the client, and called by a public method' }

const verbs = (title: string): Shown => ['../responses/verbs.test.ts', title]
const listing = (title: string): Shown => ['../responses/listing.test.ts', title]
const option = (title: string): Shown => ['../responses/options.test.ts', title]

const oneBucket = verbs('the service role creates, reads, lists, updates and deletes a bucket')
const purging = verbs('purging the cache is a no-op that only the service role can request')
const links = verbs('creates signed upload URLs only for users who can upload')
const between = verbs('%s applies the limits of the destination bucket')
const signing = verbs('signs only objects that a policy allows to be signed')
const absent = option(
  'analytics buckets, vector buckets and S3 respond as on hosted Supabase where they are disabled',
)
const lifecycle = option('lifecycle rules, which have no endpoint')
const ownHeaders = option('custom headers and throwOnError work')
const wall = verbs('lists, removes and signs for Omar as if the objects did not exist')

const buckets: Record<string, Shown | Unshown> = {
  analytics: absent,
  vectors: absent,
  bucketLifecycleUrl: inside,
  createBucket: oneBucket,
  deleteBucket: oneBucket,
  deleteBucketLifecycle: lifecycle,
  emptyBucket: verbs('only an empty bucket can be deleted, and a bucket can be emptied'),
  from: wall,
  getBucket: oneBucket,
  getBucketLifecycle: lifecycle,
  handleOperation: inside,
  listBucketOptionsToQueryString: inside,
  listBuckets: verbs('can be searched by a part of their name, with paging and sorting'),
  purgeBucketCache: purging,
  setHeader: ownHeaders,
  throwOnError: ownHeaders,
  updateBucket: oneBucket,
  updateBucketLifecycle: lifecycle,
}

const files: Record<string, Shown | Unshown> = {
  _getFinalPath: inside,
  _removeEmptyFolders: inside,
  applyTransformOptsToQuery: inside,
  copy: between,
  createSignedUploadUrl: links,
  createSignedUrl: signing,
  createSignedUrls: signing,
  download: verbs('replaces an object only with x-upsert'),
  encodeMetadata: inside,
  exists: wall,
  getPublicUrl: verbs('anyone can read public buckets, and no others'),
  handleOperation: inside,
  info: between,
  list: listing('lists one level with its folders, with order, limit, offset and search'),
  listV2: listing('returns what upstream returns'),
  move: between,
  prepareUploadFormData: inside,
  purgeCache: purging,
  remove: wall,
  setHeader: ownHeaders,
  throwOnError: ownHeaders,
  toBase64: inside,
  update: verbs('replaces an object only with x-upsert'),
  upload: verbs('returns the id and the key, for form and raw bodies'),
  uploadOrUpdate: inside,
  uploadToSignedUrl: links,
}

const versions = option('versions of files and buckets')
const givingUp = option('an aborted download releases its resources')
const kept = option('are stored by each of the three upload methods (%s)')
const packed = option('a content encoding is stored, and the bytes are stored as they are sent')
const transformed = option('a transformation works in every method that accepts one')
const named = option('a download with the file name %j, in every kind of link')
const copied = option('the destination bucket and new metadata')
const level = listing('lists one level with its folders, with order, limit, offset and search')
const pages = listing('sorts by $column $order (delimiter: $withFolders), without duplicates or gaps')
const paged = verbs('can be searched by a part of their name, with paging and sorting')

/** The options that a test uses in a call of the method, separated by spaces. */
type OptionCase = [shown: Shown, options: string]

const uploads: OptionCase[] = [
  [kept, 'cacheControl contentType duplex headers metadata upsert'],
  [packed, 'contentEncoding'],
]
const transform = 'transform width height resize quality format'
const versioned = 'noncurrentVersions deleteMarkers exactMatch'

const options: Record<string, Record<string, OptionCase[]>> = {
  StorageBucketApi: {
    listBuckets: [[paged, 'limit offset search sortColumn sortOrder']],
    createBucket: [
      [oneBucket, 'public fileSizeLimit allowedMimeTypes'],
      [versions, 'versioningStatus'],
      [verbs('reject every bucket type except the one for files'), 'type'],
    ],
    updateBucket: [
      [oneBucket, 'public fileSizeLimit'],
      [verbs('changes of the limits and of public access take effect immediately'), 'allowedMimeTypes'],
      [versions, 'versioningStatus'],
    ],
    purgeBucketCache: [[givingUp, 'cache signal transformations']],
  },
  StorageFileApi: {
    upload: uploads,
    update: uploads,
    uploadToSignedUrl: uploads,
    createSignedUploadUrl: [[kept, 'upsert']],
    move: [
      [copied, 'destinationBucket'],
      [versions, 'sourceVersionId'],
    ],
    copy: [
      [copied, 'destinationBucket copyMetadata metadata mimetype cacheControl contentEncoding'],
      [versions, 'sourceVersionId'],
    ],
    createSignedUrl: [
      [transformed, transform],
      [named, 'download cacheNonce'],
      [versions, 'versionId'],
    ],
    createSignedUrls: [[named, 'download cacheNonce']],
    download: [
      [transformed, transform],
      [givingUp, 'cacheNonce cache signal'],
      [versions, 'versionId'],
    ],
    info: [[versions, 'versionId']],
    getPublicUrl: [
      [transformed, transform],
      [named, 'download cacheNonce'],
      [versions, 'versionId'],
    ],
    remove: [[versions, 'path versionId']],
    purgeCache: [[givingUp, 'cache signal transformations']],
    list: [
      [level, 'limit offset search sortBy column order'],
      [givingUp, 'cache signal'],
      [versions, versioned],
    ],
    listV2: [
      [pages, 'limit prefix with_delimiter sortBy column order'],
      [listing('rejects an invalid cursor and a cursor of another listing'), 'cursor'],
      [givingUp, 'cache signal'],
      [versions, versioned],
    ],
  },
}

/** Methods and properties of an object at run time: types can be of an older version than the one installed. */
function membersOf(object: object): string[] {
  const names = new Set<string>()
  for (
    let layer = Object.getPrototypeOf(object) as object;
    layer !== Object.prototype;
    layer = Object.getPrototypeOf(layer) as object
  ) {
    for (const name of Object.getOwnPropertyNames(layer)) names.add(name)
  }
  names.delete('constructor')
  return [...names].toSorted()
}

const client = createClient('http://localhost', 'key', {
  realtime: { transport: WebSocket as never },
}).storage

describe.each([
  ['buckets', buckets, client],
  ['files', files, client.from('x')],
])('the ledger of %s', (_, ledger, object) => {
  it('has every method of the client', () => {
    expect(Object.keys(ledger).toSorted()).toEqual(membersOf(object))
  })

  it('names a test for each, or the reason why there is none', () => {
    const unshown = Object.entries(ledger).filter(([method, entry]) => {
      const text = Array.isArray(entry) ? (caseOf(import.meta.dirname, ...entry) ?? '') : `.${method}(`
      return !new RegExp(`\\.${method}\\b|'${method}'`).test(text)
    })
    expect(unshown).toEqual([])
  })
})

describe.each(Object.entries(options))('ledger of the options of %s', (name, ledger) => {
  const cases = Object.entries(ledger).flatMap(([method, rows]) =>
    rows.flatMap(([shown, words]) => words.split(' ').map((word) => ({ method, word, shown }))),
  )

  it('has every option of the client', () => {
    const listed = Object.entries(clientOptions(name)).flatMap(([method, words]) =>
      words.map((word) => `${method} ${word}`),
    )
    expect(listed.length).toBeGreaterThan(10)
    expect(cases.map(({ method, word }) => `${method} ${word}`).toSorted()).toEqual(listed.toSorted())
  })

  it('names a test that uses each', () => {
    const uncovered = cases.filter(({ word, shown }) => {
      const text = caseOf(import.meta.dirname, ...shown) ?? ''
      return !new RegExp(`\\b${word}\\b`).test(text)
    })
    expect(uncovered).toEqual([])
  })
})
