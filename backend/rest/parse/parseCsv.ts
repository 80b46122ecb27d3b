import { errors } from '../errors.ts'

/** Rows as JSON text, and their columns: as many of the header as the rows have fields. */
export interface CsvRows {
  json: string
  keys: string[]
}

const [QUOTE, COMMA, LINE_FEED, RETURN, BACKSLASH, SPACE] = [34, 44, 10, 13, 92, 32] as const
const HEX = '0123456789abcdef'

/** A byte may become six (\u0000). Space is reserved for this many bytes at a time, not for a whole long field. */
const [MAX_ESCAPED_BYTES, BLOCK_BYTES] = [6, 16_384] as const

/** The JSON repeats the header in every row: without a limit, a long header with many short lines would exhaust memory. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

/**
 * Parses a CSV body (UTF-8; RFC 4180, with a header) like upstream: `NULL` is null, empty lines are skipped, fields beyond
 * the header are dropped, and lines of unequal length are refused. Converts bytes to bytes: a million strings would block
 * the event loop for seconds. Throws PGRST102, also for JSON of more than 64 MiB (413).
 */
export function parseCsv(bytes: Buffer): CsvRows {
  const fields = new CsvFields(bytes)
  const header = readHeader(fields)
  const keys = header.map((name) => Buffer.from(`${JSON.stringify(name)}:`))
  const json = new JsonBytes(bytes.length * 2)
  let width: number | null = null
  while (!fields.isAtEnd) {
    let count = 0
    json.mark()
    do {
      fields.next()
      const key = keys[count++]
      if (key) json.field(key, bytes, fields)
    } while (fields.hasMore())
    if (count === 1 && fields.isEmpty) {
      json.reset()
      continue
    }
    const filled = Math.min(count, keys.length)
    width ??= filled
    if (filled !== width) throw errors.body('All lines must have same number of fields')
    json.endRow()
  }
  if (width === null) return { json: '[]', keys: [] }
  return { json: json.end(), keys: [...new Set(header.slice(0, width))].sort() }
}

function readHeader(fields: CsvFields): string[] {
  const names: string[] = []
  do {
    fields.next()
    names.push(fields.text())
  } while (fields.hasMore())
  // The header must have a line end: a single line is more likely a row without a header.
  if (fields.isAtEnd) fields.fail('not enough input')
  return names
}

/** Scans the bytes once, field by field. */
class CsvFields {
  readonly #bytes: Buffer
  #at = 0
  /** Whether the last line was read. */
  isAtEnd = false
  /** The range of the field without its quotes. */
  start = 0
  end = 0
  /** Whether the field is quoted; quotes inside are doubled. */
  isQuoted = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isEmpty(): boolean {
    return this.start === this.end
  }

  /** Reads the next field. */
  next(): void {
    const bytes = this.#bytes
    this.isQuoted = bytes[this.#at] === QUOTE
    if (this.isQuoted) return this.#quoted()
    let at = this.#at
    while (at < bytes.length && !endsField(bytes[at]!)) at++
    this.start = this.#at
    this.end = this.#at = at
  }

  /** Consumes the delimiter after a field; true if another field of the line follows. */
  hasMore(): boolean {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) this.isAtEnd = true
    else if (byte === QUOTE || !endsField(byte)) this.fail('endOfInput')
    else this.#at += byte === RETURN && this.#bytes[this.#at + 1] === LINE_FEED ? 2 : 1
    return byte === COMMA
  }

  text(): string {
    const text = this.#bytes.toString('utf8', this.start, this.end)
    return this.isQuoted ? text.replaceAll('""', '"') : text
  }

  /** Throws the error that upstream has for the text here. */
  fail(reason: string): never {
    const rest = this.#bytes.toString('utf8', this.#at, this.#at + 100)
    throw errors.body(`parse error (${reason}) at ${JSON.stringify(rest)}`)
  }

  #quoted(): void {
    const bytes = this.#bytes
    this.start = this.#at + 1
    let end = bytes.indexOf(QUOTE, this.start)
    while (end >= 0 && bytes[end + 1] === QUOTE) end = bytes.indexOf(QUOTE, end + 2)
    if (end < 0) this.fail('not enough input')
    this.end = end
    this.#at = end + 1
  }
}

function endsField(byte: number): boolean {
  return byte === COMMA || byte === LINE_FEED || byte === RETURN || byte === QUOTE
}

/** Writes a JSON list of objects. */
class JsonBytes {
  #bytes: Buffer
  #length = 0
  #mark = 0
  #isFirst = true

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size + 2)
  }

  /** Marks the start of a row, to which `reset` returns. */
  mark(): void {
    this.#mark = this.#length
    this.#isFirst = true
  }

  reset(): void {
    this.#length = this.#mark
  }

  /** `key` includes quotes and colon. */
  field(key: Buffer, from: Buffer, { start, end, isQuoted }: CsvFields): void {
    this.#reserve(key.length + 8)
    if (!this.#isFirst) this.#bytes[this.#length++] = COMMA
    else this.#length += this.#bytes.write(this.#length === 0 ? '[{' : ',{', this.#length)
    this.#isFirst = false
    this.#length += key.copy(this.#bytes, this.#length)
    if (end - start === 4 && from.toString('latin1', start, end) === 'NULL') {
      this.#length += this.#bytes.write('null', this.#length)
    } else this.#value(from, start, end, isQuoted)
  }

  endRow(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = 0x7d
  }

  end(): string {
    return `${this.#bytes.toString('utf8', 0, this.#length)}]`
  }

  #value(from: Buffer, start: number, end: number, isQuoted: boolean): void {
    this.#bytes[this.#length++] = QUOTE
    for (let at = start; at < end;) at = this.#escape(from, at, Math.min(end, at + BLOCK_BYTES), isQuoted)
    this.#reserve(1)
    this.#bytes[this.#length++] = QUOTE
  }

  /** Writes a range escaped; returns the next position, one further after a doubled quote. */
  #escape(from: Buffer, start: number, end: number, isQuoted: boolean): number {
    this.#reserve((end - start) * MAX_ESCAPED_BYTES)
    const bytes = this.#bytes
    let at = this.#length
    let i = start
    for (; i < end; i++) {
      const byte = from[i]!
      if (byte < SPACE) {
        at += bytes.write(`\\u00${HEX[byte >> 4]}${HEX[byte & 15]}`, at)
        continue
      }
      if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH
      if (byte === QUOTE && isQuoted) i++
      bytes[at++] = byte
    }
    this.#length = at
    return i
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    if (this.#length + more > MAX_JSON_BYTES) throw errors.bodyTooLarge(MAX_JSON_BYTES)
    const larger = Buffer.allocUnsafe(Math.min((this.#length + more) * 2, MAX_JSON_BYTES))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
