import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { caseOf } from '../../../support/caseOf.ts'
import { clientOptions } from './clientOptions.ts'

/** What shows that a method of the client is served: a file of tests and the title of a case that calls it. */
type Shown = [file: string, title: string]
/** Why nothing shows it. */
interface Unshown {
  because: string
}

const inside = { because: 'private in the types of the client, and asked by a method that is not' }

const verbs = (title: string): Shown => ['../answers/verbs.test.ts', title]
const listing = (title: string): Shown => ['../answers/listing.test.ts', title]
const option = (title: string): Shown => ['../answers/options.test.ts', title]

const oneBucket = verbs('lets the service create, read, list, change and delete one')
const purging = verbs(
  'have no cache in front of them that would need purging, which the service alone may ask',
)
const links = verbs('makes links to upload only for those who may upload')
const between = verbs('%s takes what that bucket takes, and nothing else')
const signing = verbs('signs what a policy lets be signed, and nothing else')
const absent = option('buckets of tables and of vectors, and S3: as hosted with these switched off')
const lifecycle = option('rules for the life of old versions, for which there is no address')
const ownHeaders = option('headers of one’s own, and that errors are thrown')
const wall = verbs('lists, removes and signs for Omar as if nothing were there')

const buckets: Record<string, Shown | Unshown> = {
  analytics: absent,
  vectors: absent,
  bucketLifecycleUrl: inside,
  createBucket: oneBucket,
  deleteBucket: oneBucket,
  deleteBucketLifecycle: lifecycle,
  emptyBucket: verbs('deletes none that holds something, and empties it first'),
  from: wall,
  getBucket: oneBucket,
  getBucketLifecycle: lifecycle,
  handleOperation: inside,
  listBucketOptionsToQueryString: inside,
  listBuckets: verbs('are found by a part of their name, page by page, in any order'),
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
  download: verbs('replaces only when told to'),
  encodeMetadata: inside,
  exists: wall,
  getPublicUrl: verbs('opens public buckets to anyone, and only those'),
  handleOperation: inside,
  info: between,
  list: listing('shows one level, folders first named, with order, limit, offset and search'),
  listV2: listing('answers as upstream does'),
  move: between,
  prepareUploadFormData: inside,
  purgeCache: purging,
  remove: wall,
  setHeader: ownHeaders,
  throwOnError: ownHeaders,
  toBase64: inside,
  update: verbs('replaces only when told to'),
  upload: verbs('answers with the id and the key, as a form and raw'),
  uploadOrUpdate: inside,
  uploadToSignedUrl: links,
}

const versions = option('versions of files and buckets')
const givingUp = option('a reader who gives up leaves nothing behind')
const kept = option('is kept, %s, by whichever of the three ways')
const packed = option('does not unpack what it says is packed: the bytes are kept as they come')
const transformed = option('a transformation, wherever one may be asked for')
const named = option('a download of %j, in every link')
const copied = option('where to, and as what')
const level = listing('shows one level, folders first named, with order, limit, offset and search')
const pages = listing('sorts by $column $order (folders apart: $withFolders), nothing twice, nothing lost')
const paged = verbs('are found by a part of their name, page by page, in any order')

/** The options that a case says in a call of the method, parted by blanks. */
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
      [verbs('take no kind but the one that holds files'), 'type'],
    ],
    updateBucket: [
      [oneBucket, 'public fileSizeLimit'],
      [verbs('change what they take at once, and who may read'), 'allowedMimeTypes'],
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
      [listing('takes no cursor that it did not give, nor one for another place'), 'cursor'],
      [givingUp, 'cache signal'],
      [versions, versioned],
    ],
  },
}

/** Methods and rooms of an object, read from itself: types say nothing of a version that was installed since. */
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

  it('names a case that calls each, or why there is none', () => {
    const unshown = Object.entries(ledger).filter(([method, entry]) => {
      const text = Array.isArray(entry) ? (caseOf(import.meta.dirname, ...entry) ?? '') : `.${method}(`
      return !new RegExp(`\\.${method}\\b|'${method}'`).test(text)
    })
    expect(unshown).toEqual([])
  })
})

describe.each(Object.entries(options))('the ledger of what can be said to %s', (name, ledger) => {
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

  it('names a case that says each', () => {
    const uncovered = cases.filter(({ word, shown }) => {
      const text = caseOf(import.meta.dirname, ...shown) ?? ''
      return !new RegExp(`\\b${word}\\b`).test(text)
    })
    expect(uncovered).toEqual([])
  })
})
