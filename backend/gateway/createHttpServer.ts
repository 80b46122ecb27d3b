import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { ListenError } from './ListenError.ts'

/** PEM texts: the certificate with its chain, and its key. */
export interface Certificate {
  cert: string
  key: string
}

export interface HttpServer {
  server: Server
  /** Serves new connections with another certificate; those that stand keep theirs. Throws on an unusable one. */
  renew(certificate: Certificate): void
}

/** TLS 1.0 and 1.1 are broken (RFC 8996); said here, since an option of Node's could let them in again. */
const secureOptions = { minVersion: 'TLSv1.2' } as const

/** An http server, or an https one where there is a certificate. Throws ListenError where that can't be used. */
export function createHttpServer(
  certificate: Certificate | null,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): HttpServer {
  const limits = { maxHeaderSize: 64 * 1024, keepAliveTimeout: 65_000 }
  const renewNothing = (): never => {
    throw new Error('This server has no certificate to renew.')
  }
  if (!certificate) return { server: createServer(limits, handle), renew: renewNothing }
  try {
    const server = createTlsServer({ ...limits, ...secureOptions, ...certificate }, handle)
    return { server, renew: (next) => server.setSecureContext({ ...secureOptions, ...next }) }
  } catch (error) {
    throw new ListenError(`The TLS certificate or its key can't be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
