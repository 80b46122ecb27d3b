import { bech32 } from '@scure/base'

/** The 32 bytes of a public key `age1…`; null for any other text. */
export function decodePublicKey(text: string): Buffer | null {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text)
    return prefix === 'age' && bytes.length === 32 ? Buffer.from(bytes) : null
  } catch {
    return null
  }
}
