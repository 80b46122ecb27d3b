import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** An error response of the gateway itself, in the form of the hosted service's gateway. */
export interface ErrorResponse {
  status: number
  body: { message: string; hint?: string }
}

export const noRoute: ErrorResponse = { status: 404, body: { message: 'no Route matched with those values' } }

export const functionWebSocketUnsupported: ErrorResponse = {
  status: 501,
  body: { message: 'Functions do not support WebSocket on this server' },
}

export const badRequest: ErrorResponse = { status: 400, body: { message: 'Bad Request' } }

export const tooManyHeaders: ErrorResponse = {
  status: 431,
  body: { message: 'The request has too many header fields' },
}

/** Sends JSON; without the body for HEAD. */
export function sendJson(
  outgoing: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  const text = JSON.stringify(body)
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  outgoing.end(text)
}

/** Refuses an upgrade, for which there is no response object, only the socket. */
export function rejectUpgrade(socket: Duplex, refusal: ErrorResponse): void {
  const text = JSON.stringify(refusal.body)
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  )
}
