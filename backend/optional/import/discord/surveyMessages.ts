import {
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { emojiNamed } from '../../../../supabase/functions/_shared/emojiNamed.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportedAuthor, ExportedEmoji, ExportedPerson } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import {
  isPrivateThread,
  isThread,
  readEntries,
  type DiscordChannel,
  type DiscordChannels,
} from './readChannels.ts'
import { storedPath } from './storedPath.ts'
import { createdAtOf, idOf, microsecondsOf } from './snowflakes.ts'

/** What is known once all messages have been read once. */
export interface DiscordSurvey {
  people: Map<string, ExportedPerson>
  /** The names of roles by their ids. */
  roles: Map<string, string>
  emoji: Map<string, DiscordEmoji>
  /** The people who have written in each channel or thread, without programs. */
  authors: Map<string, Set<string>>
  /** The message of each thread from which it began, or which announces it. */
  starters: Map<string, ThreadStart>
  /** Channels of posts, which have no file of their own. */
  forums: Set<string>
}

export interface ThreadStart {
  key: string
  at: number
}

export interface DiscordEmoji extends ExportedEmoji {
  id: string
}

const maxPeople = 200_000
/** Of all channels together. */
const maxAuthors = 1_000_000
const maxRoles = 10_000
const maxEmoji = 10_000
export const maxMentions = 100
export const maxReactions = 50
export const maxReactingPeople = 1_000
export const maxInlineEmoji = 200

/** Reads all messages once. Throws ExportError beyond the limits. */
export async function surveyMessages(
  files: ExportFiles,
  { channels }: DiscordChannels,
): Promise<DiscordSurvey> {
  const survey: DiscordSurvey = {
    people: new Map(),
    roles: new Map(),
    emoji: new Map(),
    authors: new Map(),
    starters: new Map(),
    forums: new Set(),
  }
  const names = new Set<string>()
  let authorCount = 0
  for (const channel of channels.values()) {
    const authors = new Set<string>()
    survey.authors.set(channel.id, authors)
    for await (const { id, path, fields } of readEntries(files, channel, () => {})) {
      addStart(survey, channels, channel, { id, fields })
      const author = objectOf(fields['author'])
      if (
        !isWebhook(author) &&
        addPerson(survey, files, path, author) &&
        author['isBot'] !== true &&
        !isNotice(fields)
      ) {
        const { size } = authors
        authors.add(idOf(author['id']))
        authorCount += authors.size - size
      }
      if (authorCount > maxAuthors)
        throw new ExportError(`The channels of the export have more than ${maxAuthors} authors together.`)
      for (const person of objectsOf(fields['mentions'], maxMentions)) addPerson(survey, files, path, person)
      for (const emoji of objectsOf(fields['inlineEmojis'], maxInlineEmoji))
        addEmoji(survey, names, files, path, emoji)
      for (const reaction of objectsOf(fields['reactions'], maxReactions)) {
        addEmoji(survey, names, files, path, objectOf(reaction['emoji']))
        for (const person of objectsOf(reaction['users'], maxReactingPeople))
          addPerson(survey, files, path, person)
      }
    }
  }
  return survey
}

/** Somebody who joined the server has not written in a channel. */
function isNotice({ type }: Fields): boolean {
  return type === 'GuildMemberJoin' || type === '7'
}

function addStart(
  { starters, forums }: DiscordSurvey,
  channels: ReadonlyMap<string, DiscordChannel>,
  channel: DiscordChannel,
  { id, fields }: { id: string; fields: Fields },
): void {
  const at = microsecondsOf(fields['timestamp']) ?? createdAtOf(id)
  const isAnnouncement = ['ThreadCreated', '18'].includes(textOf(fields['type']))
  const threadId = isAnnouncement ? idOf(objectOf(fields['reference'])['channelId']) : id
  const thread = channels.get(threadId)
  if (thread === undefined || !isThread(thread) || isPrivateThread(thread)) return
  const isPost = thread.id === channel.id && !isAnnouncement
  if (!isPost && thread.parent !== channel.id) return
  // The message itself rather than its announcement.
  if (starters.get(thread.id)?.key === thread.id) return
  starters.set(thread.id, { key: id, at })
  if (isPost && !channels.has(thread.parent) && thread.parent !== '') forums.add(thread.parent)
}

/** A webhook, whose messages can have any name. */
export function isWebhook(author: Fields): boolean {
  return author['isBot'] === true && author['discriminator'] === '0000'
}

/** The author of a message. The messages of a webhook have a person for each of its names. */
export function authorOf(author: Fields): ExportedAuthor {
  const id = idOf(author['id'])
  const name = nameOf(author)
  if (isWebhook(author) || id === '') return { key: `bot/${id}/${name}`, name }
  return { key: id, name }
}

/** The name that Discord shows; empty if there is none. */
export function nameOf(person: Fields): string {
  return lineOf(person['nickname'], 80) || lineOf(person['name'], 80)
}

/** Whether the person is known then. */
function addPerson(
  { people, roles }: DiscordSurvey,
  files: ExportFiles,
  path: string,
  fields: Fields,
): boolean {
  const key = idOf(fields['id'])
  if (key === '' || isWebhook(fields)) return false
  const known = people.get(key)
  const own = objectsOf(fields['roles'], 250)
  for (const role of own) {
    const id = idOf(role['id'])
    const name = lineOf(role['name'], 80)
    if (id !== '' && name !== '' && roles.size < maxRoles) roles.set(id, name)
  }
  const title = lineOf(
    own
      .map((role) => lineOf(role['name'], 80))
      .filter(Boolean)
      .join(', '),
    80,
  )
  const avatar = storedPath(files, path, fields['avatarUrl'])
  if (known !== undefined) {
    // The people of reactions have no roles.
    if (known.title === '') known.title = title
    if (known.avatar === undefined && avatar !== null) known.avatar = avatar
    return true
  }
  if (people.size >= maxPeople) throw new ExportError(`The export has more than ${maxPeople} people.`)
  people.set(key, {
    key,
    name: nameOf(fields) || key,
    email: '',
    title,
    isBot: fields['isBot'] === true,
    ...(avatar === null ? {} : { avatar }),
  })
  return true
}

function addEmoji(
  { emoji }: DiscordSurvey,
  names: Set<string>,
  files: ExportFiles,
  exportPath: string,
  fields: Fields,
): void {
  const id = idOf(fields['id'])
  if (id === '') return
  const path = storedPath(files, exportPath, fields['imageUrl'])
  const known = emoji.get(id)
  if (known !== undefined) {
    if (known.path === '' && path !== null) known.path = path
    return
  }
  if (emoji.size >= maxEmoji) return
  const name = customEmojiName(textOf(fields['name']), id, names)
  names.add(name)
  emoji.set(id, { id, name, aliases: [], path: path ?? '' })
}

/**
 * The name of a custom emoji. Names of Discord can differ by their case alone, and be names of standard emoji.
 * @param taken names that other emoji have
 */
export function customEmojiName(name: string, id: string, taken?: ReadonlySet<string>): string {
  const base = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '')
    .slice(0, 32)
  if (base.length >= 2 && taken?.has(base) !== true && emojiNamed(base) === null) return base
  return `${(base || 'emoji').slice(0, 25)}_${id.slice(-6)}`
}
