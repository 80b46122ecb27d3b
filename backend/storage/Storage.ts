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

/** What every route of the service works with. */
export interface Storage {
  pool: Pool
  bytes: ByteStore
  verifyToken: VerifyToken
  signer: UrlSigner
  cursors: CursorCodec
  renderings: Renderings
  /** Whether `[storage.image_transformation]` is on. */
  rendersImages: boolean
  /** Bytes of the largest file that any bucket takes. */
  maxFileSize: number
  log: Logger
}

/** The gateway's variables over Node's own request and response, which carry the bytes. */
export interface StorageEnv extends ServiceEnv {
  Bindings: HttpBindings
}

export type StorageContext = Context<StorageEnv>

export type StorageRoute = (c: StorageContext) => Promise<Response>

/** Row security is passed over as this role, as upstream does with its service key. For work of the server itself. */
export const serviceCaller: Caller = {
  role: 'service_role',
  claims: { role: 'service_role' },
  claimsJson: JSON.stringify({ role: 'service_role' }),
  payer: serverItself,
}

/** The same for a request, under whose caller it is counted. */
export function serviceCallerFor(c: StorageContext): Caller {
  return { ...serviceCaller, payer: c.get('callerKey') ?? serverItself }
}
