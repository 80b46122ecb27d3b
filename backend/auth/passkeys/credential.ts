/** A registered WebAuthn key, as far as it is needed to verify signatures. */
export interface Credential {
  /** In base64url, as in requests. */
  id: string
  /** In COSE (RFC 9052), as the authenticator returned it. */
  publicKey: Uint8Array<ArrayBuffer>
  /** The signature counter; 0 for keys without one, such as synchronized keys. */
  signCount: number
  transports: string[]
  /** Whether the key can be synchronized to several devices, and whether it is. */
  backupEligible: boolean
  backedUp: boolean
  /** The authenticator's model, as a UUID. */
  aaguid: string
}

/** The response of an authenticator, in the format of `PublicKeyCredential.toJSON`. */
interface CredentialResponse<Response> {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: Record<string, never>
  response: Response
}
export type CreationResponse = CredentialResponse<{
  clientDataJSON: string
  attestationObject: string
  transports?: never[]
}>
export type AssertionResponse = CredentialResponse<{
  clientDataJSON: string
  authenticatorData: string
  signature: string
  userHandle?: string
}>

const base64url = /^[A-Za-z0-9_-]+$/

/** The base64url fields of `value` with these names; null if one is invalid. */
function readBytes<const Names extends string>(
  value: unknown,
  names: readonly Names[],
): Record<Names, string> | null {
  if (!value || typeof value !== 'object') return null
  const fields = value as Record<string, unknown>
  const read: Record<string, string> = {}
  for (const name of names) {
    const text = Object.hasOwn(fields, name) ? fields[name] : undefined
    // Some libraries add padding.
    const unpadded = typeof text === 'string' ? text.replace(/=+$/, '') : ''
    if (!base64url.test(unpadded)) return null
    read[name] = unpadded
  }
  return read as Record<Names, string>
}

function parseResponse<Response>(
  value: unknown,
  response: Response | null,
): CredentialResponse<Response> | null {
  const ids = readBytes(value, ['id', 'rawId'])
  if (!ids || !response || (value as { type?: unknown }).type !== 'public-key') return null
  return { ...ids, type: 'public-key', clientExtensionResults: {}, response }
}

const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** Parses the response to creation options; null if it is invalid. */
export function parseCreation(value: unknown): { response: CreationResponse; transports: string[] } | null {
  const fields = (value as { response?: unknown } | null)?.response
  const response = parseResponse(value, readBytes(fields, ['clientDataJSON', 'attestationObject']))
  if (!response) return null
  const { transports } = fields as { transports?: unknown }
  const names = Array.isArray(transports) ? transports.map(String) : []
  return { response, transports: [...new Set(names.filter((name) => knownTransports.has(name)))] }
}

/** Parses the response to request options; null if it is invalid. */
export function parseAssertion(value: unknown): AssertionResponse | null {
  const fields = (value as { response?: unknown } | null)?.response
  const response = readBytes(fields, ['clientDataJSON', 'authenticatorData', 'signature'])
  if (!response) return null
  const { userHandle } = fields as { userHandle?: unknown }
  if (userHandle === undefined || userHandle === null) return parseResponse(value, response)
  const handle = readBytes(fields, ['userHandle'])
  return handle && parseResponse(value, { ...response, ...handle })
}
