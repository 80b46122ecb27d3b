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
  setCertificate(certificate: Certificate): void
}

/** TLS 1.0 and 1.1 are broken (RFC 8996); said here, since an option of Node's could let them in again. */
const secureOptions = { minVersion: 'TLSv1.2' } as const

/** Header fields of one request; browsers and proxies together send fewer than 50. */
const maxHeaders = 200

/** Whether a request must be refused with 431 for its number of header fields. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.length / 2 > maxHeaders
}

/** An http server, or an https one where there is a certificate. Throws ListenError where that can't be used. */
export function createHttpServer(
  certificate: Certificate | null,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  headTimeoutMs: number,
): HttpServer {
  const limits = {
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: 65_000,
    headersTimeout: headTimeoutMs,
    // Node looks for late heads so often; half a minute unless told.
    connectionsCheckingInterval: Math.min(headTimeoutMs, 5_000),
  }
  const rejectCertificate = (): never => {
    throw new Error('This server has no certificate to renew.')
  }
  if (!certificate)
    return { server: readAllHeaders(createServer(limits, handle)), setCertificate: rejectCertificate }
  try {
    const server = readAllHeaders(
      createTlsServer(
        { ...limits, ...secureOptions, ...certificate, handshakeTimeout: headTimeoutMs },
        handle,
      ),
    )
    return { server, setCertificate: (next) => server.setSecureContext({ ...secureOptions, ...next }) }
  } catch (error) {
    throw new ListenError(`The TLS certificate or its key can't be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * Node drops the header fields after the first 1,000 without a word. A proxy adds its own last, so that a client could
 * make it lose `X-Forwarded-For` and count as local. All are read, within `maxHeaderSize`, and too many are refused.
 */
function readAllHeaders<T extends Server>(server: T): T {
  server.maxHeadersCount = 0
  return server
}
