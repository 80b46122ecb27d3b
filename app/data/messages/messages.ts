import { isChannel } from '../../../wire/channels.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { draftKey } from '../persistence/deviceStorage.ts'
import { createMessageId } from './createMessageId.ts'
import { emptyField } from './emptyField.ts'
import { success, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import type { PreparedFile } from '../files/upload/prepareFile.ts'
import { changesToSend } from '../mutations/kinds/draftKind.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import type { CompleteSend, UnsentContent } from '../mutations/kinds/sendKind.ts'
import type { MutationInput, Mutations } from '../mutations/mutation.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface NewMessage extends Partial<Omit<UnsentContent, 'createdAt'>> {
  channel: Uuid
  body: string
  files?: readonly PreparedFile[]
  /** Whether the draft of its channel or thread is kept, because it is not part of the message. */
  keepsDraft?: boolean
}

/**
 * Displays a message, stores it in the outbox and sends it. The value is its id. The transaction that stores the
 * message empties its draft on this device, and the transaction of the command empties it on the server. A message
 * that the device can't store stays in memory until the page closes.
 */
export function sendMessage(message: NewMessage): Outcome<Uuid> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  const id = createMessageId()
  const { channel, body } = message
  const threadRoot = message.threadRoot ?? null
  const conversation = threadRoot ?? channel
  const isDraft = !message.keepsDraft
  const sent: CompleteSend = {
    kind: 'send',
    id,
    channel,
    threadRoot,
    alsoToChannel: message.alsoToChannel ?? false,
    body,
    files: (message.files ?? []).map((file) => Object.assign({ uploaded: false }, file)),
    extras: message.extras ?? null,
    onWeb: isOnWeb(session, channel),
    drafts: isDraft
      ? changesToSend(session.outbox.mutations(), session.store.get().drafts.get(conversation), conversation)
      : undefined,
    createdAt: new Date().toISOString(),
  }
  const stored = session.outbox.put(sent, isDraft ? draftKey(channel, threadRoot) : undefined)
  if (isDraft) emptyField(channel, threadRoot, id, stored)
  // Scrolls from older messages to the new one. The "new" line stays: sending does not mark messages as read.
  if (!message.threadRoot || message.alsoToChannel)
    session.timelineViews.jumpTo({ channel: message.channel, root: null }, 'end')
  return success(id)
}

/** Whether the channel is on the web, as far as this device knows; undefined for conversations. */
function isOnWeb(session: ClientSession, channel: Uuid): boolean | undefined {
  const row = session.store.get().channels.get(channel)?.entry.channel
  return row && isChannel(row) ? Boolean(row.web_since) : undefined
}

/** Content of a message that was not sent. */
export interface DiscardedMessage extends Required<
  Omit<UnsentContent, 'threadRoot' | 'alsoToChannel' | 'createdAt'>
> {
  files: PreparedFile[]
}

/** Stores and displays a mutation. Fails only if nobody is signed in. */
export async function putMutation(
  make: (session: ClientSession) => MutationInput | null,
  draft?: string,
): Promise<Outcome> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  const input = make(session)
  if (input) await session.outbox.put(input, draft)
  return success(undefined)
}

const NONE: ReadonlySet<Uuid> = new Set()

const deletionsOf = memoizeByKey((before: ReadonlySet<Uuid> | undefined, mutations: Mutations) => {
  const deletions = new Set(mutations.flatMap((one) => (one.kind === 'delete' ? one.message : [])))
  return before?.size === deletions.size && [...deletions].every((id) => before.has(id)) ? before : deletions
})

/** The messages whose deletion can still be undone. */
export function useDeletions(): ReadonlySet<Uuid> {
  return useClientSession((session) => (session ? deletionsOf('', session.outbox.mutations()) : NONE))
}

/** Adds or removes the user's own reaction. The page displays it at once, also without a connection. */
export function setReaction(message: Message, emoji: string, on: boolean): Promise<Outcome> {
  return putMutation(() => {
    const id = crypto.randomUUID()
    return { kind: 'react', id, channel: message.channel_id, message: message.id, emoji, on }
  })
}

export function toggleReaction(message: Message, emoji: string): Promise<Outcome> {
  const mine = withOptimisticUpdates(message).reactions.some(
    (one) => one.emoji === emoji && one.mine === true,
  )
  return setReaction(message, emoji, !mine)
}

/**
 * Marks messages up to this seq as read. The read marker is sent at most once in 3 s, and when the page is hidden.
 */
export function markSeen(channel: Uuid, seq: number): void {
  getClientSession()?.readMarkers.markSeen(channel, seq)
}

/** Marks replies up to this `thread_seq` as read. */
export function markThreadSeen(channel: Uuid, root: Uuid, threadSeq: number): void {
  getClientSession()?.readMarkers.markThreadSeen(channel, root, threadSeq)
}

/** Marks messages from this seq on as unread. */
export async function markUnread(channel: Uuid, seq: number): Promise<Outcome> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  await session.readMarkers.markUnread(channel, seq)
  session.timelineViews.setUnreadLine({ channel, root: null }, seq)
  return success(undefined)
}

/** Marks replies from this `thread_seq` on as unread, and follows the thread. */
export async function markThreadUnread(channel: Uuid, root: Uuid, threadSeq: number): Promise<Outcome> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  await session.readMarkers.markThreadUnread(channel, root, threadSeq)
  session.timelineViews.setUnreadLine({ channel, root }, threadSeq)
  return success(undefined)
}

/** Milliseconds between two announcements of typing. */
const TYPING_INTERVAL_MS = 5_000
/** The time of the last announcement of typing, by composer. */
const announced = new Map<string, number>()
const MAX_ANNOUNCED = 20

/** Publishes that the user is typing, at most once in 5 s. Call it at each key stroke. */
export function setTyping(channel: Uuid, threadRoot: Uuid | null = null): void {
  const key = `${channel}/${threadRoot ?? ''}`
  const now = performance.now()
  if (now - (announced.get(key) ?? -TYPING_INTERVAL_MS) < TYPING_INTERVAL_MS) return
  setBounded(announced, key, now, MAX_ANNOUNCED)
  void callCommand('typing', { channel, thread_root: threadRoot })
}
