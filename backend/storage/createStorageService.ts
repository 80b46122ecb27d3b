import { join } from 'node:path'
import { Hono } from 'hono'
import type { VerifyToken } from '../../wire/claims.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { addUnsupportedRoutes } from './addUnsupportedRoutes.ts'
import { createBucket, updateBucket } from './bucket/createBucket.ts'
import { configuredSize, freeSpaceReserve } from '../config/configuredSize.ts'
import { declareBuckets } from './bucket/declareBuckets.ts'
import { deleteBucket } from './bucket/deleteBucket.ts'
import { emptyBucket } from './bucket/emptyBucket.ts'
import { getBucket } from './bucket/getBucket.ts'
import { listBuckets } from './bucket/listBuckets.ts'
import { purgeCache } from './bucket/purgeCache.ts'
import { createByteStore, type ByteStore, type DiskSpace } from './bytes/createByteStore.ts'
import { recoverJournal } from './bytes/recoverJournal.ts'
import { createUrlSigner } from './createUrlSigner.ts'
import { toStorageError } from './toStorageError.ts'
import { errors } from './errors.ts'
import { requireContentType } from './mimeType.ts'
import { copyObject } from './object/writing/copyObject.ts'
import { createObject, updateObject, uploadSigned } from './object/writing/createObject.ts'
import { deleteManyObjects, deleteObject } from './object/writing/deleteObject.ts'
import { getObject, getPublicObject, getSignedObject } from './object/reading/getObject.ts'
import { getObjectInfo } from './object/reading/getObjectInfo.ts'
import { createCursorCodec } from './object/listing/createCursorCodec.ts'
import { listObjects } from './object/listing/listObjects.ts'
import { listObjectsV2 } from './object/listing/listObjectsV2.ts'
import { moveObject } from './object/writing/moveObject.ts'
import { signManyObjects } from './object/signing/signManyObjects.ts'
import { signObject } from './object/signing/signObject.ts'
import { signUpload } from './object/signing/signUpload.ts'
import { addResumableRoutes } from './resumable/addResumableRoutes.ts'
import { createUploadStore, type OpenUpload } from './resumable/createUploadStore.ts'
import { sweepPeriodically } from './resumable/sweepPeriodically.ts'
import { resolveUncertain, removeFinishedUploads } from './resumable/settleUploads.ts'
import type { CreateThumbnails, Storage, StorageEnv } from './Storage.ts'

export interface StorageOptions {
  /** The pool, which logs in as `authenticator`. Every statement runs as the caller or as `service_role`. */
  pool: Pool
  /** The folder of the files, which is created if it is missing. No other service may write there. */
  dir: string
  verifyToken: VerifyToken
  /** The installation's JWT secret; signs links to objects. */
  secret: string
  config: Config
  createThumbnails: CreateThumbnails
  /** Called with the version of each file that has its final path, before the row of its object is committed. */
  onPublished?: (version: string) => void
  log: Logger
  /** The public URL of this installation, if configured; used for URLs of uploads. */
  publicUrl?: string | null
  /** The clock by which unfinished uploads expire, in milliseconds since 1970; by default the system's clock. */
  now?: () => number
}

export interface StorageService {
  /** The routes. `@hono/node-server` must serve them, because bytes pass through Node's own streams. */
  app: Hono<StorageEnv>
  /** Returns the free space of the file system; null if the system does not report it. */
  diskSpace(): Promise<DiskSpace | null>
  /**
   * Closes the service. Resolves when no write is in progress, so that rows and bytes agree before the database
   * stops.
   */
  close(): Promise<void>
}

const resumable = /\/upload\/resumable(\/|$)/
/** The release of upstream's service that this one follows. `/version` returns it. */
const version = '1.70.0'

function addBucketRoutes(app: Hono<StorageEnv>, storage: Storage): void {
  // With a slash at its end too, as upstream's router has it.
  for (const path of ['/bucket', '/bucket/']) {
    app.post(path, createBucket(storage))
    app.get(path, listBuckets(storage))
  }
  app.get('/bucket/:bucket', getBucket(storage))
  app.put('/bucket/:bucket', updateBucket(storage))
  app.delete('/bucket/:bucket', deleteBucket(storage))
  app.post('/bucket/:bucket/empty', emptyBucket(storage))
  app.delete('/cdn', purgeCache(storage))
  app.delete('/cdn/:bucket/:name{[\\s\\S]+}?', purgeCache(storage))
}

/**
 * Adds the routes of objects. Fixed paths come before bucket names, so that no bucket hides them. The pattern accepts
 * any name, even with line breaks, because the route validates it.
 */
function addObjectRoutes(app: Hono<StorageEnv>, storage: Storage): void {
  const object = '/:bucket/:name{[\\s\\S]+}'
  app.post('/object/copy', copyObject(storage))
  app.post('/object/move', moveObject(storage))
  app.post('/object/list/:bucket', listObjects(storage))
  app.post('/object/list-v2/:bucket', listObjectsV2(storage))
  app.post(`/object/upload/sign${object}`, signUpload(storage))
  app.put(`/object/upload/sign${object}`, uploadSigned(storage))
  app.post('/object/sign/:bucket', signManyObjects(storage))
  app.post(`/object/sign${object}`, signObject(storage))
  app.get(`/object/sign${object}`, getSignedObject(storage))
  app.get(`/object/public${object}`, getPublicObject(storage))
  app.get(`/object/authenticated${object}`, getObject(storage, { tokenRequired: true }))
  app.get(`/object/info/public${object}`, getObjectInfo(storage, 'public'))
  app.get(`/object/info/authenticated${object}`, getObjectInfo(storage, 'authenticated'))
  app.get(`/object/info${object}`, getObjectInfo(storage, 'either'))
  app.get(`/object${object}`, getObject(storage, { tokenRequired: false }))
  app.post(`/object${object}`, createObject(storage))
  app.put(`/object${object}`, updateObject(storage))
  // Without a name: refused like any invalid name.
  app.post('/object/:bucket/', createObject(storage))
  app.put('/object/:bucket/', updateObject(storage))
  app.delete(`/object${object}`, deleteObject(storage))
  app.delete('/object/:bucket', deleteManyObjects(storage))
}

/**
 * Creates the storage service with the API of Supabase Storage 1.70. Buckets and objects are rows under row-level
 * security, and bytes are files. It declares the buckets of `config.toml` and recovers from a crash before it accepts
 * requests.
 */
export async function createStorageService(o: StorageOptions): Promise<StorageService> {
  const byteStore = await createByteStore(o.dir, configuredSize(o.config, ...freeSpaceReserve))
  const thumbnails = o.createThumbnails({ dir: join(o.dir, 'rendered'), bytes: byteStore })
  const bytes: ByteStore = {
    ...byteStore,
    async publish(version, from) {
      await byteStore.publish(version, from)
      o.onPublished?.(version)
    },
    async discard(version) {
      await byteStore.discard(version)
      await thumbnails.discard(version)
    },
  }
  const swept = await recoverJournal(o.pool, bytes)
  if (swept.removed > 0) o.log.info('storage.leftover_bytes_removed', swept)
  // Awaited by `close`, not by the start.
  const cacheLoaded = thumbnails.load().catch((error: Error) => {
    o.log.error('storage.renderings_load_failed', { reason: error.message })
  })
  const now = o.now ?? Date.now
  const uploads = await createUploadStore(join(o.dir, 'resumable'), now)
  await removeFinishedUploads(o.pool, uploads)
  const settle = (upload: OpenUpload): Promise<void> =>
    resolveUncertain({ pool: o.pool, bytes }, uploads, upload)
  await uploads.sweep(settle)
  const sweeper = sweepPeriodically(uploads, settle, o.log)
  await declareBuckets(o.pool, o.config)
  const storage: Storage = {
    pool: o.pool,
    bytes,
    verifyToken: o.verifyToken,
    signer: createUrlSigner(o.secret),
    cursors: createCursorCodec(o.secret),
    thumbnails: o.config.at('storage.image_transformation.enabled', true) ? thumbnails : null,
    maxFileSize: configuredSize(o.config, 'storage.file_size_limit', '50MiB'),
    log: o.log,
  }

  const app = new Hono<StorageEnv>()
  const writes = new Set<Promise<void>>()
  app.use(async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    // Resumable uploads have their own error for this.
    if (!resumable.test(c.req.path)) requireContentType(c.env.incoming.headers['content-type'])
    const write = next()
    writes.add(write)
    await write.finally(() => writes.delete(write))
  })
  addBucketRoutes(app, storage)
  addObjectRoutes(app, storage)
  addUnsupportedRoutes(app)
  app.get('/status', (c) => c.body(null))
  app.get('/version', (c) => c.text(version))
  addResumableRoutes(app, { storage, uploads, now, publicUrl: o.publicUrl ?? null })
  storage.thumbnails?.addRoutes(app, storage)
  app.all('*', (c) => {
    throw errors.noRoute(c.req.method, c.req.path)
  })
  app.onError((error, c) => {
    const storageError = toStorageError(error)
    if (storageError.statusCode >= 500) {
      const cause = (storageError.cause ?? storageError) as Error & { code?: string }
      o.log.error('storage.request_failed', {
        requestId: c.get('requestId'),
        code: cause.code ?? storageError.code,
        reason: cause.message,
      })
    }
    if (storageError.statusCode === 429 || storageError.statusCode === 503) c.header('Retry-After', '1')
    c.header('Cache-Control', 'no-store')
    return c.json(storageError.toJSON(), storageError.httpStatus as 400)
  })
  return {
    app,
    diskSpace: () => bytes.diskSpace().catch(() => null),
    async close() {
      clearInterval(sweeper)
      thumbnails.close()
      await Promise.allSettled([...writes, cacheLoaded])
    },
  }
}
