import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'
import { isBoundedImage, MAX_PREVIEW_PIXELS } from './download/isBoundedImage.ts'

/** An error response of storage: its HTTP status, and the `statusCode` of its body. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly status: number
  readonly statusCode: string
  readonly code: string

  constructor(message: string, status: number, statusCode: string, code = '') {
    super(message)
    this.status = status
    this.statusCode = statusCode
    this.code = code
  }
}

/**
 * Requests an object (bucket and path) with the user's token. The library's storage client is not used: it is ten
 * times as large as these requests and would delay the first messages. Rejects with a `StorageError`, or as `fetch`
 * does.
 */
async function requestObject(
  object: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  const { data } = await client.auth.getSession()
  // Without a token (refreshing it failed) storage would respond that the object does not exist.
  if (!data.session) throw new StorageError('session_ended', 401, '401')
  const response = await fetch(`${url}/storage/v1/object/${object}`, {
    // Cached files are revalidated by storage, so that access ends with membership.
    cache: 'no-cache',
    ...init,
    headers: { apikey: key, authorization: `Bearer ${data.session.access_token}`, ...init.headers },
  })
  if (response.ok) return response
  const body = (await response.json().catch(() => ({}))) as {
    message?: string
    statusCode?: string
    code?: string
  }
  throw new StorageError(
    body.message ?? response.statusText,
    response.status,
    body.statusCode ?? String(response.status),
    body.code,
  )
}

/** Fetches the bytes at a path. */
export async function readBytes(path: string): Promise<Blob> {
  return (await requestObject(`files/${path}`)).blob()
}

/**
 * The maximum size of a thumbnail in bytes. Every reader who scrolls past it has it in memory. Storage rejects larger
 * ones too.
 */
const MAX_THUMB_BYTES = 2 * 1024 * 1024

/**
 * Fetches an image for a preview in the timeline. Rejects with a `StorageError` of 413 if it is too large or no
 * image. A large `content-length` rejects before the download; other checks reject before the image is decoded.
 */
export async function readPreview(path: string): Promise<Blob> {
  const response = await requestObject(`files/${path}`)
  if (path.endsWith('/thumb') && Number(response.headers.get('content-length')) > MAX_THUMB_BYTES) {
    await response.body?.cancel()
    throw new StorageError('too large', 413, '413')
  }
  return boundedImage(await response.blob(), MAX_PREVIEW_PIXELS)
}

/** Returns the image. Rejects with a `StorageError` of 413 if it has more than `maxPixels`, or is no image. */
async function boundedImage(blob: Blob, maxPixels: number): Promise<Blob> {
  if (!(await isBoundedImage(blob, maxPixels))) throw new StorageError('too large', 413, '413')
  return blob
}

/**
 * Maximum pixels of an avatar. The app's avatars have fewer, but other clients may upload any image of up to 256 KiB.
 */
const MAX_AVATAR_PIXELS = 4_000_000

/**
 * Fetches an avatar from the bucket `avatars`. The content of a path never changes, so the browser's cache is used
 * without revalidation.
 */
export async function readAvatar(path: string): Promise<Blob> {
  const response = await requestObject(`avatars/${path}`, { cache: 'force-cache' })
  return boundedImage(await response.blob(), MAX_AVATAR_PIXELS)
}

/** Fetches the picture of a link preview. Its content never changes, but storage checks who may still read it. */
export async function readLinkPicture(id: string): Promise<Blob> {
  const response = await requestObject(`previews/${id}`)
  return boundedImage(await response.blob(), MAX_PREVIEW_PIXELS)
}

/** Uploads an image to a new path of the bucket `avatars`. */
export async function uploadAvatar(path: string, image: Blob): Promise<void> {
  await requestObject(`avatars/${path}`, {
    method: 'POST',
    body: image,
    headers: { 'content-type': image.type, 'cache-control': 'max-age=31536000', 'x-upsert': 'false' },
  })
}

/** Fetches the first `count` bytes at a path, however long the file is. */
export async function readFirstBytes(path: string, count: number): Promise<Uint8Array> {
  try {
    const response = await requestObject(`files/${path}`, { headers: { range: `bytes=0-${count - 1}` } })
    // A server without support for ranges sends the whole file.
    return new Uint8Array(await response.arrayBuffer()).subarray(0, count)
  } catch (error) {
    // An empty file has no satisfiable range.
    if (error instanceof StorageError && (error.status === 416 || error.statusCode === '416'))
      return new Uint8Array()
    throw error
  }
}
