import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** The bytes that a request brings for an upload. */
export interface Piece {
  /** Ends with the request, where its connection breaks, and at `letGo`; it never throws for these. */
  content: AsyncIterable<Buffer>
  /** Takes no more of the request. */
  letGo(): void
  /** Whether all that the request announced has come. */
  isWhole(): boolean
}

/** Bytes that wait in memory between the connection and the disk. */
const most = 1024 * 1024

/**
 * What arrived counts, however the request ends: that is what makes an upload resumable. So a broken connection is
 * an end here, not an error.
 */
export function openPiece(incoming: IncomingMessage): Piece {
  const content = new PassThrough({ highWaterMark: most })
  let isLetGo = false
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
    letGo() {
      if (!content.writableEnded) isLetGo = true
      end()
    },
    isWhole: () => incoming.complete && !isLetGo,
  }
}
