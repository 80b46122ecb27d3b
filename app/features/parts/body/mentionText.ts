import { mentionedName } from '../../../data/messages/mentionedName.ts'

/** What a text can mention: a person or a group (`&id`), as "@name", or a channel, as "#name". */
export interface Mentionable {
  id: string
  name: string
  isChannel?: boolean
}

/** Scripts without spaces between words: a letter beside a name there is not part of the name. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** A letter that continues a word: part of a name or of an email address. */
const WORD_LETTER = String.raw`(?:(?![${UNSPACED}])[\p{L}\p{M}\p{N}_])`
/** "@" and "#", also the full-width ones of East Asian keyboards. */
const AT = '[@＠]'
const HASH = '[#＃]'

/** Code is not encoded: fences first, then spans. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/

interface Encoder {
  pattern: RegExp
  people: ReadonlyMap<string, string>
  channels: ReadonlyMap<string, string>
}

/** By the array that `encodeMentions` received: the pattern of thousands of names is not built for each key stroke. */
const encoders = new WeakMap<readonly Mentionable[], Encoder>()

/**
 * Turns "@Bea Lindqvist" into `<@id>`, the name of a group into `<@&id>`, "#front desk" into `<#id>`, and "@channel", "@here" into `<!channel>`, `<!here>`,
 * outside code. Of two people or channels with the same name the first is used: pass those that were picked first. A
 * first name is enough if only one person has it.
 */
export function encodeMentions(text: string, mentionable: readonly Mentionable[]): string {
  if (!/[@＠#＃]/.test(text)) return text
  const encoder = encoders.get(mentionable) ?? createEncoder(mentionable)
  encoders.set(mentionable, encoder)
  return text
    .split(CODE)
    .map((section, index) => (index % 2 === 1 ? section : encodeSection(section, encoder)))
    .join('')
}

function encodeSection(section: string, { pattern, people, channels }: Encoder): string {
  return section.replaceAll(pattern, (_found, person?: string, channel?: string) => {
    if (channel !== undefined) return `<#${channels.get(channel)}>`
    const id = people.get(person ?? '')
    return id === undefined ? `<!${person}>` : `<@${id}>`
  })
}

function createEncoder(mentionable: readonly Mentionable[]): Encoder {
  const people = new Map<string, string>()
  const channels = new Map<string, string>()
  for (const { id, name, isChannel } of mentionable) {
    const ids = isChannel ? channels : people
    if (!ids.has(name)) ids.set(name, id)
  }
  const persons = mentionable.filter(({ id, isChannel }) => !isChannel && !id.startsWith('&'))
  for (const [name, id] of firstNames(persons)) if (!people.has(name)) people.set(name, id)
  const mentions = `(?<!${WORD_LETTER}|${AT})${AT}(${alternatives([...people.keys(), 'channel', 'here'])})`
  const links = channels.size ? alternatives([...channels.keys()]) : '(?!)'
  return {
    pattern: new RegExp(
      `(?:${mentions}|(?<!${WORD_LETTER}|${HASH}|[/?&=])${HASH}(${links}))(?!${WORD_LETTER})`,
      'gu',
    ),
    people,
    channels,
  }
}

/** Longest first, so that "@Ann Okafor" is not read as the "@Ann" who also exists. */
function alternatives(names: string[]): string {
  return names
    .sort((a, b) => b.length - a.length)
    .map(escapeRegExp)
    .join('|')
}

const MENTION = /<([@#])(&?[0-9a-f-]{36})>/g
/** Also the mass mentions. */
const ANY_MENTION = new RegExp(`${MENTION.source}|<!(?:channel|here)>`, 'g')

/** First names of at least two letters that only one person has. */
function firstNames(people: readonly Mentionable[]): Map<string, string> {
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

/** The text as it is displayed. What has no name stays as it is. */
export function decodeMentions(body: string, nameOf: (id: string) => string | null = mentionedName): string {
  return body
    .replaceAll(MENTION, (found, sign: string, id: string) => {
      const name = nameOf(id)
      return name === null ? found : `${sign}${name}`
    })
    .replaceAll(/<!(channel|here)>/g, '@$1')
}

/** Mentions that are tried one by one: each is an encoding of the whole text. */
const MAX_TRIED = 50

/**
 * The text of a message for a field whose text `encodeMentions` encodes with the same `mentionable`. A mention stays in its
 * encoded form where its name would be encoded as something else: two people have the same name, or the name and the
 * following text together are the name of another person.
 */
export function decodeForEditing(
  body: string,
  mentionable: readonly Mentionable[],
  nameOf: (id: string) => string | null = mentionedName,
): string {
  // Names that the body contains as text are encoded in both.
  const encoded = encodeMentions(body, mentionable)
  const isKept = (text: string) => encodeMentions(text, mentionable) === encoded
  const decoded = decodeMentions(body, nameOf)
  if (isKept(decoded)) return decoded
  let done = ''
  let from = 0
  for (const found of [...body.matchAll(ANY_MENTION)].slice(0, MAX_TRIED)) {
    const [mention] = found
    const end = found.index + mention.length
    const before = done + body.slice(from, found.index)
    const named = before + decodeMentions(mention, nameOf)
    done = isKept(named + body.slice(end)) ? named : before + mention
    from = end
  }
  return done + body.slice(from)
}

/**
 * The encoded mention of somebody who shares their name with others; null if the name is enough. A draft stores only its text, so
 * that a name alone would mention another person after a reload, or on another device.
 */
export function namesakeMention(
  { id, name, isChannel = false }: Mentionable,
  mentionable: readonly Mentionable[],
): string | null {
  const isNamesake = (one: Mentionable) =>
    one.name === name && one.id !== id && (one.isChannel ?? false) === isChannel
  return mentionable.some(isNamesake) ? `<${isChannel ? '#' : '@'}${id}>` : null
}

/** The text of a message for a field that stores it as a draft: a mention of somebody who shares their name stays encoded. */
export function decodeForDraft(
  body: string,
  mentionable: readonly Mentionable[],
  nameOf: (id: string) => string | null = mentionedName,
): string {
  const ownNameOf = (id: string) => {
    const name = nameOf(id)
    const { isChannel = false } = mentionable.find((one) => one.id === id) ?? {}
    return name !== null && namesakeMention({ id, name, isChannel }, mentionable) === null ? name : null
  }
  return decodeForEditing(body, mentionable, ownNameOf)
}

/** The people and channels that a body mentions. */
export function mentionedIn(
  body: string,
  nameOf: (id: string) => string | null = mentionedName,
): Mentionable[] {
  return [...body.matchAll(MENTION)].flatMap(([, sign, id = '']) => {
    const name = nameOf(id)
    return name === null ? [] : { id, name, isChannel: sign === '#' }
  })
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
