import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A refusal of the gateway itself, in the form that hosted's gateway gives it. */
export interface ErrorResponse {
  status: number
  body: { message: string; hint?: string }
}

export const noRoute: ErrorResponse = { status: 404, body: { message: 'no Route matched with those values' } }

export const functionWebSocketUnsupported: ErrorResponse = {
  status: 501,
  body: { message: 'Functions do not speak WebSocket here' },
}

export const badRequest: ErrorResponse = { status: 400, body: { message: 'Bad Request' } }

export const tooManyHeaders: ErrorResponse = {
  status: 431,
  body: { message: 'The request has too many header fields' },
}

/** Answers a request with JSON; a HEAD gets the head alone. */
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

/** Answers an upgrade that isn't to be: there is no response object then, only the socket. */
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
