import { createHash } from 'node:crypto'
import { access, rm } from 'node:fs/promises'
import type { ByteStore } from '../bytes/createByteStore.ts'
import { failures } from '../failures.ts'
import { StorageFailure } from '../StorageFailure.ts'
import { createRenderCache } from './createRenderCache.ts'
import type { KeptRendering } from './createRenderCache.ts'
import { planRendering } from './planRendering.ts'
import type { Preference } from './preferenceOf.ts'
import { createRenderer } from './process/createRenderer.ts'
import type { Renderer } from './process/createRenderer.ts'
import { sniffLength, sniffPicture } from './sniffPicture.ts'
import type { PictureKind } from './sniffPicture.ts'
import type { Transform } from './Transform.ts'

/** Bytes of the largest file that is rendered, as on hosted. */
const largestSource = 25_000_000

/** Bytes kept of what was rendered. */
const usualBound = 256 * 1024 * 1024

/** Refusals remembered, and for how long, in ms: a picture that can't be rendered is not tried at each look. */
const mostRefusals = 1000
const refusalLife = 60_000

export interface Renderings {
  /** Names a rendering of a version, the same for everyone who would see the same pixels. */
  keyOf(version: string, transform: Transform, preference: Preference): string
  /**
   * From the cache, else rendered now; null where the version has gone meanwhile. The caller closes the
   * bytes. Throws InvalidRequest for what can't be rendered, SlowDown where too many wait.
   * @param o.by who asks: they take turns
   */
  open(
    version: string,
    transform: Transform,
    o: { preference: Preference; by: string },
  ): Promise<KeptRendering | null>
  /** After a version's bytes have gone. */
  forget(version: string): Promise<void>
  /** After a start: removes what a crash left of versions that have gone. */
  tidy(): Promise<void>
  close(): void
}

export interface RenderingsOptions {
  /** The folder of what is kept; no other part writes there. */
  dir: string
  bytes: ByteStore
  bound?: number
  renderer?: Renderer
  now?: () => number
}

async function readSource(
  bytes: ByteStore,
  version: string,
): Promise<{ path: string; kind: PictureKind } | null> {
  const path = bytes.locate(version)
  const found = await bytes.open(version)
  if (!path || !found) return null
  try {
    const head = await found.read({ first: 0, last: Math.min(sniffLength, found.size) - 1 })
    const kind = sniffPicture(head)
    if (!kind) throw failures.notAPicture()
    if (found.size > largestSource) throw failures.pictureTooLarge()
    return { path, kind }
  } finally {
    await found.close()
  }
}

/** Pictures in other sizes: kept ones at once, others rendered, each once however many ask at the same time. */
export function createRenderings(o: RenderingsOptions): Renderings {
  const { bytes } = o
  const now = o.now ?? Date.now
  const renderer = o.renderer ?? createRenderer()
  const cache = createRenderCache({
    dir: o.dir,
    bound: o.bound ?? usualBound,
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
  const underWay = new Map<string, Promise<boolean>>()
  const refusals = new Map<string, { failure: StorageFailure; until: number }>()
  const keyOf: Renderings['keyOf'] = (version, transform, preference) =>
    createHash('sha256')
      .update(JSON.stringify([version, transform, preference]))
      .digest('hex')
      .slice(0, 32)

  const refusalOf = (key: string): StorageFailure | null => {
    const refusal = refusals.get(key)
    if (refusal && refusal.until > now()) return refusal.failure
    refusals.delete(key)
    return null
  }
  const remember = (key: string, error: unknown): void => {
    // What comes of the moment, of too many asking or a full disk, says nothing of the picture.
    if (!(error instanceof StorageFailure) || (error.statusCode !== 400 && error.statusCode !== 408)) return
    refusals.set(key, { failure: error, until: now() + refusalLife })
    for (const oldest of refusals.keys()) {
      if (refusals.size <= mostRefusals) break
      refusals.delete(oldest)
    }
  }

  /** False where the version has gone. */
  const make = async (
    version: string,
    key: string,
    transform: Transform,
    { preference, by }: { preference: Preference; by: string },
  ): Promise<boolean> => {
    const source = await readSource(bytes, version)
    if (!source) return false
    const target = await cache.target(key)
    const done = await renderer.render({
      by,
      source: source.path,
      kind: source.kind,
      target,
      plan: (picture) => planRendering(picture, transform, preference),
    })
    if (done === 'gone') return false
    await cache.keep({ version, key, format: done.format, target })
    return true
  }
  const makeOrTidy: typeof make = async (version, key, ...how) => {
    try {
      return await make(version, key, ...how)
    } catch (error) {
      // What was half written would lie there until the next start.
      await rm(await cache.target(key), { force: true })
      throw error
    }
  }

  return {
    keyOf,
    async open(version, transform, asked) {
      const key = keyOf(version, transform, asked.preference)
      const kept = await cache.find(version, key)
      if (kept) return kept
      const refusal = refusalOf(key)
      if (refusal) throw refusal
      let making = underWay.get(key)
      if (!making) {
        making = makeOrTidy(version, key, transform, asked).finally(() => underWay.delete(key))
        underWay.set(key, making)
        making.catch((error: unknown) => remember(key, error))
      }
      return (await making) ? cache.find(version, key) : null
    },
    async forget(version) {
      await cache.forget(version)
    },
    tidy: () => cache.tidy(),
    close: () => renderer.close(),
  }
}
