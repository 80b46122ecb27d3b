import type { MessageExtras } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { OutboxItem } from '../mutations/outbox.ts'

export interface PendingFile {
  id: Uuid
  name: string
  type: string
  size: number
  width: number | null
  height: number | null
  /** An object URL of the stored bytes; null if the file has no preview. */
  previewUrl: string | null
  uploaded: boolean
}

/** An own message or edit that the server has not accepted yet. */
export interface PendingMessage {
  id: Uuid
  channelId: Uuid
  /** Id of the edited message; null: a new message. */
  edits: Uuid | null
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: readonly PendingFile[]
  extras: MessageExtras | null
  /** By this device's clock; for display only. */
  createdAt: string
  state: 'pending' | 'failed'
  /** Set when it was rejected: it can be sent again (`retrySend`) or discarded (`discardSend`). */
  failure: Failure | null
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
  const message: PendingMessage = {
    id: item.id,
    channelId: item.channel,
    edits: item.kind === 'edit' ? item.message : null,
    threadRoot: item.threadRoot,
    alsoToChannel: item.alsoToChannel,
    body: item.body,
    files: item.files.map(({ blob, thumb, id, name, type, size, width, height, uploaded }) => ({
      id,
      name,
      type,
      size,
      width,
      height,
      previewUrl: previewOf(id, thumb ?? (type.startsWith('image/') ? blob : null)),
      uploaded,
    })),
    extras: extrasOf(item),
    createdAt: item.createdAt,
    state: item.state,
    failure: item.failure,
  }
  shown.set(item, message)
  return message
}
