/** What is kept of a key that a person registered: enough to know its signature again. */
export interface Credential {
  /** base64url, as it goes over the wire. */
  id: string
  /** COSE (RFC 9052), as the authenticator gave it. */
  publicKey: Uint8Array<ArrayBuffer>
  /** How often it has signed; 0 for keys that don't count, as those that are synchronised. */
  signCount: number
  transports: string[]
  /** Whether the key may live on several devices, and whether it does. */
  backupEligible: boolean
  backedUp: boolean
  /** The model of authenticator, as a UUID. */
  aaguid: string
}

/** What authenticators answer, as browsers write it (`PublicKeyCredential.toJSON`). */
interface CredentialAnswer<Response> {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: Record<string, never>
  response: Response
}
export type CreationAnswer = CredentialAnswer<{
  clientDataJSON: string
  attestationObject: string
  transports?: never[]
}>
export type AssertionAnswer = CredentialAnswer<{
  clientDataJSON: string
  authenticatorData: string
  signature: string
  userHandle?: string
}>

const base64url = /^[A-Za-z0-9_-]+$/

/** The members of `value` by these names, each base64url; null where one isn't. */
function readBytes<const Names extends string>(
  value: unknown,
  names: readonly Names[],
): Record<Names, string> | null {
  if (!value || typeof value !== 'object') return null
  const given = value as Record<string, unknown>
  const read: Record<string, string> = {}
  for (const name of names) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined
    // Some libraries still pad.
    const bare = typeof text === 'string' ? text.replace(/=+$/, '') : ''
    if (!base64url.test(bare)) return null
    read[name] = bare
  }
  return read as Record<Names, string>
}

function readAnswer<Response>(value: unknown, response: Response | null): CredentialAnswer<Response> | null {
  const ids = readBytes(value, ['id', 'rawId'])
  if (!ids || !response || (value as { type?: unknown }).type !== 'public-key') return null
  return { ...ids, type: 'public-key', clientExtensionResults: {}, response }
}

const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** The answer to options of creation; null where it is none. */
export function readCreation(value: unknown): { answer: CreationAnswer; transports: string[] } | null {
  const given = (value as { response?: unknown } | null)?.response
  const answer = readAnswer(value, readBytes(given, ['clientDataJSON', 'attestationObject']))
  if (!answer) return null
  const { transports } = given as { transports?: unknown }
  const named = Array.isArray(transports) ? transports.map(String) : []
  return { answer, transports: [...new Set(named.filter((name) => knownTransports.has(name)))] }
}

/** The answer to options of a request; null where it is none. */
export function readAssertion(value: unknown): AssertionAnswer | null {
  const given = (value as { response?: unknown } | null)?.response
  const response = readBytes(given, ['clientDataJSON', 'authenticatorData', 'signature'])
  if (!response) return null
  const { userHandle } = given as { userHandle?: unknown }
  if (userHandle === undefined || userHandle === null) return readAnswer(value, response)
  const handle = readBytes(given, ['userHandle'])
  return handle && readAnswer(value, { ...response, ...handle })
}
