import type { Fields } from '../../../supabase/functions/_shared/payloadFields.ts'
import { plainText } from '../../../supabase/functions/_shared/slackMarkdown.ts'
import { mentionsOf } from '../../../wire/body/mentionsOf.ts'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import type {
  ExportedChannel,
  ExportedContent,
  ExportedFile,
  ExportedMessage,
  ExportReader,
  Mapping,
} from './ExportReader.ts'
import type { Plan, PlannedChannel } from './planImport.ts'
import {
  increment,
  surveyChannel,
  unknownAuthor,
  type NeededRoot,
  type Survey,
  type ThreadSummary,
} from './surveyExport.ts'
import { timestampOf } from './timestampOf.ts'

/** The bytes of a file, as far as they can be imported. */
export type StoredFile = { size: number } | { problem: string }

/** What the conversion of a channel counts besides its rows. */
export interface ChannelReceipt {
  channel: string
  name: string
  kind: ExportedChannel['kind']
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
  reader: ExportReader
  survey: Survey
  plan: Plan
  site: string
  /** Now, in microseconds: no message is dated later. */
  now: number
  /** Stores a file of the channel under the id of an upload. */
  storeFile(channelId: string, uploadId: string, file: ExportedFile): Promise<StoredFile>
  /** Stores a text as a file. Returns its size. */
  storeText(channelId: string, uploadId: string, text: string): Promise<number>
  /** Waits until the files are stored. */
  finishFiles(): Promise<void>
  /** Called for each message that is converted. */
  onMessage?(): void
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

/** The position of a message in its channel and in its thread. */
interface MessageNumbers {
  seq: number | null
  thread_root: string | null
  thread_seq: number | null
  history_seq: number
}

/** The columns of a message that its content decides. */
interface MessageFields extends MessageNumbers {
  kind?: string
  body?: string
  system?: unknown
  extras?: unknown
  created_at: string
  edited_at?: string | null
  deleted_at?: string
}

/** A thread whose first message has been converted. */
interface Thread {
  id: string
  /** The seq of its first message. */
  rootSeq: number
  lastThreadSeq: number
  lastAt: number
  /** Members of the workspace who have written in it. */
  people: Set<string>
}

/**
 * The rows of the messages of a channel in their order, with their numbers, and its members with their read markers. The receipt
 * is complete when the rows end. The rows of a message come together: each step of an asynchronous generator takes as long as the
 * conversion of a row.
 */
export async function* convertChannel(
  channel: ExportedChannel,
  target: PlannedChannel,
  context: ChannelContext,
  receipt: ChannelReceipt,
): AsyncGenerator<ArchiveRow[]> {
  const { reader, survey } = context
  const { ids, people, matched } = context.plan
  const {
    firstAt,
    lastAt,
    neededRoots,
    threads: summaries,
  } = await surveyChannel(reader, channel, { ...survey, otherAuthors: new Map() })
  const needed = new Map(neededRoots.map((root) => [root.key, root]))
  const waitingRoots = [...neededRoots]
  const threads = new Map<string, Thread>()
  const mapping: Mapping = {
    personId: (person) => people.get(person)?.profileId ?? null,
    channelId: (key) => context.plan.channels.get(key)?.id ?? null,
    messageId: ids.message,
    site: context.site,
  }
  const profileOf = (author: string): string =>
    (people.get(author) ?? people.get(unknownAuthor))?.profileId ?? ids.person(unknownAuthor)
  let [seq, rev] = [0, 0]
  const createdAt =
    timestampOf(Math.min(context.now, channel.createdAt || (firstAt ?? context.now))) ??
    timestampOf(context.now)!
  let lastTime = createdAt
  const timeOf = (at: number): string => {
    const time = at > context.now ? null : timestampOf(at)
    if (time === null) receipt.futureTimes++
    else lastTime = time
    return time ?? lastTime
  }

  /** The numbers of a message in the channel and in its thread. */
  function number({ key, id, at, root, isInChannel }: Place): MessageNumbers {
    if (root === null) {
      seq++
      if (summaries.has(key))
        threads.set(key, {
          id,
          rootSeq: seq,
          lastThreadSeq: 0,
          lastAt: at,
          people: new Set(),
        })
      return { seq, thread_root: null, thread_seq: null, history_seq: seq }
    }
    const thread = threads.get(root)!
    thread.lastAt = Math.max(thread.lastAt, at)
    const ownSeq = isInChannel ? ++seq : null
    return {
      seq: ownSeq,
      thread_root: thread.id,
      thread_seq: ++thread.lastThreadSeq,
      history_seq: ownSeq ?? thread.rootSeq,
    }
  }

  function messageRow(key: string, id: string, author: string, fields: MessageFields): ArchiveRow {
    receipt.written++
    const summary = fields.thread_root === null ? summaries.get(key) : undefined
    // All rows have the same columns, so that the import writes a reply together with the first message of its thread.
    // One literal, because copying the properties of several objects is slow.
    const row: Fields = {
      kind: fields.kind ?? 'text',
      seq: fields.seq,
      thread_root: fields.thread_root,
      thread_seq: fields.thread_seq,
      history_seq: fields.history_seq,
      last_thread_seq: 0,
      reply_count: 0,
      reply_people: [],
      last_reply_at: null,
      body: fields.body ?? '',
      system: fields.system ?? null,
      extras: fields.extras ?? null,
      created_at: fields.created_at,
      edited_at: fields.edited_at ?? null,
      deleted_at: fields.deleted_at ?? null,
      id,
      channel_id: target.id,
      rev: ++rev,
      author_id: author,
    }
    if (summary !== undefined) Object.assign(row, summaryColumns(summary))
    return { table: 'messages', row }
  }

  function summaryColumns({ lastThreadSeq, replies, people: authors, lastAt: at }: ThreadSummary): Fields {
    return {
      last_thread_seq: lastThreadSeq,
      reply_count: replies,
      reply_people: Array.from(new Set(authors.map(profileOf))),
      last_reply_at: at === null ? null : timestampOf(Math.min(at, context.now)),
    }
  }

  function deletedRow(place: Place, author: string): ArchiveRow {
    const time = timeOf(place.at)
    const numbers = number(place)
    return messageRow(place.key, place.id, author, { ...numbers, created_at: time, deleted_at: time })
  }

  /** Creates a first message of a thread that the export lacks. */
  function createRoot({ key, at, author }: NeededRoot, rows: ArchiveRow[]): void {
    if (threads.has(key)) return
    receipt.createdRoots++
    const place: Place = { key, id: ids.message(channel.key, key), at, root: null, isInChannel: true }
    rows.push(deletedRow(place, profileOf(author)))
  }

  function createRootsBefore({ at, root }: ExportedMessage, rows: ArchiveRow[]): void {
    while ((waitingRoots[0]?.at ?? Number.POSITIVE_INFINITY) < at) createRoot(waitingRoots.shift()!, rows)
    const own = root === null ? undefined : needed.get(root.key)
    if (own !== undefined) createRoot(own, rows)
  }

  async function convertMessage(message: ExportedMessage, rows: ArchiveRow[]): Promise<void> {
    const { key, at, editedAt, pin } = message
    const isRoot = needed.has(key)
    const content: ExportedContent = (isRoot ? message.contentAsRoot : undefined) ?? message.content
    if (content.kind === 'skipped') {
      increment(skipped, content.reason)
      return
    }
    const author = profileOf(message.author.key)
    const root = isRoot ? null : (message.root?.key ?? null)
    const id = ids.message(channel.key, key)
    const place: Place = { key, id, at, root, isInChannel: root === null || message.isInChannel }
    // A notice has no thread.
    if (content.kind === 'deleted' || (content.kind === 'system' && isRoot)) {
      rows.push(deletedRow(place, author))
      return
    }
    const writtenAt = timeOf(at)
    if (content.kind === 'system') {
      const numbers = number({ ...place, root: null })
      rows.push(
        messageRow(key, id, author, {
          kind: 'system',
          ...numbers,
          system: content.note,
          created_at: writtenAt,
        }),
      )
      return
    }
    const { attached, lines } = await storeFiles(message.files)
    const text = reader.convertText(content.fields, mapping, lines)
    if (text.whole !== null) receipt.longTexts++
    if (text.whole !== null && attached.length < maxMessageFiles)
      attached.unshift(await storeWhole(text.whole, key))
    const isEmpty = text.body === '' && attached.length === 0
    if (isEmpty) receipt.emptyTexts++
    const numbers = number(place)
    if (matched.has(author)) threads.get(root ?? key)?.people.add(author)
    const row = messageRow(key, id, author, {
      ...numbers,
      body: isEmpty ? '…' : text.body,
      extras: text.extras,
      created_at: writtenAt,
      edited_at: editedAt === null || editedAt > context.now ? null : timestampOf(editedAt),
    })
    rows.push(row)
    for (const [position, file] of attached.entries())
      rows.push({ table: 'attachments', row: { message_id: id, ...file, position } })
    for (const mention of mentionsOf(text.body))
      if (/^[\da-f]{8}-/.test(mention) && mention !== author)
        rows.push({
          table: 'mentions',
          row: {
            message_id: id,
            channel_id: target.id,
            kind: 'person',
            profile_id: mention,
            author_id: author,
            seq: numbers.seq,
            thread_root: numbers.thread_root,
            thread_seq: numbers.thread_seq,
          },
        })
    rows.push(...convertReactions(message.reactions, id, writtenAt))
    if (pin !== null) {
      const pinnedAt = pin.at === null ? null : timestampOf(pin.at)
      const pinnedBy = people.get(pin.by ?? '')?.profileId ?? author
      const row = {
        message_id: id,
        channel_id: target.id,
        pinned_by: pinnedBy,
        pinned_at: pinnedAt ?? writtenAt,
      }
      rows.push({ table: 'pins', row })
    }
  }

  function* convertReactions(
    reactions: ExportedMessage['reactions'],
    id: string,
    writtenAt: string,
  ): Generator<ArchiveRow> {
    const known = new Set<string>()
    for (const { emoji, people: reacting } of reactions.slice(0, maxReactions)) {
      for (const person of reacting.slice(0, maxReactingPeople)) {
        const profile = people.get(person)?.profileId
        if (profile === undefined || known.has(`${emoji} ${profile}`)) continue
        known.add(`${emoji} ${profile}`)
        if (emoji.startsWith(':')) context.onCustomEmoji(emoji)
        yield {
          table: 'reactions',
          row: { message_id: id, emoji, profile_id: profile, created_at: writtenAt },
        }
      }
    }
  }

  /** The profiles that cannot read older messages, by the first time that they can read. */
  const waitingReaders = target.kind === 'private' ? listReaders(channel, people) : []
  const historyFrom = new Map<string, number>()
  /** Called before a message gets its number. */
  function setHistoryStarts(at: number): void {
    while ((waitingReaders[0]?.at ?? Number.POSITIVE_INFINITY) <= at)
      historyFrom.set(waitingReaders.shift()!.profileId, seq + 1)
  }

  /** The members of the workspace have read everything, and follow the threads in which they have written lately. */
  function* convertReaders(): Generator<ArchiveRow> {
    const isConversation = target.name === null
    const isOld = (at: number): boolean => at < context.now - followedTime
    const creator = people.get(channel.creator)?.profileId
    for (const { profileId } of waitingReaders) historyFrom.set(profileId, seq + 1)
    for (const member of target.members) {
      const historyStart = historyFrom.get(member) ?? 1
      const role = !isConversation && member === creator ? 'admin' : 'member'
      yield {
        table: 'channel_members',
        row: {
          channel_id: target.id,
          profile_id: member,
          role,
          history_from_seq: historyStart,
          created_at: createdAt,
        },
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
          hidden: isConversation && isOld(lastAt ?? Number.NEGATIVE_INFINITY),
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
  async function storeFiles(
    files: readonly ExportedFile[],
  ): Promise<{ attached: Fields[]; lines: string[] }> {
    const attached: Fields[] = []
    const lines: string[] = []
    for (const file of files) {
      const uploadId = ids.upload(channel.key, file.key)
      const isExternal = file.source.kind === 'external'
      const stored: StoredFile = isExternal
        ? { problem: '' }
        : attached.length < maxMessageFiles
          ? await context.storeFile(target.id, uploadId, file)
          : { problem: 'more than 10 files in a message' }
      if ('size' in stored) {
        const { name, type, width, height } = file
        const upload = { upload_id: uploadId, upload_channel_id: target.id }
        attached.push({ ...upload, name, type, size: stored.size, width, height, thumb: false })
        receipt.files++
        continue
      }
      lines.push(fileLine(file))
      if (isExternal) continue
      receipt.missingFileCount++
      if (receipt.missingFiles.length < maxMissingFiles)
        receipt.missingFiles.push({ file: file.key, name: file.name, reason: stored.problem })
    }
    return { attached, lines }
  }

  async function storeWhole(whole: string, key: string): Promise<Fields> {
    const uploadId = ids.upload(channel.key, `text/${key}`)
    const size = await context.storeText(target.id, uploadId, whole)
    const upload = { upload_id: uploadId, upload_channel_id: target.id }
    return {
      ...upload,
      name: 'message.md',
      type: 'text/markdown',
      size,
      width: null,
      height: null,
      thumb: false,
    }
  }

  const skipped = new Map(survey.skipped.get(channel.key))
  receipt.read = Array.from(skipped.values()).reduce((sum, count) => sum + count, 0)
  const onDuplicate = (): void => {
    receipt.read++
    increment(skipped, 'duplicate')
  }
  for await (const message of survey.messages.read(channel.key, onDuplicate)) {
    receipt.read++
    context.onMessage?.()
    // It is there already: its replies have an earlier time.
    if (needed.has(message.key) && threads.has(message.key)) {
      increment(skipped, 'later than its replies')
      continue
    }
    const rows: ArchiveRow[] = []
    createRootsBefore(message, rows)
    setHistoryStarts(message.at)
    await convertMessage(message, rows)
    yield rows
  }
  receipt.skipped = Object.fromEntries(skipped)
  yield [...convertReaders()]
  await context.finishFiles()
  // The last row of the channel. planImport recognises by its meta_rev that the channel is complete.
  yield [
    {
      table: 'channel_counters',
      row: { channel_id: target.id, last_seq: seq, rev: rev + 1, meta_rev: rev + 1, last_at: lastTime },
    },
  ]
}

/** People whose messages become the messages of one profile can read what any of them can read. */
function listReaders(
  { members, historyFrom }: ExportedChannel,
  people: Plan['people'],
): { profileId: string; at: number }[] {
  if (historyFrom === undefined) return []
  const times = new Map<string, number>()
  for (const member of members) {
    const profileId = people.get(member)?.profileId
    const at = historyFrom.get(member) ?? Number.NEGATIVE_INFINITY
    if (profileId !== undefined) times.set(profileId, Math.min(at, times.get(profileId) ?? at))
  }
  return Array.from(times, ([profileId, at]) => ({ profileId, at })).sort((a, b) => a.at - b.at)
}

interface Place {
  key: string
  id: string
  /** In microseconds. */
  at: number
  /** The key of the first message of its thread; null if it is not a reply. */
  root: string | null
  isInChannel: boolean
}

/** A line for a file that is not imported: its name, as a link to where it was. */
function fileLine({ name, address }: ExportedFile): string {
  return `📎 ${address === '' ? plainText(name) : `[${plainText(name)}](<${address}>)`}`
}
