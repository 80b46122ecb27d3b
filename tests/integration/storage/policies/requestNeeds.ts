import { encodeMetadata } from '../support/tusClient.ts'

export type Verb = 'select' | 'insert' | 'update' | 'delete'
type Headers = Record<string, string>
/** The status and, if there is a body, its `statusCode`, `code` and `message`, or its text. */
export type Answer = readonly (number | string)[] | 'nothing' | 'done'

/** Sends requests as a user, or without credentials. */
export interface StorageCaller {
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<Response>
  tus(method: string, path: string, headers: Headers, body?: string): Promise<Response>
}

/** Names and paths that a request uses. */
export interface Places {
  /** An existing object or bucket. */
  name: string
  /** A name without an object. */
  free: string
  /** An upload to `free` that the caller has created, as a path. */
  begun: string
  /** The token of a signed upload URL for `free`. */
  token: string
}

interface Need {
  what: string
  operation: string
  /** The verbs that the policies must allow, each with the result if they do not. */
  needs: Partial<Record<Verb, Answer>>
  sendRequest(by: StorageCaller, at: Places): Promise<Response>
  /** What must exist; an object by default. */
  given?: 'nothing' | 'upload' | 'link' | 'bucket'
  /** Sent without any key. */
  keyless?: true
}

const denied = [400, '403', 'AccessDenied', 'new row violates row-level security policy'] as const
const unseen = [400, '404', 'NoSuchKey', 'Object not found'] as const
const noBucket = [400, '404', 'NoSuchBucket', 'Bucket not found'] as const
const refused = [400, '403', 'AccessDenied', 'Access denied'] as const
const deniedPlainly = [403, 'new row violates row-level security policy'] as const

const form = (): FormData => {
  const data = new FormData()
  data.append('cacheControl', '3600')
  data.append('', new Blob(['x'], { type: 'text/plain' }))
  return data
}

const piece = { 'content-type': 'application/offset+octet-stream' }
const over = { 'x-upsert': 'true' }

/** The headers that create a resumable upload to the bucket `kept`. */
export const planOf = (name: string, length: number): Headers => ({
  'upload-length': String(length),
  'upload-metadata': encodeMetadata({ bucketName: 'kept', objectName: name, contentType: 'text/plain' }),
})

const copyOf = (from: string, to: string): object => ({
  bucketId: 'kept',
  sourceKey: from,
  destinationKey: to,
})

/**
 * Exactly what each request requires of the policies on objects, or on buckets if `given` is a bucket.
 * Upstream's source requires the same in its `testPermission` and `asSuperUser`, except where a comment states otherwise.
 */
export const requestNeeds: Need[] = [
  {
    what: 'upload',
    given: 'nothing',
    operation: 'storage.object.upload',
    needs: { insert: denied },
    sendRequest: ({ send }, { free }) => send('POST', `object/kept/${free}`, 'x'),
  },
  {
    what: 'upload as a form',
    given: 'nothing',
    operation: 'storage.object.upload',
    needs: { insert: denied },
    sendRequest: ({ send }, { free }) => send('POST', `object/kept/${free}`, form()),
  },
  {
    what: 'upload over a free name',
    given: 'nothing',
    operation: 'storage.object.upload',
    needs: { insert: denied, select: denied },
    sendRequest: ({ send }, { free }) => send('POST', `object/kept/${free}`, 'x', over),
  },
  {
    what: 'upload over what is there',
    operation: 'storage.object.upload',
    needs: { insert: denied, select: denied, update: denied },
    sendRequest: ({ send }, { name }) => send('POST', `object/kept/${name}`, 'x', over),
  },
  {
    what: 'replace',
    operation: 'storage.object.upload_update',
    needs: { insert: denied, select: denied, update: denied },
    sendRequest: ({ send }, { name }) => send('PUT', `object/kept/${name}`, 'x'),
  },
  {
    what: 'read',
    operation: 'storage.object.get_authenticated',
    needs: { select: unseen },
    sendRequest: ({ send }, { name }) => send('GET', `object/authenticated/kept/${name}`),
  },
  {
    what: 'read without saying so',
    operation: 'storage.object.get_authenticated',
    needs: { select: unseen },
    sendRequest: ({ send }, { name }) => send('GET', `object/kept/${name}`),
  },
  {
    what: 'head',
    operation: 'object.head_authenticated_info',
    needs: { select: [400] },
    sendRequest: ({ send }, { name }) => send('HEAD', `object/kept/${name}`),
  },
  {
    what: 'info',
    operation: 'object.get_authenticated_info',
    needs: { select: unseen },
    sendRequest: ({ send }, { name }) => send('GET', `object/info/kept/${name}`),
  },
  {
    what: 'list',
    operation: 'storage.object.list',
    needs: { select: 'nothing' },
    sendRequest: ({ send }, { name }) => send('POST', 'object/list/kept', { prefix: name.split('/')[0] }),
  },
  {
    what: 'list, newer',
    operation: 'storage.object.list_v2',
    needs: { select: 'nothing' },
    sendRequest: ({ send }, { name }) => send('POST', 'object/list-v2/kept', { prefix: name }),
  },
  {
    what: 'list by time',
    operation: 'storage.object.list_v2',
    needs: { select: 'nothing' },
    sendRequest: ({ send }, { name }) =>
      send('POST', 'object/list-v2/kept', {
        prefix: `${name.split('/')[0]}/`,
        with_delimiter: true,
        sortBy: { column: 'created_at' },
      }),
  },
  {
    what: 'sign',
    operation: 'storage.object.sign',
    needs: { select: unseen },
    sendRequest: ({ send }, { name }) => send('POST', `object/sign/kept/${name}`, { expiresIn: 60 }),
  },
  {
    what: 'sign many',
    operation: 'storage.object.sign_many',
    needs: { select: 'nothing' },
    sendRequest: ({ send }, { name }) => send('POST', 'object/sign/kept', { expiresIn: 60, paths: [name] }),
  },
  {
    what: 'sign an upload',
    given: 'nothing',
    operation: 'storage.object.sign_upload_url',
    needs: { insert: denied },
    sendRequest: ({ send }, { free }) => send('POST', `object/upload/sign/kept/${free}`, {}),
  },
  {
    what: 'sign an upload over what is there',
    operation: 'storage.object.sign_upload_url',
    needs: { insert: denied, select: denied, update: denied },
    sendRequest: ({ send }, { name }) => send('POST', `object/upload/sign/kept/${name}`, {}, over),
  },
  {
    what: 'upload by a signed URL: nothing, because the policies were checked when it was signed',
    given: 'link',
    operation: 'storage.object.upload_signed',
    needs: {},
    keyless: true,
    sendRequest: ({ send }, { free, token }) =>
      send('PUT', `object/upload/sign/kept/${free}?token=${token}`, 'x'),
  },
  {
    what: 'copy',
    operation: 'storage.object.copy',
    needs: { select: unseen, insert: denied },
    sendRequest: ({ send }, { name, free }) => send('POST', 'object/copy', copyOf(name, free)),
  },
  {
    what: 'copy over a free name',
    operation: 'storage.object.copy',
    needs: { select: unseen, insert: denied },
    sendRequest: ({ send }, { name, free }) => send('POST', 'object/copy', copyOf(name, free), over),
  },
  {
    what: 'copy over what is there',
    operation: 'storage.object.copy',
    needs: { select: unseen, insert: denied, update: denied },
    sendRequest: ({ send }, { name }) => send('POST', 'object/copy', copyOf(name, name), over),
  },
  {
    what: 'move',
    operation: 'storage.object.move',
    needs: { select: unseen, update: unseen },
    sendRequest: ({ send }, { name, free }) => send('POST', 'object/move', copyOf(name, free)),
  },
  {
    // Upstream returns "Access denied" to callers who cannot see it, which reveals that it exists.
    what: 'delete',
    operation: 'storage.object.delete',
    needs: { select: unseen, delete: refused },
    sendRequest: ({ send }, { name }) => send('DELETE', `object/kept/${name}`),
  },
  {
    what: 'delete many',
    operation: 'storage.object.delete_many',
    needs: { select: 'nothing', delete: 'nothing' },
    sendRequest: ({ send }, { name }) => send('DELETE', 'object/kept', { prefixes: [name] }),
  },
  {
    what: 'begin a resumable upload',
    given: 'nothing',
    operation: 'storage.tus.upload.create',
    needs: { insert: deniedPlainly },
    sendRequest: ({ tus }, { free }) => tus('POST', '', planOf(free, 3)),
  },
  {
    // Upstream checks the policies only at the beginning; Linnet checks them again with the last byte.
    what: 'a resumable upload in one request',
    given: 'nothing',
    operation: 'storage.tus.upload.create',
    needs: { insert: deniedPlainly },
    sendRequest: ({ tus }, { free }) => tus('POST', '', { ...planOf(free, 3), ...piece }, 'abc'),
  },
  {
    what: 'begin a resumable upload over what is there',
    operation: 'storage.tus.upload.create',
    needs: { insert: deniedPlainly, select: deniedPlainly, update: deniedPlainly },
    sendRequest: ({ tus }, { name }) => tus('POST', '', { ...planOf(name, 3), ...over }),
  },
  {
    what: 'the last piece of a resumable upload',
    given: 'upload',
    operation: 'storage.tus.upload.part',
    needs: { insert: deniedPlainly },
    sendRequest: ({ tus }, { begun }) => tus('PATCH', begun, { ...piece, 'upload-offset': '0' }, 'abc'),
  },
  {
    what: 'how far a resumable upload is: nothing, but it has to be one’s own',
    given: 'upload',
    operation: 'storage.tus.upload.get',
    needs: {},
    sendRequest: ({ tus }, { begun }) => tus('HEAD', begun, {}),
  },
  {
    what: 'end a resumable upload',
    given: 'upload',
    operation: 'storage.tus.upload.delete',
    needs: { insert: deniedPlainly },
    sendRequest: ({ tus }, { begun }) => tus('DELETE', begun, {}),
  },
  {
    what: 'begin a resumable upload by a link: nothing',
    given: 'link',
    operation: 'storage.tus.upload.create_signed',
    needs: {},
    keyless: true,
    sendRequest: ({ tus }, { free, token }) =>
      tus('POST', '/sign', { ...planOf(free, 3), ...piece, 'x-signature': token }, 'abc'),
  },
  {
    what: 'list buckets',
    given: 'bucket',
    operation: 'storage.bucket.list',
    needs: { select: 'nothing' },
    sendRequest: ({ send }) => send('GET', 'bucket'),
  },
  {
    what: 'get a bucket',
    given: 'bucket',
    operation: 'storage.bucket.get',
    needs: { select: noBucket },
    sendRequest: ({ send }, { name }) => send('GET', `bucket/${name}`),
  },
  {
    what: 'create a bucket',
    given: 'bucket',
    operation: 'storage.bucket.create',
    needs: { insert: denied },
    sendRequest: ({ send }, { free }) => send('POST', 'bucket', { name: free.replace('/', '-') }),
  },
  {
    what: 'update a bucket',
    given: 'bucket',
    operation: 'storage.bucket.update',
    needs: { select: noBucket, update: noBucket },
    sendRequest: ({ send }, { name }) => send('PUT', `bucket/${name}`, { public: true }),
  },
  {
    what: 'delete a bucket',
    given: 'bucket',
    operation: 'storage.bucket.delete',
    needs: { select: noBucket, delete: noBucket },
    sendRequest: ({ send }, { name }) => send('DELETE', `bucket/${name}`, {}),
  },
]
