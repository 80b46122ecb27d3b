import type { Readable } from 'node:stream'
import type { MessageExtras, SystemNote } from '../../../wire/messages.ts'

export type Product = 'slack' | 'mattermost' | 'discord' | 'zulip'

/**
 * An export of another product. Each product has a reader, which knows the files and the texts of the product. The import of what
 * it reads (ids, numbers, threads, files, receipt) is the same for all products.
 */
export interface ExportReader {
  readonly product: Product
  /** The name of the product, as people know it. */
  readonly label: string
  /**
   * Identifies the workspace that has been exported, such as the id of the Slack workspace: a later export of the same one has the
   * same. All ids of rows depend on it. Empty if the export does not name it.
   */
  readonly source: string
  /**
   * The name of that workspace, of at most 200 characters; empty if the export has none. It is complete once the messages have been
   * read.
   */
  readonly sourceName: string
  /** The people of the lists by their keys. Messages can have further authors. */
  readonly people: ReadonlyMap<string, ExportedPerson>
  readonly channels: readonly ExportedChannel[]
  readonly emoji: readonly ExportedEmoji[]
  /**
   * What the receipt lists besides the messages: a number by its description, such as "canvases are not imported". It is complete
   * once the messages have been read.
   */
  readonly notes: ReadonlyMap<string, number>
  /**
   * The messages of all channels, in any order. The first message of a thread comes before its replies if both have the same time.
   * Throws ExportError if the export is beyond a limit.
   * @param onSkipped called for each entry that is left out
   */
  readMessages(onSkipped: (channel: string, reason: string) => void): AsyncIterable<ExportedMessage>
  /** Converts the fields of a message to Markdown. */
  convertText(fields: unknown, mapping: Mapping, lines: readonly string[]): ConvertedText
  /** The size of a stored file in bytes; null if the export does not have it. */
  sizeOf(path: string): number | null
  /** Reads the bytes of a stored file. */
  open(path: string): Promise<Readable>
  close(): void
}

export interface ExportedPerson {
  /** The id of the person in the product. */
  key: string
  /** At most 80 characters; see `lineOf`. */
  name: string
  /** In lower case; empty if the export has none. */
  email: string
  /** At most 80 characters. */
  title: string
  /** The person is a program, and is never matched with a member. */
  isBot: boolean
  /** The path of a stored picture. */
  avatar?: string
}

export interface ExportedChannel {
  /** The id of the channel in the product. */
  key: string
  kind: 'public' | 'private' | 'direct' | 'group'
  /** At most 80 characters; for direct and group conversations a name in case they become channels. */
  name: string
  /** At most 250 characters. */
  topic: string
  /** At most 1,000 characters. */
  description: string
  /** The keys of its people, each once. */
  members: readonly string[]
  /**
   * For members of a private channel who cannot read older messages: the time in microseconds from which on they can read. Infinity:
   * they can read nothing that the export has.
   */
  historyFrom?: ReadonlyMap<string, number>
  /** The key of a person; empty if it is not known. */
  creator: string
  /** In microseconds since 1970; 0 if it is not known. */
  createdAt: number
  isArchived: boolean
  /** Shared with other organisations, so that the export has only a part of it. */
  isShared: boolean
}

/** A custom emoji. */
export interface ExportedEmoji {
  name: string
  aliases: readonly string[]
  /** The path of its stored picture. */
  path: string
}

/** A message or notice. It is stored as JSON between reading and converting. */
export interface ExportedMessage {
  /** The key of its channel. */
  channel: string
  /** Its id in the channel. */
  key: string
  /** Its time in microseconds since 1970. */
  at: number
  author: ExportedAuthor
  /** The first message of its thread, which is never a reply itself, nor later; null if it is not a reply. */
  root: { key: string; at: number; author: string | null } | null
  /** Whether a reply was also sent to the channel. */
  isInChannel: boolean
  content: ExportedContent
  /** What it becomes if it has replies, unless that is the same: a notice has none. */
  contentAsRoot?: ExportedContent
  editedAt: number | null
  /** Who reacted with an emoji: its characters, or the name of a custom one such as `:party:`. */
  reactions: readonly { emoji: string; people: readonly string[] }[]
  files: readonly ExportedFile[]
  /** Null: it is not pinned. `by` is the key of a person, `at` is in microseconds; both null if the export does not have them. */
  pin: { by: string | null; at: number | null } | null
}

/** What an entry becomes. */
export type ExportedContent =
  /** `fields` are the argument of `convertText`. */
  | { kind: 'text'; fields: unknown }
  | { kind: 'deleted' }
  | { kind: 'system'; note: SystemNote }
  | { kind: 'skipped'; reason: string }

/** Who wrote a message. */
export interface ExportedAuthor {
  /** The key of a person, or another one that begins with "bot/". */
  key: string
  /** The name in the message for authors who are in no list; empty if it has none. */
  name: string
}

export interface ExportedFile {
  /** Its id in the channel. */
  key: string
  /** At most 255 characters, without slashes. */
  name: string
  /** The media type. */
  type: string
  /** In bytes; null if the export does not have it. */
  size: number | null
  /** In pixels. Either both or none is null. */
  width: number | null
  height: number | null
  /** Its page in the product, or its address elsewhere; empty if there is none. */
  address: string
  source:
    | { kind: 'stored'; path: string }
    | { kind: 'linked'; url: string }
    /** A file of another service. */
    | { kind: 'external' }
    /** `reason` is a part of a sentence, such as "deleted in Slack". */
    | { kind: 'missing'; reason: string }
}

/** How keys of the product are found in the workspace that imports them. */
export interface Mapping {
  /** The profile of a person; null if nobody is known by this key. */
  personId(person: string): string | null
  /** The channel; null if the import does not have it. */
  channelId(channel: string): string | null
  /** The id of a message, also of one that does not exist. */
  messageId(channel: string, message: string): string
  /** The address of the application, without a slash at its end. */
  site: string
}

export interface ConvertedText {
  body: string
  extras: Pick<MessageExtras, 'cards' | 'quote'> | null
  /** The whole text as Markdown if the body has only its beginning. */
  whole: string | null
}
