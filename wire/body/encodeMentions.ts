import { MENTION } from './mentionsOf.ts'
import { UNSPACED } from './letters.ts'
import { nodesOf } from './nodesOf.ts'
import { parseBody } from './parseBody.ts'
import type { Block, Inline, SourceRange } from './tree.ts'

/** What a text can mention: a person or a group (`&id`), as "@name", or a channel, as "#name". */
export interface Mentionable {
  id: string
  name: string
  isChannel?: boolean
}

/** A letter that continues a word: part of a name or of an email address. */
const WORD_LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_])`
/** "@" and "#", also the full-width ones of East Asian keyboards. */
const AT = '[@＠]'
const HASH = '[#＃]'
/** What ends a name. People write the possessive of many languages without an apostrophe: "@Beas Schicht". */
const END = `(?!${WORD_LETTER})`
const PERSON_END = `(?=s?${END})`

/** Stands for each character of a stored mention while its text is parsed as if it were a word. */
const PLACEHOLDER = '\uE000'
export const STORED_MENTION = new RegExp(MENTION.source, 'g')

interface Encoder {
  pattern: RegExp
  people: ReadonlyMap<string, string>
  channels: ReadonlyMap<string, string>
}

/** By the array that `encodeMentions` received: the pattern of thousands of names is not built for each key stroke. */
const encoders = new WeakMap<readonly Mentionable[], Encoder>()

/**
 * Turns "@Bea Lindqvist" into `<@id>`, the name of a group into `<@&id>`, "#front desk" into `<#id>`, and "@channel", "@here"
 * into `<!channel>`, `<!here>`. Names in code, formulas and addresses, and behind a backslash, stay text. A stored mention at such a
 * place gets a backslash, since it would be a mention otherwise. Case and the composition of accents do not matter. Two people or
 * channels can have the same name. The first one in `mentionable` is mentioned, so the caller lists picked ones first. A first
 * name is enough if only one person has it.
 */
export function encodeMentions(text: string, mentionable: readonly Mentionable[]): string {
  if (!/[@＠#＃<]/.test(text)) return text
  const parsed = text.replaceAll(STORED_MENTION, ({ length }) => PLACEHOLDER.repeat(length))
  const isText = createRangeCheck(textRanges(parsed))
  const edits: { start: number; end: number; by: string }[] = []
  for (const { index, 0: found } of text.matchAll(STORED_MENTION)) {
    const isEscaped = (/\\*$/.exec(text.slice(0, index))?.[0].length ?? 0) % 2 === 1
    if (!isEscaped && !isText(index, index + found.length)) edits.push({ start: index, end: index, by: '\\' })
  }
  if (/[@＠#＃]/.test(parsed)) {
    const encoder = encoders.get(mentionable) ?? createEncoder(mentionable)
    encoders.set(mentionable, encoder)
    const { pattern, people, channels } = encoder
    for (const { index: start, 0: found, 1: person, 2: mass, 3: channel } of parsed.matchAll(pattern)) {
      const end = start + found.length
      if (!isText(start, end)) continue
      const by =
        person !== undefined
          ? `@${people.get(foldName(person))}`
          : channel !== undefined
            ? `#${channels.get(foldName(channel))}`
            : `!${mass!.toLowerCase()}`
      edits.push({ start, end, by: `<${by}>` })
    }
  }
  let encoded = ''
  let from = 0
  for (const { start, end, by } of edits.sort((a, b) => a.start - b.start)) {
    encoded += text.slice(from, start) + by
    from = end
  }
  return encoded + text.slice(from)
}

/** What looks like the mention of a person, and goes on with a space or with punctuation: not "@types/node". */
const NAME_LIKE = new RegExp(
  `(?<!${WORD_LETTER}|[\\\\@＠/.])${AT}` + String.raw`(\p{L}[\p{L}\p{M}\p{N}'’-]*)(?=[\s,.;:!?)])`,
  'gu',
)
const MAX_UNKNOWN = 3

/** Names in an encoded text that look like mentions and are none, each once, at most three. */
export function unknownNames(encoded: string): string[] {
  if (!/[@＠]/.test(encoded)) return []
  const isText = createRangeCheck(textRanges(encoded))
  const names = [...encoded.matchAll(NAME_LIKE)].flatMap(({ index, 0: found, 1: name }) =>
    isText(index, index + found.length) ? name! : [],
  )
  return [...new Set(names)].slice(0, MAX_UNKNOWN)
}

type Range = Pick<SourceRange, 'start' | 'end'>

/** The ranges of a text that are displayed as typed words, with or without marks: no code, formula or address. */
function textRanges(text: string): Range[] {
  const isEntered = (node: Block | Inline): boolean =>
    node.type !== 'code' &&
    node.type !== 'codeBlock' &&
    (node.type !== 'link' || node.form === 'text' || node.form === 'image')
  const ranges: Range[] = []
  for (const { type, start, end } of nodesOf(parseBody(text), isEntered)) {
    const last = ranges.at(-1)
    if (type !== 'text') continue
    if (last?.end === start) last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

/** Whether one of the sorted ranges contains another range. */
function createRangeCheck(ranges: readonly Range[]): (start: number, end: number) => boolean {
  return (start, end) => {
    let low = 0
    let high = ranges.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (ranges[middle]!.start <= start) low = middle + 1
      else high = middle
    }
    const range = ranges[low - 1]
    return range !== undefined && end <= range.end
  }
}

/** Names that differ in case and composition only are one name. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function createEncoder(mentionable: readonly Mentionable[]): Encoder {
  const people = new Map<string, string>()
  const channels = new Map<string, string>()
  const names = { people: new Set<string>(), channels: new Set<string>() }
  for (const { id, name, isChannel } of mentionable) {
    const ids = isChannel ? channels : people
    const folded = foldName(name)
    if (!ids.has(folded)) ids.set(folded, id)
    addForms(isChannel ? names.channels : names.people, name)
  }
  const persons = mentionable.filter(({ id, isChannel }) => !isChannel && !id.startsWith('&'))
  for (const [name, id] of firstNames(persons)) {
    if (people.has(name)) continue
    people.set(name, id)
    addForms(names.people, name)
  }
  const before = String.raw`(?<!${WORD_LETTER}|\\`
  const person = `(${alternatives([...names.people])})${PERSON_END}`
  const mentions = `${before}|${AT})${AT}(?:${person}|(channel|here)${END})`
  const links = `${before}|${HASH}|[/?&=])${HASH}(${alternatives([...names.channels])})${END}`
  return {
    pattern: new RegExp(`${mentions}|${links}`, 'giu'),
    people,
    channels,
  }
}

/** Adds a name as keyboards may type it: with composed or with combining accents. */
function addForms(names: Set<string>, name: string): void {
  names.add(name.normalize('NFC')).add(name.normalize('NFD'))
}

/** Longest first, so that "@Ann Okafor" is not read as the "@Ann" who also exists. */
function alternatives(names: string[]): string {
  const sorted = names.sort((a, b) => b.length - a.length).map(escapeRegExp)
  return sorted.join('|') || '(?!)'
}

/** First names of at least two letters that only one person has. */
function firstNames(people: readonly Mentionable[]): Map<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const { id, name } of people) {
    const first = foldName(/^(\p{L}[\p{L}\p{M}'’-]+) /u.exec(name)?.[1] ?? '')
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

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
