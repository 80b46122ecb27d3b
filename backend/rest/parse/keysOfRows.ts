import { errors } from '../errors.ts'
import { JsonScanner } from './JsonScanner.ts'

/** A JSON body as rows. */
export interface JsonRows {
  /** Whether the body is one row instead of a list. */
  isObject: boolean
  /** The keys of every row, sorted. */
  keys: string[]
}

/**
 * One more than the columns of a PostgreSQL table: an object with so many keys can't be a row, and its other keys are
 * not needed. As the argument of a function it is still valid.
 */
const MAX_KEYS = 1_601

/**
 * Finds the keys of a JSON body (valid UTF-8); null if it has no rows, such as an empty list or a number. Throws PGRST102
 * for invalid JSON, and if the keys of rows differ.
 */
export function keysOfRows(bytes: Buffer): JsonRows | null {
  const scan = new JsonScanner(bytes)
  const rows = new RowKeys(scan)
  const isObject = scan.next() === '{'.charCodeAt(0)
  if (isObject) rows.read()
  else if (!scan.consume('[')) scan.skipValue()
  else if (!scan.consume(']')) {
    do rows.read()
    while (scan.consume(','))
    if (!scan.consume(']')) scan.fail()
  }
  if (!scan.isAtEnd) scan.fail()
  if (!rows.areEqual) throw errors.body('All object keys must match')
  return rows.keys && { isObject, keys: rows.keys.sort() }
}

/** Compares the keys of each row with those of the first. */
class RowKeys {
  areEqual = true
  readonly #scan: JsonScanner
  /** Index of each key of the first row. */
  #first: Map<string, number> | null = null
  readonly #places: [start: number, end: number][] = []
  /** For each key, the number of the last row that contains it. */
  readonly #seenIn: number[] = []
  #row = 0

  constructor(scan: JsonScanner) {
    this.#scan = scan
  }

  /** Keys of the first row; null before it is read. */
  get keys(): string[] | null {
    return this.#first && [...this.#first.keys()]
  }

  /** Reads a row. A value other than an object differs from every row. */
  read(): void {
    const scan = this.#scan
    if (!scan.consume('{')) {
      scan.skipValue()
      this.areEqual = false
    } else if (this.#first) this.#compare(this.#first)
    else this.#learn((this.#first = new Map()))
  }

  #learn(first: Map<string, number>): void {
    this.#eachKey((start, end) => {
      if (first.size === MAX_KEYS) return
      const key = this.#scan.textAt(start, end)
      if (first.has(key)) return
      first.set(key, first.size)
      this.#places.push([start, end])
      this.#seenIn.push(0)
    })
  }

  /** Rows usually have their keys in the same order: then no strings are created. */
  #compare(first: Map<string, number>): void {
    const row = ++this.#row
    let found = 0
    let hasUnknownKey = false
    let next = 0
    this.#eachKey((start, end) => {
      const place = this.#places[next]
      const isNext = place !== undefined && this.#scan.isSame(start, end, ...place)
      const key = isNext ? next : first.get(this.#scan.textAt(start, end))
      if (key === undefined) {
        hasUnknownKey = true
        return
      }
      if (this.#seenIn[key] !== row) found++
      this.#seenIn[key] = row
      next = key + 1
    })
    if (first.size < MAX_KEYS && (hasUnknownKey || found < first.size)) this.areEqual = false
  }

  /** Visits the keys of an object after its opening brace, and consumes it. */
  #eachKey(onKey: (start: number, end: number) => void): void {
    const scan = this.#scan
    if (scan.consume('}')) return
    do {
      const [start, end] = scan.key()
      onKey(start, end)
      scan.skipValue()
    } while (scan.consume(','))
    if (!scan.consume('}')) scan.fail()
  }
}
