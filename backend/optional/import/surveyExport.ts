import { ExportError } from './ExportError.ts'
import type { ExportedChannel, ExportReader } from './ExportReader.ts'
import { spoolMessages, type MessageSpool } from './spoolMessages.ts'

/** The first message of a thread that the export lacks, or has only as a notice. */
export interface NeededRoot {
  key: string
  /** Its time in microseconds. */
  at: number
  /** The key of its author. */
  author: string
}

/** A thread as its first message shows it. */
export interface ThreadSummary {
  lastThreadSeq: number
  /** Replies that are not deleted. */
  replies: number
  /** The keys of the last three authors, the latest first. */
  people: string[]
  /** The time of the last reply that is not deleted, in microseconds; null if there is none. */
  lastAt: number | null
}

export interface ChannelSurvey {
  channel: ExportedChannel
  /** Entries of the export. */
  read: number
  messages: number
  notices: number
  deleted: number
  /** Ordered by their times. */
  neededRoots: NeededRoot[]
  linkedFiles: number
  /** The bytes of the stored files, and of the files behind links as far as the export has their sizes. Each file counts once. */
  storedBytes: number
  linkedBytes: number
  /** The times of the first and last message in microseconds. */
  firstAt: number | null
  lastAt: number | null
}

/** What an export contains. */
export interface Survey {
  messages: MessageSpool
  /** The keys of the messages of each channel that have replies. */
  rootKeys: Map<string, Set<string>>
  /** The entries of each channel that the reader has left out, by the reason. */
  skipped: Map<string, Map<string, number>>
  /** Authors whom the list of people does not have, with the name that their messages have. */
  otherAuthors: Map<string, string>
  surveys: ChannelSurvey[]
}

/** The key of the author of a message that names none. */
export const unknownAuthor = 'bot//'

/** Of people outside the list, such as names that a bot has used. */
const maxOtherAuthors = 50_000

/**
 * Reads a whole export without writing anything but a temporary file, which `messages` closes. Throws ExportError.
 * @param directory of the temporary file
 * @param onMessages called while the export is read, with the number of messages so far
 */
export async function surveyExport(
  reader: ExportReader,
  directory: string,
  onMessages?: (count: number) => void,
): Promise<Survey> {
  const skipped: Survey['skipped'] = new Map()
  const rootKeys: Survey['rootKeys'] = new Map()
  const known = new Set(reader.channels.map(({ key }) => key))
  async function* counted(): ReturnType<ExportReader['readMessages']> {
    let count = 0
    for await (const message of reader.readMessages(onSkipped)) {
      const { channel, root } = message
      if (!known.has(channel)) continue
      if (root !== null) {
        const keys = rootKeys.get(channel) ?? new Set<string>()
        rootKeys.set(channel, keys.add(root.key))
      }
      yield message
      if (++count % 1_000 === 0) onMessages?.(count)
    }
  }
  const onSkipped = (channel: string, reason: string): void => {
    const reasons = skipped.get(channel) ?? new Map<string, number>()
    skipped.set(channel, reasons)
    increment(reasons, reason)
  }
  const messages = await spoolMessages(counted(), { directory })
  const survey: Survey = { messages, rootKeys, skipped, otherAuthors: new Map(), surveys: [] }
  try {
    for (const channel of reader.channels) {
      const { threads: _, ...found } = await surveyChannel(reader, channel, survey)
      survey.surveys.push(found)
    }
  } catch (error) {
    await messages.close()
    throw error
  }
  return survey
}

/** The number of messages that the workspace has of a channel after the import. */
export const countRows = ({ messages, notices, deleted, neededRoots }: ChannelSurvey): number =>
  messages + notices + deleted + neededRoots.length

export const increment = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/**
 * Reads the messages of a channel. The threads are too many to be stored for all channels: they are counted again when the channel
 * is converted.
 * @param survey.otherAuthors the authors of the channel that `people` does not have are added
 */
export async function surveyChannel(
  { people, sizeOf }: Pick<ExportReader, 'people' | 'sizeOf'>,
  channel: ExportedChannel,
  { messages, rootKeys, skipped, otherAuthors }: Omit<Survey, 'surveys'>,
): Promise<ChannelSurvey & { threads: Map<string, ThreadSummary> }> {
  const threads = new Map<string, ThreadSummary>()
  const survey: ChannelSurvey = {
    channel,
    read: sum(skipped.get(channel.key)),
    messages: 0,
    notices: 0,
    deleted: 0,
    neededRoots: [],
    linkedFiles: 0,
    storedBytes: 0,
    linkedBytes: 0,
    firstAt: null,
    lastAt: null,
  }
  const referenced = rootKeys.get(channel.key) ?? new Set<string>()
  /** Of these, the ones that have been read. */
  const roots = new Set<string>()
  const notices = new Set<string>()
  const needed = new Set<string>()
  const countedFiles = new Set<string>()
  const addAuthor = (key: string, name: string): void => {
    if (people.has(key) || (otherAuthors.get(key) ?? '') !== '') return
    otherAuthors.set(key, name)
    if (otherAuthors.size > maxOtherAuthors)
      throw new ExportError(
        `The export has more than ${maxOtherAuthors} authors outside of its list of people.`,
      )
  }
  for await (const { key, at, author, root, content, files } of messages.read(channel.key, () => {
    survey.read++
  })) {
    survey.read++
    if (needed.has(key) || content.kind === 'skipped') continue
    addAuthor(author.key, author.name)
    if (content.kind === 'system') {
      survey.notices++
      if (referenced.has(key)) notices.add(key)
      continue
    }
    survey.firstAt ??= at
    survey.lastAt = at
    if (root === null) {
      if (referenced.has(key)) roots.add(key)
    } else {
      if (!roots.has(root.key)) {
        const rootAuthor = root.author ?? unknownAuthor
        survey.neededRoots.push({ key: root.key, at: root.at, author: rootAuthor })
        needed.add(root.key)
        // A notice becomes a text.
        if (notices.has(root.key)) survey.notices--
        else addAuthor(rootAuthor, '')
        roots.add(root.key)
      }
      addReply(threads, root.key, at, content.kind === 'deleted' ? null : author.key)
    }
    if (content.kind === 'deleted') survey.deleted++
    else survey.messages++
    for (const { key: file, source, size } of files) {
      if (source.kind === 'linked') survey.linkedFiles++
      if (countedFiles.has(file)) continue
      countedFiles.add(file)
      if (source.kind === 'linked') survey.linkedBytes += size ?? 0
      if (source.kind === 'stored') survey.storedBytes += sizeOf(source.path) ?? 0
    }
  }
  survey.neededRoots.sort((a, b) => a.at - b.at)
  return { ...survey, threads }
}

function sum(counts: ReadonlyMap<string, number> | undefined): number {
  let total = 0
  for (const count of counts?.values() ?? []) total += count
  return total
}

/** @param author null for a deleted reply */
function addReply(
  threads: Map<string, ThreadSummary>,
  root: string,
  at: number,
  author: string | null,
): void {
  const thread = threads.get(root) ?? { lastThreadSeq: 0, replies: 0, people: [], lastAt: null }
  threads.set(root, thread)
  thread.lastThreadSeq++
  if (author === null) return
  thread.replies++
  thread.lastAt = at
  if (thread.people[0] !== author)
    thread.people = [author, ...thread.people.filter((other) => other !== author)].slice(0, 3)
}
