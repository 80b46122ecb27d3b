import {
  createCipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { encryptPayload, type PayloadCipher } from './payload.ts'
import { decodePublicKey } from './publicKey.ts'

/** Precedes the 32 bytes of a public X25519 key in DER. */
const derPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** Encrypts one file to one public key. `start` precedes the payload. */
export interface Encryption extends PayloadCipher {
  start: Buffer
}

interface Recipient {
  /** `age1…` */
  text: string
  bytes: Buffer
  key: KeyObject
}

/** The last recipient: parsing a key takes a third of the time of a header. */
let last: Recipient | null = null

function parseRecipient(text: string): Recipient {
  if (last?.text === text) return last
  const bytes = decodePublicKey(text)
  if (bytes === null) throw new Error('the public key is invalid')
  const key = createPublicKey({ key: Buffer.concat([derPrefix, bytes]), format: 'der', type: 'spki' })
  last = { text, bytes, key }
  return last
}

const derive = (secret: Uint8Array, salt: Uint8Array | string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32))
const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/**
 * The header of a file for one recipient.
 * Source: "Header" and "The X25519 recipient type" in https://c2sp.org/age.
 */
function renderHeader(fileKey: Buffer, recipient: Recipient): string {
  const ephemeral = generateKeyPairSync('x25519')
  const share = ephemeral.publicKey.export({ format: 'der', type: 'spki' }).subarray(derPrefix.length)
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient.key })
  const key = derive(secret, Buffer.concat([share, recipient.bytes]), 'age-encryption.org/v1/X25519')
  // The key is used once, so the nonce is constant.
  const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 })
  const wrapped = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
  const text = `age-encryption.org/v1\n-> X25519 ${encode(share)}\n${encode(wrapped)}\n---`
  const mac = createHmac('sha256', derive(fileKey, '', 'header'))
    .update(text)
    .digest()
  return `${text} ${encode(mac)}\n`
}

/**
 * Begins a file of age's format. A backup has one header for each stored file. The library takes four times the processor time
 * for a header, and seven times for a payload. It decrypts the files of this function in a test.
 * @param publicKey `age1…`
 */
export function startEncryption(publicKey: string): Encryption {
  const fileKey = randomBytes(16)
  const nonce = randomBytes(16)
  return {
    start: Buffer.concat([Buffer.from(renderHeader(fileKey, parseRecipient(publicKey))), nonce]),
    ...encryptPayload(fileKey, nonce),
  }
}
