import { stat } from 'node:fs/promises'
import { ExportError } from '../ExportError.ts'
import type { ExportedContent, ExportedMessage, ExportReader } from '../ExportReader.ts'
import { defaultLimits, findFolder, openExport, type ExportFiles, type ExportLimits } from '../openExport.ts'
import { convertText, uploadsOf, widgetOf, type TextContext, type ZulipText } from './convertText.ts'
import { createConversations, type Conversations, type TopicMode } from './createConversations.ts'
import { openTar } from './openTar.ts'
import { readMessages, type ZulipMessage } from './readMessages.ts'
import { addReaction, readRealm, type ZulipRealm } from './readRealm.ts'
import { readUploads } from './readUploads.ts'

export interface ZulipOptions {
  /** What topics become: threads of the channel of their stream, or channels. */
  topics: TopicMode
}

/** The files that are read without the others. */
const listFile =
  /^(?:[^/]+\/)?(?:realm|attachment|messages-\d{1,9}|(?:uploads|avatars|emoji)\/records)\.json$/
/** Files of one message. */
const maxFiles = 100

/** Opens an export of Zulip, which is a tar file or a folder with its content. Throws ExportError. */
export async function openZulip(
  path: string,
  { topics }: ZulipOptions,
  limits: ExportLimits = defaultLimits,
): Promise<ExportReader> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  const opened = isFile
    ? await openTar(path, limits, (name) => listFile.test(name))
    : await openExport(path, limits)
  try {
    const files = findFolder(opened, ['realm.json'])
    if (files === null) throw new ExportError('This is no export of Zulip: it has no realm.json.')
    return await createReader(files, topics)
  } catch (error) {
    opened.close()
    throw error
  }
}

async function createReader(files: ExportFiles, topics: TopicMode): Promise<ExportReader> {
  const realm = await readRealm(files)
  const conversations = createConversations(realm, topics)
  const notes = await surveyMessages(files, realm, conversations, topics)
  const context: TextContext = { realm, conversations }
  const describeUpload = await readUploads(files)
  return {
    product: 'zulip',
    label: 'Zulip',
    source: realm.source,
    sourceName: realm.name,
    people: realm.people,
    channels: conversations.channels(),
    emoji: realm.emoji,
    notes,
    async *readMessages(onSkipped) {
      for await (const entry of readMessages(files)) {
        if (entry.kind === 'skipped') {
          const channel = channelOf(entry, realm)
          if (channel !== null) onSkipped(channel, entry.reason)
        } else if (entry.kind === 'message') {
          const message = convertMessage(entry.message, realm, conversations, describeUpload)
          if (message !== null) yield message
        }
      }
    },
    convertText: (fields, mapping, lines) => convertText(fields as ZulipText, context, mapping, lines),
    sizeOf: (stored) => files.sizes.get(stored) ?? null,
    open: (stored) => files.open(stored),
    close: () => files.close(),
  }
}

/** The channel whose receipt counts an entry that cannot be read; null if the entry does not name its stream. */
function channelOf({ recipient }: { recipient: number | null }, realm: ZulipRealm): string | null {
  const found = recipient === null ? null : realm.recipientOf(recipient)
  return found?.kind === 'stream' && realm.streams.has(found.id) ? `stream-${found.id}` : null
}

/** Reads all messages once: only they show which topics and direct conversations exist. Returns the notes of the receipt. */
async function surveyMessages(
  files: ExportFiles,
  realm: ZulipRealm,
  conversations: Conversations,
  topics: TopicMode,
): Promise<Map<string, number>> {
  const counts = { poll: 0, todo: 0, damaged: realm.damaged, lost: 0 }
  for await (const entry of readMessages(files)) {
    if (entry.kind === 'reaction') addReaction(realm, entry.fields)
    if (entry.kind === 'skipped' && channelOf(entry, realm) === null) counts.damaged++
    if (entry.kind !== 'message') continue
    if (conversations.add(entry.message) === null) counts.lost++
    const widget = widgetOf(entry.message.content)
    if (widget !== null) counts[widget]++
  }
  const hidden = countHidden(realm)
  const all: [note: string, count: number][] = [
    [
      topics === 'threads'
        ? 'topics become threads, whose first message shows the name of the topic'
        : 'topics become channels beside the channel of their stream',
      conversations.topicCount(),
    ],
    [
      'private streams hide older messages from people who join later: the members of their channels read messages from the time of their most recent join',
      hidden.streams,
    ],
    [
      'members of such streams read messages from their own first one, because the export does not have the time at which they joined',
      hidden.fromMessage,
    ],
    [
      'members of such streams read no older messages, because the export has neither the time at which they joined nor a message of them',
      hidden.fromEnd,
    ],
    ['polls have their question and options only, since exports have no votes', counts.poll],
    ['lists of tasks have only the tasks of their first message', counts.todo],
    ['groups of people are not imported, and mentions of them are text', realm.groups],
    ['entries of the export are damaged, and are not imported', counts.damaged],
    ['messages are of a conversation that the export does not have, and are not imported', counts.lost],
  ]
  return new Map(all.filter(([, count]) => count > 0))
}

/** The streams that hide older messages, and their members whose time of joining the export does not have. */
function countHidden({ streams, recipientOfStream, members, joins }: ZulipRealm): {
  streams: number
  fromMessage: number
  fromEnd: number
} {
  const counts = { streams: 0, fromMessage: 0, fromEnd: 0 }
  for (const [id, { hidesHistory }] of streams) {
    if (!hidesHistory) continue
    counts.streams++
    for (const member of members.get(recipientOfStream.get(id) ?? 0) ?? []) {
      const { at, isEvent } = joins.of(id, Number(member))
      if (!isEvent) counts[Number.isFinite(at) ? 'fromMessage' : 'fromEnd']++
    }
  }
  return counts
}

/** Null if the conversation of the message is not known. */
function convertMessage(
  message: ZulipMessage,
  realm: ZulipRealm,
  conversations: Conversations,
  describeUpload: Awaited<ReturnType<typeof readUploads>>,
): ExportedMessage | null {
  const place = conversations.placeOf(message)
  if (place === null) return null
  const key = String(message.id)
  const sender = String(message.sender)
  const topic = place.topic
  const isFirst = topic?.root?.key === key
  const { content, contentAsRoot } = contentOf(message, sender, isFirst ? topic.name : '')
  const uploads = content.kind === 'text' ? uploadsOf(message.content, message.origins) : []
  return {
    channel: place.channel,
    key,
    at: message.at,
    author: { key: sender, name: realm.people.has(sender) ? '' : `User ${sender}` },
    root: isFirst ? null : (topic?.root ?? null),
    isInChannel: false,
    content,
    ...(contentAsRoot === undefined ? {} : { contentAsRoot }),
    editedAt: message.editedAt,
    reactions: realm.reactions.of(message.id),
    files: uploads.slice(0, maxFiles).map(describeUpload),
    pin: null,
  }
}

/** @param title the name of the topic if the message is its first one */
function contentOf(
  { content, editedAt, origins }: ZulipMessage,
  sender: string,
  title: string,
): Pick<ExportedMessage, 'content' | 'contentAsRoot'> {
  // Zulip stores this text when somebody edits a message to nothing.
  if (content === '(deleted)' && editedAt !== null) return { content: { kind: 'deleted' } }
  if (content.trim() === '') {
    const skipped: ExportedContent = { kind: 'skipped', reason: 'without content' }
    return { content: skipped, contentAsRoot: { kind: 'deleted' } }
  }
  const fields: ZulipText = { content, sender, title, origins }
  return { content: { kind: 'text', fields } }
}
