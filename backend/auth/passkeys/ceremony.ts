import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { AuthContext } from '../AuthContext.ts'
import type { UserRow } from '../rows/user.ts'
import type { AssertionAnswer, Credential, CreationAnswer } from './credential.ts'
import { relyingParty, type RelyingParty } from './relyingParty.ts'

/** How long an authenticator may be waited for, in ms: as long as a challenge lives. */
export const challengeLife = 300_000

/** ES256, EdDSA, RS256: what authenticators have, and hosted reads. */
const algorithms = [-7, -8, -257]

/** Bytes of an id (WebAuthn §4), and more than a key of 16,384 bits takes. Ids are in an index, which has an end. */
const longestId = 1_023
const longestKey = 4_096

/** Loaded when the first one asks: it is heavy, and most installations never need it. */
const library = () => import('@simplewebauthn/server')

export function partyOf(ctx: AuthContext): RelyingParty {
  return relyingParty(ctx.settings.passkeys.party, [ctx.siteUrl(), ctx.authUrl()])
}

/** A person as authenticators know them: by the text of the id, as on hosted, so that keys move with the account. */
export function userHandleOf(user: UserRow): string {
  return Buffer.from(user.id).toString('base64url')
}

/** Options for `navigator.credentials.create`. */
export async function creationOptions(
  party: RelyingParty,
  o: { user: UserRow; existing: Credential[]; discoverable: boolean },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  const { user } = o
  const name = user.email || user.phone || ''
  const given = user.raw_user_meta_data?.name
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: Uint8Array.from(Buffer.from(user.id)),
    userName: name,
    userDisplayName: typeof given === 'string' && given !== '' ? given : name,
    timeout: challengeLife,
    attestationType: 'none',
    excludeCredentials: o.existing.map(({ id }) => ({ id })),
    authenticatorSelection: {
      residentKey: o.discoverable ? 'required' : 'discouraged',
      userVerification: 'preferred',
    },
    supportedAlgorithmIDs: algorithms,
  })
}

/** Options for `navigator.credentials.get`; without credentials the authenticator offers those it has. */
export async function requestOptions(
  party: RelyingParty,
  credentials: Credential[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: challengeLife,
    userVerification: 'preferred',
    ...(credentials.length > 0 ? { allowCredentials: credentials.map(({ id }) => ({ id })) } : {}),
  })
}

/** What was refused, and why: for the log alone. */
export interface Refused {
  reason: string
}

/**
 * Checks the answer to creation options (WebAuthn §7.1). No attestation was asked for and none is looked at:
 * checking certificates would fetch lists of revoked ones from wherever they say, which is the client's choice.
 */
export async function checkCreation(
  party: RelyingParty,
  o: { challenge: string; answer: CreationAnswer; transports: string[] },
): Promise<Credential | Refused> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: await withoutAttestation(o.answer),
      expectedChallenge: o.challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) return { reason: 'not verified' }
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    if (credential.id !== o.answer.id) return { reason: 'the id is not that of the attested key' }
    if (
      Buffer.byteLength(credential.id, 'base64url') > longestId ||
      credential.publicKey.length > longestKey
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

async function withoutAttestation(answer: CreationAnswer): Promise<CreationAnswer> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const given = decodeAttestationObject(
    Uint8Array.from(Buffer.from(answer.response.attestationObject, 'base64url')),
  )
  const bare = isoCBOR.encode(
    new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', given.get('authData')],
    ]) as never,
  )
  const attestationObject = Buffer.from(bare).toString('base64url')
  return { ...answer, response: { ...answer.response, attestationObject } }
}

/**
 * Checks a signature by `credential` (WebAuthn §7.2). A counter that did not rise is refused: somebody has a copy of
 * the key. (Hosted notes that and lets it pass.)
 * @returns the credential as it is now
 */
export async function checkAssertion(
  party: RelyingParty,
  o: { challenge: string; answer: AssertionAnswer; credential: Credential },
): Promise<Credential | Refused> {
  const { verifyAuthenticationResponse } = await library()
  const { answer, credential } = o
  if (answer.id !== credential.id) return { reason: 'signed by another key' }
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
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
