import type { Attachment } from './files.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/** A message of a channel on the web: without ids of people or messages. */
export interface WebMessage {
  /** Counted from when the channel was put on the web; of a reply within its thread. Deleted ones leave gaps. */
  number: number
  author: string
  at: Timestamp
  edited?: true
  /** As in `Message`, except ids of mentions: they are positions in `people` and `channels` of the page (webMentionPosition). */
  body: string
  replies?: number
  /** The number of files that the page does not show. */
  files?: number
  /** Files that anyone can download: their bytes are at `files/<channel>/<id>/file`, a thumbnail at `…/thumb`. */
  attachments?: Attachment[]
  /** What it carries besides its text, and is not on the page. */
  carries?: ('forward' | 'poll' | 'quote')[]
  /** 20 at most. */
  reactions?: { emoji: string; count: number }[]
}

export interface WebChannelPage {
  workspace: string
  name: string
  topic: string
  /** When the channel was put on the web, if the page begins there; null: it shows the whole history. */
  since: Timestamp | null
  /** Whether the page shows files. Files of messages before this choice stay hidden. */
  files: boolean
  /** The message whose replies the page has. */
  thread: WebMessage | null
  /** Ascending by number, 30 at most. */
  messages: WebMessage[]
  /** Names of the people who have written a message of this page; others are not named in mentions. */
  people: string[]
  /** Other channels on the web that messages of this page link to. */
  channels: { id: Uuid; name: string }[]
  has_before: boolean
  has_after: boolean
}

/** The index in `people` or `channels` to which the id of a mention refers; -1: to nobody who is named. */
export function webMentionPosition(id: Uuid): number {
  return Number(id.slice(24)) - 1
}
