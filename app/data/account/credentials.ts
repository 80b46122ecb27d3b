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

/** Whether this page can use WebAuthn, which requires a domain name instead of an IP address. */
export function supportsWebAuthn(): boolean {
  return typeof PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(location.hostname)
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )
}

function textOf(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

const descriptors = (list: DescriptorJson[] | undefined) =>
  list?.map((one) => ({ ...one, id: bytesOf(one.id) })) ?? []

/** Creates a key on this device or a security key; the value is what the server verifies. */
export function createCredential(options: CreationJson): Promise<Outcome<object>> {
  return catchFailure(async () => {
    const created = (await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytesOf(options.challenge),
        user: { ...options.user, id: bytesOf(options.user.id) },
        excludeCredentials: descriptors(options.excludeCredentials),
      },
    })) as PublicKeyCredential | null
    if (!created) return null
    const { clientDataJSON, attestationObject, getTransports } =
      created.response as AuthenticatorAttestationResponse
    return {
      ...partsOf(created),
      response: {
        clientDataJSON: textOf(clientDataJSON),
        attestationObject: textOf(attestationObject),
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
        challenge: bytesOf(options.challenge),
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
        clientDataJSON: textOf(clientDataJSON),
        authenticatorData: textOf(authenticatorData),
        signature: textOf(signature),
        ...(userHandle ? { userHandle: textOf(userHandle) } : {}),
      },
    }
  })
}

function partsOf(key: PublicKeyCredential) {
  return {
    id: key.id,
    rawId: textOf(key.rawId),
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
