import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { caseOf } from '../../support/caseOf.ts'

/** What shows that a method of the client is served: a file of tests and the title of a case that calls it. */
type Shown = [file: string, title: string]
/** Why nothing shows it. */
interface Unshown {
  because: string
}

const ofTheClient = { because: 'asks nothing of a server' }
const inside = { because: 'private in the types of the client, and asked by a method that is not' }
const lifecycle = { because: 'the service upstream has no such route: the client is ahead of it' }
const tables = { because: 'buckets of tables, which the contract leaves to hosted Supabase' }
const vectors = { because: 'buckets of vectors, which the contract leaves to hosted Supabase' }

const verbs = (title: string): Shown => ['verbs.test.ts', title]
const listing = (title: string): Shown => ['listing.test.ts', title]

const oneBucket = verbs('lets the service create, read, list, change and delete one')
const purging = verbs(
  'have no cache in front of them that would need purging, which the service alone may ask',
)
const links = verbs('makes links to upload only for those who may upload')
const between = verbs('%s takes what that bucket takes, and nothing else')
const signing = verbs('signs what a policy lets be signed, and nothing else')
const wall = verbs('lists, removes and signs for Omar as if nothing were there')

const buckets: Record<string, Shown | Unshown> = {
  analytics: tables,
  vectors,
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
  setHeader: ofTheClient,
  throwOnError: ofTheClient,
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
  setHeader: ofTheClient,
  throwOnError: ofTheClient,
  toBase64: inside,
  update: verbs('replaces only when told to'),
  upload: verbs('answers with the id and the key, as a form and raw'),
  uploadOrUpdate: inside,
  uploadToSignedUrl: links,
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
      return !text.includes(`.${method}(`) && !text.includes(`'${method}'`)
    })
    expect(unshown).toEqual([])
  })
})
