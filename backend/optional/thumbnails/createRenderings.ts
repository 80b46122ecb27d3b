import { createHash } from 'node:crypto'
import { access, rm } from 'node:fs/promises'
import type { ByteStore } from '../../storage/bytes/createByteStore.ts'
import { errors } from '../../storage/errors.ts'
import { StorageError } from '../../storage/StorageError.ts'
import { createRenderCache } from './createRenderCache.ts'
import type { CachedRendering } from './createRenderCache.ts'
import { planRendering, type FormatPreference, type ImageKind } from './planRendering.ts'
import { createRenderer } from './process/createRenderer.ts'
import type { Renderer } from './process/createRenderer.ts'
import type { Transform } from './readTransform.ts'

/** Maximum source file size, as on hosted. */
const maxSourceBytes = 25_000_000

/** Maximum size of the cache. */
const defaultMaxTotalBytes = 256 * 1024 * 1024

/** Errors are cached, so that an image that can't be rendered is not tried at each request. */
const maxCachedErrors = 1000
const errorLifetimeMs = 60_000

export interface Renderings {
  /** The cache key of a thumbnail; equal keys have equal pixels. */
  keyOf(version: string, transform: Transform, preference: FormatPreference): string
  /**
   * From the cache, else rendered; null where the version was deleted meanwhile. The caller closes the result. Throws
   * InvalidRequest for images that can't be rendered, SlowDown where too many requests wait.
   * @param o.principal the key of the fair queue
   */
  open(
    version: string,
    transform: Transform,
    o: { preference: FormatPreference; principal: string },
  ): Promise<CachedRendering | null>
  /** Called after the file of a version is deleted. */
  remove(version: string): Promise<void>
  /** Called at the start: removes entries of versions that were deleted before a crash. */
  loadCache(): Promise<void>
  close(): void
}

export interface RenderingsOptions {
  /** The folder of the cache; nothing else writes there. */
  dir: string
  bytes: ByteStore
  maxTotalBytes?: number
  renderer?: Renderer
  now?: () => number
}

/** Bytes at the start of a file that `detectImageFormat` needs. */
const signatureLength = 32

/**
 * The format by the first bytes alone: declared types and names are chosen by the uploader.
 * Null for other formats.
 */
function detectImageFormat(head: Buffer): ImageKind | null {
  const text = (from: number, to: number): string => head.toString('latin1', from, to)
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp'
  if (text(4, 8) === 'ftyp' && /^avi[fs]|^mif1$/.test(text(8, 12))) return 'avif'
  if (text(0, 4) === 'II*\0' || text(0, 4) === 'MM\0*') return 'tiff'
  return null
}

async function readSource(
  bytes: ByteStore,
  version: string,
): Promise<{ path: string; kind: ImageKind } | null> {
  const path = bytes.locate(version)
  const found = await bytes.open(version)
  if (!path || !found) return null
  try {
    const head = await found.read({ first: 0, last: Math.min(signatureLength, found.size) - 1 })
    const kind = detectImageFormat(head)
    if (!kind) throw errors.notAnImage()
    if (found.size > maxSourceBytes) throw errors.imageTooLarge()
    return { path, kind }
  } finally {
    await found.close()
  }
}

/** Serves thumbnails from the cache, or renders them, once for concurrent requests. */
export function createRenderings(o: RenderingsOptions): Renderings {
  const { bytes } = o
  const now = o.now ?? Date.now
  const renderer = o.renderer ?? createRenderer()
  const cache = createRenderCache({
    dir: o.dir,
    maxTotalBytes: o.maxTotalBytes ?? defaultMaxTotalBytes,
    async exists(version) {
      const path = bytes.locate(version)
      return (
        path !== null &&
        (await access(path).then(
          () => true,
          () => false,
        ))
      )
    },
  })
  const inProgress = new Map<string, Promise<boolean>>()
  const cachedErrors = new Map<string, { failure: StorageError; until: number }>()
  const keyOf: Renderings['keyOf'] = (version, transform, preference) =>
    createHash('sha256')
      .update(JSON.stringify([version, transform, preference]))
      .digest('hex')
      .slice(0, 32)

  const cachedErrorOf = (key: string): StorageError | null => {
    const cachedError = cachedErrors.get(key)
    if (cachedError && cachedError.until > now()) return cachedError.failure
    cachedErrors.delete(key)
    return null
  }
  const cacheError = (key: string, error: unknown): void => {
    // Temporary errors, such as overload or a full disk, are not caused by the image.
    if (!(error instanceof StorageError) || (error.statusCode !== 400 && error.statusCode !== 408)) return
    cachedErrors.set(key, { failure: error, until: now() + errorLifetimeMs })
    for (const oldest of cachedErrors.keys()) {
      if (cachedErrors.size <= maxCachedErrors) break
      cachedErrors.delete(oldest)
    }
  }

  /** False where the version was deleted. */
  const render = async (
    version: string,
    key: string,
    transform: Transform,
    { preference, principal }: { preference: FormatPreference; principal: string },
  ): Promise<boolean> => {
    const source = await readSource(bytes, version)
    if (!source) return false
    const target = await cache.createTarget(key)
    const done = await renderer.render({
      principal,
      source: source.path,
      kind: source.kind,
      target,
      plan: (picture) => planRendering(picture, transform, preference),
    })
    if (done === 'gone') return false
    await cache.add({ version, key, format: done.format, createTarget: target })
    return true
  }
  const renderOrCleanUp: typeof render = async (version, key, ...how) => {
    try {
      return await render(version, key, ...how)
    } catch (error) {
      // An incomplete file would stay until the next start.
      await rm(await cache.createTarget(key), { force: true })
      throw error
    }
  }

  return {
    keyOf,
    async open(version, transform, request) {
      const key = keyOf(version, transform, request.preference)
      const cached = await cache.find(version, key)
      if (cached) return cached
      const cachedError = cachedErrorOf(key)
      if (cachedError) throw cachedError
      let rendering = inProgress.get(key)
      if (!rendering) {
        rendering = renderOrCleanUp(version, key, transform, request).finally(() => inProgress.delete(key))
        inProgress.set(key, rendering)
        rendering.catch((error: unknown) => cacheError(key, error))
      }
      return (await rendering) ? cache.find(version, key) : null
    },
    async remove(version) {
      await cache.remove(version)
    },
    loadCache: () => cache.load(),
    close: () => renderer.close(),
  }
}
