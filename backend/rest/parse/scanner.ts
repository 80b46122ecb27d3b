import { errors } from '../errors.ts'

const NAME = /[\p{L}\p{M}\p{N}_ $]+(?:-(?!>)[\p{L}\p{M}\p{N}_ $]+)*/uy
const IDENTIFIER = /[\p{L}\p{M}\p{N}_ $]+/uy

export const NAME_EXPECTED = 'field name (* or [a..z0..9_$])'

/** Maximum nesting of embeds and logic, which limits recursion here and in PostgreSQL. */
export const MAX_DEPTH = 50

/**
 * Scans one parameter's text without backtracking, in linear time. `subject` starts the message of an error
 * ("failed to parse order (id.dsc)").
 */
export class Scanner {
  readonly text: string
  readonly subject: string
  at = 0

  /** `shown` is the text that errors quote, if it differs from the scanned text. */
  constructor(text: string, subject: string, shown = text) {
    this.text = text
    this.subject = `failed to parse ${subject} (${shown})`
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  peek(): string {
    return this.text[this.at] ?? ''
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.at)
  }

  consume(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  expect(token: string): void {
    if (!this.consume(token)) this.fail(`"${token}"`)
  }

  skipBlanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.at++
  }

  /** Consumes a match of a sticky expression, or returns null. */
  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    if (found) this.at = sticky.lastIndex
    return found
  }

  /** Throws PGRST100 with the position and the expected tokens, in PostgREST's wording. */
  fail(expecting: string): never {
    this.#refuse(expecting, '"')
  }

  /** The same at a position where an item could end: upstream quotes the character with single quotes there. */
  failAtEnd(expecting: string): never {
    this.#refuse(expecting, "'")
  }

  #refuse(expecting: string, mark: string): never {
    const next = this.isAtEnd ? '' : String.fromCodePoint(this.text.codePointAt(this.at)!)
    const found = this.isAtEnd ? 'end of input' : `${mark}${next === mark ? `\\${mark}` : next}${mark}`
    throw errors.queryParameter(
      `"${this.subject}" (line 1, column ${this.at + 1})`,
      `unexpected ${found} expecting ${expecting}`,
    )
  }

  /** Consumes a quoted text (`"a.b"`, backslash escapes), or returns null; fails if it is unclosed. */
  quoted(): string | null {
    if (this.peek() !== '"') return null
    const start = this.at
    let value = ''
    this.at++
    for (;;) {
      const next = this.peek()
      if (next === '') {
        this.at = start
        return this.fail('a closing quote')
      }
      if (next === '"') break
      if (next === '\\') this.at++
      value += this.peek()
      this.at++
    }
    this.at++
    return value
  }

  /** Consumes the name of a column, table or alias: unquoted with single dashes, or quoted. */
  name(): string {
    const quoted = this.quoted()
    if (quoted !== null) return quoted
    const found = this.match(NAME)?.[0]
    if (found === undefined || found.trim() === '') return this.fail(NAME_EXPECTED)
    return found.trim()
  }

  /** Whether a name is next, quoted or not. */
  startsWithName(): boolean {
    NAME.lastIndex = this.at
    return this.peek() === '"' || NAME.test(this.text)
  }

  /** Consumes the name of a type or a text search configuration: letters, digits, `_`, `$` and blanks. */
  identifier(): string {
    const found = this.match(IDENTIFIER)?.[0].trim()
    return found ? found : this.fail('letter or digit')
  }
}
