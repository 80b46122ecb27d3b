/** The body of an error on the wire (PostgREST: `{code, message, details, hint}`). */
export interface ErrorBody {
  code: string
  message: string
  details: unknown
  hint: string | null
}

/** An error response. */
export class RestError extends Error {
  readonly status: number
  /** Set if SQL chose one. */
  readonly statusText: string | undefined
  readonly body: ErrorBody
  readonly headers: Record<string, string>

  constructor(
    status: number,
    body: Partial<ErrorBody> & Pick<ErrorBody, 'code' | 'message'>,
    headers = {},
    statusText?: string,
  ) {
    super(body.message)
    this.status = status
    this.statusText = statusText
    this.body = {
      code: body.code,
      details: body.details ?? null,
      hint: body.hint ?? null,
      message: body.message,
    }
    this.headers = headers
  }
}

type Extra = { details?: unknown; hint?: string | null }

function createError(
  status: number,
  code: string,
  message: string,
  extra: Extra = {},
  headers = {},
): RestError {
  return new RestError(status, { code, message, ...extra }, headers)
}

const UNAUTHORIZED = 'Bearer error="invalid_token", error_description='

/** All errors of the service. Codes and messages are those of PostgREST. */
export const errors = {
  connectionFailed: () => createError(503, 'PGRST000', 'Database connection error.'),
  /** Upstream has no code for it, as its queue has no limits. 53400 is PostgreSQL's code for an exceeded limit. */
  callerExceeded: () =>
    createError(429, '53400', 'Too many of your requests wait for the database. Try again in a moment.'),
  callerHoldsTooMuch: () =>
    createError(
      429,
      '53400',
      'Your requests in progress contain too much data. Try again when some of them have ended.',
    ),
  /** 54000 is PostgreSQL's code for an exceeded program limit; upstream has no limit. */
  responseTooLarge: (limit: number) =>
    createError(400, '54000', 'The response is too large', {
      details: `At most ${limit} bytes are sent.`,
      hint: 'Request fewer rows or columns, also of embedded tables: add limits or select less.',
    }),
  /** Upstream has no such error, as its queue has no limit. */
  poolExhausted: () => createError(503, 'PGRST003', 'Too many requests wait for the database.'),
  connectionLost: () => createError(503, 'PGRST001', 'Database client error. Retrying the connection.'),
  noSchemaCache: () =>
    createError(503, 'PGRST002', 'Could not query the database for the schema cache. Retrying.'),
  /** As PostgreSQL reports it, where it checks the timeout. */
  statementOverdue: () => createError(500, '57014', 'canceling statement due to statement timeout'),
  poolTimeout: () => createError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.'),

  queryParameter: (message: string, details: string) => createError(400, 'PGRST100', message, { details }),
  rpcMethod: (method: string) => createError(405, 'PGRST101', `Cannot use the ${method} method on RPC`),
  body: (message: string) => createError(400, 'PGRST102', message),
  bodyTooLarge: (limit: number) =>
    createError(413, 'PGRST102', 'Request body too large', {
      details: `At most ${limit} bytes are accepted.`,
    }),
  range: (details: string, headers = {}) =>
    createError(416, 'PGRST103', 'Requested range not satisfiable', { details }, headers),
  putFilters: () =>
    createError(405, 'PGRST105', "Filters must include all and only primary key columns with 'eq' operators"),
  schemaNotExposed: (schema: string, exposed: string[]) =>
    createError(406, 'PGRST106', `Invalid schema: ${schema}`, {
      hint: `Only the following schemas are exposed: ${exposed.join(', ')}`,
    }),
  mediaType: (accepted: string[]) =>
    createError(406, 'PGRST107', `None of these media types are available: ${accepted.join(', ')}`),
  notEmbedded: (name: string) =>
    createError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    }),
  aliasNotUsed: (name: string, alias: string) =>
    createError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
      details: 'Target names are not allowed in filters if they have an alias',
      hint: `Change '${name}' to '${alias}' in filters, orders or limits.`,
    }),
  responseHeaders: () =>
    createError(
      500,
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ),
  responseStatus: () => createError(500, 'PGRST112', 'response.status guc must be a valid status code'),
  putRange: () => createError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT'),
  putMismatch: () => createError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)'),
  notSingular: (rows: number) =>
    createError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
      details: `The result contains ${rows} rows`,
    }),
  method: (method: string) => createError(405, 'PGRST117', `Unsupported HTTP method: ${method}`),
  relatedOrder: (origin: string, target: string) =>
    createError(400, 'PGRST118', `A related order on '${target}' is not possible`, {
      details: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
    }),
  raisedJson: (details: string, hint: string) =>
    createError(500, 'PGRST121', 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error', {
      details,
      hint,
    }),
  preferences: (invalid: string[]) =>
    createError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${invalid.join(', ')}`,
    }),
  aggregates: () => createError(400, 'PGRST123', 'Use of aggregate functions is not allowed'),
  spreadAggregates: () =>
    errors.notImplemented('Aggregates are not implemented for one-to-many or many-to-many spreads.'),
  maxAffected: (rows: number) =>
    createError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${rows} rows`,
    }),
  path: () => createError(404, 'PGRST125', 'Invalid path specified in request URL'),
  openApi: () => createError(404, 'PGRST126', 'Root endpoint metadata is disabled'),
  notImplemented: (details: string) => createError(400, 'PGRST127', 'Feature not implemented', { details }),
  maxAffectedSingle: () =>
    createError(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    ),

  noRelationship: (o: {
    parent: string
    child: string
    hint: string | null
    schema: string
    suggestion: string | null
  }) =>
    createError(
      400,
      'PGRST200',
      `Could not find a relationship between '${o.parent}' and '${o.child}' in the schema cache`,
      {
        details:
          `Searched for a foreign key relationship between '${o.parent}' and '${o.child}'` +
          `${o.hint === null ? '' : ` using the hint '${o.hint}'`} in the schema '${o.schema}', but no matches were found.`,
        hint: o.suggestion,
      },
    ),
  ambiguousRelationship: (parent: string, child: string, details: object[], choices: string[]) =>
    createError(
      300,
      'PGRST201',
      `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
      {
        details,
        hint:
          `Try changing '${child}' to one of the following: ${choices.map((choice) => `'${choice}'`).join(', ')}.` +
          " Find the desired relationship in the 'details' key.",
      },
    ),
  noFunction: (message: string, details: string, hint: string | null) =>
    createError(404, 'PGRST202', message, { details, hint }),
  ambiguousFunction: (signatures: string[]) =>
    createError(
      300,
      'PGRST203',
      `Could not choose the best candidate function between: ${signatures.join(', ')}`,
      {
        hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
      },
    ),
  noColumn: (table: string, column: string) =>
    createError(400, 'PGRST204', `Could not find the '${column}' column of '${table}' in the schema cache`),
  noTable: (schema: string, table: string, suggestion: string | null) =>
    createError(404, 'PGRST205', `Could not find the table '${schema}.${table}' in the schema cache`, {
      hint: suggestion === null ? null : `Perhaps you meant the table '${schema}.${suggestion}'`,
    }),

  tokenMalformed: (message: string, details: string | null = null) =>
    createError(
      401,
      'PGRST301',
      message,
      { details },
      { 'WWW-Authenticate': UNAUTHORIZED + JSON.stringify(message) },
    ),
  tokenClaims: (message: string) =>
    createError(401, 'PGRST303', message, {}, { 'WWW-Authenticate': UNAUTHORIZED + JSON.stringify(message) }),

  /** The error of the safeupdate extension, which hosted projects load for API sessions. */
  whereClause: (verb: 'UPDATE' | 'DELETE') => createError(400, '21000', `${verb} requires a WHERE clause`),
}
