import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandingProxy {
  url: string
  close(): Promise<void>
}

/**
 * A reverse proxy before `target` that passes bodies and upgrades on as they come. It sends the headers that `write`
 * makes of the client's: nginx as it comes writes the target into `host` and nothing else.
 */
export async function startProxy(
  target: string,
  write: (headers: NodeJS.Dict<string | string[]>) => NodeJS.Dict<string | string[]>,
): Promise<StandingProxy> {
  const onward = (incoming: { url?: string; method?: string; headers: NodeJS.Dict<string | string[]> }) =>
    request(`${target}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: write(incoming.headers),
      agent: false,
    })
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (incoming, outgoing) => {
    const asked = onward(incoming)
    asked.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    asked.on('error', () => outgoing.destroy())
    incoming.pipe(asked)
  })
  server.on('upgrade', (incoming, socket, head) => {
    const asked = onward(incoming)
    asked.on('upgrade', (answer, inner, first) => {
      const lines = answer.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [`${name}: ${all[i + 1]}`]))
      socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'))
      socket.write(first)
      inner.write(head)
      inner.pipe(socket).pipe(inner)
      inner.on('error', () => socket.destroy())
      socket.on('error', () => inner.destroy())
    })
    asked.on('error', () => socket.destroy())
    asked.end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
