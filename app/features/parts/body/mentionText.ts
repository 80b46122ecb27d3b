import { MENTION_IN_CODE, mentionsOf } from '../../../../wire/body/mentionsOf.ts'
import { mentionedName } from '../../../data/messages/mentionedName.ts'
import {
  encodeMentions,
  foldName,
  STORED_MENTION,
  type Mentionable,
} from '../../../../wire/body/encodeMentions.ts'

/** A mention that notifies several people at once. */
export type MassMention = 'channel' | 'here'

/** The mass mention in an encoded text, the wider one if there are two. */
export function massMentionOf(encoded: string): MassMention | null {
  const mentioned = mentionsOf(encoded)
  if (mentioned.includes('channel')) return 'channel'
  return mentioned.includes('here') ? 'here' : null
}

/** The ids of the people mentioned by name in an encoded text, without duplicates. */
export function mentionedIds(encoded: string): string[] {
  return mentionsOf(encoded).filter((who) => /^[0-9a-f]/.test(who) && who !== 'channel' && who !== 'here')
}

/** The text with names in place of ids. What has no name, and what is text behind a backslash, stays as it is. */
export function decodeMentions(body: string, nameOf: (id: string) => string | null = mentionedName): string {
  const decode = (found: string, slashes: string, ...ids: (string | undefined)[]): string => {
    const [, person, channel, mass] = ids
    if (slashes.length % 2 === 1) return found
    if (mass !== undefined) return `${slashes}@${mass}`
    const name = nameOf(person ?? channel!.slice(1))
    return name === null ? found : `${slashes}${person === undefined ? '#' : '@'}${name}`
  }
  return body.replaceAll(MENTION_IN_CODE, decode)
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
  for (const found of [...body.matchAll(STORED_MENTION)].slice(0, MAX_TRIED)) {
    const [mention] = found
    const end = found.index + mention.length
    const before = done + body.slice(from, found.index)
    const named = before + decodeMentions(mention, nameOf)
    done = isKept(named + body.slice(end)) ? named : before + mention
    from = end
  }
  return done + body.slice(from)
}

/** The encoded mention of somebody who shares their name with others, both of whom a text may mention; null if the name is enough. */
export function namesakeMention(
  { id, name, isChannel = false }: Mentionable,
  mentionable: readonly Mentionable[],
): string | null {
  const isNamesake = (one: Mentionable) =>
    foldName(one.name) === foldName(name) && one.id !== id && (one.isChannel ?? false) === isChannel
  return mentionable.some(isNamesake) ? `<${isChannel ? '#' : '@'}${id}>` : null
}

/** The people and channels that a body mentions. */
export function mentionedIn(
  body: string,
  nameOf: (id: string) => string | null = mentionedName,
): Mentionable[] {
  return mentionsOf(body).flatMap((who) => {
    const isChannel = who.startsWith('#')
    const id = isChannel ? who.slice(1) : who
    const name = who === 'channel' || who === 'here' ? null : nameOf(id)
    return name === null ? [] : { id, name, isChannel }
  })
}
