import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** Faults of a response: values that replace the right ones. */
export interface Faults {
  origin?: string
  rpId?: string
  challenge?: string
  /** Of `clientData`: "webauthn.create", "webauthn.get". */
  type?: string
  /** The signature counter of the key. */
  counter?: number
  /** The user presence flag. */
  present?: boolean
  /** Signs other data than the response contains. */
  tampered?: boolean
  userHandle?: string | null
  /** Signs with the key of this id, whatever is requested; creates a key with an existing id. */
  credential?: string
  /** In place of "none". */
  attestation?: { fmt: string; statement: Map<string, Cbor> }
  backupEligible?: boolean
}

interface Key {
  id: string
  rpId: string
  privateKey: KeyObject
  userHandle: string
  counter: number
}

type Bytes = Uint8Array
type Cbor = number | string | Bytes | Cbor[] | Map<string | number, Cbor>
type Options = Record<string, unknown>

export interface SoftAuthenticator {
  /** Responds to creation options, as JSON or as browsers accept them. */
  create(options: unknown, faults?: Faults): AuthenticatorResponse
  /** Responds to request options with the first allowed key. */
  get(options: unknown, faults?: Faults): AuthenticatorResponse
  /** Ids of its keys, newest last. */
  keys(): string[]
}

/** A response as `navigator.credentials` returns it; `JSON.stringify` returns what is sent. */
export type AuthenticatorResponse = { id: string; type: 'public-key'; toJSON(): Record<string, unknown> }

const b64 = (bytes: Bytes): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Bytes | string): Buffer => createHash('sha256').update(bytes).digest()
/** Converts bytes or base64url to base64url. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.from(value as ArrayBuffer).toString('base64url')

/**
 * A software authenticator: ES256 keys in memory, attestation "none" (WebAuthn §6).
 * @param o.origin origin of the page
 * @param o.counts whether its keys have a signature counter; synchronized ones have none
 */
export function createSoftAuthenticator(o: {
  origin: string
  aaguid?: string
  counts?: boolean
}): SoftAuthenticator {
  const keys: Key[] = []
  const aaguid = Buffer.from((o.aaguid ?? '00000000-0000-0000-0000-000000000000').replaceAll('-', ''), 'hex')

  const clientData = (type: string, challenge: unknown, faults: Faults): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? text(challenge),
        origin: faults.origin ?? o.origin,
        crossOrigin: false,
      }),
    )

  const authData = (rpId: string, key: Key, faults: Faults, attested: Bytes = new Uint8Array()): Buffer => {
    const backup = faults.backupEligible ? 0x08 : 0
    const flags = (faults.present === false ? 0 : 0x01) | 0x04 | backup | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(faults.counter ?? (o.counts === false ? 0 : key.counter))
    return Buffer.concat([sha256(faults.rpId ?? rpId), Buffer.from([flags]), count, attested])
  }

  return {
    keys: () => keys.map((key) => key.id),

    create(given, faults = {}) {
      const options = given as Options & { rp: { id: string }; user: { id: unknown } }
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const id = faults.credential ? Buffer.from(faults.credential, 'base64url') : randomBytes(32)
      const key = {
        id: b64(id),
        rpId: options.rp.id,
        privateKey,
        userHandle: text(options.user.id),
        counter: 1,
      }
      keys.push(key)
      const { x, y } = publicKey.export({ format: 'jwk' })
      // COSE_Key (RFC 9053): EC2, ES256, P-256.
      const cose = new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ])
      const attested = Buffer.concat([aaguid, Buffer.from([0, id.length]), id, encode(cose)])
      const object = new Map<string, Cbor>([
        ['fmt', faults.attestation?.fmt ?? 'none'],
        ['attStmt', faults.attestation?.statement ?? new Map()],
        ['authData', authData(key.rpId, key, faults, attested)],
      ])
      return createResponse(key.id, {
        clientDataJSON: b64(clientData('webauthn.create', options.challenge, faults)),
        attestationObject: b64(encode(object)),
        transports: ['internal', 'hybrid'],
      })
    },

    get(given, faults = {}) {
      const options = given as Options & { rpId: string; allowCredentials?: { id: unknown }[] }
      const allowed = options.allowCredentials?.map(({ id }) => text(id))
      const key = keys.find(({ id, rpId }) =>
        faults.credential
          ? id === faults.credential
          : rpId === options.rpId && (allowed?.includes(id) ?? true),
      )
      if (!key) throw new Error('The authenticator has no such key.')
      key.counter++
      const client = clientData('webauthn.get', options.challenge, faults)
      const data = authData(key.rpId, key, faults)
      const signed = Buffer.concat([data, sha256(faults.tampered ? 'something else' : client)])
      const handle = faults.userHandle === undefined ? key.userHandle : faults.userHandle
      return createResponse(key.id, {
        clientDataJSON: b64(client),
        authenticatorData: b64(data),
        signature: b64(sign('sha256', signed, key.privateKey)),
        ...(handle === null ? {} : { userHandle: handle }),
      })
    },
  }
}

function createResponse(id: string, response: Record<string, unknown>): AuthenticatorResponse {
  const json = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  return { id, type: 'public-key', toJSON: () => json }
}

/** The part of CBOR (RFC 8949) that authenticators use. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, one]) => [encode(key), encode(one)])
    return Buffer.concat([head(5, value.size), ...pairs])
  }
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)])
  return Buffer.concat([head(2, value.length), value])
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

/**
 * Makes this process look like a browser with that authenticator, for the client's methods that call it.
 * Returns the function that undoes it.
 */
export function installAuthenticator(authenticator: SoftAuthenticator): () => void {
  // The client checks with instanceof.
  const PublicKeyCredential = function () {}
  const asCredential = (made: AuthenticatorResponse) =>
    Object.assign(Object.create(PublicKeyCredential.prototype), made)
  const credentials = {
    create: async ({ publicKey }: { publicKey: unknown }) => asCredential(authenticator.create(publicKey)),
    get: async ({ publicKey }: { publicKey: unknown }) => asCredential(authenticator.get(publicKey)),
  }
  const parts: Record<string, unknown> = {
    PublicKeyCredential,
    navigator: { credentials, userAgent: 'test' },
    document: {},
    window: { PublicKeyCredential, location: { hostname: 'localhost', origin: 'http://localhost' } },
  }
  const before = Object.keys(parts).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  )
  for (const [name, value] of Object.entries(parts)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
}
