import type { ExportedChannel } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { isPrivateThread, isThread, type DiscordChannel } from './readChannels.ts'
import { createdAtOf } from './snowflakes.ts'
import type { DiscordSurvey } from './surveyMessages.ts'

/** Where the messages of a channel or thread are. */
export interface DiscordPlace {
  /** The key of the channel. */
  channel: string
  /** The first message of the thread; null for a channel. */
  root: { key: string; at: number } | null
}

/** What becomes of the channels and threads of an export. */
export interface DiscordLayout {
  channels: ExportedChannel[]
  /** Null for a channel that the export does not have. */
  placeOf(channel: string): DiscordPlace | null
  /** The place of a message; null if the export does not have its channel, or the id is empty. */
  messageAt(channel: string, message: string): { channel: string; key: string } | null
  /** The thread that begins with a message. */
  startedBy(channel: string, message: string): DiscordChannel | null
}

/**
 * Threads become threads of their channel, and posts become threads of their forum. A private thread becomes a channel, since the
 * people of its channel could not read it. So does a thread whose channel the export does not have.
 */
export function planChannels(
  found: ReadonlyMap<string, DiscordChannel>,
  { authors, starters, forums }: DiscordSurvey,
): DiscordLayout {
  const places = new Map<string, DiscordPlace>()
  /** The threads by their first message. */
  const started = new Map<string, DiscordChannel>()
  const members = new Map<string, Set<string>>()
  const isSeveral = new Set(Array.from(found.values(), ({ guildName }) => guildName)).size > 1
  for (const channel of found.values()) {
    const place = placeOf(channel, found, { starters, forums })
    places.set(channel.id, place)
    if (place.root !== null) started.set(place.root.key, channel)
    const own = members.get(place.channel) ?? new Set<string>()
    members.set(place.channel, own)
    for (const author of authors.get(channel.id) ?? []) own.add(author)
  }
  const channels = new Map<string, ExportedChannel>()
  for (const channel of found.values()) {
    const key = places.get(channel.id)!.channel
    if (channels.has(key)) continue
    const isForum = key !== channel.id && !found.has(key)
    const source = isForum ? forumOf(channel) : (found.get(key) ?? channel)
    channels.set(key, createChannel(source, Array.from(members.get(key) ?? []), isSeveral))
  }
  return {
    channels: Array.from(channels.values()),
    placeOf: (channel) => places.get(channel) ?? (channels.has(channel) ? { channel, root: null } : null),
    messageAt(channel, message) {
      const place = places.get(channel)
      return place === undefined || message === '' ? null : { channel: place.channel, key: message }
    },
    startedBy(channel, message) {
      const thread = started.get(message)
      const isHere = thread !== undefined && (thread.id === channel || thread.parent === channel)
      return isHere && starters.has(thread.id) ? thread : null
    },
  }
}

function placeOf(
  channel: DiscordChannel,
  found: ReadonlyMap<string, DiscordChannel>,
  { starters, forums }: Pick<DiscordSurvey, 'starters' | 'forums'>,
): DiscordPlace {
  const parent = found.get(channel.parent)
  const isReply =
    isThread(channel) &&
    !isPrivateThread(channel) &&
    (forums.has(channel.parent) || (parent !== undefined && !isThread(parent)))
  if (!isReply) return { channel: channel.id, root: null }
  const { key, at } = starters.get(channel.id) ?? { key: channel.id, at: createdAtOf(channel.id) }
  return { channel: channel.parent, root: { key, at } }
}

function forumOf(post: DiscordChannel): DiscordChannel {
  const { parent, parentName, guildName } = post
  const name = parentName || parent
  return { ...post, id: parent, type: 'GuildForum', parent: '', parentName: '', name, topic: '', guildName }
}

/** An export does not have the people who can read a channel. Those who have written in it could. */
function createChannel(channel: DiscordChannel, members: string[], isSeveral: boolean): ExportedChannel {
  const { id, type, name, topic, parentName, guildName } = channel
  const place = [isSeveral ? guildName : '', parentName].filter(Boolean).join(' › ')
  return {
    key: id,
    kind: kindOf(type, members.length),
    name,
    topic: lineOf(topic, 250),
    description: lineOf(topic.length > 250 ? topic : place, 1_000),
    members,
    creator: '',
    createdAt: createdAtOf(id),
    isArchived: false,
    isShared: false,
  }
}

/** Returns `private` for a conversation whose people are not all known. Otherwise it would become the conversation of fewer people. */
function kindOf(type: string, people: number): ExportedChannel['kind'] {
  if ((type === 'DirectTextChat' || type === '1') && people === 2) return 'direct'
  if ((type === 'DirectGroupTextChat' || type === '3') && people > 2) return 'group'
  return 'private'
}
