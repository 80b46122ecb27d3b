import { errors } from '../errors.ts'

const NAME = /[\p{L}\p{M}\p{N}_ $]+(?:-(?!>)[\p{L}\p{M}\p{N}_ $]+)*/uy
const IDENTIFIER = /[\p{L}\p{M}\p{N}_ $]+/uy

export const NAME_EXPECTED = 'field name (* or [a..z0..9_$])'

/** How deep embeds and logic may nest: beyond it the recursion, ours and PostgreSQL's, is an attack. */
export const MAX_DEPTH = 50

/**
 * Walks over one parameter's text, left to right, never back: parsing stays linear in its length.
 * `subject` opens the message of a failure ("failed to parse order (id.dsc)").
 */
export class Scanner {
  readonly text: string
  readonly subject: string
  at = 0

  /** `shown` is what a failure quotes, where the text isn't what was written. */
  constructor(text: string, subject: string, shown = text) {
    this.text = text
    this.subject = `failed to parse ${subject} (${shown})`
  }

  get ended(): boolean {
    return this.at >= this.text.length
  }

  peek(): string {
    return this.text[this.at] ?? ''
  }

  sees(token: string): boolean {
    return this.text.startsWith(token, this.at)
  }

  eat(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  expect(token: string): void {
    if (!this.eat(token)) this.fail(`"${token}"`)
  }

  skipBlanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.at++
  }

  /** The match of a sticky expression here, or null. */
  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    if (found) this.at = sticky.lastIndex
    return found
  }

  /** Throws PGRST100 with the place and what would have fitted, in the wording of the contract. */
  fail(expecting: string): never {
    this.#refuse(expecting, '"')
  }

  /** The same where an item could have ended: upstream writes the character in single quotes there. */
  failAtEnd(expecting: string): never {
    this.#refuse(expecting, "'")
  }

  #refuse(expecting: string, mark: string): never {
    const next = this.ended ? '' : String.fromCodePoint(this.text.codePointAt(this.at)!)
    const found = this.ended ? 'end of input' : `${mark}${next === mark ? `\\${mark}` : next}${mark}`
    throw errors.queryParameter(
      `"${this.subject}" (line 1, column ${this.at + 1})`,
      `unexpected ${found} expecting ${expecting}`,
    )
  }

  /** A quoted text (`"a.b"`, backslash escapes) or null when none stands here; unclosed ones fail. */
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

  /** The name of a column, table or alias: plain with single dashes, or quoted. */
  name(): string {
    const quoted = this.quoted()
    if (quoted !== null) return quoted
    const found = this.match(NAME)?.[0]
    if (found === undefined || found.trim() === '') return this.fail(NAME_EXPECTED)
    return found.trim()
  }

  /** Whether a name, quoted or not, begins here. */
  seesName(): boolean {
    NAME.lastIndex = this.at
    return this.peek() === '"' || NAME.test(this.text)
  }

  /** Letters, digits, `_`, `$` and blanks: the name of a type or of a text search configuration. */
  identifier(): string {
    const found = this.match(IDENTIFIER)?.[0].trim()
    return found ? found : this.fail('letter or digit')
  }
}
