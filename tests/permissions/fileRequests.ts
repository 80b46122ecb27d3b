import { randomUUID } from 'node:crypto'
import type { Names } from './namedValues.ts'

/** A request to storage, below `/storage/v1/`. */
export interface FileRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const PNG = { 'content-type': 'image/png' }
const BYTES = 'not much of a picture'
const UPSERT = { 'x-upsert': 'true' }
const FORM = [
  '--edge',
  'content-disposition: form-data; name="cacheControl"',
  '',
  '3600',
  '--edge',
  'content-disposition: form-data; name=""; filename="x.png"',
  'content-type: image/png',
  '',
  BYTES,
  '--edge--',
  '',
].join('\r\n')
const TUS = { 'tus-resumable': '1.0.0' }
const CHUNK = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }

const json = (method: string, path: string, body: object, headers: object = {}): FileRequest => ({
  method,
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** A new object in the folder of `name`: a channel, or `avatar of` a person. */
function newObjectIn(name: string, names: Names): { bucket: string; path: string } {
  const avatar = /^avatar of (\w+)$/.exec(name)
  if (avatar) return { bucket: 'avatars', path: `${names[avatar[1]!]}/${randomUUID()}.png` }
  if (names[name] === undefined) throw new Error(`No fixture is called ${name}.`)
  return { bucket: 'files', path: `${names[name]}/${randomUUID()}/file` }
}

/** The request that creates a resumable upload of the content used here. */
export const createUploadRequest = (bucket: string, path: string, more: object = {}): FileRequest => {
  const pairs = { bucketName: bucket, objectName: path, contentType: 'image/png' }
  const metadata = Object.entries(pairs).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  )
  return {
    method: 'POST',
    path: 'upload/resumable',
    headers: {
      ...TUS,
      'upload-length': String(BYTES.length),
      'upload-metadata': metadata.join(','),
      ...more,
    },
  }
}

/** Uploads an object, replacing an existing one. */
export const putRequest = (bucket: string, path: string): FileRequest => ({
  method: 'POST',
  path: `object/${bucket}/${path}`,
  headers: { ...PNG, ...UPSERT },
  body: BYTES,
})

/** `copy` within the folder, `move into side`, `copy into avatar of bea`, `copy over lobby`. */
function copyOrMove(
  parsed: { verb: string; how: string | undefined; name: string | undefined },
  source: { bucket: string; path: string },
  existing: { names: Names; paths: Record<string, string> },
): FileRequest {
  const [first] = source.path.split('/')
  const fresh = source.bucket === 'avatars' ? `${first}/${randomUUID()}.png` : `${first}/${randomUUID()}/file`
  const to =
    parsed.how === 'into'
      ? newObjectIn(parsed.name!, existing.names)
      : { bucket: source.bucket, path: parsed.how === 'over' ? existing.paths[parsed.name!]! : fresh }
  const keys = { bucketId: source.bucket, sourceKey: source.path }
  const place = { destinationBucket: to.bucket, destinationKey: to.path }
  return json('POST', `object/${parsed.verb}`, { ...keys, ...place }, parsed.how === 'over' ? UPSERT : {})
}

/**
 * The request of a matrix row: `operation` on the object at `path`, which for a resumable upload is its URL path. Throws
 * on unknown operations.
 */
export function fileRequest(
  bucket: string,
  operation: string,
  path: string,
  existing: { names: Names; paths: Record<string, string> },
): FileRequest {
  const at = `${bucket}/${path}`
  const folder = path.slice(0, path.lastIndexOf('/'))
  const [, verb, how, name] = /^(copy|move)(?: (into|over) (.+))?$/.exec(operation) ?? []
  if (verb !== undefined) return copyOrMove({ verb, how, name }, { bucket, path }, existing)
  switch (operation) {
    case 'read':
      return { method: 'GET', path: `object/authenticated/${at}` }
    case 'read a range':
      return { method: 'GET', path: `object/${at}`, headers: { range: 'bytes=0-3' } }
    case 'read publicly':
      return { method: 'GET', path: `object/public/${at}` }
    case 'head':
      return { method: 'HEAD', path: `object/${at}` }
    case 'info':
      return { method: 'GET', path: `object/info/${at}` }
    case 'info publicly':
      return { method: 'GET', path: `object/info/public/${at}` }
    case 'render':
      return { method: 'GET', path: `render/image/authenticated/${at}?width=10` }
    case 'render publicly':
      return { method: 'GET', path: `render/image/public/${at}?width=10` }
    case 'list':
      return json('POST', `object/list/${bucket}`, { prefix: folder, limit: 100 })
    case 'list all':
      return json('POST', `object/list-v2/${bucket}`, { prefix: '', limit: 100 })
    case 'list the newest':
      return json('POST', `object/list-v2/${bucket}`, {
        prefix: `${folder}/`,
        with_delimiter: true,
        sortBy: { column: 'created_at', order: 'desc' },
      })
    case 'search':
      return json('POST', `object/list/${bucket}`, { prefix: '', search: path.slice(0, 12) })
    case 'sign':
      return json('POST', `object/sign/${at}`, { expiresIn: 60 })
    case 'sign many':
      return json('POST', `object/sign/${bucket}`, { expiresIn: 60, paths: [path] })
    case 'sign an upload':
      return json('POST', `object/upload/sign/${at}`, {})
    case 'upload':
      return { ...putRequest(bucket, path), headers: PNG }
    case 'upload as a form':
      return {
        ...putRequest(bucket, path),
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        body: FORM,
      }
    case 'upload over':
      return putRequest(bucket, path)
    case 'upload by a link':
      return { method: 'PUT', path: `object/upload/sign/${at}?token=x.y.z`, headers: PNG, body: BYTES }
    case 'replace':
      return { method: 'PUT', path: `object/${at}`, headers: PNG, body: BYTES }
    case 'upload in chunks':
      return { ...createUploadRequest(bucket, path, CHUNK), body: BYTES }
    case 'create upload':
      return createUploadRequest(bucket, path)
    case 'create upload over':
      return createUploadRequest(bucket, path, UPSERT)
    case 'resume':
      return { method: 'PATCH', path, headers: CHUNK, body: BYTES }
    case 'get offset':
      return { method: 'HEAD', path, headers: TUS }
    case 'terminate':
      return { method: 'DELETE', path, headers: TUS }
    case 'delete':
      return { method: 'DELETE', path: `object/${at}` }
    case 'delete many':
      return json('DELETE', `object/${bucket}`, { prefixes: [path] })
    case 'get the bucket':
      return { method: 'GET', path: `bucket/${bucket}` }
    case 'list buckets':
      return { method: 'GET', path: 'bucket' }
    case 'create a bucket':
      return json('POST', 'bucket', { name: randomUUID(), public: true })
    case 'make the bucket public':
      return json('PUT', `bucket/${bucket}`, { public: true })
    case 'empty the bucket':
      return json('POST', `bucket/${bucket}/empty`, {})
    case 'delete the bucket':
      return json('DELETE', `bucket/${bucket}`, {})
    default:
      throw new Error(`${operation} is no operation on a bucket`)
  }
}
