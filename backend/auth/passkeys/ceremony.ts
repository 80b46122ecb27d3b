import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { RelyingPartyContext } from '../AuthContext.ts'
import type { UserRow } from '../rows/user.ts'
import type { AssertionResponse, Credential, CreationResponse } from './credential.ts'
import { resolveRelyingParty, type RelyingParty } from './relyingParty.ts'

/** The timeout of an authenticator, and lifetime of a challenge, in ms. */
export const challengeLifetimeMs = 300_000

/** ES256, EdDSA, RS256: the algorithms of authenticators that hosted Supabase supports too. */
const algorithms = [-7, -8, -257]

/**
 * The maximum bytes of an id (WebAuthn §4), and of a key, which is more than one of 16,384 bits needs. Ids are
 * indexed, and index entries are limited in size.
 */
const maxIdBytes = 1_023
const maxKeyBytes = 4_096

/** Loaded on first use: it is large, and most servers never need it. */
const library = () => import('@simplewebauthn/server')

export function readRelyingParty(ctx: RelyingPartyContext): RelyingParty {
  return resolveRelyingParty(ctx.settings.passkeys.party, [ctx.siteUrl(), ctx.authUrl()])
}

/**
 * The user handle of WebAuthn: the text of the user's id, as on hosted Supabase, so that keys can be migrated
 * with the account.
 */
export function toUserHandle(user: UserRow): string {
  return Buffer.from(user.id).toString('base64url')
}

/** Options for `navigator.credentials.create`. */
export async function createCreationOptions(
  party: RelyingParty,
  o: { user: UserRow; existing: Credential[]; discoverable: boolean },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  const { user } = o
  const name = user.email || user.phone || ''
  const displayName = user.raw_user_meta_data?.name
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: Uint8Array.from(Buffer.from(user.id)),
    userName: name,
    userDisplayName: typeof displayName === 'string' && displayName !== '' ? displayName : name,
    timeout: challengeLifetimeMs,
    attestationType: 'none',
    excludeCredentials: o.existing.map(({ id }) => ({ id })),
    authenticatorSelection: {
      residentKey: o.discoverable ? 'required' : 'discouraged',
      userVerification: 'preferred',
    },
    supportedAlgorithmIDs: algorithms,
  })
}

/** Options for `navigator.credentials.get`; without credentials the authenticator offers its own. */
export async function createRequestOptions(
  party: RelyingParty,
  credentials: Credential[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: challengeLifetimeMs,
    userVerification: 'preferred',
    ...(credentials.length > 0 ? { allowCredentials: credentials.map(({ id }) => ({ id })) } : {}),
  })
}

/** A rejected response, with the reason for the log. */
export interface Rejected {
  reason: string
}

/**
 * Verifies the response to creation options (WebAuthn §7.1). Attestation is not requested and not verified:
 * checking its certificates would fetch revocation lists from URLs that the client chooses.
 */
export async function verifyCreation(
  party: RelyingParty,
  o: { challenge: string; response: CreationResponse; transports: string[] },
): Promise<Credential | Rejected> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: await withoutAttestation(o.response),
      expectedChallenge: o.challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) return { reason: 'not verified' }
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    if (credential.id !== o.response.id) return { reason: 'the id is not that of the attested key' }
    if (
      Buffer.byteLength(credential.id, 'base64url') > maxIdBytes ||
      credential.publicKey.length > maxKeyBytes
    ) {
      return { reason: 'longer than a key of these algorithms' }
    }
    return {
      id: credential.id,
      publicKey: credential.publicKey,
      signCount: credential.counter,
      transports: o.transports,
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
      aaguid,
    }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

async function withoutAttestation(response: CreationResponse): Promise<CreationResponse> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(
    Uint8Array.from(Buffer.from(response.response.attestationObject, 'base64url')),
  )
  const withNone = isoCBOR.encode(
    new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', attestation.get('authData')],
    ]) as never,
  )
  const attestationObject = Buffer.from(withNone).toString('base64url')
  return { ...response, response: { ...response.response, attestationObject } }
}

/**
 * Verifies a signature by `credential` (WebAuthn §7.2). A signature counter that did not increase is rejected:
 * the key may have been copied. (Hosted Supabase stores that and accepts it.)
 * @returns the credential with its new counter
 */
export async function verifyAssertion(
  party: RelyingParty,
  o: { challenge: string; response: AssertionResponse; credential: Credential },
): Promise<Credential | Rejected> {
  const { verifyAuthenticationResponse } = await library()
  const { response, credential } = o
  if (response.id !== credential.id) return { reason: 'signed by another key' }
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: o.challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      credential: { id: credential.id, publicKey: credential.publicKey, counter: credential.signCount },
      requireUserVerification: false,
    })
    if (!verified) return { reason: 'the signature does not fit' }
    const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
    if ((credentialDeviceType === 'multiDevice') !== credential.backupEligible) {
      return { reason: 'whether the key may be backed up has changed' }
    }
    return { ...credential, signCount: newCounter, backedUp: credentialBackedUp }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}
