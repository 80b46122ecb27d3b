/** Index of the payload in a 2.0.0 frame: `[join_ref, ref, topic, event, payload]`. */
const payloadIndex = 4

/**
 * Returns the payload of a text frame exactly as it was sent. Parsing and serializing it would change numbers: `1.0`
 * to `1`, and integers of more than 53 bits to others.
 * @param text JSON in the shape of `version`
 */
export function payloadText(version: Version, text: string): string {
  let found = 'null'
  let depth = 0
  let from = 0
  let index = 0
  let key: unknown = null
  const take = (to: number): void => {
    // As in `JSON.parse`, the last of several members with the same name counts.
    if (version === '1.0.0' ? key === 'payload' : index === payloadIndex) found = text.slice(from, to)
  }
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case '[':
      case '{':
        if (++depth === 1) from = at + 1
        break
      case ']':
      case '}':
        if (--depth === 0) take(at)
        break
      case ',':
        if (depth !== 1) break
        take(at)
        from = at + 1
        index++
        break
      case ':':
        if (depth !== 1) break
        key = JSON.parse(text.slice(from, at))
        from = at + 1
    }
  }
  return found
}

/** @returns the index of the closing quote of the string that begins at `at` */
function endOfString(text: string, at: number): number {
  let end = at + 1
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}
export type Version = '1.0.0' | '2.0.0'
