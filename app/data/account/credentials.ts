import { fromBase64url, toBase64url } from '../client/base64url.ts'
import { success, createFailure, type Outcome } from '../failures/failures.ts'

/** Options and responses of WebAuthn as JSON, with bytes as base64url (WebAuthn level 3, 5.1.8–5.1.10). */
interface DescriptorJson {
  id: string
  type: 'public-key'
  transports?: AuthenticatorTransport[]
}

export type CreationJson = Omit<
  PublicKeyCredentialCreationOptions,
  'challenge' | 'user' | 'excludeCredentials'
> & {
  challenge: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials?: DescriptorJson[]
}

export type RequestJson = Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> & {
  challenge: string
  allowCredentials?: DescriptorJson[]
}

/** Whether this page can use WebAuthn, which requires https or localhost, and a domain name instead of an IP address. */
export function supportsWebAuthn(): boolean {
  return typeof PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(location.hostname)
}

const descriptors = (list: DescriptorJson[] | undefined) =>
  list?.map((one) => ({ ...one, id: fromBase64url(one.id) })) ?? []

/** Creates a key on this device or a security key; the value is what the server verifies. */
export function createCredential(options: CreationJson): Promise<Outcome<object>> {
  return catchFailure(async () => {
    const created = (await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: fromBase64url(options.challenge),
        user: { ...options.user, id: fromBase64url(options.user.id) },
        excludeCredentials: descriptors(options.excludeCredentials),
      },
    })) as PublicKeyCredential | null
    if (!created) return null
    const { clientDataJSON, attestationObject, getTransports } =
      created.response as AuthenticatorAttestationResponse
    return {
      ...partsOf(created),
      response: {
        clientDataJSON: toBase64url(clientDataJSON),
        attestationObject: toBase64url(attestationObject),
        transports: getTransports.call(created.response),
      },
    }
  })
}

/**
 * Requests an assertion of an existing key; the value is what the server verifies. `waiting`: the browser offers keys only
 * in the autofill of the address field, until `signal` is aborted.
 */
export function getCredential(
  options: RequestJson,
  { conditional = false, signal }: { conditional?: boolean; signal?: AbortSignal } = {},
): Promise<Outcome<object>> {
  return catchFailure(async () => {
    const assertion = (await navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: fromBase64url(options.challenge),
        allowCredentials: descriptors(options.allowCredentials),
      },
      ...(conditional ? { mediation: 'conditional' as const } : {}),
      ...(signal ? { signal } : {}),
    })) as PublicKeyCredential | null
    if (!assertion) return null
    const { clientDataJSON, authenticatorData, signature, userHandle } =
      assertion.response as AuthenticatorAssertionResponse
    return {
      ...partsOf(assertion),
      response: {
        clientDataJSON: toBase64url(clientDataJSON),
        authenticatorData: toBase64url(authenticatorData),
        signature: toBase64url(signature),
        ...(userHandle ? { userHandle: toBase64url(userHandle) } : {}),
      },
    }
  })
}

function partsOf(key: PublicKeyCredential) {
  return {
    id: key.id,
    rawId: toBase64url(key.rawId),
    type: key.type,
    clientExtensionResults: key.getClientExtensionResults(),
    ...(key.authenticatorAttachment ? { authenticatorAttachment: key.authenticatorAttachment } : {}),
  }
}

/** Failures of WebAuthn in the browser, by the names of its exceptions. */
const FAILURE_NAMES: Record<string, string> = {
  NotAllowedError: 'key_not_shown',
  AbortError: 'key_not_shown',
  InvalidStateError: 'webauthn_credential_exists',
  SecurityError: 'key_wrong_site',
  NotSupportedError: 'key_not_supported',
}

async function catchFailure(run: () => Promise<object | null>): Promise<Outcome<object>> {
  try {
    const key = await run()
    return key ? success(key) : { ok: false, failure: createFailure('key_not_shown') }
  } catch (error) {
    return { ok: false, failure: createFailure(FAILURE_NAMES[(error as Error).name] ?? 'key_not_shown') }
  }
}
