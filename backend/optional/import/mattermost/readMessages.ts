import { createHash } from 'node:crypto'
import {
  isObject,
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { mediaTypeOf } from '../../../runtime/mediaTypeOf.ts'
import type { ExportedFile, ExportedMessage } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { classifyPost } from './classifyPost.ts'
import { emojiKey } from './emojiKey.ts'
import { keyOfPlace, nameOf, userKeyOf } from './names.ts'
import { parseLine, type Line } from './readLines.ts'

const maxReplies = 200_000
const maxReactions = 10_000
/** Mattermost has at most 10. */
const maxFiles = 100

export interface PostContext {
  /** The keys of the channels. */
  channels: ReadonlySet<string>
  /** The path of a stored file that a post names; null if the export does not have it. */
  findFile(path: unknown): string | null
  sizeOf(path: string): number | null
  onSkipped(channel: string, reason: string): void
  /** Called for each line that belongs to no channel. */
  onLost(reason: 'damaged' | 'too large' | 'no channel'): void
}

/** The messages of an export, in the order of its lines. The first message of a thread precedes its replies. */
export async function* readMessages(
  lines: AsyncIterable<Line>,
  context: PostContext,
): AsyncGenerator<ExportedMessage> {
  const createKey = createKeys()
  for await (const line of lines) {
    const value = 'text' in line ? parseLine(line.text) : undefined
    if (!isObject(value)) {
      context.onLost('problem' in line ? line.problem : 'damaged')
      continue
    }
    const type = textOf(value['type'])
    if (type !== 'post' && type !== 'direct_post') continue
    const post = objectOf(value[type])
    const channel = keyOfPlace(type, post)
    if (context.channels.has(channel)) yield* readThread(post, { channel, createKey, ...context })
    else context.onLost(isObject(value[type]) ? 'no channel' : 'damaged')
  }
}

interface ThreadContext extends PostContext {
  channel: string
  createKey: CreateKey
}

function* readThread(post: Fields, context: ThreadContext): Generator<ExportedMessage> {
  const team = nameOf(post['team'])
  const root = readPost(post, team, null, context)
  const { onSkipped, channel } = context
  const found: unknown[] = Array.isArray(post['replies']) ? post['replies'] : []
  const replies = found.slice(0, maxReplies).flatMap((reply) => {
    if (isObject(reply) && timeOf(reply) !== null) return [reply]
    onSkipped(channel, isObject(reply) ? 'without a time' : 'damaged')
    return []
  })
  for (let left = found.length - maxReplies; left > 0; left--) onSkipped(channel, 'too many replies')
  if (root === null) onSkipped(channel, 'without a time')
  else yield root
  const [first] = replies
  if (first === undefined) return
  // Without its time, the first message of the thread is missing.
  const thread = root ?? {
    key: context.createKey(channel, ['thread', replies.map(timeOf)]),
    at: Math.min(...timesOf(replies)),
    author: null,
  }
  const reference = { key: thread.key, at: thread.at, author: thread.author?.key ?? null }
  for (const reply of replies) {
    const message = readPost(reply, team, reference, context)
    if (message !== null) yield message
  }
}

/** Of at most so many times as a call can have arguments. */
const timesOf = (replies: readonly Fields[]): number[] =>
  replies.slice(0, 1_000).map((reply) => timeOf(reply) ?? Number.POSITIVE_INFINITY)

/** The time of a post in microseconds; null if it has none. */
function timeOf(post: Fields): number | null {
  const at = post['create_at']
  // The times that a date can have.
  return typeof at === 'number' && Math.abs(at) <= 8.64e15 ? Math.round(at) * 1_000 : null
}

/** Null if it has no time. */
function readPost(
  post: Fields,
  team: string,
  root: ExportedMessage['root'],
  context: ThreadContext,
): ExportedMessage | null {
  const at = timeOf(post)
  if (at === null) return null
  const { author, content, contentAsRoot } = classifyPost(post, team)
  const files = readFiles(post, context)
  // Not what this version reads from them: a later one has the same keys.
  const written = [root?.key, at, author.key, textOf(post['type']), textOf(post['message'])]
  const editedAt = Number(post['edit_at'])
  return {
    channel: context.channel,
    key: context.createKey(context.channel, [...written, files.map(({ key }) => key)]),
    // A reply is never earlier than its thread.
    at: root === null ? at : Math.max(at, root.at),
    author,
    root,
    isInChannel: false,
    content,
    ...(root === null ? { contentAsRoot } : {}),
    editedAt: editedAt > 0 && editedAt <= 8.64e15 ? Math.round(editedAt) * 1_000 : null,
    reactions: readReactions(post),
    files,
    pin: post['is_pinned'] === true ? { by: null, at: null } : null,
  }
}

function readReactions(post: Fields): ExportedMessage['reactions'] {
  const people = new Map<string, string[]>()
  for (const reaction of objectsOf(post['reactions'], maxReactions)) {
    const emoji = emojiKey(textOf(reaction['emoji_name']).toLowerCase())
    const user = userKeyOf(reaction['user'])
    if (emoji === null || user === '') continue
    const found = people.get(emoji)
    if (found) found.push(user)
    else people.set(emoji, [user])
  }
  return Array.from(people, ([emoji, of]) => ({ emoji, people: of }))
}

function readFiles(post: Fields, { findFile, sizeOf }: PostContext): ExportedFile[] {
  const files = new Map<string, ExportedFile>()
  for (const { path } of objectsOf(post['attachments'], maxFiles)) {
    const written = textOf(path).slice(0, 2_000)
    if (written === '') continue
    const stored = findFile(path)
    const name = lineOf(written.split(/[/\\]/).at(-1), 255)
    files.set(written, {
      key: written,
      name: name || 'file',
      type: mediaTypeOf(name),
      size: stored === null ? null : sizeOf(stored),
      width: null,
      height: null,
      address: '',
      source:
        stored === null ? { kind: 'missing', reason: 'not in the export' } : { kind: 'stored', path: stored },
    })
  }
  return Array.from(files.values())
}

type CreateKey = (channel: string, content: unknown) => string

/** Bits of the filter, of which each message sets four: at 10 million messages, 4 of 10,000 are taken for repeated ones. */
const filterBits = 2 ** 28

/**
 * Creates the keys of messages, which have no ids. The key follows from the content, so that a later export has the same. A message
 * that may repeat an earlier one also has its position among all messages in its key: the memory for it is the same for any number
 * of messages.
 */
function createKeys(): CreateKey {
  const filter = new Uint8Array(filterBits / 8)
  let count = 0
  return (channel, content) => {
    count++
    const hash = createHash('sha256').update(channel).update(JSON.stringify(content)).digest()
    let isKnown = true
    for (let part = 0; part < 4; part++) {
      const bit = hash.readUInt32LE(part * 4) % filterBits
      const [at, mask] = [bit >>> 3, 1 << (bit & 7)]
      if ((filter[at]! & mask) === 0) isKnown = false
      filter[at]! |= mask
    }
    const key = hash.toString('base64url', 0, 18)
    return isKnown ? `${key}-${count}` : key
  }
}
