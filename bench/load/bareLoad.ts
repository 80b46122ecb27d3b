import { connect, type Socket } from 'node:net'
import { Latencies, type Load } from '../rest/Latencies.ts'

/** The offset of the end of a response in `received`; -1 while it is incomplete. With Content-Length or chunked. */
function endOfResponse(received: Buffer): number {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return -1
  const head = received.toString('latin1', 0, end)
  if (/transfer-encoding: *chunked/i.test(head)) {
    const last = received.indexOf('\r\n0\r\n\r\n', end + 2)
    return last < 0 ? -1 : last + 7
  }
  const whole = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return received.length < whole ? -1 : whole
}

const isSuccess = (received: Buffer): boolean => received[9] === 0x32

/**
 * Keeps `concurrency` connections busy for `ms`, each with one request at a time. Uses plain keep-alive
 * sockets, since a client library would add its own time. Throws where a response is not 2xx.
 * @param next returns the next request of a connection after that response; null before the first
 */
export async function bareLoad(
  { url, concurrency, ms }: { url: string; concurrency: number; ms: number },
  next: (connection: number, answer: Buffer | null) => Buffer | string,
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const latencies = new Latencies()
  const until = performance.now() + ms
  const work = (_: unknown, connection: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0
      let received: Buffer | null = null
      const send = (answer: Buffer | null): void => {
        const request = next(connection, answer)
        sentAt = performance.now()
        socket.write(request)
      }
      const socket: Socket = connect({ port: Number(port), host: hostname, noDelay: true }, () => send(null))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('The server closed the connection.')))
      socket.on('data', (chunk: Buffer) => {
        received = received ? Buffer.concat([received, chunk]) : chunk
        if (endOfResponse(received) < 0) return
        if (!isSuccess(received)) {
          reject(new Error(received.toString('utf8')))
          socket.destroy()
          return
        }
        const answer = received
        received = null
        const now = performance.now()
        latencies.add(now - sentAt)
        if (now < until) return send(answer)
        resolve()
        socket.destroy()
      })
    })
  return latencies.during(() => Promise.all(Array.from({ length: concurrency }, work)))
}
