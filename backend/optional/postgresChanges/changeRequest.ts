export type ChangeEvent = 'INSERT' | 'UPDATE' | 'DELETE'

const operators = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'like',
  'ilike',
  'is',
  'match',
  'imatch',
  'isdistinct',
] as const
export type Operator = (typeof operators)[number]

/** `value` as the client wrote it; of `in`, an array literal of PostgreSQL. */
export interface Filter {
  column: string
  operator: Operator
  value: string
  /** Whether `not.` precedes the operator. */
  negated: boolean
}

/** The changes that a client subscribes to. `schema` and `table` may be `*`, or contain `%` for any text. */
export interface ChangeRequest {
  event: ChangeEvent | '*'
  schema: string
  table: string
  /** All must match. */
  filters: Filter[]
  /** Columns besides the primary key; null for all. */
  select: string[] | null
}

/** Longer filters are refused: each is stored, and evaluated with each change. In UTF-16 units. */
const maxFilterLength = 16_384

/** An invalid request; `message` is the contract's. */
export class BadChangeRequest extends Error {
  override name = 'BadChangeRequest'
}

/**
 * Parses one entry of `config.postgres_changes` as the hosted service does. Throws BadChangeRequest with the text of its
 * `system` message.
 */
export function parseChangeRequest(params: Record<string, unknown>): ChangeRequest {
  const { schema, table, filter } = params
  const select = parseSelect(params['select'])
  const event = parseEvent(params['event'])
  const has = (name: string): boolean => name in params
  if (
    typeof schema === 'string' &&
    typeof table === 'string' &&
    (typeof filter === 'string' || !has('filter'))
  ) {
    const filters = typeof filter === 'string' ? parseFilters(filter) : []
    return withoutWildcards({ event, schema, table, filters, select })
  }
  if (typeof schema === 'string' && !has('table') && !has('filter')) {
    return withoutWildcards({ event, schema, table: '*', filters: [], select })
  }
  if (typeof table === 'string' && !has('schema') && !has('filter')) {
    return withoutWildcards({ event, schema: 'public', table, filters: [], select })
  }
  const shown = has('user_token') || has('auth_token') ? '<redacted>' : inspect(params)
  throw new BadChangeRequest(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${shown}`,
  )
}

/** The request as the hosted service's messages describe it. */
export function describeRequest({ event, schema, table, filters, select }: ChangeRequest): string {
  const shown = filters.map(
    (f) => `{${[f.column, f.operator, f.value].map(inspect).join(', ')}, ${f.negated}}`,
  )
  return `[event: ${event}, schema: ${schema}, table: ${table}, filters: [${shown.join(', ')}], select: ${inspect(select)}]`
}

function parseSelect(select: unknown): string[] | null {
  if (typeof select === 'string') {
    throw new BadChangeRequest(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    )
  }
  if (!Array.isArray(select)) return null
  const names = select.filter((name): name is string => typeof name === 'string')
  return names.length > 0 ? names : null
}

function parseEvent(event: unknown): ChangeEvent | '*' {
  const name = typeof event === 'string' ? event.toUpperCase() : ''
  return name === 'INSERT' || name === 'UPDATE' || name === 'DELETE' ? name : '*'
}

function withoutWildcards(request: ChangeRequest): ChangeRequest {
  if (request.select && (request.schema === '*' || request.table === '*')) {
    throw new BadChangeRequest(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    )
  }
  return request
}

function parseFilters(text: string): Filter[] {
  if (text.length > maxFilterLength) throw badFilter(`longer than ${maxFilterLength} characters`)
  const trimmed = text.trim()
  return trimmed === '' ? [] : splitFilters(trimmed).map(parseFilter)
}

/** Splits at commas outside parentheses and quotes; a quote starts a quoted part only after `.`, `(` and `,`. */
function splitFilters(text: string): string[] {
  const parts: string[] = []
  let from = 0
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = at > from && '.(,'.includes(text[at - 1]!)
    else if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function parseFilter(segment: string): Filter {
  const text = segment.trim()
  if (text === '') throw badFilter('filter must not contain empty segments (check for extra commas)')
  const equals = text.indexOf('=')
  if (equals < 0) throw badFilter(inspect([text]))
  const rest = text.slice(equals + 1)
  const negated = rest.startsWith('not.')
  const expression = negated ? rest.slice(4) : rest
  const dot = expression.indexOf('.')
  if (dot < 0) throw badFilter(inspect([expression]))
  const [name, value] = [expression.slice(0, dot), expression.slice(dot + 1)]
  const operator = operators.find((known) => known === name)
  if (!operator) throw badFilter(inspect([name, value]))
  return { column: text.slice(0, equals), operator, value: parseValue(operator, value), negated }
}

function parseValue(operator: Operator, value: string): string {
  if (operator !== 'in') return unquote(value)
  if (value.length < 2 || !value.startsWith('(') || !value.endsWith(')')) {
    throw badFilter('`in` filter value must be wrapped by parentheses')
  }
  return `{${value.slice(1, -1)}}`
}

/** Unchanged if quotes do not enclose the whole value. */
function unquote(value: string): string {
  const whole = /^"((?:[^"\\]|\\[^])*)"$/.exec(value)
  return whole ? whole[1]!.replace(/\\([^])/g, '$1') : value
}

function badFilter(reason: string): BadChangeRequest {
  return new BadChangeRequest(`Error parsing \`filter\` params: ${reason}`)
}

/** Formats a value as in the hosted service's messages. */
function inspect(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (Array.isArray(value)) return `[${value.map(inspect).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `%{${pairs.map(([key, member]) => `${JSON.stringify(key)} => ${inspect(member)}`).join(', ')}}`
}
