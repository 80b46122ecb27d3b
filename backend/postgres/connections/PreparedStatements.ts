import type { FieldDef, QueryConfig } from 'pg'

/** A statement that the server keeps for one connection. */
export interface PreparedStatement {
  /** Its name on the server. */
  id: string
  text: string
  /** Its columns once known, so that it need not be described again. */
  fields: FieldDef[] | null
  /** The server has answered it: it surely exists there. */
  confirmed: boolean
}

const maxStatements = 256
/**
 * Characters of them all, and of one. The server keeps more than a hundred bytes a character, and anyone can
 * ask for ever wider selects: by number alone, each connection could be made to hold more than a gigabyte.
 */
const maxTotalLength = 256 * 1024
const maxStatementLength = 16 * 1024

/**
 * The named statements of one connection. The server's names are our own numbers, never used twice: a name
 * whose Parse failed, or that pg's own registry holds, can't be mistaken for another.
 */
export class PreparedStatements {
  readonly #byName = new Map<string, PreparedStatement>()
  #unused: string[] = []
  #count = 0
  #totalLength = 0

  /**
   * The entry for a statement with a name, made where missing; the longest unused ones give way. None for a
   * statement that is too long to be kept.
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

  /** After a failure: what was not answered may or may not exist on the server, so it is closed and made anew. */
  dropUnconfirmed(entries: (PreparedStatement | undefined)[]): void {
    for (const [name, entry] of this.#byName) {
      if (!entry.confirmed && entries.includes(entry)) this.#drop(name, entry)
    }
  }

  /** After the schema has changed under a plan. */
  dropAll(): void {
    for (const [name, entry] of this.#byName) this.#drop(name, entry)
  }

  /** Ids that the server may drop; each is handed out once. */
  takeUnused(): string[] {
    if (this.#unused.length === 0) return this.#unused
    const ids = this.#unused
    this.#unused = []
    return ids
  }
}
