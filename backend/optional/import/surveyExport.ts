import { textOf } from '../../../supabase/functions/_shared/payloadFields.ts'
import { authorOf, classifyMessage, hasReplies, rootTimeOf } from './slack/classifyMessage.ts'
import type { ExportFiles } from './openExport.ts'
import { isSlackId, readLists, type SlackChannel, type SlackLists } from './slack/readLists.ts'
import { createTimeIndex, readMessages } from './slack/readMessages.ts'
import { findStoredFiles, filesOf } from './slack/slackFiles.ts'
import { ExportError } from './ExportError.ts'

/** The first message of a thread that the export lacks, or has only as a notice. */
export interface NeededRoot {
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
  channel: SlackChannel
  /** Entries of the day files. */
  read: number
  messages: number
  notices: number
  deleted: number
  /** Ordered by their times. */
  neededRoots: NeededRoot[]
  linkedFiles: number
  huddles: number
  /** The time of the last message in microseconds. */
  lastAt: number | null
}

/** What an export contains. */
export interface Survey extends SlackLists {
  /** The stored files of slackdump by their ids. */
  folders: ReadonlyMap<string, string>
  /** Authors whom the list of people does not have, with the name that their messages have. */
  otherAuthors: Map<string, string>
  surveys: ChannelSurvey[]
}

/** The key of the author of a message that names none. */
export const unknownAuthor = 'bot//'

/** Of people outside the list, such as names that a bot has used. */
const maxOtherAuthors = 50_000

/** Reads a whole export without writing anything. Throws ExportError. */
export async function surveyExport(files: ExportFiles): Promise<Survey> {
  const lists = await readLists(files)
  const folders = findStoredFiles(files)
  const otherAuthors = new Map<string, string>()
  const surveys: ChannelSurvey[] = []
  const context = { users: lists.users, folders, otherAuthors }
  for (const channel of lists.channels) {
    const { threads: _, ...survey } = await surveyChannel(files, channel, context)
    surveys.push(survey)
  }
  return { ...lists, folders, otherAuthors, surveys }
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
 * @param context.otherAuthors the authors of the channel that `users` does not have are added
 */
export async function surveyChannel(
  files: ExportFiles,
  channel: SlackChannel,
  { users, folders, otherAuthors }: Pick<Survey, 'users' | 'folders' | 'otherAuthors'>,
): Promise<ChannelSurvey & { threads: Map<number, ThreadSummary> }> {
  const threads = new Map<number, ThreadSummary>()
  const survey: ChannelSurvey = {
    channel,
    read: 0,
    messages: 0,
    notices: 0,
    deleted: 0,
    neededRoots: [],
    linkedFiles: 0,
    huddles: 0,
    lastAt: null,
  }
  const roots = createTimeIndex()
  const notices = createTimeIndex()
  const needed = new Set<number>()
  const addAuthor = (key: string, name: string): void => {
    if (users.has(key) || (otherAuthors.get(key) ?? '') !== '') return
    otherAuthors.set(key, name)
    if (otherAuthors.size > maxOtherAuthors)
      throw new ExportError(`The export has more than ${maxOtherAuthors} authors outside of users.json.`)
  }
  const onSkipped = (): void => void survey.read++
  for await (const { at, fields } of readMessages(files, channel, onSkipped)) {
    survey.read++
    if (needed.has(at)) continue
    const classified = classifyMessage(fields, hasReplies(fields))
    if (classified.kind === 'skipped') continue
    const author = authorOf(fields)
    addAuthor(author.key, author.name)
    if (classified.kind === 'system') {
      survey.notices++
      notices.add(at, 1)
      continue
    }
    survey.lastAt = at
    const rootAt = rootTimeOf(fields)
    if (rootAt === null) roots.add(at, 1)
    else {
      if (roots.find(rootAt) === undefined) {
        const rootAuthor = textOf(fields['parent_user_id'])
        const key = isSlackId(rootAuthor) ? rootAuthor : unknownAuthor
        survey.neededRoots.push({ at: rootAt, author: key })
        needed.add(rootAt)
        // A notice becomes a text.
        if (notices.find(rootAt) === undefined) addAuthor(key, '')
        else survey.notices--
        roots.add(rootAt, 1)
      }
      addReply(threads, rootAt, at, classified.kind === 'deleted' ? null : author.key)
    }
    if (classified.kind === 'deleted') survey.deleted++
    else survey.messages++
    if (textOf(fields['subtype']) === 'huddle_thread') survey.huddles++
    for (const { source } of filesOf(fields, folders)) if (source.kind === 'linked') survey.linkedFiles++
  }
  survey.neededRoots.sort((a, b) => a.at - b.at)
  return { ...survey, threads }
}

/** @param author null for a deleted reply */
function addReply(
  threads: Map<number, ThreadSummary>,
  rootAt: number,
  at: number,
  author: string | null,
): void {
  const thread = threads.get(rootAt) ?? { lastThreadSeq: 0, replies: 0, people: [], lastAt: null }
  threads.set(rootAt, thread)
  thread.lastThreadSeq++
  if (author === null) return
  thread.replies++
  thread.lastAt = at
  if (thread.people[0] !== author)
    thread.people = [author, ...thread.people.filter((other) => other !== author)].slice(0, 3)
}
