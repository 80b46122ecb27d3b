import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Caller, ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import { serverItself } from '../budgets/createBudget.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { ByteStore } from './bytes/createByteStore.ts'
import type { UrlSigner } from './createUrlSigner.ts'
import type { CursorCodec } from './object/listing/createCursors.ts'
import type { Renderings } from './render/createRenderings.ts'

/** Dependencies of every route of the service. */
export interface Storage {
  pool: Pool
  bytes: ByteStore
  verifyToken: VerifyToken
  signer: UrlSigner
  cursors: CursorCodec
  renderings: Renderings
  /** Whether `[storage.image_transformation]` is on. */
  rendersImages: boolean
  /** Bytes of the largest file in any bucket. */
  maxFileSize: number
  log: Logger
}

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
  payer: serverItself,
}

/** The same within a request, charged to its caller. */
export function serviceCallerFor(c: StorageContext): Caller {
  return { ...serviceCaller, payer: c.get('callerKey') ?? serverItself }
}
