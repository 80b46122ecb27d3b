export interface Mentionable {
  id: string
  name: string
}

/** Scripts without spaces between words: a letter beside a name there is not part of the name. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** A letter that continues a word: part of a name or of an email address. */
const WORD_LETTER = String.raw`(?:(?![${UNSPACED}])[\p{L}\p{M}\p{N}_])`
/** "@", also the full-width one of East Asian keyboards. */
const AT = '[@＠]'

/** Code is not encoded: fences first, then spans. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/**
 * Turns "@Bea Lindqvist" into `<@id>`, and "@channel", "@here" into `<!channel>`, `<!here>`, outside code. Of two
 * people with the same name the first in `people` is used: pass those that were picked first. A first name is enough
 * if only one person has it.
 */
export function encodeMentions(text: string, people: Mentionable[]): string {
  const ids = new Map<string, string>()
  for (const { id, name } of people) if (!ids.has(name)) ids.set(name, id)
  for (const [name, id] of firstNames(people)) if (!ids.has(name)) ids.set(name, id)
  // Longest first, so that "@Ann Okafor" is not read as the "@Ann" who also exists.
  const names = [...ids.keys(), 'channel', 'here'].sort((a, b) => b.length - a.length).map(escapeRegExp)
  const mention = new RegExp(`(?<!${WORD_LETTER}|${AT})${AT}(${names.join('|')})(?!${WORD_LETTER})`, 'gu')
  return text
    .split(CODE)
    .map((section, index) =>
      index % 2 === 1
        ? section
        : section.replaceAll(mention, (_found, name: string) =>
            ids.has(name) ? `<@${ids.get(name)}>` : `<!${name}>`,
          ),
    )
    .join('')
}

/** First names of at least two letters that only one person has. */
function firstNames(people: Mentionable[]): Map<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const { id, name } of people) {
    const first = /^(\p{L}[\p{L}\p{M}'’-]+) /u.exec(name)?.[1]
    if (!first || first === 'channel' || first === 'here') continue
    owners.set(first, (owners.get(first) ?? new Set()).add(id))
  }
  const single = new Map<string, string>()
  for (const [first, ids] of owners) {
    const [id] = ids
    if (ids.size === 1 && id) single.set(first, id)
  }
  return single
}

/** A mention that notifies several people at once. */
export type MassMention = 'channel' | 'here'

/** The mass mention in an encoded text, the wider one if there are two. */
export function massMentionOf(encoded: string): MassMention | null {
  if (encoded.includes('<!channel>')) return 'channel'
  return encoded.includes('<!here>') ? 'here' : null
}

/** The ids of the people mentioned by name in an encoded text, without duplicates. */
export function mentionedIds(encoded: string): string[] {
  return [...new Set([...encoded.matchAll(/<@([0-9a-f-]{36})>/g)].map((found) => found[1] ?? ''))]
}

/** The reverse, for editing. Ids of unknown people stay as they are. */
export function decodeMentions(body: string, nameOf: (id: string) => string | null): string {
  return body
    .replaceAll(/<@([0-9a-f-]{36})>/g, (found, id: string) => {
      const name = nameOf(id)
      return name === null ? found : `@${name}`
    })
    .replaceAll(/<!(channel|here)>/g, '@$1')
}

const MENTION_BEFORE_CARET = new RegExp(
  `(?<!${WORD_LETTER}|${AT}|[/.])${AT}([^\\s@＠\`]{0,40}(?: [^\\s@＠\`]{0,40})?)$`,
  'u',
)

/** The mention that is being typed at the caret: up to two words after an "@"; null if there is none. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | null {
  const found = MENTION_BEFORE_CARET.exec(text.slice(Math.max(0, caret - 90), caret))
  if (!found) return null
  const query = found[1] ?? ''
  return { from: caret - query.length - 1, query }
}

const diacritics = /\p{M}/gu

/** Lower case without diacritics, so that "tomas" finds "Tomás". */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(diacritics, '').toLocaleLowerCase()
}

/**
 * People of whom a word of the name starts with the query; matches of the first word come first. Within both groups
 * the order is kept.
 */
export function matchPeople<P extends Mentionable>(people: readonly P[], query: string, max = 8): P[] {
  const folded = foldText(query)
  const starts: P[] = []
  const others: P[] = []
  for (const person of people) {
    const name = foldText(person.name)
    if (name.startsWith(folded)) starts.push(person)
    else if (name.split(/[\s\-(]+/).some((word) => word.startsWith(folded))) others.push(person)
  }
  return [...starts, ...others].slice(0, max)
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
