import type { Uuid } from '../../../wire/scalars.ts'
import type { Outcome } from '../failures/failures.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { editDraftKey } from '../persistence/deviceStorage.ts'
import { getClientSession } from '../session/clientSession.ts'
import { findLoadedMessage } from './findMessage.ts'
import { extrasOf } from './pendingMessage.ts'
import { putMutation, type DiscardedMessage } from './messages.ts'

// Commands of what is loaded on demand: they are no part of the first download.

export async function retrySend(id: Uuid): Promise<void> {
  await getClientSession()?.outbox.retry(id)
}

/** Discards a rejected (or waiting) message; the value is its content, to put back into the composer. */
export async function discardSend(id: Uuid): Promise<DiscardedMessage | null> {
  const item = await getClientSession()?.outbox.discard(id)
  if (!item) return null
  // Begun uploads are deleted with the message.
  const files = item.files.map((file) =>
    Object.assign({}, file, { paused: false, failure: null, url: null, sent: 0 }),
  )
  return { body: item.body, files, extras: extrasOf(item) }
}

/** Edits one of the user's messages: displayed at once, sent when the server can be reached. */
export function editMessage(id: Uuid, body: string): Promise<Outcome> {
  return putMutation((session) => {
    const loaded = findLoadedMessage(session, id)
    const item = session.outbox.items().find((one) => one.id === id)
    const [channel, threadRoot] = item
      ? [item.channel, item.threadRoot]
      : [loaded?.channel_id ?? '', loaded?.thread_root ?? null]
    if (!item && loaded?.body === body && withOptimisticUpdates(loaded).body === body) return null
    const createdAt = new Date().toISOString()
    const content = {
      body,
      threadRoot,
      alsoToChannel: item?.alsoToChannel ?? (loaded !== null && loaded.seq !== null),
      files: [],
      createdAt,
    }
    return { kind: 'edit', id: crypto.randomUUID(), channel, message: id, ...content }
  }, editDraftKey(id))
}

/** Milliseconds in which a deletion can be undone. */
export const UNDO_MS = 7_000

/**
 * Displays the message as deleted at once, and sends the deletion when the time to undo has passed, since the server
 * deletes the content. A message that was not sent yet is not sent.
 */
export function deleteMessage(id: Uuid): Promise<Outcome> {
  return putMutation((session) => {
    const channel =
      session.outbox.items().find((one) => one.id === id)?.channel ??
      findLoadedMessage(session, id)?.channel_id
    const notBefore = Date.now() + UNDO_MS
    return { kind: 'delete', id: crypto.randomUUID(), channel: channel ?? '', message: id, notBefore }
  })
}

/** Cancels a deletion; false when it is too late. */
export async function undoDelete(id: Uuid): Promise<boolean> {
  return (await getClientSession()?.outbox.cancelDelete(id)) ?? false
}

/** Follows or unfollows a thread. */
export function followThread(channel: Uuid, root: Uuid, on: boolean): Promise<Outcome> {
  return putMutation(() => ({ kind: 'followThread', id: crypto.randomUUID(), channel, root, on }))
}
