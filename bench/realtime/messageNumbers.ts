const mark = Buffer.from('#=')
const digits = 7

/** Length of a marker, in bytes. */
export const markedBytes = mark.length + digits

/** A marker with the number of a message, which is found in any frame format. */
export function markNumber(n: number): string {
  return `${mark.toString()}${String(n).padStart(digits, '0')}`
}

/** The number of the first complete marker from `start`, and the offset after it; null if there is none. */
export function readNumber(bytes: Buffer, start = 0): { number: number; end: number } | null {
  const at = bytes.indexOf(mark, start)
  const end = at + markedBytes
  if (at < 0 || end > bytes.length) return null
  let number = 0
  for (let i = at + mark.length; i < end; i++) number = number * 10 + bytes[i]! - 0x30
  return { number, end }
}
