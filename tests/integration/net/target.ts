import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface Arrived {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Target {
  port: number
  /** All received requests, in order. */
  arrived: Arrived[]
  close(): Promise<void>
}

/** A server on loopback that records requests and responds with `reply`, or with 200 and "ok". */
export async function openTarget(
  reply: (request: Arrived, response: ServerResponse) => void = (_, response) => response.end('ok'),
): Promise<Target> {
  const arrived: Arrived[] = []
  const server = createServer((request: IncomingMessage, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method, url, headers } = request
      const noted = { method: method!, url: url!, headers, body }
      arrived.push(noted)
      reply(noted, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
