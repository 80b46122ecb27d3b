import { decodeBase64url } from './base64url.ts'

const recordSize = 4096
/** Of the text: a record without its header (86), tag (16) and delimiter, as push services must accept 4096 bytes. */
export const maxPayloadBytes = recordSize - 86 - 16 - 1

/** What a browser gave when it subscribed, base64url. */
export interface SubscriptionKeys {
  /** Its public key: an uncompressed point of P-256. */
  p256dh: string
  /** 16 random bytes. */
  auth: string
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** What is random in a message. */
export interface MessageSecrets {
  keys: { publicKey: Key; privateKey: Key }
  /** 16 bytes. */
  salt: Uint8Array<ArrayBuffer>
}

export async function createMessageSecrets(): Promise<MessageSecrets> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
  return { keys, salt: crypto.getRandomValues(new Uint8Array(16)) }
}

/**
 * The body of a push message that only the subscribed browser can read: one record of `aes128gcm` (RFC 8188) with keys
 * derived as RFC 8291 specifies. Throws where the keys are no point of the curve, or the text is too long.
 */
export async function encryptPayload(
  text: string,
  { p256dh, auth }: SubscriptionKeys,
  { keys, salt }: MessageSecrets,
): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new TextEncoder().encode(text)
  if (plain.byteLength > maxPayloadBytes) throw new RangeError('The payload is too long')
  const receiver = decodeBase64url(p256dh)
  const receiverKey = await crypto.subtle.importKey(
    'raw',
    receiver,
    { name: 'ECDH', namedCurve: 'P-256' },
    false,
    [],
  )
  const sender = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey))
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: receiverKey }, keys.privateKey, 256)
  const input = await hkdf(
    shared,
    decodeBase64url(auth),
    join(ascii('WebPush: info\0'), receiver, sender),
    32,
  )
  const key = await hkdf(input, salt, ascii('Content-Encoding: aes128gcm\0'), 16)
  const nonce = await hkdf(input, salt, ascii('Content-Encoding: nonce\0'), 12)
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  // 2: the delimiter of the last record.
  const record = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce },
    aes,
    join(plain, Uint8Array.of(2)),
  )
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, recordSize)
  return join(salt, size, Uint8Array.of(sender.byteLength), sender, new Uint8Array(record))
}

async function hkdf(
  input: ArrayBuffer,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', input, 'HKDF', false, ['deriveBits'])
  return crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bytes * 8)
}

const ascii = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.byteLength
  }
  return joined
}
