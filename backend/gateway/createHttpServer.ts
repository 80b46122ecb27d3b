import { createServer, STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
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

/**
 * An http server, or an https server if there is a certificate. Throws ListenError if it is invalid.
 * @param o.onTlsHandshake called if a client of an http server begins a TLS handshake. The connection then ends.
 */
export function createHttpServer(o: {
  certificate: Certificate | null
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void
  headTimeoutMs: number
  onTlsHandshake: () => void
}): HttpServer {
  const { certificate, handle, headTimeoutMs } = o
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
  if (!certificate) {
    const server = readAllHeaders(createServer(limits, handle))
    reportTlsHandshakes(server, o.onTlsHandshake)
    return { server, setCertificate: rejectCertificate }
  }
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

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const handshakeRecord = 0x16

/** Statuses of errors of Node's parser; all others are 400. */
const errorStatuses: Partial<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Calls `report` for each connection that begins with TLS. A browser that opens an http server with https shows a general error,
 * and nothing that this server sends could change it: a TLS alert selects another error, and a page needs a trusted certificate.
 * A handler of `clientError` replaces Node's own, so this one responds as Node does.
 */
function reportTlsHandshakes(server: Server, report: () => void): void {
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    const isFirstPacket = (socket as Socket).bytesWritten === 0
    if (isFirstPacket && error.rawPacket?.[0] === handshakeRecord) report()
    // Node's own property: the response to the request before, which must not be continued with another one.
    const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
    if (socket.writable && !response?.headersSent) {
      const status = errorStatuses[error.code ?? ''] ?? 400
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy(error)
  })
}
