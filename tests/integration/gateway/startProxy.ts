import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestProxy {
  url: string
  close(): Promise<void>
}

/**
 * A reverse proxy in front of `target` that forwards bodies and upgrades. It sends the headers that `write` returns for
 * the client's: nginx by default sets `host` to the target and nothing else.
 */
export async function startProxy(
  target: string,
  write: (headers: NodeJS.Dict<string | string[]>) => NodeJS.Dict<string | string[]>,
): Promise<TestProxy> {
  const onward = (incoming: { url?: string; method?: string; headers: NodeJS.Dict<string | string[]> }) =>
    request(`${target}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: write(incoming.headers),
      agent: false,
    })
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (incoming, outgoing) => {
    const forwarded = onward(incoming)
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  server.on('upgrade', (incoming, socket, head) => {
    const forwarded = onward(incoming)
    forwarded.on('upgrade', (response, inner, first) => {
      const lines = response.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [`${name}: ${all[i + 1]}`]))
      socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'))
      socket.write(first)
      inner.write(head)
      inner.pipe(socket).pipe(inner)
      inner.on('error', () => socket.destroy())
      socket.on('error', () => inner.destroy())
    })
    forwarded.on('error', () => socket.destroy())
    forwarded.end()
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
