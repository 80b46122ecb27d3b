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

/** Dependencies of every route of the service. */
export interface Storage {
  pool: Pool
  bytes: ByteStore
  verifyToken: VerifyToken
  signer: UrlSigner
  cursors: CursorCodec
  /** Null where `[storage.image_transformation]` is off. */
  thumbnails: Thumbnails | null
  /** Bytes of the largest file in any bucket. */
  maxFileSize: number
  log: Logger
}

/** Pictures in other sizes: an extra that main.ts registers. */
export interface Thumbnails {
  addRoutes(app: Hono<StorageEnv>, storage: Storage): void
  /** The claims of a signed URL for the `transform` of a request; without `transformations` it leads to the object. */
  readClaims(transform: JsonBody): { transformations?: string; format?: string }
  /** Called after the file of a version is deleted. */
  discard(version: string): Promise<void>
  /** Called at the start: removes what is cached of versions that were deleted before a crash. */
  load(): Promise<void>
  close(): void
}

/** @param o.dir a folder of its own for what is cached */
export type CreateThumbnails = (o: { dir: string; bytes: ByteStore }) => Thumbnails

/** The gateway's variables, and Node's own request and response, which carry the bytes. */
export interface StorageEnv extends ServiceEnv {
  Bindings: HttpBindings
}

export type StorageContext = Context<StorageEnv>

export type StorageRoute = (c: StorageContext) => Promise<Response>

/** Bypasses row security, as upstream does with its service key. For work of the server itself. */
export const serviceCaller: Caller = {
  role: 'service_role',
  claims: { role: 'service_role' },
  claimsJson: JSON.stringify({ role: 'service_role' }),
  budgetKey: serverCallerKey,
}

/** The same within a request, charged to its caller. */
export function serviceCallerFor(c: StorageContext): Caller {
  return { ...serviceCaller, budgetKey: c.get('callerKey') ?? serverCallerKey }
}
