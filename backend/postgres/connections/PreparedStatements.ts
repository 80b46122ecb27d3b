import type { FieldDef, QueryConfig } from 'pg'

/** A prepared statement of one connection. */
export interface PreparedStatement {
  /** Its name on the server. */
  id: string
  text: string
  /** Its columns once known, so that it need not be described again. */
  fields: FieldDef[] | null
  /** The server has executed it, so it exists there. */
  confirmed: boolean
}

const maxStatements = 256
/**
 * Characters of all statements, and of one. The server needs more than a hundred bytes for each character, and any
 * caller can send wide selects: a limit on the number alone would allow more than a gigabyte for each connection.
 */
const maxTotalLength = 256 * 1024
const maxStatementLength = 16 * 1024

/**
 * The named statements of one connection. Names on the server are numbers that are never reused, so a
 * name whose Parse failed, or one in pg's own registry, is never mistaken for another.
 */
export class PreparedStatements {
  readonly #byName = new Map<string, PreparedStatement>()
  #unused: string[] = []
  #count = 0
  #totalLength = 0

  /**
   * The entry for a named statement, created where missing; the least recently used are dropped. Undefined for a
   * statement that is too long.
   */
  use({ name, text }: QueryConfig): { entry: PreparedStatement | undefined; isNew: boolean } {
    if (!name || text.length > maxStatementLength) return { entry: undefined, isNew: false }
    const existing = this.#byName.get(name)
    if (existing?.text === text) {
      this.#byName.delete(name)
      this.#byName.set(name, existing)
      return { entry: existing, isNew: false }
    }
    if (existing) this.#drop(name, existing)
    const entry = { id: `linnet_${++this.#count}`, text, fields: null, confirmed: false }
    this.#byName.set(name, entry)
    this.#totalLength += text.length
    while (this.#byName.size > maxStatements || this.#totalLength > maxTotalLength) {
      this.#drop(...this.#byName.entries().next().value!)
    }
    return { entry, isNew: true }
  }

  #drop(name: string, entry: PreparedStatement): void {
    this.#byName.delete(name)
    this.#totalLength -= entry.text.length
    this.#unused.push(entry.id)
  }

  /** After a failure: unconfirmed statements may or may not exist on the server, so they are closed and prepared again. */
  dropUnconfirmed(entries: (PreparedStatement | undefined)[]): void {
    for (const [name, entry] of this.#byName) {
      if (!entry.confirmed && entries.includes(entry)) this.#drop(name, entry)
    }
  }

  /** After the schema has changed under a plan. */
  dropAll(): void {
    for (const [name, entry] of this.#byName) this.#drop(name, entry)
  }

  /** Ids to close on the server; each is returned once. */
  takeUnused(): string[] {
    if (this.#unused.length === 0) return this.#unused
    const ids = this.#unused
    this.#unused = []
    return ids
  }
}
