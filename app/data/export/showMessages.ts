import type { Message } from '../../../wire/messages.ts'
import type { ReferredMessage } from '../../../wire/pages/renderMessage.ts'
import { isWithin, type ContextMessage, type Section } from './readContext.ts'
import type { ShownMessage } from './renderOwnPages.ts'

/** A row of messages, with its files. */
export interface OwnMessage extends Omit<Message, 'attachments' | 'reactions' | 'pinned_at'> {
  attachments: { id: string; channel_id: string; name: string; type: string; size: number }[]
}

/** A message of a page with its numbers. */
type Placed = ShownMessage & Pick<Message, 'seq' | 'thread_seq'>

/** Complete messages by id, as far as the user can read them. */
type Details = ReadonlyMap<string, Message>

/** The ids of the messages that a page needs with their reactions, and of quoted and forwarded ones. */
export function idsOfDetails(own: readonly OwnMessage[], context: readonly ContextMessage[]): string[] {
  const polls = context.filter(({ extras }) => extras?.poll)
  const referred = [...own, ...context].flatMap(({ extras }) => referredId(extras) ?? [])
  return [...new Set([...own.map(({ id }) => id), ...polls.map(({ id }) => id), ...referred])]
}

/** An own message of a page. `pathOf`: where a file is in the archive. */
export function showOwn(
  message: OwnMessage,
  details: Details,
  pathOf: (id: string, name: string) => string,
): Placed {
  const { reactions = [], pinned_at = null } = details.get(message.id) ?? {}
  return {
    ...message,
    isOwn: true,
    files: message.attachments.map((file) => ({ ...file, path: pathOf(file.id, file.name) })),
    reactions,
    pinned_at,
    referred: referredBy(message, details),
  }
}

/** A message beside own ones: the archive has the names of its files only, and its reactions only if it is a poll. */
export function showContext(message: ContextMessage, details: Details, me: string): Placed {
  return {
    ...message,
    // An own message can be on another page, and the context of a message on this one.
    isOwn: message.author_id === me,
    files: message.attachments.map((file) => ({ ...file, path: null })),
    reactions: details.get(message.id)?.reactions ?? [],
    pinned_at: null,
    referred: referredBy(message, details),
    system: null,
    deleted_at: null,
  }
}

/** The messages of each section in their order, and the sections in the order of their first own messages. */
export function showSections(sections: readonly Section[], messages: readonly Placed[]): ShownMessage[][] {
  const shown = sections.map((section): ShownMessage[] => {
    const found = messages.filter((message) => isWithin(section, message))
    return section.root === null
      ? found.map((one) => ({ ...one, thread_root: null })).toSorted((a, b) => a.seq! - b.seq!)
      : found.toSorted((a, b) => numberInThread(a) - numberInThread(b))
  })
  return shown.toSorted((a, b) => (firstTime(a) < firstTime(b) ? -1 : 1))
}

/** The first message of a thread has no number in it. */
const numberInThread = ({ thread_seq }: Placed): number => thread_seq ?? 0

const firstTime = (section: readonly ShownMessage[]): string =>
  section.find(({ isOwn }) => isOwn)?.created_at ?? ''

const referredId = (extras: Message['extras']): string | undefined =>
  (extras?.quote ?? extras?.forward)?.message_id

function referredBy({ extras }: Pick<Message, 'extras'>, details: Details): ReferredMessage | null {
  const found = details.get(referredId(extras) ?? '')
  if (!found || found.deleted_at !== null) return null
  return { ...found, files: found.attachments.map(({ name }) => name) }
}
