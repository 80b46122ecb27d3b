import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** The bytes that a request brings for an upload. */
export interface UploadChunk {
  /** Ends with the request, where its connection breaks, and at `letGo`; it never throws for these. */
  content: AsyncIterable<Buffer>
  /** Takes no more of the request. */
  release(): void
  /** Whether all that the request announced has come. */
  isComplete(): boolean
}

/** Bytes that wait in memory between the connection and the disk. */
const maxBufferedBytes = 1024 * 1024

/**
 * What arrived counts, however the request ends: that is what makes an upload resumable. So a broken connection is
 * an end here, not an error.
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
  // Gone while rights were asked: it would never say so again.
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
