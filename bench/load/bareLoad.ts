import { connect, type Socket } from 'node:net'
import { Latencies, type Load } from '../rest/Latencies.ts'

/** Where an answer ends in `got`; -1 while it is not whole. Length or chunks, as the server likes. */
function endOfAnswer(got: Buffer): number {
  const end = got.indexOf('\r\n\r\n')
  if (end < 0) return -1
  const head = got.toString('latin1', 0, end)
  if (/transfer-encoding: *chunked/i.test(head)) {
    const last = got.indexOf('\r\n0\r\n\r\n', end + 2)
    return last < 0 ? -1 : last + 7
  }
  const whole = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return got.length < whole ? -1 : whole
}

const isSuccess = (got: Buffer): boolean => got[9] === 0x32

/**
 * Keeps `concurrency` connections busy for `ms`, each with one request at a time. Bare sockets that stay
 * open, since a client library would take the time that it measures. Throws where an answer is not 2xx.
 * @param next the whole request that a connection sends next, after that answer; null before its first
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
      let got: Buffer | null = null
      const send = (answer: Buffer | null): void => {
        const request = next(connection, answer)
        sentAt = performance.now()
        socket.write(request)
      }
      const socket: Socket = connect({ port: Number(port), host: hostname, noDelay: true }, () => send(null))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('The server closed the connection.')))
      socket.on('data', (chunk: Buffer) => {
        got = got ? Buffer.concat([got, chunk]) : chunk
        if (endOfAnswer(got) < 0) return
        if (!isSuccess(got)) {
          reject(new Error(got.toString('utf8')))
          socket.destroy()
          return
        }
        const answer = got
        got = null
        const now = performance.now()
        latencies.add(now - sentAt)
        if (now < until) return send(answer)
        resolve()
        socket.destroy()
      })
    })
  return latencies.during(() => Promise.all(Array.from({ length: concurrency }, work)))
}
