import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { draftKey, editDraftKey } from '../persistence/deviceStorage.ts'
import { done, failureNamed } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import type { PreparedFile } from '../files/upload/prepareFile.ts'
import { currentOverlay, withOverlay } from '../mutations/currentOverlay.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import type { MutationInput } from '../mutations/mutation.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface NewMessage {
  channel: Uuid
  body: string
  threadRoot?: Uuid | null
  alsoToChannel?: boolean
  files?: readonly PreparedFile[]
  /** The draft of its place is not part of the message, and stays. */
  keepsDraft?: boolean
}

/**
 * Shows the message, stores it in the outbox and sends it; the draft that it was is deleted in the transaction that
 * stores it. The value is its id. A device that can't store it keeps it as long as the page is open.
 */
export function sendMessage(message: NewMessage): Outcome<Uuid> {
  const now = getClientSession()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  const id = crypto.randomUUID()
  const { channel, body } = message
  const threadRoot = message.threadRoot ?? null
  void now.outbox.put(
    {
      kind: 'send',
      id,
      channel,
      threadRoot,
      alsoToChannel: message.alsoToChannel ?? false,
      body,
      files: (message.files ?? []).map((file) => Object.assign({ uploaded: false }, file)),
      createdAt: new Date().toISOString(),
    },
    message.keepsDraft ? undefined : draftKey(channel, threadRoot),
  )
  // Who writes amid old messages sees where it went. The "new" line stays: writing reads nothing.
  if (!message.threadRoot || message.alsoToChannel)
    now.timelineViews.jumpTo({ channel: message.channel, root: null }, 'end')
  return done(id)
}

export async function retrySend(id: Uuid): Promise<void> {
  await getClientSession()?.outbox.retry(id)
}

/** What was written and not sent after all. */
export interface DiscardedMessage {
  body: string
  files: PreparedFile[]
}

/** Discards a rejected (or waiting) message; the value is its content, to put back into the composer. */
export async function discardSend(id: Uuid): Promise<DiscardedMessage | null> {
  const item = await getClientSession()?.outbox.discard(id)
  if (!item) return null
  // What was begun at the server ends with the message.
  const files = item.files.map((file) =>
    Object.assign({}, file, { paused: false, failure: null, url: null, sent: 0 }),
  )
  return { body: item.body, files }
}

/** Keeps a change and shows it; never fails but where nobody is signed in. */
async function putMutation(
  make: (now: ClientSession) => MutationInput | null,
  draft?: string,
): Promise<Outcome> {
  const now = getClientSession()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  const input = make(now)
  if (input) await now.outbox.put(input, draft)
  return done(undefined)
}

/** The message as it is loaded, whichever channel it is of; null when it isn't. */
function findLoadedMessage(now: ClientSession, id: Uuid): Message | null {
  for (const rows of now.store.get().channels.values()) {
    const message = rows.messages.get(id)
    if (message) return message
  }
  return null
}

/** Changes the user's own messages: shown at once, asked when the server can be reached. */
export function editMessage(id: Uuid, body: string): Promise<Outcome> {
  return putMutation((now) => {
    const loaded = findLoadedMessage(now, id)
    const item = now.outbox.items().find((one) => one.id === id)
    const [channel, threadRoot] = item
      ? [item.channel, item.threadRoot]
      : [loaded?.channel_id ?? '', loaded?.thread_root ?? null]
    if (!item && loaded?.body === body && withOverlay(loaded).body === body) return null
    const createdAt = new Date().toISOString()
    const content = { body, threadRoot, alsoToChannel: loaded?.seq !== null, files: [], createdAt }
    return { kind: 'edit', id: crypto.randomUUID(), channel, message: id, ...content }
  }, editDraftKey(id))
}

/** Milliseconds in which a deletion can be called off. */
export const UNDO_MS = 7_000

/**
 * Shows the message as deleted at once, and requests it when the time to undo has passed: deleting empties. One
 * that was not sent yet is not sent.
 */
export function deleteMessage(id: Uuid): Promise<Outcome> {
  return putMutation((now) => {
    const channel =
      now.outbox.items().find((one) => one.id === id)?.channel ?? findLoadedMessage(now, id)?.channel_id
    const notBefore = Date.now() + UNDO_MS
    return { kind: 'delete', id: crypto.randomUUID(), channel: channel ?? '', message: id, notBefore }
  })
}

/** Cancels a deletion; false when it is too late. */
export async function undoDelete(id: Uuid): Promise<boolean> {
  return (await getClientSession()?.outbox.cancelDelete(id)) ?? false
}

const NONE: ReadonlySet<Uuid> = new Set()

/** The messages whose deletion can still be called off. */
export function useDeletions(): ReadonlySet<Uuid> {
  return useClientSession((now) => (now ? currentOverlay().deletions() : NONE))
}

/** Shown at once, also without a connection. */
export function toggleReaction(message: Message, emoji: string): Promise<Outcome> {
  return putMutation(() => {
    const mine = withOverlay(message).reactions.some((one) => one.emoji === emoji && one.mine === true)
    const id = crypto.randomUUID()
    return { kind: 'react', id, channel: message.channel_id, message: message.id, emoji, on: !mine }
  })
}

/** The reader saw everything up to this seq; asked at most once in 3 s, and when the page hides. */
export function markSeen(channel: Uuid, seq: number): void {
  getClientSession()?.readMarkers.markSeen(channel, seq)
}

/** The reader saw a thread's replies up to this `thread_seq`. */
export function markThreadSeen(channel: Uuid, root: Uuid, threadSeq: number): void {
  getClientSession()?.readMarkers.markThreadSeen(channel, root, threadSeq)
}

/** Everything from this seq on is unread again. */
export async function markUnread(channel: Uuid, seq: number): Promise<Outcome> {
  const now = getClientSession()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  await now.readMarkers.markUnread(channel, seq)
  now.timelineViews.setUnreadLine({ channel, root: null }, seq)
  return done(undefined)
}

/** Everything from this `thread_seq` on is unread again, and the thread is followed. */
export async function markThreadUnread(channel: Uuid, root: Uuid, threadSeq: number): Promise<Outcome> {
  const now = getClientSession()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  await now.readMarkers.markThreadUnread(channel, root, threadSeq)
  now.timelineViews.setUnreadLine({ channel, root }, threadSeq)
  return done(undefined)
}

/** Follows a thread, or no longer. */
export function followThread(channel: Uuid, root: Uuid, on: boolean): Promise<Outcome> {
  return putMutation(() => ({ kind: 'followThread', id: crypto.randomUUID(), channel, root, on }))
}

/** Milliseconds between two announcements of typing. */
const TYPING_INTERVAL_MS = 5_000
const announced = new Map<string, number>()

/** Call at each key stroke: publishes at most once in 5 s. */
export function setTyping(channel: Uuid, threadRoot: Uuid | null = null): void {
  const key = `${channel}/${threadRoot ?? ''}`
  const now = performance.now()
  if (now - (announced.get(key) ?? -TYPING_INTERVAL_MS) < TYPING_INTERVAL_MS) return
  announced.set(key, now)
  void callCommand('typing', { channel, thread_root: threadRoot })
}
