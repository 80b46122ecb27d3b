import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * What Node may read of a body and drop after the response, so that the connection can be reused. More than this does
 * not fit into the buffers of a connection: the client is still sending when it receives the response, and will not
 * reuse the connection.
 */
const maxShortBodyBytes = 4 * 1_048_576
/** Time for the client to send the rest of a short body, or to read the response before a long body is cut off. */
const shortBodyTimeoutMs = 10_000
const lingerMs = 2_000

const ignore = (): void => {}

/**
 * Bounds what is read of a request whose response was sent before its body had arrived. Node would read and drop the rest,
 * however long it is and takes: refusing 300 bodies of 10 MB would cost as much as accepting them.
 */
export function dropUnreadBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { headers } = incoming
  const length = headers['content-length']
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return
  // Before Node's own listener, which begins to drop.
  outgoing.prependListener('finish', () => {
    if (incoming.complete) return
    const isLong = length === undefined || Number(length) > maxShortBodyBytes
    if (isLong) {
      incoming.pause()
      // With a listener for 'readable', the stream is no longer switched to flowing mode.
      incoming.on('readable', ignore)
    }
    const cut = (): void => {
      if (!incoming.complete) incoming.socket.destroy()
    }
    setTimeout(cut, isLong ? lingerMs : shortBodyTimeoutMs).unref()
  })
}
