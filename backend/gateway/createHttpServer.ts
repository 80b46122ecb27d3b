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
  /** Uses another certificate for new connections. Throws if it is invalid. */
  setCertificate(certificate: Certificate): void
}

/** TLS 1.0 and 1.1 are broken (RFC 8996); set explicitly, since an option of Node could enable them again. */
const secureOptions = { minVersion: 'TLSv1.2' } as const

/** Header fields of one request; browsers and proxies together send fewer than 50. */
const maxHeaders = 200

/** Whether a request must be refused with 431 for its number of header fields. */
export function hasTooManyHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.length / 2 > maxHeaders
}

/** An http server, or an https server if there is a certificate. Throws ListenError if it is invalid. */
export function createHttpServer(
  certificate: Certificate | null,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  headTimeoutMs: number,
): HttpServer {
  const limits = {
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: 65_000,
    headersTimeout: headTimeoutMs,
    // How often Node checks for late headers; 30 s by default.
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
 * Node silently drops header fields after the first 1,000. A proxy adds its own last, so that a client could cause the
 * loss of `X-Forwarded-For` and count as local. All are read, within `maxHeaderSize`, and too many are refused.
 */
function readAllHeaders<T extends Server>(server: T): T {
  server.maxHeadersCount = 0
  return server
}
