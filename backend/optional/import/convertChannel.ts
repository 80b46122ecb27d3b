import { objectsOf, textOf, type Fields } from '../../../supabase/functions/_shared/payloadFields.ts'
import { mentionsOf } from '../../../wire/body/mentionsOf.ts'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import {
  authorOf,
  classifyMessage,
  hasReplies,
  isBroadcast,
  rootTimeOf,
  type Author,
} from './slack/classifyMessage.ts'
import { convertText, fileLine, type Mapping } from './slack/convertText.ts'
import type { ExportFiles } from './openExport.ts'
import type { Plan, PlannedChannel } from './planImport.ts'
import type { SlackChannel } from './slack/readLists.ts'
import { reactionKey } from './reactionKey.ts'
import { createTimeIndex, readMessages, type SlackMessage } from './slack/readMessages.ts'
import { filesOf, type SlackFile } from './slack/slackFiles.ts'
import { microsecondsOf, timestampOf } from './importIds.ts'
import { increment, surveyChannel, unknownAuthor, type Survey, type ThreadSummary } from './surveyExport.ts'

/** The bytes of a file, as far as they can be imported. */
export type StoredFile = { size: number } | { problem: string }

/** What the conversion of a channel counts besides its rows. */
export interface ChannelReceipt {
  channel: string
  name: string
  read: number
  /** Messages that are converted, by their kind. */
  written: number
  /** Messages of a channel that an earlier import has completed. */
  present: number
  /** The number of entries that are left out, by the reason. */
  skipped: Record<string, number>
  files: number
  /** Files that are missing, at most 1,000, with the reason. */
  missingFiles: { file: string; name: string; reason: string }[]
  missingFileCount: number
  /** Texts that are longer than a message; the whole text is attached as a file. */
  longTexts: number
  /** First messages of threads that the export lacks. */
  createdRoots: number
  /** Messages with a time in the future. */
  futureTimes: number
  /** Messages of which nothing can be shown. */
  emptyTexts: number
}

export interface ChannelContext {
  files: ExportFiles
  survey: Survey
  plan: Plan
  site: string
  /** Now, in microseconds: no message is dated later. */
  now: number
  /** Stores a file of the channel under the id of an upload. */
  storeFile(channelId: string, uploadId: string, file: SlackFile): Promise<StoredFile>
  /** Stores a text as a file. Returns its size. */
  storeText(channelId: string, uploadId: string, text: string): Promise<number>
  /** Called for each reaction with the name of a custom emoji, such as `:party:`. */
  onCustomEmoji(name: string): void
}

const maxMessageFiles = 10
const maxReactions = 50
const maxReactingPeople = 1_000
const maxMissingFiles = 1_000
const dayMicroseconds = 86_400_000_000
/** People follow threads with a reply in this time: the list of threads has at most 1,000. */
const followedTime = 90 * dayMicroseconds

/** All rows have the same columns, so that the import writes a reply together with the first message of its thread. */
const emptyMessage = {
  kind: 'text',
  last_thread_seq: 0,
  reply_count: 0,
  reply_people: [],
  last_reply_at: null,
  body: '',
  system: null,
  extras: null,
  edited_at: null,
  deleted_at: null,
}

interface Thread {
  id: string
  lastThreadSeq: number
  lastAt: number
  /** Members of the workspace who have written in it. */
  people: Set<string>
}

/**
 * The rows of the messages of a channel in their order, with their numbers, and its members with their read markers. The receipt
 * is complete when the rows end.
 */
export async function* convertChannel(
  channel: SlackChannel,
  target: PlannedChannel,
  context: ChannelContext,
  receipt: ChannelReceipt,
): AsyncGenerator<ArchiveRow> {
  const { ids, people } = context.plan
  const { neededRoots, threads: summaries } = await surveyChannel(context.files, channel, context.survey)
  const matched = new Set(
    Array.from(people.values())
      .filter((one) => one.isMatched)
      .map((one) => one.profileId),
  )
  const needed = new Map(neededRoots.map((root) => [root.at, root]))
  const waitingRoots = [...neededRoots]
  /** The seq of each message that can have replies. */
  const seqs = createTimeIndex()
  const threads = new Map<number, Thread>()
  const mapping: Mapping = {
    personId: (user) => people.get(user)?.profileId ?? null,
    channelId: (id) => context.plan.channels.get(id)?.id ?? null,
    messageId: ids.message,
    site: context.site,
  }
  const pins = new Map(channel.pins.map((pin) => [microsecondsOf(pin.ts), pin]))
  const profileOf = ({ key }: Pick<Author, 'key'>): string =>
    (people.get(key) ?? people.get(unknownAuthor))?.profileId ?? ids.person(unknownAuthor)
  let [seq, rev] = [0, 0]
  const channelTime = timestampOf(Math.min(context.now, channel.createdAt * 1_000_000))
  const createdAt = channelTime ?? timestampOf(context.now)!
  let lastTime = createdAt
  const timeOf = (at: number): string => {
    const time = at > context.now ? null : timestampOf(at)
    if (time === null) receipt.futureTimes++
    else lastTime = time
    return time ?? lastTime
  }

  /** The numbers of a message in the channel and in its thread. */
  function number(at: number, rootAt: number | null, toChannel: boolean): Fields {
    if (rootAt === null) {
      seqs.add(at, ++seq)
      return { seq, thread_root: null, thread_seq: null, history_seq: seq }
    }
    const root = seqs.find(rootAt)!
    const thread = threadOf(rootAt)
    thread.lastAt = Math.max(thread.lastAt, at)
    const ownSeq = toChannel ? ++seq : null
    return {
      seq: ownSeq,
      thread_root: thread.id,
      thread_seq: ++thread.lastThreadSeq,
      history_seq: ownSeq ?? root,
    }
  }

  function threadOf(rootAt: number): Thread {
    const thread = threads.get(rootAt) ?? {
      id: ids.message(channel.id, rootAt),
      lastThreadSeq: 0,
      lastAt: rootAt,
      people: new Set(),
    }
    threads.set(rootAt, thread)
    return thread
  }

  function* messageRows(at: number, author: string, fields: Fields): Generator<ArchiveRow> {
    receipt.written++
    const id = ids.message(channel.id, at)
    const summary = fields['thread_root'] === null ? summaries.get(at) : undefined
    const row = {
      ...emptyMessage,
      ...fields,
      ...(summary === undefined ? {} : summaryColumns(summary)),
      id,
      channel_id: target.id,
      rev: ++rev,
      author_id: author,
    }
    yield { table: 'messages', row }
  }

  function summaryColumns({ lastThreadSeq, replies, people: authors, lastAt }: ThreadSummary): Fields {
    const profiles = authors.map((key) => profileOf({ key }))
    return {
      last_thread_seq: lastThreadSeq,
      reply_count: replies,
      reply_people: [...new Set(profiles)],
      last_reply_at: lastAt === null ? null : timestampOf(Math.min(lastAt, context.now)),
    }
  }

  function* deletedRows(
    at: number,
    author: string,
    rootAt: number | null,
    toChannel: boolean,
  ): Generator<ArchiveRow> {
    const time = timeOf(at)
    const numbers = number(at, rootAt, toChannel)
    yield* messageRows(at, author, { ...numbers, created_at: time, deleted_at: time })
  }

  function* createRootsBefore(at: number): Generator<ArchiveRow> {
    while ((waitingRoots[0]?.at ?? Number.POSITIVE_INFINITY) < at) {
      const root = waitingRoots.shift()!
      receipt.createdRoots++
      yield* deletedRows(root.at, profileOf({ key: root.author }), null, true)
    }
  }

  async function* convertMessage({ at, fields }: SlackMessage): AsyncGenerator<ArchiveRow> {
    const isRoot = needed.has(at) || hasReplies(fields)
    const classified = classifyMessage(fields, isRoot)
    const rootAt = needed.has(at) ? null : rootTimeOf(fields)
    if (classified.kind === 'skipped') {
      increment(skipped, classified.reason)
      return
    }
    const author = profileOf(authorOf(fields))
    const toChannel = rootAt === null || isBroadcast(fields)
    if (classified.kind === 'deleted') {
      yield* deletedRows(at, author, rootAt, toChannel)
      return
    }
    const writtenAt = timeOf(at)
    if (classified.kind === 'system') {
      const numbers = { seq: ++seq, thread_root: null, thread_seq: null, history_seq: seq }
      const note = { kind: 'system', ...numbers, system: classified.note, created_at: writtenAt }
      yield* messageRows(at, author, note)
      return
    }
    const id = ids.message(channel.id, at)
    const { attached, lines } = await storeFiles(fields)
    const text = convertText(withoutNotice(fields), mapping, lines)
    if (text.whole !== null) receipt.longTexts++
    if (text.whole !== null && attached.length < maxMessageFiles)
      attached.unshift(await storeWhole(text.whole, at))
    const isEmpty = text.body === '' && attached.length === 0
    if (isEmpty) receipt.emptyTexts++
    const editedAt = microsecondsOf((fields['edited'] as Fields | undefined)?.['ts'])
    const numbers = number(at, rootAt, toChannel)
    const isInThread = rootAt !== null || summaries.has(at)
    if (isInThread && matched.has(author)) threadOf(rootAt ?? at).people.add(author)
    yield* messageRows(at, author, {
      ...numbers,
      body: isEmpty ? '…' : text.body,
      extras: text.extras,
      created_at: writtenAt,
      edited_at: editedAt === null || editedAt > context.now ? null : timestampOf(editedAt),
    })
    for (const [position, row] of attached.entries())
      yield { table: 'attachments', row: { message_id: id, ...row, position } }
    for (const mention of mentionsOf(text.body))
      if (/^[\da-f]{8}-/.test(mention) && mention !== author)
        yield {
          table: 'mentions',
          row: {
            message_id: id,
            channel_id: target.id,
            kind: 'person',
            profile_id: mention,
            author_id: author,
            seq: numbers['seq'],
            thread_root: numbers['thread_root'],
            thread_seq: numbers['thread_seq'],
          },
        }
    yield* convertReactions(fields, id, writtenAt)
    const pin = pins.get(at)
    if (pin !== undefined || isPinned(fields, channel.id)) {
      const pinnedAt = pin === undefined ? null : timestampOf(pin.at * 1_000_000)
      const pinnedBy = people.get(pin?.user ?? '')?.profileId ?? author
      const row = {
        message_id: id,
        channel_id: target.id,
        pinned_by: pinnedBy,
        pinned_at: pinnedAt ?? writtenAt,
      }
      yield { table: 'pins', row }
    }
  }

  function* convertReactions(fields: Fields, id: string, writtenAt: string): Generator<ArchiveRow> {
    const known = new Set<string>()
    for (const reaction of objectsOf(fields['reactions'], maxReactions)) {
      const emoji = reactionKey(textOf(reaction['name']))
      const users = Array.isArray(reaction['users']) ? reaction['users'].slice(0, maxReactingPeople) : []
      for (const user of users) {
        const profile = typeof user === 'string' ? people.get(user)?.profileId : undefined
        if (emoji === null || profile === undefined || known.has(`${emoji} ${profile}`)) continue
        known.add(`${emoji} ${profile}`)
        if (emoji.startsWith(':')) context.onCustomEmoji(emoji)
        yield {
          table: 'reactions',
          row: { message_id: id, emoji, profile_id: profile, created_at: writtenAt },
        }
      }
    }
  }

  /** The members of the workspace have read everything, and follow the threads in which they have written lately. */
  function* convertReaders(): Generator<ArchiveRow> {
    const isConversation = target.name === null
    const isOld = (lastAt: number): boolean => lastAt < context.now - followedTime
    const creator = people.get(channel.creator)?.profileId
    for (const member of target.members) {
      const role = !isConversation && member === creator ? 'admin' : 'member'
      yield {
        table: 'channel_members',
        row: { channel_id: target.id, profile_id: member, role, history_from_seq: 1, created_at: createdAt },
      }
    }
    for (const member of target.members) {
      if (!matched.has(member)) continue
      yield {
        table: 'channel_member_state',
        row: {
          channel_id: target.id,
          profile_id: member,
          last_read_seq: seq,
          read_version: 1,
          notify: isConversation ? 'all' : 'default',
          hidden: isConversation && isOld(seqs.lastAt() ?? Number.NEGATIVE_INFINITY),
        },
      }
    }
    const members = new Set(target.members)
    for (const thread of threads.values()) {
      if (isOld(thread.lastAt)) continue
      for (const person of thread.people)
        if (members.has(person))
          yield {
            table: 'thread_members',
            row: {
              root_id: thread.id,
              profile_id: person,
              follows: true,
              last_read_thread_seq: thread.lastThreadSeq,
              read_version: 1,
            },
          }
    }
  }

  /** Rows of the files that can be imported, and lines for the others. */
  async function storeFiles(fields: Fields): Promise<{ attached: Fields[]; lines: string[] }> {
    const attached: Fields[] = []
    const lines: string[] = []
    for (const file of filesOf(fields, context.survey.folders)) {
      const uploadId = ids.upload(channel.id, file.id)
      const isExternal = file.source.kind === 'external'
      const stored: StoredFile = isExternal
        ? { problem: '' }
        : attached.length < maxMessageFiles
          ? await context.storeFile(target.id, uploadId, file)
          : { problem: 'more than 10 files in a message' }
      if ('size' in stored) {
        const { name, type, width, height } = file
        const place = { upload_id: uploadId, upload_channel_id: target.id }
        attached.push({ ...place, name, type, size: stored.size, width, height, thumb: false })
        receipt.files++
        continue
      }
      lines.push(fileLine(file.name, file.address))
      if (isExternal) continue
      receipt.missingFileCount++
      if (receipt.missingFiles.length < maxMissingFiles)
        receipt.missingFiles.push({ file: file.id, name: file.name, reason: stored.problem })
    }
    return { attached, lines }
  }

  async function storeWhole(whole: string, at: number): Promise<Fields> {
    const uploadId = ids.upload(channel.id, `text/${at}`)
    const size = await context.storeText(target.id, uploadId, whole)
    const place = { upload_id: uploadId, upload_channel_id: target.id }
    return {
      ...place,
      name: 'message.md',
      type: 'text/markdown',
      size,
      width: null,
      height: null,
      thumb: false,
    }
  }

  const skipped = new Map<string, number>()
  const onSkipped = (reason: string): void => {
    receipt.read++
    increment(skipped, reason)
  }
  for await (const message of readMessages(context.files, channel, onSkipped)) {
    receipt.read++
    if (waitingRoots[0]?.at === message.at) waitingRoots.shift()
    yield* createRootsBefore(message.at)
    // A message that came late is there already, as the created root of its replies.
    if (needed.has(message.at) && seqs.find(message.at) !== undefined) increment(skipped, 'out of order')
    else yield* convertMessage(message)
  }
  receipt.skipped = Object.fromEntries(skipped)
  yield* convertReaders()
  // The last row of the channel. planImport recognises by its meta_rev that the channel is complete.
  yield {
    table: 'channel_counters',
    row: { channel_id: target.id, last_seq: seq, rev: rev + 1, meta_rev: rev + 1, last_at: lastTime },
  }
}

/** Before 2018, Slack wrote a sentence for a file, with the comment of its author beside it. */
function withoutNotice(fields: Fields): Fields {
  if (!/^<@\w+(?:\|[^>]*)?> (?:uploaded|shared) a file:/.test(textOf(fields['text']))) return fields
  const comment = (fields['file'] as Fields | undefined)?.['initial_comment'] as Fields | undefined
  return { ...fields, text: textOf(comment?.['comment']) }
}

function isPinned(fields: Fields, channel: string): boolean {
  return Array.isArray(fields['pinned_to']) && fields['pinned_to'].includes(channel)
}
