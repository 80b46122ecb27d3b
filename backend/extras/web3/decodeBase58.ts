const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Decodes base 58 (Bitcoin's alphabet), in which Solana writes keys; null if it is invalid. */
export function decodeBase58(text: string): Uint8Array | null {
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
