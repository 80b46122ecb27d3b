import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { serviceCallerFor } from '../Storage.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { UploadId } from './uploadId.ts'

/** The caller of a request to an upload, and its permissions. */
export interface UploadPrincipal {
  /** The caller whose policies are checked; the service itself for a signed request. */
  caller: Caller
  /** The owner of the object. */
  owner: string | undefined
  upsert: boolean
  /** The owner of the upload, see `UploadRecord.by`. */
  uploadOwner: string
  /** The account whose limits apply; null for service keys, which have none. */
  account: string | null
  isSigned: boolean
}

/** Whether the principal has a service key, or a token of its role. */
export function isTrusted(principal: UploadPrincipal): boolean {
  return !principal.isSigned && principal.caller.role === 'service_role'
}

/** An upload is visible only to its creator and to service keys. */
export function canAccess(principal: UploadPrincipal, by: string): boolean {
  return principal.uploadOwner === by || isTrusted(principal)
}

async function signedPrincipal(
  storage: Storage,
  c: StorageContext,
  target: UploadId,
): Promise<UploadPrincipal> {
  const signature = c.env.incoming.headers['x-signature']
  if (typeof signature !== 'string' || signature === '') {
    throw errors.invalidSignature('Missing x-signature header')
  }
  const url = `${target.bucket}/${target.name}`
  const { owner, upsert } = await storage.signer.verify(signature, url, 'upload')
  return {
    caller: serviceCallerFor(c),
    owner,
    upsert: upsert ?? false,
    uploadOwner: owner ?? 'signed',
    account: owner ?? `signed ${clientOf(c.env.incoming).address}`,
    isSigned: true,
  }
}

/** Throws AccessDenied on an invalid token. */
export async function bearerPrincipal(storage: Storage, c: StorageContext): Promise<UploadPrincipal> {
  const caller = await authenticate(storage, c)
  const owner = caller.claims.sub
  const by = owner ?? caller.role
  const isService = caller.role === 'service_role'
  return {
    caller,
    owner,
    upsert: c.env.incoming.headers['x-upsert'] === 'true',
    uploadOwner: by,
    account: isService ? null : (owner ?? `${by} ${clientOf(c.env.incoming).address}`),
    isSigned: false,
  }
}

/** Throws InvalidSignature or InvalidJWT where the signature is not for this object. */
export function resolvePrincipal(
  storage: Storage,
  c: StorageContext,
  o: { bearer: UploadPrincipal | null; target: UploadId },
): Promise<UploadPrincipal> {
  return o.bearer ? Promise.resolve(o.bearer) : signedPrincipal(storage, c, o.target)
}
