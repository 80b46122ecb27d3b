import { cleanJson } from '../../../wire/texts.ts'

/** An element of an array, or the reason why it can't be read. */
export type Element = { value: unknown } | { problem: 'damaged' | 'too large' }

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [
  0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
]
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * The elements of a JSON array of any length, one after the other. Bytes that are no UTF-8 become U+FFFD, and characters that
 * PostgreSQL cannot store are removed. An element that is damaged or has more than `maxBytes` does not end the array. An array
 * that does not end is `damaged` at its end, and so is a file that is no array.
 */
export async function* readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = 8 * 1024 * 1024,
): AsyncGenerator<Element> {
  /** The bytes of the current element, while they are not too many. */
  let parts: Uint8Array[] = []
  let size = 0
  let depth = 0
  let [inString, isEscaped, isFirst] = [false, false, true]
  const add = (bytes: Uint8Array): void => {
    size += bytes.length
    // The buffer of a stream can be reused.
    if (size <= maxBytes && bytes.length > 0) parts.push(Uint8Array.from(bytes))
    else if (size > maxBytes) parts = []
  }
  const take = (): Element | null => {
    const element = size > maxBytes ? ({ problem: 'too large' } as const) : parse(parts)
    parts = []
    size = 0
    return element
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inString = false
        continue
      }
      if (isFirst) {
        // A mark of the byte order can stand before the array.
        if (isBlank(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
        if (byte !== OPEN_LIST) {
          yield { problem: 'damaged' }
          return
        }
        isFirst = false
        depth = 1
        start = at + 1
        continue
      }
      if (byte === QUOTE) inString = true
      else if (byte === OPEN || byte === OPEN_LIST) depth++
      else if (byte === CLOSE || byte === CLOSE_LIST) depth--
      else if (byte !== COMMA || depth !== 1) continue
      const isEnd = depth === 0
      if (!isEnd && !(byte === COMMA && depth === 1)) continue
      add(chunk.subarray(start, at))
      start = at + 1
      const element = take()
      if (element !== null) yield element
      if (isEnd) return
    }
    if (!isFirst) add(chunk.subarray(start))
  }
  yield { problem: 'damaged' }
}

/** Null for the blanks of an empty array. */
function parse(parts: Uint8Array[]): Element | null {
  const json = Buffer.concat(parts).toString()
  if (json.trim() === '') return null
  try {
    return { value: JSON.parse(cleanJson(json)) }
  } catch {
    return { problem: 'damaged' }
  }
}
