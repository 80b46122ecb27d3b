import type { ServerResponse } from 'node:http'
import type { WorkerEnd } from './process/InFlightRequest.ts'

/** An error response that the server sends instead of a function. */
export interface ErrorResponse {
  status: number
  body: { code: string | number; message: string }
  /** Value of `sb-error-code`, which distinguishes errors of the server from responses of a function. */
  code: string
}

const errorResponse = (status: number, code: string, message: string): ErrorResponse => ({
  status,
  code,
  body: { code, message },
})

const unauthorized = (code: string, message: string): ErrorResponse => ({
  status: 401,
  code,
  body: { code: 401, message },
})

/** Codes and messages of the hosted service, as far as it has them. */
export const errorResponses = {
  unknown: errorResponse(404, 'NOT_FOUND', 'Requested function was not found'),
  noToken: unauthorized('UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'),
  noBearer: unauthorized('UNAUTHORIZED_INVALID_JWT_FORMAT', "Auth header is not 'Bearer {token}'"),
  badToken: unauthorized('UNAUTHORIZED_INVALID_JWT', 'Invalid JWT'),
  boot: errorResponse(503, 'BOOT_ERROR', 'Worker failed to boot (please check logs)'),
  crash: errorResponse(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)'),
  limit: errorResponse(
    546,
    'WORKER_LIMIT',
    'Worker failed to respond due to a resource limit (please check logs)',
  ),
  overload: errorResponse(503, 'OVERLOADED', 'Too many requests wait for this function'),
  tooLarge: errorResponse(413, 'BODY_TOO_LARGE', 'Request size limit exceeded'),
}

/** The response to a request whose worker has ended. */
export const responseOfWorkerEnd: Record<WorkerEnd, ErrorResponse> = {
  crash: errorResponses.crash,
  protocol: errorResponses.crash,
  released: errorResponses.crash,
  memory: errorResponses.limit,
  cpu: errorResponses.limit,
  time: errorResponses.limit,
}

/** The message contains the timeout. */
export const timedOut = (ms: number): ErrorResponse =>
  errorResponse(504, 'IDLE_TIMEOUT', `Request idle timeout limit (${Math.round(ms / 1000)}s) reached`)

/** For a body that did not arrive in time, or exceeds the budget of its caller. */
export const bodyCut = (status: 408 | 413 | 429, message: string): ErrorResponse =>
  errorResponse(
    status,
    { 408: 'REQUEST_TIMEOUT', 413: 'BODY_TOO_LARGE', 429: 'TOO_MANY_REQUESTS' }[status],
    message,
  )

/** Sends an error that scripts of any origin may read; without the body for HEAD. */
export function sendError(outgoing: ServerResponse, { status, body, code }: ErrorResponse): void {
  const text = JSON.stringify(body)
  // An invalid response head may have left a status message and headers, which must not be sent.
  outgoing.statusMessage = ''
  for (const name of outgoing.getHeaderNames()) {
    if (name !== 'sb-request-id' && name !== 'connection') outgoing.removeHeader(name)
  }
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'sb-error-code, sb-request-id',
    'cache-control': 'no-store',
    'sb-error-code': code,
    // The rest of the body is not read.
    ...((status === 408 || status === 413) && { connection: 'close' }),
  })
  outgoing.end(text)
}
