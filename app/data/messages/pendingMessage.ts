import type { MessageExtras } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { UnsentContent } from '../mutations/kinds/sendKind.ts'
import type { OutboxFile, OutboxItem } from '../mutations/mutation.ts'

export interface PendingFile extends Omit<OutboxFile, 'blob' | 'thumb'> {
  /** An object URL of the stored bytes; null if the file has no preview. */
  previewUrl: string | null
}

/**
 * An own message or edit that the server has not accepted yet. With a `failure` it was rejected: it can be sent again
 * (`retrySend`) or discarded (`discardSend`).
 */
export interface PendingMessage
  extends Required<UnsentContent>, Pick<OutboxItem, 'id' | 'state' | 'failure'> {
  channelId: Uuid
  /** Id of the edited message; null: a new message. */
  edits: Uuid | null
  files: readonly PendingFile[]
  extras: MessageExtras | null
}

/** What the message of an outbox item carries besides text and files. */
export function extrasOf(item: OutboxItem): MessageExtras | null {
  return (item.kind === 'send' && item.extras) || null
}

const shown = new WeakMap<OutboxItem, PendingMessage>()
const previews = new Map<Uuid, string>()

/**
 * The same URL for the same file, since an `img` with a new URL flickers. The browser releases it with the page; pending
 * pictures are few and bounded by the outbox.
 */
function previewOf(id: Uuid, blob: Blob | null): string | null {
  if (!blob) return null
  const known = previews.get(id)
  if (known) return known
  const url = URL.createObjectURL(blob)
  previews.set(id, url)
  return url
}

/** An item of the outbox for display; the same object for the same item. */
export function pendingMessage(item: OutboxItem): PendingMessage {
  const known = shown.get(item)
  if (known) return known
  const { id, channel: channelId, threadRoot, alsoToChannel, body, createdAt, state, failure } = item
  const content = { id, channelId, threadRoot, alsoToChannel, body, createdAt, state, failure }
  const message: PendingMessage = {
    ...content,
    edits: item.kind === 'edit' ? item.message : null,
    files: item.files.map(({ blob, thumb, ...file }) =>
      Object.assign(file, {
        previewUrl: previewOf(file.id, thumb ?? (file.type.startsWith('image/') ? blob : null)),
      }),
    ),
    extras: extrasOf(item),
  }
  shown.set(item, message)
  return message
}
