import type { Credential } from '../passkeys/credential.ts'

/**
 * The key of a WebAuthn factor in the column `web_authn_credential`: in the format of GoTrue's library, bytes
 * in base64, so that factors can be migrated with the database.
 */
export interface StoredCredential {
  id: string
  publicKey: string
  attestationType: string
  transport: string[] | null
  flags: { userPresent: boolean; userVerified: boolean; backupEligible: boolean; backupState: boolean }
  authenticator: { AAGUID: string; signCount: number; cloneWarning: boolean; attachment: string }
}

export function toStoredCredential(credential: Credential): StoredCredential {
  return {
    id: Buffer.from(credential.id, 'base64url').toString('base64'),
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    attestationType: 'none',
    transport: credential.transports,
    flags: {
      userPresent: true,
      userVerified: false,
      backupEligible: credential.backupEligible,
      backupState: credential.backedUp,
    },
    authenticator: {
      AAGUID: Buffer.from(credential.aaguid.replaceAll('-', ''), 'hex').toString('base64'),
      signCount: credential.signCount,
      cloneWarning: false,
      attachment: '',
    },
  }
}

/** Null if the value has another format: such a factor matches no signature. */
export function fromStoredCredential(stored: StoredCredential | null): Credential | null {
  const { id, publicKey, transport, flags, authenticator } = stored ?? {}
  if (typeof id !== 'string' || typeof publicKey !== 'string') return null
  const aaguid = Buffer.from(authenticator?.AAGUID ?? '', 'base64').toString('hex')
  return {
    id: Buffer.from(id, 'base64').toString('base64url'),
    publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64')),
    signCount: authenticator?.signCount ?? 0,
    transports: transport ?? [],
    backupEligible: flags?.backupEligible ?? false,
    backedUp: flags?.backupState ?? false,
    aaguid: aaguid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  }
}
