/** Why a request is refused or cut off. */
export interface OverBudget {
  status: 408 | 413 | 429
  message: string
}

export const overBudget = {
  requests: {
    status: 429,
    message: 'Too many of your requests are in progress. Try again in a moment.',
  },
  bytes: {
    status: 429,
    message: 'Your requests in progress contain too much data. Try again when some of them have ended.',
  },
  tooLarge: { status: 413, message: 'The request is larger than this server buffers for one caller.' },
  stalled: { status: 408, message: 'The request body did not arrive in time.' },
} satisfies Record<string, OverBudget>

const codes = {
  408: { rest: 'PGRST102', auth: 'request_timeout', storage: 'RequestTimeout', functions: 'REQUEST_TIMEOUT' },
  413: {
    rest: 'PGRST102',
    auth: 'request_entity_too_large',
    storage: 'EntityTooLarge',
    functions: 'BODY_TOO_LARGE',
  },
  429: {
    rest: '53400',
    auth: 'over_request_rate_limit',
    storage: 'SlowDown',
    functions: 'TOO_MANY_REQUESTS',
  },
} as const

/** The error in the form of the service that the request was for. */
export function overBudgetBody(path: string, { status, message }: OverBudget): Record<string, unknown> {
  const service = path.slice(1, path.indexOf('/', 1))
  const code = codes[status]
  switch (service) {
    case 'rest':
      return { code: code.rest, message, details: null, hint: null }
    case 'auth':
      return { code: status, error_code: code.auth, msg: message }
    case 'storage':
      return { statusCode: String(status), error: code.storage, code: code.storage, message }
    case 'functions':
      return { code: code.functions, message }
    default:
      return { message }
  }
}

/** Headers of such a response. A body that did not arrive is not waited for. */
export function overBudgetHeaders(path: string, { status }: OverBudget): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    ...(status === 429 && { 'retry-after': '1' }),
    ...(status === 408 && { connection: 'close' }),
    ...(path.startsWith('/functions/') && { 'sb-error-code': codes[status].functions }),
  }
}
