import type { ChannelEntry } from './channels.ts'
import type { FailureName } from './failures.ts'
import type { Attachment } from './files.ts'
import type { Timestamp, Uuid } from './scalars.ts'

export interface Reaction {
  /**
   * An emoji, a vote or a ticked task. `poll:<option>` is a vote, without `people` in an anonymous poll.
   * `task:<hash of its line>` is a ticked task, which anyone may untick.
   */
  emoji: string
  count: number
  /** The first 20 profile ids, in order of reacting. */
  people: Uuid[]
  /** Whether the caller has reacted. Absent in broadcasts, which are the same for every subscriber. */
  mine?: boolean
}

/**
 * A reaction after a change. `count` is 0 if nobody has it any more. `at` is its index in the message's reactions.
 */
export interface ChangedReaction extends Omit<Reaction, 'mine'> {
  at: number
  /** The person who added or removed it. The client derives `mine` from this. */
  by: Uuid
  on: boolean
}

/** What the deletion of a message erases. */
export interface ErasableContent {
  /**
   * Empty when deleted or moved. Mentions are `<@profile-id>`, `<#channel-id>`, `<!channel>`, `<!here>`; A body that
   * begins with "/me " describes what the author does.
   */
  body: string
  pinned_at: Timestamp | null
  attachments: Attachment[]
  /** The contents besides the text; null for most messages. */
  extras: MessageExtras | null
  reactions: Reaction[]
}

/** A message. Its deletion keeps the fields besides `ErasableContent`. */
export interface Message extends ErasableContent {
  id: Uuid
  channel_id: Uuid
  kind: 'text' | 'system'
  /** Null for a reply that was not also sent to the channel. */
  seq: number | null
  thread_root: Uuid | null
  thread_seq: number | null
  /** On a root: the highest `thread_seq` of its thread, and the number of replies that are not deleted. */
  last_thread_seq: number
  reply_count: number
  /** On a root: profile ids of the last people who replied, at most 3, and the time of the last reply. */
  reply_people: Uuid[]
  last_reply_at: Timestamp | null
  /**
   * The own `seq`, or the root's `seq` for a reply without one. It is compared with `history_from_seq`, also by
   * search.
   */
  history_seq: number
  /** The channel's rev at this message's last change. */
  rev: number
  author_id: Uuid
  /** The content of a system message, e.g. `{event: 'joined', profile_id}`; null for text. */
  system: SystemNote | null
  created_at: Timestamp
  edited_at: Timestamp | null
  deleted_at: Timestamp | null
}

/**
 * The contents of a message besides its text, at most one of each kind. The database function `app.<kind>_extra`
 * checks the contents that senders pass. Decision 27.
 */
export interface MessageExtras {
  poll?: Poll | undefined
  /** A quoted message of any channel. Each reader requests its text with their own rights (`messages_by_ids`). */
  quote?: { message_id: Uuid } | undefined
  forward?: { message_id: Uuid } | undefined
  /** The only attachment is a recording. */
  voice?: { duration_ms: number; /** 1 to 128 amplitudes, 0 to 100. */ waveform: number[] }
  /**
   * Previews of at most 3 links, in the order of the links. The server sets them after the message was sent. Decision
   * 38.
   */
  previews?: LinkPreview[] | undefined
  /** The function `incoming-webhook` sets them. */
  cards?: MessageCards | undefined
  /** A name of another service, which pages show as the author in place of the beginning of the body. `end`: in UTF-16 units. */
  sender?: { name: string; end: number } | undefined
  /** An emoji that pages show as the picture of the author. */
  icon?: string | undefined
  /** The incoming webhook that posted the message. */
  webhook?: Uuid | undefined
  /** A hash of what the message of a webhook is about: an alert has another message once it is resolved. */
  event?: string | undefined
  /**
   * `move_thread` sets this. The message was written earlier than `created_at`. A root also has the person who moved
   * it, and its former id.
   */
  moved?: { written_at: Timestamp; by?: Uuid; from?: Uuid } | undefined
  /** The new message after a move to another channel. It is the only extra of an emptied message. */
  moved_to?: { message_id: Uuid; by: Uuid } | undefined
  /** The reason for which an owner or admin removed the message. */
  removed?: { reason: string } | undefined
}

/** The metadata of a linked page. */
export interface LinkPreview {
  id: Uuid
  /** The link, without a fragment. */
  url: string
  /** At most 200 characters. */
  title: string
  /** At most 300; may be empty. */
  description: string
  site: string
  /** The size in pixels of its picture, the object `id` of the bucket `previews`. */
  picture?: { width: number; height: number }
}

/**
 * The cards of a message of another service. The body has their text too, as quotes: pages display the cards in place of it,
 * until the message is edited.
 */
export interface MessageCards {
  /** Where the quotes begin in the body, in UTF-16 units. */
  start: number
  /** At most 20. */
  items: MessageCard[]
}

/** A part of a message of another service. Its texts are Markdown; the texts of its links are not. */
export interface MessageCard {
  color?: CardColor
  author?: string
  title?: string
  text?: string
  /** `short`: beside another one if there is enough space. */
  fields?: { name: string; value: string; short?: true }[]
  footer?: string
  at?: Timestamp
  /** Addresses of web pages or mailboxes. */
  links?: { text: string; url: string }[]
}

export type CardColor = 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'gray'

/** The consequences of moving a thread. */
export interface MovePreview {
  replies: number
  /** The numbers of people who can no longer read it, and who can newly read it. */
  losing: number
  gaining: number
}

/** A poll. The text of the message is its question. Votes are reactions with the key `poll:<index of the option>`. */
export interface Poll {
  /** 2 to 20, at most 200 characters each. */
  options: string[]
  multiple: boolean
  anonymous: boolean
  closes_at: Timestamp | null
}

/** An unsent text of a person for a channel or a thread. A draft without `body` and `quote` is emptied. */
export interface Draft {
  /** The thread's root, or the channel. */
  id: Uuid
  channel_id: Uuid
  thread_root: Uuid | null
  /** Text as typed: mentions are names. */
  body: string
  /** The message that is quoted. */
  quote: Uuid | null
  /** Orders the changes of a draft. */
  rev: number
  /** Id of the last change: the save, or the message that was sent. */
  change_id: Uuid
  changed_at: Timestamp
}

/** A message that a person has saved for later, without its text. `id` is the message's. */
export interface SavedMessage {
  id: Uuid
  channel_id: Uuid
  state: 'saved' | 'done'
  saved_at: Timestamp
  /** Orders the changes of the row. */
  rev: number
}

/** What the author of a message passes, whether it is sent now (`send_message`) or later (`schedule_message`). */
export interface SentContent {
  /** As in a stored message. */
  body: string
  thread_root?: Uuid | null
  also_to_channel?: boolean
  /** Uploads of the caller in this channel; at most 10. */
  attachments?: Omit<Attachment, 'size' | 'type'>[]
}

/** A message that the server sends at a time, as its author sees it. */
export interface ScheduledMessage extends Required<Omit<SentContent, 'attachments'>> {
  /** The id of the future message. */
  id: Uuid
  channel_id: Uuid
  /** The message that is quoted. */
  quote: Uuid | null
  send_at: Timestamp
  /** Its files; absent if it has none. */
  files?: Attachment[]
  /** The reason why it could not be sent at its time; null while it waits. */
  problem: FailureName | 'server_error' | null
  /** Orders the changes of the row. */
  rev: number
}

export type ReminderRepeat = 'daily' | 'weekdays' | 'weekly' | 'monthly'

/** A reminder of a text, a message or both at a time. */
export interface Reminder {
  id: Uuid
  /** At most 500 characters. */
  text: string
  message_id: Uuid | null
  channel_id: Uuid | null
  /** The next time. A reminder that is not repeated keeps its time after it has passed. */
  due_at: Timestamp
  /** The time zone whose clock repeats it. */
  time_zone: string
  repeats: ReminderRepeat | null
  /** The time at which it became due, until it is completed; otherwise null. */
  reminded_at: Timestamp | null
  /** Orders the changes of the row. */
  rev: number
}

/** A search that a person has saved under a name; at most 50 in a workspace. */
export interface SavedSearch {
  id: Uuid
  /** 1–80 characters. */
  name: string
  /** As typed, 1–500 characters. */
  query: string
  /** Orders the changes of the row. */
  rev: number
}

export type SystemNote =
  | { event: 'created' | 'joined' | 'left' }
  | { event: 'added' | 'removed'; profile_id: Uuid }
  | { event: 'renamed'; name: string }
  | { event: 'topic'; topic: string }
  | { event: 'description'; description: string }
  | { event: 'visibility'; kind: 'public' | 'private' }
  | { event: 'posting'; posting: 'everyone' | 'admins' }
  | { event: 'archived' | 'unarchived' }
  | { event: 'published'; history?: true; files?: true }
  | { event: 'unpublished' | 'web_files_shown' | 'web_files_hidden' }

/** Messages of a timeline, ascending by `seq`. */
export interface ChannelPage {
  channel_id: Uuid
  messages: Message[]
  has_before: boolean
  has_after: boolean
  epoch: number
  rev: number
}

/** A change of a channel: its `rev` and its `change_id`. */
export type KnownChange = readonly [rev: number, id: number]

export type ChannelChanges =
  | {
      channel_id: Uuid
      reset: false
      /** `after_rev`, or the latest `known` change before it that the server has. */
      after: number
      /** Complete messages that changed after `after`, ascending by rev. */
      messages: Message[]
      /** Null unless the channel itself changed after `after`. */
      entry: ChannelEntry | null
      epoch: number
      rev: number
      change_id?: number
    }
  /**
   * Too much changed for one response, or the server has none of the client's known changes. The client fetches pages
   * again.
   */
  | { channel_id: Uuid; reset: true; entry: ChannelEntry; epoch: number; rev: number; change_id?: number }

/** Filters of `search_messages`. Lists have at most 10 entries; an empty list is no filter. */
export interface SearchFilters {
  /** Written by one of these people. */
  from?: Uuid[]
  /** In one of these channels. */
  in?: Uuid[]
  /** In direct and group conversations with all of these people. */
  with?: Uuid[]
  /** Sent before this time, or at `after` and later: ISO 8601 with a zone. */
  before?: Timestamp
  after?: Timestamp
  /** All of these. */
  has?: SearchContent[]
  is?: ('thread' | 'pinned' | 'saved')[]
  /** Mentions one of these people or groups. */
  mentions?: Uuid[]
  /** Mentions the caller, a group of theirs, or everyone, in a message of somebody else. */
  mentions_me?: boolean
  /** None of these: authors, channels, contents, states. */
  not?: Pick<SearchFilters, 'from' | 'in' | 'has'> & { is?: ('thread' | 'pinned')[] }
  /** `relevance`: among the newest 1,000 hits. `newest` by default. */
  order?: 'newest' | 'relevance'
}

export type SearchContent = 'file' | 'link' | 'image' | 'reaction' | 'code' | 'poll'

/** The message before or after a found one. */
export interface AdjacentMessage extends Pick<Message, 'id' | 'author_id'> {
  /** The beginning of the text: at most 1,000 characters. */
  body: string
  /** The names of its first files if it has no text. */
  files: string[]
}

export interface SearchHit {
  message: Message
  channel: Pick<ChannelEntry['channel'], 'id' | 'kind' | 'name'>
  /**
   * The first attached file that matched, by its index in `message.attachments`; null if none did. `excerpt`: a passage of its
   * text that has words of the search.
   */
  file: { position: number; matched: 'name' | 'text'; excerpt?: string } | null
  /** The messages beside it in its channel or thread; null if there is none that the reader may read. */
  before: AdjacentMessage | null
  after: AdjacentMessage | null
}

export interface SearchResponse {
  /** At most `limit`. One request examines a bounded number of messages, so it may return none although older ones match. */
  hits: SearchHit[]
  /** Folded words, beginnings of words and phrases that matched, also corrected ones. */
  highlights: string[]
  /** The corrected query that was searched instead, if a typing error was found. */
  corrected?: string
  /** Cursor (`before`) for the next page; null when all were searched. */
  next: string | null
}
