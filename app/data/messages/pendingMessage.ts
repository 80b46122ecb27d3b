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
  /** An object URL of the bytes kept here; null when there is nothing to draw. */
  previewUrl: string | null
  uploaded: boolean
}

/** A message of one's own that the server has not acknowledged yet. */
export interface PendingMessage {
  id: Uuid
  channelId: Uuid
  /** The message whose words it would change; null for a new one. */
  edits: Uuid | null
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: readonly PendingFile[]
  /** This device's clock: for show only. */
  createdAt: string
  state: 'pending' | 'failed'
  /** Set when failed: shown with the ways on (`retrySend`, `discardSend`). */
  failure: Failure | null
}

const shown = new WeakMap<OutboxItem, PendingMessage>()
const previews = new Map<Uuid, string>()

/**
 * The same address for the same file, whose bytes never change: a picture that is given another one blinks. The browser
 * frees it with the page; pictures that wait are few and bounded by the outbox.
 */
function previewOf(id: Uuid, blob: Blob | null): string | null {
  if (!blob) return null
  const known = previews.get(id)
  if (known) return known
  const url = URL.createObjectURL(blob)
  previews.set(id, url)
  return url
}

/** How an item of the outbox is shown; the same object for the same item. */
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
    createdAt: item.createdAt,
    state: item.state,
    failure: item.failure,
  }
  shown.set(item, message)
  return message
}
