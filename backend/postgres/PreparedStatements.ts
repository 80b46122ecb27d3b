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

const most = 256

/**
 * The named statements of one connection. The server's names are our own numbers, never used twice: a name
 * whose Parse failed, or that pg's own registry holds, can't be mistaken for another.
 */
export class PreparedStatements {
  readonly #byName = new Map<string, PreparedStatement>()
  #unused: string[] = []
  #count = 0

  /** The entry for a statement with a name, made where missing; the longest unused one gives way. */
  use({ name, text }: QueryConfig): { entry: PreparedStatement | undefined; isNew: boolean } {
    if (!name) return { entry: undefined, isNew: false }
    const known = this.#byName.get(name)
    if (known) this.#byName.delete(name)
    if (known?.text === text) {
      this.#byName.set(name, known)
      return { entry: known, isNew: false }
    }
    if (known) this.#unused.push(known.id)
    const entry = { id: `linnet_${++this.#count}`, text, fields: null, confirmed: false }
    this.#byName.set(name, entry)
    if (this.#byName.size > most) {
      const [oldest, { id }] = this.#byName.entries().next().value!
      this.#byName.delete(oldest)
      this.#unused.push(id)
    }
    return { entry, isNew: true }
  }

  /** After a failure: what was not answered may or may not exist on the server, so it is closed and made anew. */
  forgetUnconfirmed(entries: (PreparedStatement | undefined)[]): void {
    for (const [name, entry] of this.#byName) {
      if (!entry.confirmed && entries.includes(entry)) {
        this.#byName.delete(name)
        this.#unused.push(entry.id)
      }
    }
  }

  /** After the schema has changed under a plan. */
  forgetAll(): void {
    for (const { id } of this.#byName.values()) this.#unused.push(id)
    this.#byName.clear()
  }

  /** Ids that the server may drop; each is handed out once. */
  takeUnused(): string[] {
    if (this.#unused.length === 0) return this.#unused
    const ids = this.#unused
    this.#unused = []
    return ids
  }
}
