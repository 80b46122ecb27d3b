import { connect, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'

/** A websocket client with minimal CPU cost, so that the server is measured. */
export interface RawReader {
  send(text: string): void
  /** Raw bytes, which need not be valid frames. */
  write(bytes: Buffer): void
  close(): void
}

const ping = 9
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
/** Shared by all sockets: each chunk is parsed before the next is read. */
const readBuffer = Buffer.allocUnsafe(64 * 1024)

/** A masked frame, as clients must send (RFC 6455, 5.3); the mask is zero, which changes nothing. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const long = payload.length >= 126
  const head = Buffer.alloc(long ? 8 : 6)
  head[0] = 0x81
  if (long) {
    head[1] = 0xfe
    head.writeUInt16BE(payload.length, 2)
  } else head[1] = 0x80 | payload.length
  return Buffer.concat([head, payload])
}

/** Calls `onFrame` with each complete frame in a stream of chunks, which are valid until it returns. */
function splitter(onFrame: (opcode: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer | null = null
  return (chunk) => {
    const data = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    for (;;) {
      if (at + 2 > data.length) break
      const short = data[at + 1]! & 0x7f
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (at + head > data.length) break
      const length =
        short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2))
      if (at + head + length > data.length) break
      onFrame(data[at]! & 0x0f, data.subarray(at + head, at + head + length))
      at += head + length
    }
    rest = at < data.length ? Buffer.from(data.subarray(at)) : null
  }
}

/**
 * Connects to `url` (http) and upgrades; `onFrame` gets the frames of the server, which are valid until it returns.
 * @param o.headers sent with the upgrade
 */
export function rawReader(
  url: string,
  o: {
    headers?: Record<string, string>
    onFrame: (opcode: number, payload: Buffer) => void
    onEnd: () => void
  },
): Promise<RawReader> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    let head: Buffer | null = Buffer.alloc(0)
    const split = splitter((opcode, payload) => {
      if (opcode === ping) socket.write(pong)
      else o.onFrame(opcode, payload)
    })
    const onData = (chunk: Buffer): void => {
      if (!head) return split(chunk)
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const responseHead = head.toString('latin1', 0, end)
      if (!responseHead.startsWith('HTTP/1.1 101')) return void socket.destroy(new Error(responseHead))
      const rest = head.subarray(end + 4)
      head = null
      resolve({
        send: (text) => socket.write(clientFrame(text)),
        write: (bytes) => socket.write(bytes),
        close: () => socket.destroy(),
      })
      if (rest.length > 0) split(rest)
    }
    const socket: Socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          onData(readBuffer.subarray(0, length))
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error('The server closed the connection before it was open.'))
      o.onEnd()
    })
    const headers = Object.entries(o.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `${headers.join('')}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
  })
}
