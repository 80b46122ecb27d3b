import type { Caller } from '../../../wire/claims.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { callerOf } from '../callerOf.ts'
import { failures } from '../failures.ts'
import { serviceFor } from '../Storage.ts'
import type { Storage, StorageContext } from '../Storage.ts'
import type { UploadId } from './uploadId.ts'

/** Who asks something of an upload, and by what right. */
export interface Asker {
  /** Whose policies are asked; the service's own where a signature has answered that already. */
  caller: Caller
  /** Whose the object will be. */
  owner: string | undefined
  upsert: boolean
  /** Whose the upload is, see `UploadRecord.by`. */
  by: string
  /** What counts against the bounds; null for keys of the service, which are trusted with the disk. */
  account: string | null
  isSigned: boolean
}

/** Whether the asker holds a key of the service, or a token of its role. */
export function isTrusted(asker: Asker): boolean {
  return !asker.isSigned && asker.caller.role === 'service_role'
}

/** An upload belongs to who began it: nobody else learns of it, but whoever holds a key of the service. */
export function mayTouch(asker: Asker, by: string): boolean {
  return asker.by === by || isTrusted(asker)
}

async function signedAsker(storage: Storage, c: StorageContext, target: UploadId): Promise<Asker> {
  const signature = c.env.incoming.headers['x-signature']
  if (typeof signature !== 'string' || signature === '') {
    throw failures.invalidSignature('Missing x-signature header')
  }
  const url = `${target.bucket}/${target.name}`
  const { owner, upsert } = await storage.signer.verify(signature, url, 'upload')
  return {
    caller: serviceFor(c),
    owner,
    upsert: upsert ?? false,
    by: owner ?? 'signed',
    account: owner ?? `signed ${clientOf(c.env.incoming).address}`,
    isSigned: true,
  }
}

/** Throws AccessDenied on a bad token. */
export async function bearerAsker(storage: Storage, c: StorageContext): Promise<Asker> {
  const caller = await callerOf(storage, c)
  const owner = caller.claims.sub
  const by = owner ?? caller.role
  const isService = caller.role === 'service_role'
  return {
    caller,
    owner,
    upsert: c.env.incoming.headers['x-upsert'] === 'true',
    by,
    account: isService ? null : (owner ?? `${by} ${clientOf(c.env.incoming).address}`),
    isSigned: false,
  }
}

/** Throws InvalidSignature or InvalidJWT where the signature is not for this object. */
export function askerOf(
  storage: Storage,
  c: StorageContext,
  o: { bearer: Asker | null; target: UploadId },
): Promise<Asker> {
  return o.bearer ? Promise.resolve(o.bearer) : signedAsker(storage, c, o.target)
}
