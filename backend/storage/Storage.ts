import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Caller, ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import { serverCallerKey } from '../budgets/createBudget.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { ByteStore } from './bytes/createByteStore.ts'
import type { UrlSigner } from './createUrlSigner.ts'
import type { JsonBody } from './JsonBody.ts'
import type { CursorCodec } from './object/listing/createCursorCodec.ts'

/** The dependencies of every route of the service. */
export interface Storage {
  pool: Pool
  bytes: ByteStore
  verifyToken: VerifyToken
  signer: UrlSigner
  cursors: CursorCodec
  /** Null if `[storage.image_transformation]` is off. */
  thumbnails: Thumbnails | null
  /** The maximum size of a file in any bucket, in bytes. */
  maxFileSize: number
  log: Logger
}

/** Pictures in other sizes. This is an extra that main.ts registers. */
export interface Thumbnails {
  addRoutes(app: Hono<StorageEnv>, storage: Storage): void
  /**
   * Returns the claims of a signed URL for the `transform` of a request. Without `transformations` the URL leads to
   * the object.
   */
  readClaims(transform: JsonBody): { transformations?: string; format?: string }
  /** Called after the file of a version is deleted. */
  discard(version: string): Promise<void>
  /** Removes cached pictures of versions that were deleted before a crash. Called at the start. */
  load(): Promise<void>
  close(): void
}

/** @param o.dir a folder for cached pictures alone */
export type CreateThumbnails = (o: { dir: string; bytes: ByteStore }) => Thumbnails

/** The gateway's variables, and Node's own request and response, which carry the bytes. */
export interface StorageEnv extends ServiceEnv {
  Bindings: HttpBindings
}

export type StorageContext = Context<StorageEnv>

export type StorageRoute = (c: StorageContext) => Promise<Response>

/**
 * The caller for work of the server itself. It bypasses row-level security, as upstream does with its service key.
 */
export const serviceCaller: Caller = {
  role: 'service_role',
  claims: { role: 'service_role' },
  claimsJson: JSON.stringify({ role: 'service_role' }),
  budgetKey: serverCallerKey,
}

/** Returns the same caller for work within a request. The work is charged to the request's caller. */
export function serviceCallerFor(c: StorageContext): Caller {
  return { ...serviceCaller, budgetKey: c.get('callerKey') ?? serverCallerKey }
}
