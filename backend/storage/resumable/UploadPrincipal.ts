import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { authenticate } from '../authenticate.ts'
import { errors } from '../errors.ts'
import { serviceCallerFor } from '../Storage.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { UploadId } from './uploadId.ts'

/** Who asks something of an upload, and by what right. */
export interface UploadPrincipal {
  /** Whose policies are asked; the service's own where a signature has answered that already. */
  caller: Caller
  /** Whose the object will be. */
  owner: string | undefined
  upsert: boolean
  /** Whose the upload is, see `UploadRecord.by`. */
  uploadOwner: string
  /** What counts against the bounds; null for keys of the service, which are trusted with the disk. */
  account: string | null
  isSigned: boolean
}

/** Whether the asker holds a key of the service, or a token of its role. */
export function isTrusted(principal: UploadPrincipal): boolean {
  return !principal.isSigned && principal.caller.role === 'service_role'
}

/** An upload belongs to who began it: nobody else learns of it, but whoever holds a key of the service. */
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

/** Throws AccessDenied on a bad token. */
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
