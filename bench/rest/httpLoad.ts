import { connect } from 'node:net'
import type { Socket } from 'node:net'

/**
 * Keeps `concurrency` connections busy for `ms` with requests made by `next`, and answers how many were
 * answered in a second. Bare sockets, since a client library would take the time that it measures.
 * Throws where an answer is not 2xx.
 */
export async function httpLoad(o: {
  url: string
  concurrency: number
  ms: number
  next: (n: number) => { method: string; path: string; headers: Record<string, string>; body?: string }
}): Promise<number> {
  const { hostname, port } = new URL(o.url)
  const until = performance.now() + o.ms
  let sent = 0
  let answered = 0
  const render = (): string => {
    const { method, path, headers, body = '' } = o.next(sent++)
    const lines = Object.entries({ Host: hostname, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`
  }
  const worker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname, () => socket.write(render()))
      let got: Buffer = Buffer.alloc(0)
      socket.setNoDelay(true)
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
        const end = got.indexOf('\r\n\r\n')
        if (end < 0) return
        const head = got.toString('latin1', 0, end)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (got.length < end + 4 + length) return
        if (!/^HTTP\/1.1 2/.test(head)) {
          reject(new Error(`${head.split('\r\n')[0]}: ${got.toString('utf8', end + 4)}`))
          socket.destroy()
          return
        }
        got = Buffer.alloc(0)
        answered++
        if (performance.now() < until) socket.write(render())
        else {
          socket.end()
          resolve()
        }
      })
    })
  const begun = performance.now()
  await Promise.all(Array.from({ length: o.concurrency }, worker))
  return (answered * 1000) / (performance.now() - begun)
}
