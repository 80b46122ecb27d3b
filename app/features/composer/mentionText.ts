export interface Mentionable {
  id: string
  name: string
}

/** Scripts that put no spaces between words: what stands beside a name there is not part of it. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** A letter of a word that would go on: part of a name, of a mail address. */
const WORD_LETTER = String.raw`(?:(?![${UNSPACED}])[\p{L}\p{M}\p{N}_])`
/** The sign that calls, as keyboards of East Asia write it too. */
const AT = '[@＠]'

/** Code is left as it is: fences first, then spans. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

/**
 * Turns "@Bea Lindqvist" into `<@id>`, and "@channel", "@here" into `<!channel>`, `<!here>`, outside code.
 * Of two people with one name, the first given is meant: put those that were picked first. A first name
 * alone does where it belongs to one person only.
 */
export function encodeMentions(text: string, people: Mentionable[]): string {
  const ids = new Map<string, string>()
  for (const { id, name } of people) if (!ids.has(name)) ids.set(name, id)
  for (const [name, id] of firstNames(people)) if (!ids.has(name)) ids.set(name, id)
  // The longest name first, so that "@Ann Okafor" is not taken for an "@Ann" who also exists.
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

/** First names of two letters or more that one person alone has. */
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

/** Who is called by all at once. */
export type MassMention = 'channel' | 'here'

/** Whether an encoded text calls everyone, and whom of them; the wider call counts. */
export function massMentionOf(encoded: string): MassMention | null {
  if (encoded.includes('<!channel>')) return 'channel'
  return encoded.includes('<!here>') ? 'here' : null
}

/** The people whom an encoded text calls by name, each once. */
export function mentionedIds(encoded: string): string[] {
  return [...new Set([...encoded.matchAll(/<@([0-9a-f-]{36})>/g)].map((found) => found[1] ?? ''))]
}

/** The reverse, for editing. Unknown people stay as they are stored. */
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

/** What is being called at the caret: the words after an "@", up to two of them; null when nothing is. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | null {
  const found = MENTION_BEFORE_CARET.exec(text.slice(Math.max(0, caret - 90), caret))
  if (!found) return null
  const query = found[1] ?? ''
  return { from: caret - query.length - 1, query }
}

const diacritics = /\p{M}/gu

/** Lower case without diacritics: "Tomás" is found by "tomas". */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(diacritics, '').toLocaleLowerCase()
}

/**
 * People whose name, or a word of it, starts with the query; those whose first word does come first. Within both,
 * the order given stays.
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
