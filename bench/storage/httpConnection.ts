import { connect, type Socket } from 'node:net'

/** The response to one request, with times. */
export interface Exchange {
  status: number
  /** The head of the response, and the start of its body. */
  head: string
  /** Bytes of the body. */
  bytes: number
  /** Milliseconds from the request's first byte to the body's. */
  firstByteMs: number
  /** Milliseconds until the end of the response. */
  ms: number
}

/** A keep-alive connection for sequential requests. */
export interface HttpConnection {
  /** Sends a head and a body, and reads the response. */
  request(head: string, body?: { length: number; before?: string; after?: string }): Promise<Exchange>
  close(): void
}

const MiB = 1024 * 1024

/** Incompressible content of files. */
const pattern = Buffer.alloc(MiB)
for (let i = 0, state = 1; i < pattern.length; i++) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  pattern[i] = state >>> 16
}

/** Shared by all connections: received bytes are counted and discarded. */
const readBuffer = Buffer.allocUnsafe(256 * 1024)

/**
 * Connects to the server of `url`. Plain sockets that read into one buffer, since a client library would add its own
 * time. Bodies have a Content-Length; a response without one has no body.
 */
export async function openHttpConnection(url: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(url)
  let take: ((chunk: Buffer) => void) | null = null
  let refuse: ((error: Error) => void) | null = null
  const socket: Socket = connect({
    port: Number(port),
    host: hostname,
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback: (length, buffer) => {
        take?.((buffer as Buffer).subarray(0, length))
        return true
      },
    },
  })
  const fail = (error: Error): void => refuse?.(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection.')))
  await new Promise<void>((resolve, reject) => {
    refuse = reject
    socket.once('connect', resolve)
  })

  const write = (bytes: Buffer | string): Promise<void> | void => {
    if (!socket.write(bytes)) return new Promise((resolve) => socket.once('drain', resolve))
  }

  return {
    request(head, body) {
      const begun = performance.now()
      const answered = new Promise<Exchange>((resolve, reject) => {
        refuse = reject
        let text = ''
        let wanted = -1
        let bytes = 0
        let firstByteMs = 0
        take = (chunk) => {
          let rest = chunk.length
          if (wanted < 0) {
            text += chunk.toString('latin1')
            const end = text.indexOf('\r\n\r\n')
            if (end < 0) return
            // A server may send 100 Continue or 102 Processing before its response.
            if (text.startsWith('HTTP/1.1 1')) {
              text = text.slice(end + 4)
              if (!text.includes('\r\n\r\n')) return
            }
            const headEnd = text.indexOf('\r\n\r\n')
            wanted = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0)
            rest = text.length - headEnd - 4
          }
          if (rest > 0 && bytes === 0) firstByteMs = performance.now() - begun
          bytes += rest
          if (bytes < wanted) return
          take = null
          const status = Number(text.slice(9, 12))
          resolve({ status, head: text, bytes, firstByteMs, ms: performance.now() - begun })
        }
      })
      const send = async (): Promise<void> => {
        await write(head)
        if (!body) return
        if (body.before) await write(body.before)
        for (let left = body.length; left > 0; left -= pattern.length) {
          await write(left < pattern.length ? pattern.subarray(0, left) : pattern)
        }
        if (body.after) await write(body.after)
      }
      send().catch((error: Error) => refuse?.(error))
      return answered
    },
    close() {
      refuse = null
      socket.destroy()
    },
  }
}

/** Returns the exchange if it succeeded, else throws its response. */
export function requireSuccess(exchange: Exchange): Exchange {
  if (exchange.status < 200 || exchange.status > 299) throw new Error(exchange.head)
  return exchange
}
