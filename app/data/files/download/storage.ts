import { getClient } from '../../client/getClient.ts'
import { loadSettings } from '../../client/settings.ts'
import { countPixels } from './countPixels.ts'

/** What storage answered instead of the bytes: its HTTP status, and the one it names itself. */
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
 * A request for an object (bucket and path), with one's own token. Here rather than by the library's storage client,
 * which is ten times as long as these two requests and would be fetched before the first words. Rejects with a
 * `StorageError`, or as `fetch` does.
 */
async function requestObject(
  object: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  const { data } = await client.auth.getSession()
  // Without a token (it could not be renewed) the answer would be that there is nothing, for ever.
  if (!data.session) throw new StorageError('session_ended', 401, '401')
  const response = await fetch(`${url}/storage/v1/object/${object}`, {
    // What the browser keeps is never shown before storage was asked again: a file ends with membership.
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

/** The bytes at a path. */
export async function readBytes(path: string): Promise<Blob> {
  return (await requestObject(`files/${path}`)).blob()
}

/** Bytes of the largest thumbnail: every reader who scrolls past it has it in memory. Storage rejects larger ones too. */
const MAX_THUMB_BYTES = 2 * 1024 * 1024
/** Bytes at the beginning of an image that are searched for its size. */
const HEAD_BYTES = 256 * 1024
/** Pixels of a picture that is drawn unasked: four bytes of memory each, however few bytes of file it is. */
const MAX_PREVIEW_PIXELS = 40_000_000

/**
 * An image for a preview in the timeline. Rejects with a `StorageError` of 413 for one that is too large and for what is
 * no image: before the download where `content-length` is too large, else before it is decoded.
 */
export async function readPreview(path: string): Promise<Blob> {
  const response = await requestObject(`files/${path}`)
  if (path.endsWith('/thumb') && Number(response.headers.get('content-length')) > MAX_THUMB_BYTES) {
    await response.body?.cancel()
    throw new StorageError('too large', 413, '413')
  }
  return boundedImage(await response.blob(), MAX_PREVIEW_PIXELS)
}

/** The image itself. Rejects with a `StorageError` of 413 for one with more pixels, and for what is none. */
async function boundedImage(blob: Blob, maxPixels: number): Promise<Blob> {
  const pixels = countPixels(new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer()))
  if (pixels === null || pixels > maxPixels) throw new StorageError('too large', 413, '413')
  return blob
}

/** Pixels of an avatar that is drawn: ours have fewer, but other clients may upload up to 2 MiB of them. */
const MAX_AVATAR_PIXELS = 4_000_000

/**
 * The image at a path of the bucket `avatars`. A path names one version for ever, so that the browser's own cache is
 * used without asking storage again.
 */
export async function readAvatar(path: string): Promise<Blob> {
  const response = await requestObject(`avatars/${path}`, { cache: 'force-cache' })
  return boundedImage(await response.blob(), MAX_AVATAR_PIXELS)
}

/** Uploads an image to a new path of the bucket `avatars`. */
export async function uploadAvatar(path: string, image: Blob): Promise<void> {
  await requestObject(`avatars/${path}`, {
    method: 'POST',
    body: image,
    headers: { 'content-type': image.type, 'cache-control': 'max-age=31536000', 'x-upsert': 'false' },
  })
}

/** The first bytes at a path, `count` at most: never more travels, however long the file. */
export async function readFirstBytes(path: string, count: number): Promise<Uint8Array> {
  try {
    const response = await requestObject(`files/${path}`, { headers: { range: `bytes=0-${count - 1}` } })
    // A server without support for ranges sends the whole file.
    return new Uint8Array(await response.arrayBuffer()).subarray(0, count)
  } catch (error) {
    // Of an empty file there are no first bytes.
    if (error instanceof StorageError && (error.status === 416 || error.statusCode === '416'))
      return new Uint8Array()
    throw error
  }
}
