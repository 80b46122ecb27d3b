import { randomUUID } from 'node:crypto'
import type { Names } from './given.ts'

/** A request to storage, below `/storage/v1/`. */
export interface FileRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const PNG = { 'content-type': 'image/png' }
const BYTES = 'not much of a picture'
const OVER = { 'x-upsert': 'true' }
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
const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }

const json = (method: string, path: string, body: object, headers: object = {}): FileRequest => ({
  method,
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** A new object of that bucket, in the place of `name`: a channel's, or what belongs to a person. */
function placeOf(name: string, names: Names): { bucket: string; path: string } {
  const face = /^face of (\w+)$/.exec(name)
  if (face) return { bucket: 'avatars', path: `${names[face[1]!]}/${randomUUID()}.png` }
  if (names[name] === undefined) throw new Error(`Nothing is called ${name}.`)
  return { bucket: 'files', path: `${names[name]}/${randomUUID()}/file` }
}

/** The request that begins a resumable upload, as long as the bytes of every upload here. */
export const beginning = (bucket: string, path: string, more: object = {}): FileRequest => {
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

/** Puts bytes at a name, in place of what may be there. */
export const putting = (bucket: string, path: string): FileRequest => ({
  method: 'POST',
  path: `object/${bucket}/${path}`,
  headers: { ...PNG, ...OVER },
  body: BYTES,
})

/** `copy` to beside it, `move into side`, `copy into face of bea`, `copy over lobby`. */
function carrying(
  said: { verb: string; how: string | undefined; name: string | undefined },
  from: { bucket: string; path: string },
  known: { names: Names; paths: Record<string, string> },
): FileRequest {
  const [first] = from.path.split('/')
  const fresh = from.bucket === 'avatars' ? `${first}/${randomUUID()}.png` : `${first}/${randomUUID()}/file`
  const to =
    said.how === 'into'
      ? placeOf(said.name!, known.names)
      : { bucket: from.bucket, path: said.how === 'over' ? known.paths[said.name!]! : fresh }
  const keys = { bucketId: from.bucket, sourceKey: from.path }
  const place = { destinationBucket: to.bucket, destinationKey: to.path }
  return json('POST', `object/${said.verb}`, { ...keys, ...place }, said.how === 'over' ? OVER : {})
}

/**
 * What a line of cells asks for: `way` in words, of what lies at `path`, which for a resumable upload is its address.
 * Throws on words that stand for nothing.
 */
export function fileRequest(
  bucket: string,
  way: string,
  path: string,
  known: { names: Names; paths: Record<string, string> },
): FileRequest {
  const at = `${bucket}/${path}`
  const folder = path.slice(0, path.lastIndexOf('/'))
  const [, verb, how, name] = /^(copy|move)(?: (into|over) (.+))?$/.exec(way) ?? []
  if (verb !== undefined) return carrying({ verb, how, name }, { bucket, path }, known)
  switch (way) {
    case 'read':
      return { method: 'GET', path: `object/authenticated/${at}` }
    case 'read a part':
      return { method: 'GET', path: `object/${at}`, headers: { range: 'bytes=0-3' } }
    case 'read in the open':
      return { method: 'GET', path: `object/public/${at}` }
    case 'head':
      return { method: 'HEAD', path: `object/${at}` }
    case 'info':
      return { method: 'GET', path: `object/info/${at}` }
    case 'info in the open':
      return { method: 'GET', path: `object/info/public/${at}` }
    case 'render':
      return { method: 'GET', path: `render/image/authenticated/${at}?width=10` }
    case 'render in the open':
      return { method: 'GET', path: `render/image/public/${at}?width=10` }
    case 'list':
      return json('POST', `object/list/${bucket}`, { prefix: folder, limit: 100 })
    case 'list everything':
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
      return { ...putting(bucket, path), headers: PNG }
    case 'upload as a form':
      return {
        ...putting(bucket, path),
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        body: FORM,
      }
    case 'upload over':
      return putting(bucket, path)
    case 'upload by a link':
      return { method: 'PUT', path: `object/upload/sign/${at}?token=x.y.z`, headers: PNG, body: BYTES }
    case 'replace':
      return { method: 'PUT', path: `object/${at}`, headers: PNG, body: BYTES }
    case 'upload in pieces':
      return { ...beginning(bucket, path, PIECE), body: BYTES }
    case 'begin':
      return beginning(bucket, path)
    case 'begin over':
      return beginning(bucket, path, OVER)
    case 'go on':
      return { method: 'PATCH', path, headers: PIECE, body: BYTES }
    case 'how far':
      return { method: 'HEAD', path, headers: TUS }
    case 'give up':
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
    case 'open the bucket':
      return json('PUT', `bucket/${bucket}`, { public: true })
    case 'empty the bucket':
      return json('POST', `bucket/${bucket}/empty`, {})
    case 'delete the bucket':
      return json('DELETE', `bucket/${bucket}`, {})
    default:
      throw new Error(`${way} is no way to use a bucket`)
  }
}
