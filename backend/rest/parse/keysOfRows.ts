import { errors } from '../errors.ts'
import { JsonScanner } from './JsonScanner.ts'

/** A JSON body as rows. */
export interface JsonRows {
  /** One row, else a list of them. */
  isObject: boolean
  /** Those that every row has, sorted. */
  keys: string[]
}

/**
 * One more than a table of PostgreSQL can have columns: whatever has so many keys is no row, and the others needn't
 * be known to say so. As the argument of a function it is still JSON.
 */
const MOST_KEYS = 1_601

/**
 * Finds the keys of a JSON body (valid UTF-8); null where it has no rows, as an empty list or a number has none.
 * Throws PGRST102 for what is no JSON, and where not every row has the same keys.
 */
export function keysOfRows(bytes: Buffer): JsonRows | null {
  const scan = new JsonScanner(bytes)
  const rows = new RowKeys(scan)
  const isObject = scan.next() === '{'.charCodeAt(0)
  if (isObject) rows.read()
  else if (!scan.eat('[')) scan.skipValue()
  else if (!scan.eat(']')) {
    do rows.read()
    while (scan.eat(','))
    if (!scan.eat(']')) scan.fail()
  }
  if (!scan.ended) scan.fail()
  if (!rows.areEqual) throw errors.body('All object keys must match')
  return rows.keys && { isObject, keys: rows.keys.sort() }
}

/** Holds each row's keys against the first one's. */
class RowKeys {
  areEqual = true
  readonly #scan: JsonScanner
  /** Of the first row: the number of each of its keys, and where that one lies. */
  #first: Map<string, number> | null = null
  readonly #places: [start: number, end: number][] = []
  /** The number of the last row that each of them was seen in. */
  readonly #seenIn: number[] = []
  #row = 0

  constructor(scan: JsonScanner) {
    this.#scan = scan
  }

  /** Of the first row; null as long as there is none. */
  get keys(): string[] | null {
    return this.#first && [...this.#first.keys()]
  }

  /** Reads a row; what is no object is none, and like no other. */
  read(): void {
    const scan = this.#scan
    if (!scan.eat('{')) {
      scan.skipValue()
      this.areEqual = false
    } else if (this.#first) this.#compare(this.#first)
    else this.#learn((this.#first = new Map()))
  }

  #learn(first: Map<string, number>): void {
    this.#eachKey((start, end) => {
      if (first.size === MOST_KEYS) return
      const key = this.#scan.textAt(start, end)
      if (first.has(key)) return
      first.set(key, first.size)
      this.#places.push([start, end])
      this.#seenIn.push(0)
    })
  }

  /** Rows mostly come in the same order: then no text is made of their keys. */
  #compare(first: Map<string, number>): void {
    const row = ++this.#row
    let found = 0
    let isStrange = false
    let next = 0
    this.#eachKey((start, end) => {
      const place = this.#places[next]
      const isNext = place !== undefined && this.#scan.isSame(start, end, ...place)
      const key = isNext ? next : first.get(this.#scan.textAt(start, end))
      if (key === undefined) {
        isStrange = true
        return
      }
      if (this.#seenIn[key] !== row) found++
      this.#seenIn[key] = row
      next = key + 1
    })
    if (first.size < MOST_KEYS && (isStrange || found < first.size)) this.areEqual = false
  }

  /** Goes through an object that is already open, to behind its end. */
  #eachKey(take: (start: number, end: number) => void): void {
    const scan = this.#scan
    if (scan.eat('}')) return
    do {
      const [start, end] = scan.key()
      take(start, end)
      scan.skipValue()
    } while (scan.eat(','))
    if (!scan.eat('}')) scan.fail()
  }
}
