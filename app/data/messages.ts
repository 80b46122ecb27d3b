import type { Message, Uuid } from '../../wire/linnet.ts'
import { command } from './session/commands.ts'
import { draftPlace } from './device/device.ts'
import { forgetWriting } from './device/drafts.ts'
import { done, failureNamed } from './failures.ts'
import type { Outcome } from './failures.ts'
import type { PreparedFile } from './files/prepareFile.ts'
import { wishReaction } from './reactions.ts'
import { hub, running } from './runtime.ts'

export interface NewMessage {
  channel: Uuid
  body: string
  threadRoot?: Uuid | null
  alsoToChannel?: boolean
  files?: readonly PreparedFile[]
}

/**
 * Stores the message in the outbox, clearing the draft of that place in the same transaction, and paints
 * it. The value is its id. Fails only when the device itself can't keep it.
 */
export async function sendMessage(message: NewMessage): Promise<Outcome<Uuid>> {
  const now = running()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  const id = crypto.randomUUID()
  forgetWriting(draftPlace(message.channel, message.threadRoot))
  try {
    await now.outbox.send({
      id,
      channel: message.channel,
      threadRoot: message.threadRoot ?? null,
      alsoToChannel: message.alsoToChannel ?? false,
      body: message.body,
      files: (message.files ?? []).map((file) => Object.assign({ uploaded: false }, file)),
      createdAt: new Date().toISOString(),
    })
  } catch {
    return { ok: false, failure: failureNamed('device_storage') }
  }
  // Who writes amid old words sees where it went. The "new" line stays: writing reads nothing.
  if (!message.threadRoot || message.alsoToChannel) now.views.jumpTo(message.channel, 'end')
  return done(id)
}

export async function retrySend(id: Uuid): Promise<void> {
  await running()?.outbox.retry(id)
}

/** Gives up a failed (or waiting) message; the value is its words, to put back into the composer. */
export async function discardSend(id: Uuid): Promise<string | null> {
  const item = await running()?.outbox.discard(id)
  return item?.body ?? null
}

async function changed(outcome: Outcome<{ message: Message }>): Promise<Outcome<Message>> {
  if (!outcome.ok) return outcome
  running()?.store.dispatch({ type: 'rowGiven', message: outcome.value.message })
  return done(outcome.value.message)
}

export async function editMessage(id: Uuid, body: string): Promise<Outcome<Message>> {
  return changed(await command('edit_message', { id, body }))
}

/** Ask after your own undo has passed: deleting empties. */
export async function deleteMessage(id: Uuid): Promise<Outcome<Message>> {
  return changed(await command('delete_message', { id }))
}

/** Shown at once, put back if refused. */
export async function toggleReaction(message: Message, emoji: string): Promise<Outcome> {
  const on = !message.reactions.some((one) => one.emoji === emoji && one.mine === true)
  const settled = wishReaction(message.id, emoji, on)
  hub.tell()
  const outcome = await changed(await command('react', { message: message.id, emoji, on }))
  settled()
  hub.tell()
  return outcome.ok ? done(undefined) : outcome
}

/** The reader saw everything up to this seq; asked at most once in 3 s, and when the page hides. */
export function markSeen(channel: Uuid, seq: number): void {
  running()?.pointers.see(channel, seq)
}

/** Everything from this seq on is unread again. */
export async function markUnread(channel: Uuid, seq: number): Promise<Outcome> {
  const now = running()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  const outcome = await now.pointers.markUnread(channel, seq)
  if (!outcome.ok) return outcome
  now.views.setLine(channel, seq)
  return done(undefined)
}

/** Milliseconds between two announcements of typing. */
const TYPING_PAUSE = 5_000
const announced = new Map<string, number>()

/** Call at each key stroke: says so at most once in 5 s. */
export function setTyping(channel: Uuid, threadRoot: Uuid | null = null): void {
  const place = `${channel}/${threadRoot ?? ''}`
  const now = performance.now()
  if (now - (announced.get(place) ?? -TYPING_PAUSE) < TYPING_PAUSE) return
  announced.set(place, now)
  void command('typing', { channel, thread_root: threadRoot })
}
