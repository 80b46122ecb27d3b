import type { ServerResponse } from 'node:http'

/** What the house answers in a function's stead. */
export interface Refusal {
  status: number
  body: { code: string | number; message: string }
  /** Value of `sb-error-code`, by which clients tell the house's answers from a function's. */
  code: string
}

const refusal = (status: number, code: string, message: string): Refusal => ({
  status,
  code,
  body: { code, message },
})

const unauthorised = (code: string, message: string): Refusal => ({
  status: 401,
  code,
  body: { code: 401, message },
})

/** Codes and messages as hosted gives them, where it has them. */
export const refusals = {
  unknown: refusal(404, 'NOT_FOUND', 'Requested function was not found'),
  noToken: unauthorised('UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'),
  noBearer: unauthorised('UNAUTHORIZED_INVALID_JWT_FORMAT', "Auth header is not 'Bearer {token}'"),
  badToken: unauthorised('UNAUTHORIZED_INVALID_JWT', 'Invalid JWT'),
  boot: refusal(503, 'BOOT_ERROR', 'Worker failed to boot (please check logs)'),
  crash: refusal(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)'),
  limit: refusal(546, 'WORKER_LIMIT', 'Worker failed to respond due to a resource limit (please check logs)'),
  overload: refusal(503, 'OVERLOADED', 'Too many requests wait for this function'),
  tooLarge: refusal(413, 'BODY_TOO_LARGE', 'Request size limit exceeded'),
}

/** Until when an answer had to begin is part of the sentence. */
export const timedOut = (ms: number): Refusal =>
  refusal(504, 'IDLE_TIMEOUT', `Request idle timeout limit (${Math.round(ms / 1000)}s) reached`)

/** For a body that did not arrive in time, or exceeds the budget of its caller. */
export const bodyCut = (status: 408 | 413 | 429, message: string): Refusal =>
  refusal(
    status,
    { 408: 'REQUEST_TIMEOUT', 413: 'BODY_TOO_LARGE', 429: 'TOO_MANY_REQUESTS' }[status],
    message,
  )

/** Answers with a refusal that scripts of any site may read; a HEAD gets the head alone. */
export function refuse(outgoing: ServerResponse, { status, body, code }: Refusal): void {
  const text = JSON.stringify(body)
  // A head that was begun and found to be none has left its words and headers: they would fail again, or be sent.
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
    // What is too large is not read to its end only to be dropped.
    ...((status === 408 || status === 413) && { connection: 'close' }),
  })
  outgoing.end(text)
}
