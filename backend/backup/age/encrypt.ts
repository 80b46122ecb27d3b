import { randomBytes } from 'node:crypto'
import { Encrypter } from 'age-encryption'
import { encryptPayload, type PayloadCipher } from './payload.ts'
import { decodePublicKey, x25519Recipient } from './x25519Recipient.ts'

/** What the library appends to the header of an empty file: a nonce and the tag of one empty chunk. */
const emptyPayloadBytes = 32

/** Encrypts one file to one public key. `start` precedes the payload. */
export interface Encryption extends PayloadCipher {
  start: Buffer
}

/**
 * Begins a file of age's format. The library makes the key of the file and the header, and node:crypto encrypts the
 * payload.
 * @param publicKey `age1…`
 */
export async function startEncryption(publicKey: string): Promise<Encryption> {
  const bytes = decodePublicKey(publicKey)
  if (bytes === null) throw new Error('the public key is invalid')
  const recipient = x25519Recipient(bytes)
  let fileKey: Uint8Array = new Uint8Array()
  const encrypter = new Encrypter()
  encrypter.addRecipient({
    wrapFileKey(key) {
      fileKey = key
      return recipient.wrapFileKey(key)
    },
  })
  const empty = await encrypter.encrypt(new Uint8Array())
  const nonce = randomBytes(16)
  return {
    start: Buffer.concat([empty.subarray(0, -emptyPayloadBytes), nonce]),
    ...encryptPayload(fileKey, nonce),
  }
}
