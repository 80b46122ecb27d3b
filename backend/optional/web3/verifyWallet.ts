import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { WalletMessage } from './parseWalletMessage.ts'

/** Whether the owner of the Ethereum address signed the message: 65 bytes r, s, v as hex (EIP-191, EIP-4361). */
export function verifyEthereum(message: WalletMessage, signatureHex: string): boolean {
  const hex = /^0x([0-9a-fA-F]{130})$/.exec(signatureHex)?.[1]
  if (hex === undefined) return false
  const bytes = Buffer.from(hex, 'hex')
  const recovery = bytes[64]! >= 27 ? bytes[64]! - 27 : bytes[64]!
  if (recovery > 1) return false
  const text = Buffer.from(message.raw)
  const digest = keccak_256(
    Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]),
  )
  try {
    const key = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact')
      .addRecoveryBit(recovery)
      .recoverPublicKey(digest)
      .toBytes(false)
    const address = Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')
    return `0x${address}` === message.address.toLowerCase()
  } catch {
    // Not a point of the curve: an invalid signature.
    return false
  }
}

/**
 * Whether the owner of the Solana address signed the message, as it is or in the envelope of hardware wallets.
 */
export function verifySolana(message: WalletMessage, signature: Uint8Array): boolean {
  const key = decodeBase58(message.address)
  if (key?.length !== 32) return false
  const raw = Buffer.from(message.raw)
  return isSigned(signature, raw, key) || isSigned(signature, inOffchainEnvelope(message, raw, key), key)
}

function isSigned(signature: Uint8Array, text: Uint8Array, key: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, text, key, { zip215: false })
  } catch {
    return false
  }
}

/** Solana's off-chain message format, version 0, which Ledger wallets sign. */
function inOffchainEnvelope(message: WalletMessage, raw: Buffer, key: Uint8Array): Uint8Array {
  const domain = Buffer.alloc(32)
  domain.write(message.domain)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(raw.length)
  return Buffer.concat([
    Buffer.from([0xff]),
    Buffer.from('solana offchain'),
    Buffer.from([0]),
    domain,
    // Format 0 (ASCII), one signer.
    Buffer.from([0, 1]),
    key,
    length,
    raw,
  ])
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Decodes base 58 (Bitcoin's alphabet), in which Solana writes keys; null if it is invalid. */
function decodeBase58(text: string): Uint8Array | null {
  const bytes: number[] = []
  for (const letter of text) {
    let carry = alphabet.indexOf(letter)
    if (carry < 0) return null
    for (let i = 0; i < bytes.length; i++) {
      carry += bytes[i]! * 58
      bytes[i] = carry & 255
      carry >>= 8
    }
    while (carry > 0) {
      bytes.push(carry & 255)
      carry >>= 8
    }
  }
  const zeros = /^1*/.exec(text)![0].length
  return Uint8Array.from([...Array.from({ length: zeros }, () => 0), ...bytes.reverse()])
}
