import { cleanJson } from '../../../wire/texts.ts'

/** An element of an array, or the reason why it can't be read. */
export type Element = { value: unknown } | { problem: 'damaged' | 'too large' }

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [
  0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
]
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** A member of an object, or an element of a list that is one. The key of a damaged member is empty. */
export type Member = { key: string } & Element

const defaultMaxBytes = 8 * 1024 * 1024

/**
 * The elements of a JSON array of any length, one after the other. Bytes that are no UTF-8 become U+FFFD, and characters that
 * PostgreSQL cannot store are removed. An element that is damaged or has more than `maxBytes` does not end the array. An array
 * that does not end is `damaged` at its end, and so is a file that is no array.
 */
export async function* readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = defaultMaxBytes,
): AsyncGenerator<Element> {
  for await (const { key: _, ...element } of readJson(chunks, null, maxBytes)) yield element
}

/**
 * The members of a JSON object of any length, one after the other, as `readJsonArray` reads elements.
 * @param lists keys of members that are arrays: each of their elements is one of the result
 */
export function readJsonObject(
  chunks: AsyncIterable<Uint8Array>,
  lists: readonly string[],
  maxBytes = defaultMaxBytes,
): AsyncGenerator<Member> {
  return readJson(chunks, lists, maxBytes)
}

/** @param lists null: the whole is a list, whose key is empty */
async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  lists: readonly string[] | null,
  maxBytes: number,
): AsyncGenerator<Member> {
  /** The bytes of the current part, while they are not too many. */
  let parts: Uint8Array[] = []
  let size = 0
  let depth = 0
  let [inString, isEscaped, isFirst] = [false, false, true]
  /** The key of the list that is being read; null between the members of an object. */
  let list: string | null = null
  const add = (bytes: Uint8Array): void => {
    size += bytes.length
    // The buffer of a stream can be reused.
    if (size <= maxBytes && bytes.length > 0) parts.push(Uint8Array.from(bytes))
    else if (size > maxBytes) parts = []
  }
  const take = (): Member | null => {
    const isTooLarge = size > maxBytes
    const text = Buffer.concat(parts).toString()
    parts = []
    size = 0
    if (isTooLarge) return { key: list ?? '', problem: 'too large' }
    return list === null ? parseMember(text) : parseElement(list, text)
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
        // A mark of the byte order can stand before the text.
        if (isBlank(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
        if (byte !== (lists === null ? OPEN_LIST : OPEN)) {
          yield { key: '', problem: 'damaged' }
          return
        }
        isFirst = false
        depth = 1
        list = lists === null ? '' : null
        start = at + 1
        continue
      }
      if (byte === QUOTE) inString = true
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (byte === OPEN_LIST && list === null && depth === 1) {
          add(chunk.subarray(start, at))
          start = at
          const key = keyBefore(parts)
          if (key !== null && lists!.includes(key)) {
            ;[list, parts, size, start] = [key, [], 0, at + 1]
          }
        }
        depth++
      } else if (byte === CLOSE || byte === CLOSE_LIST) depth--
      else if (byte !== COMMA) continue
      /** The depth of the list or object whose parts are read. */
      const base = list === null || lists === null ? 1 : 2
      const isEnd = depth === base - 1
      if (!isEnd && !(byte === COMMA && depth === base)) continue
      add(chunk.subarray(start, at))
      start = at + 1
      const member = take()
      if (member !== null) yield member
      if (depth === 0) return
      if (isEnd) list = null
    }
    if (!isFirst) add(chunk.subarray(start))
  }
  yield { key: '', problem: 'damaged' }
}

/** The key of a member whose value begins behind these bytes. */
function keyBefore(parts: readonly Uint8Array[]): string | null {
  const key = /^\s*("[^"\\]{0,100}")\s*:\s*$/.exec(Buffer.concat(parts).toString())?.[1]
  return key === undefined ? null : (JSON.parse(key) as string)
}

/** Null for the blanks of an empty object, or behind a list. */
function parseMember(json: string): Member | null {
  if (json.trim() === '') return null
  try {
    const [entry] = Object.entries(JSON.parse(`{${cleanJson(json)}}`) as object)
    return entry === undefined ? { key: '', problem: 'damaged' } : { key: entry[0], value: entry[1] }
  } catch {
    return { key: '', problem: 'damaged' }
  }
}

/** Null for the blanks of an empty array. */
function parseElement(key: string, json: string): Member | null {
  if (json.trim() === '') return null
  try {
    return { key, value: JSON.parse(cleanJson(json)) }
  } catch {
    return { key, problem: 'damaged' }
  }
}
