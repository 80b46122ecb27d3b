import { errors } from '../errors.ts'

const [QUOTE, COMMA, MINUS, POINT, ZERO, COLON, BACKSLASH] = [34, 44, 45, 46, 48, 58, 92] as const
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125] as const
/** Characters after a backslash, except `u` with its four digits. */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const LITERALS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]))

/** PostgreSQL's JSON parser exceeds its stack depth a little beyond this. */
const MAX_DEPTH = 10_000

/**
 * Scans JSON (RFC 8259; bytes of valid UTF-8) without creating values, in linear time: `JSON.parse` blocks the event loop
 * for seconds with 10 MB of empty objects or brackets. Throws PGRST102 for invalid JSON.
 */
export class JsonScanner {
  readonly #bytes: Buffer
  /** For each open list or object: 1 if it is an object. */
  #objects: Uint8Array | null = null
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Whether only blanks follow. */
  get isAtEnd(): boolean {
    return Number.isNaN(this.next())
  }

  fail(): never {
    throw errors.body('Empty or invalid json')
  }

  /** Skips blanks and returns the next byte, NaN at the end. */
  next(): number {
    for (;;) {
      const byte = this.#bytes[this.at]
      if (byte === undefined) return Number.NaN
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return byte
      this.at++
    }
  }

  /** Consumes the token if it is next. */
  consume(token: '[' | ']' | '{' | '}' | ','): boolean {
    if (this.next() !== token.charCodeAt(0)) return false
    this.at++
    return true
  }

  /** Consumes a key and its colon; returns the range of the key, with quotes. */
  key(): [start: number, end: number] {
    if (this.next() !== QUOTE) this.fail()
    const start = this.at
    this.#string()
    const end = this.at
    this.#colon()
    return [start, end]
  }

  /** The string in a range. */
  textAt(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end)
    return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
  }

  /** Whether both ranges contain the same bytes. */
  isSame(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (end - start !== otherEnd - otherStart) return false
    const bytes = this.#bytes
    for (let at = start, other = otherStart; at < end; at++, other++) {
      if (bytes[at] !== bytes[other]) return false
    }
    return true
  }

  /** Consumes a value with its contents. */
  skipValue(): void {
    let depth = 0
    for (;;) {
      const byte = this.next()
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        const isObject = byte === OPEN_OBJECT
        this.at++
        if (this.next() !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
          if (depth === MAX_DEPTH) this.fail()
          this.#objects ??= new Uint8Array(MAX_DEPTH)
          this.#objects[depth++] = isObject ? 1 : 0
          if (isObject) this.key()
          continue
        }
        this.at++
      } else this.#scalar(byte)
      depth = this.#endOfValue(depth)
      if (depth === 0) return
    }
  }

  /** Closes lists and objects that end after the last value, up to a comma; returns the remaining depth. */
  #endOfValue(open: number): number {
    let depth = open
    while (depth > 0) {
      const byte = this.next()
      const isObject = this.#objects![depth - 1] === 1
      this.at++
      if (byte === COMMA) {
        if (isObject) this.key()
        break
      }
      if (byte !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) this.fail()
      depth--
    }
    return depth
  }

  #colon(): void {
    if (this.next() !== COLON) this.fail()
    this.at++
  }

  #scalar(byte: number): void {
    if (byte === QUOTE) return this.#string()
    if (byte === MINUS || isDigit(byte)) return this.#number()
    const word = LITERALS.get(byte) ?? this.fail()
    if (this.#bytes.toString('latin1', this.at, this.at + word.length) !== word) this.fail()
    this.at += word.length
  }

  #string(): void {
    const bytes = this.#bytes
    let at = this.at + 1
    for (;;) {
      const byte = bytes[at++]
      if (byte === QUOTE) break
      if (byte === undefined || byte < 32) this.fail()
      if (byte === BACKSLASH) at = this.#escape(at)
    }
    this.at = at
  }

  #escape(at: number): number {
    const bytes = this.#bytes
    if (ESCAPES.has(bytes[at]!)) return at + 1
    if (bytes[at] !== 0x75) this.fail()
    for (let digit = at + 1; digit < at + 5; digit++) if (!isHexDigit(bytes[digit]!)) this.fail()
    return at + 5
  }

  #number(): void {
    const bytes = this.#bytes
    if (bytes[this.at] === MINUS) this.at++
    if (bytes[this.at] === ZERO) this.at++
    else this.#digits()
    if (bytes[this.at] === POINT) {
      this.at++
      this.#digits()
    }
    const letter = bytes[this.at]
    if (letter !== 0x45 && letter !== 0x65) return
    const sign = bytes[++this.at]
    if (sign === MINUS || sign === 0x2b) this.at++
    this.#digits()
  }

  /** One or more digits. */
  #digits(): void {
    const bytes = this.#bytes
    const start = this.at
    let at = start
    while (isDigit(bytes[at]!)) at++
    if (at === start) this.fail()
    this.at = at
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 32
  return isDigit(byte) || (lower >= 97 && lower <= 102)
}
