import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** The body of a request to an upload. */
export interface UploadChunk {
  /** Ends with the request, with a lost connection, and at `release`; it never throws for these. */
  content: AsyncIterable<Buffer>
  /** Stops reading the request. */
  release(): void
  /** Whether the whole body was received. */
  isComplete(): boolean
}

/** Bytes buffered between connection and disk. */
const maxBufferedBytes = 1024 * 1024

/**
 * Received bytes are stored however the request ends, so that the upload can be resumed. So a lost connection is an end
 * here, not an error.
 */
export function openChunk(incoming: IncomingMessage): UploadChunk {
  const content = new PassThrough({ highWaterMark: maxBufferedBytes })
  let isReleased = false
  const end = (): void => {
    incoming.unpipe(content)
    if (!content.writableEnded) content.end()
  }
  incoming.on('error', end)
  incoming.once('close', end)
  incoming.pipe(content)
  // Disconnected while permissions were checked: no further event is emitted.
  if (incoming.destroyed) end()
  return {
    content: content as AsyncIterable<Buffer>,
    release() {
      if (!content.writableEnded) isReleased = true
      end()
    },
    isComplete: () => incoming.complete && !isReleased,
  }
}
