import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListenError } from '../ListenError.ts'

/** Serves plain http: challenges of the certificate authority, and redirects to the public address. */
export interface ChallengeServer {
  /** Serves the response of a challenge until the returned function is called. */
  publish(token: string, content: string): () => void
  /** Opens the port; 0 lets the system choose. Returns the port. Throws ListenError. */
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

/** One order has one challenge. More can only come from a certificate authority that does not work. */
const maxTokens = 8
/** A request and its response are small, so a connection is short. */
const maxConnections = 256
const timeoutMs = 10_000
const challengePath = '/.well-known/acme-challenge/'

/** Creates the server. It contains nothing of the application and reads no body. */
export function createChallengeServer(publicUrl: string): ChallengeServer {
  const tokens = new Map<string, string>()
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    connectionsCheckingInterval: 5_000,
  }
  const server = createServer(limits, (incoming, outgoing) => {
    const url = incoming.url ?? '/'
    outgoing.setHeader('connection', 'close')
    outgoing.setHeader('cache-control', 'no-store')
    if (url.startsWith(challengePath)) {
      const content = tokens.get(url.slice(challengePath.length))
      outgoing.setHeader('x-content-type-options', 'nosniff')
      outgoing.writeHead(content === undefined ? 404 : 200, { 'content-type': 'text/plain' })
      outgoing.end(content ?? 'There is no such challenge.\n')
      return
    }
    // The Host header of the request is not used: a client can set it to any name.
    outgoing.writeHead(308, { location: `${publicUrl}${url.startsWith('/') ? url : '/'}` }).end()
  })
  server.maxConnections = maxConnections
  server.setTimeout(timeoutMs)

  return {
    publish(token, content) {
      if (tokens.size >= maxTokens) tokens.delete(tokens.keys().next().value!)
      tokens.set(token, content)
      return () => void tokens.delete(token)
    },
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) =>
          reject(ListenError.fromHttpPort(error, host, port)),
        )
        server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
