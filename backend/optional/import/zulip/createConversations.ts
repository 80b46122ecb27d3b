import { createHash } from 'node:crypto'
import { ExportError } from '../ExportError.ts'
import type { ExportedChannel } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ZulipRealm, ZulipStream } from './readRealm.ts'

/** What becomes of topics. */
export type TopicMode = 'threads' | 'channels'

export interface Topic {
  /** As its first message has it, or in a channel the message that was read first. */
  name: string
  /** Its first message if it becomes a thread; null if it becomes a channel. */
  root: { key: string; at: number; author: string } | null
  /** The key of the channel with its messages. */
  channel: string
}

/** Where a message is. */
export interface Place {
  /** The key of the channel. */
  channel: string
  /** Null for direct messages, and messages without a topic. */
  topic: Topic | null
}

/** Which fields of a message decide where it is. */
export interface PlacedMessage {
  id: number
  at: number
  sender: number
  recipient: number
  subject: string
}

/** The streams, topics and direct conversations of an export. */
export interface Conversations {
  /** Adds the conversation of a message. Null: the export does not have it. */
  add(message: PlacedMessage): Place | null
  /** Where a message is whose conversation was added. */
  placeOf(message: PlacedMessage): Place | null
  findTopic(stream: number, topic: string): Topic | null
  /** The key of the channel with the messages of a topic. */
  channelOfTopic(stream: number, topic: string): string
  /**
   * The key of the direct conversation of people; null if there is none.
   * @param sender the person who wrote the link, which lacks them in conversations of two
   */
  findDirect(people: readonly string[], sender: string): string | null
  channels(): ExportedChannel[]
  topicCount(): number
}

const maxTopics = 300_000
const maxChannels = 50_000

/** Zulip shows messages without a topic under the last of these names, and stored them under the others before. */
const withoutTopic = new Set(['', '(no topic)', 'general chat'])

export function createConversations(realm: ZulipRealm, mode: TopicMode): Conversations {
  const topics = new Map<string, Topic>()
  /** By the key of the channel. */
  const topicChannels = new Map<string, { stream: number; name: string; createdAt: number }>()
  const directs = new Map<string, { people: readonly string[]; createdAt: number }>()
  /** Keys by sorted people. */
  const groups = new Map<string, string>()

  // Two topics whose names differ in case are the same.
  const keyOf = (stream: number, topic: string): string => `${stream}/${topic.toLowerCase()}`
  const isTopic = (topic: string): boolean => !withoutTopic.has(topic.toLowerCase())
  const channelOfTopic = (stream: number, topic: string): string => {
    if (mode === 'threads' || !isTopic(topic)) return `stream-${stream}`
    const hash = createHash('sha256').update(topic.toLowerCase()).digest('hex').slice(0, 24)
    return `stream-${stream}-topic-${hash}`
  }

  function addTopic(stream: number, { id, at, sender, subject }: PlacedMessage): void {
    const key = keyOf(stream, subject)
    const root = mode === 'threads' ? { key: String(id), at, author: String(sender) } : null
    const found = topics.get(key)
    if (found === undefined) {
      if (topics.size >= maxTopics) throw new ExportError(`The export has more than ${maxTopics} topics.`)
      const channel = channelOfTopic(stream, subject)
      topics.set(key, { name: subject, root, channel })
      if (mode === 'channels') topicChannels.set(channel, { stream, name: subject, createdAt: at })
      return
    }
    if (found.root !== null && at < found.root.at) [found.root, found.name] = [root, subject]
    const own = topicChannels.get(found.channel)
    if (own !== undefined) own.createdAt = Math.min(own.createdAt, at)
  }

  function directOf({ sender, recipient }: PlacedMessage): { key: string; people: readonly string[] } | null {
    const target = realm.recipientOf(recipient)
    if (target === null || target.kind === 'stream') return null
    const people =
      target.kind === 'person' ? [String(sender), String(target.id)] : (realm.members.get(recipient) ?? [])
    const sorted = Array.from(new Set(people)).sort((a, b) => Number(a) - Number(b))
    if (sorted.length === 0) return null
    // Newer versions store conversations of two people as groups.
    return { key: sorted.length > 2 ? `group-${target.id}` : `direct-${sorted.join('-')}`, people: sorted }
  }

  function placeOf(message: PlacedMessage): Place | null {
    const target = realm.recipientOf(message.recipient)
    if (target?.kind !== 'stream') {
      const direct = directOf(message)
      return direct === null || !directs.has(direct.key) ? null : { channel: direct.key, topic: null }
    }
    if (!realm.streams.has(target.id)) return null
    const topic = topics.get(keyOf(target.id, message.subject)) ?? null
    return { channel: topic?.channel ?? `stream-${target.id}`, topic }
  }

  return {
    placeOf,
    add(message) {
      const target = realm.recipientOf(message.recipient)
      if (target?.kind === 'stream') {
        realm.joins.addMessage(target.id, message.sender, message.at)
        if (realm.streams.has(target.id) && isTopic(message.subject)) addTopic(target.id, message)
        return placeOf(message)
      }
      const direct = directOf(message)
      if (direct === null) return null
      const { key, people } = direct
      const earlier = directs.get(key)
      if (earlier === undefined) {
        directs.set(key, { people, createdAt: message.at })
        groups.set(people.join(), key)
      } else earlier.createdAt = Math.min(earlier.createdAt, message.at)
      if (directs.size + topicChannels.size + realm.streams.size > maxChannels)
        throw new ExportError(`The export has more than ${maxChannels} conversations.`)
      return placeOf(message)
    },
    findTopic: (stream, topic) => topics.get(keyOf(stream, topic)) ?? null,
    channelOfTopic,
    findDirect(people, sender) {
      const sorted = (all: readonly string[]): string =>
        Array.from(new Set(all))
          .sort((a, b) => Number(a) - Number(b))
          .join()
      return groups.get(sorted([...people, sender])) ?? groups.get(sorted(people)) ?? null
    },
    topicCount: () => topics.size,
    channels() {
      if (topicChannels.size + directs.size + realm.streams.size > maxChannels)
        throw new ExportError(
          `The export has more than ${maxChannels} streams, topics and conversations. Import its topics as threads.`,
        )
      return [
        ...Array.from(realm.streams, ([id, stream]) => streamChannel(realm, id, stream)),
        ...Array.from(topicChannels, ([key, { stream: id, name, createdAt }]) => {
          const stream = realm.streams.get(id)!
          const title = lineOf(`${stream.name} › ${name}`, 80)
          return { ...streamChannel(realm, id, stream), key, name: title, description: '', createdAt }
        }),
        ...Array.from(directs, ([key, { people, createdAt }]) =>
          directChannel(realm, key, people, createdAt),
        ),
      ]
    },
  }
}

function streamChannel(realm: ZulipRealm, id: number, stream: ZulipStream): ExportedChannel {
  const recipient = realm.recipientOfStream.get(id)
  const members = (recipient === undefined ? undefined : realm.members.get(recipient)) ?? []
  return {
    key: `stream-${id}`,
    kind: stream.isPrivate ? 'private' : 'public',
    name: stream.name,
    topic: '',
    description: stream.description,
    members,
    ...(stream.hidesHistory
      ? { historyFrom: new Map(members.map((key) => [key, realm.joins.of(id, Number(key)).at])) }
      : {}),
    creator: stream.creator,
    createdAt: stream.createdAt,
    isArchived: stream.isArchived,
    isShared: false,
  }
}

function directChannel(
  realm: ZulipRealm,
  key: string,
  people: readonly string[],
  createdAt: number,
): ExportedChannel {
  const names = people.slice(0, 20).map((person) => realm.people.get(person)?.name ?? `User ${person}`)
  return {
    key,
    kind: people.length > 2 ? 'group' : 'direct',
    name: lineOf(names.join(', '), 80),
    topic: '',
    description: '',
    members: people,
    creator: '',
    createdAt,
    isArchived: false,
    isShared: false,
  }
}
