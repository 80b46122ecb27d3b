import {
  CallerExceeded,
  PoolExhausted,
  PoolTimeout,
  PostgresLost,
  PostgresUnavailable,
  StatementOverdue,
} from '../../postgres/connections/pool.ts'
import { RestError, errors } from '../errors.ts'
import { GUARD_PREFIX } from '../sql/guardSql.ts'
import type { Guard } from '../sql/guardSql.ts'
import { isValidHeader } from './renderHeaders.ts'

/** The fields of an error that PostgreSQL sends (pg's DatabaseError). */
interface PostgresError {
  code: string
  message: string
  detail?: string
  hint?: string
  /** The functions that were running. */
  where?: string
  table?: string
}

/** The error of each guard. */
const GUARDS: Record<Guard, (count: number) => RestError> = {
  put: errors.putMismatch,
  single: errors.notSingular,
  affected: errors.maxAffected,
  large: errors.responseTooLarge,
}

const GUARD = new RegExp(`"${GUARD_PREFIX}([a-z]+) (\\d+)"`)

/** Statuses by SQLSTATE, else by its class (PostgREST's table), else 400. */
const STATUS: Record<string, number> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '23503': 409,
  '23505': 409,
  '25': 500,
  '25006': 405,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53': 503,
  '53400': 500,
  '54': 500,
  '55': 500,
  '57': 500,
  '57P01': 503,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
}

/**
 * Converts an error of a statement to a response; null for other errors. `isAnonymous`: a missing privilege is 401 instead
 * of 403, as signing in may help.
 */
export function databaseError(error: unknown, isAnonymous: boolean): RestError | null {
  if (error instanceof PoolTimeout) return errors.poolTimeout()
  if (error instanceof CallerExceeded) return errors.callerExceeded()
  if (error instanceof PoolExhausted) return errors.poolExhausted()
  if (error instanceof PostgresLost) return errors.connectionLost()
  if (error instanceof PostgresUnavailable) return errors.connectionFailed()
  if (error instanceof StatementOverdue) return errors.statementOverdue()
  if (!isPostgresError(error)) return isConnectionLost(error) ? errors.connectionLost() : null
  const guardMatch = error.code === '22P02' ? GUARD.exec(error.message) : null
  if (guardMatch) return GUARDS[guardMatch[1] as Guard](Number(guardMatch[2]))
  if (error.code === 'PGRST') return parseRaisedJson(error)
  const status = statusOf(error, isAnonymous)
  const statusText = error.code.startsWith('PT') ? statusTextOf(error.message) : undefined
  const body = {
    code: error.code,
    message: error.message,
    details: describesHiddenRow(error) ? null : (error.detail ?? null),
    hint: error.hint ?? null,
  }
  return new RestError(status, body, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}, statusText)
}

/** SQLSTATEs whose detail describes a row: not_null_violation, check_violation, exclusion_violation, with_check_option_violation. */
const rowStates = new Set(['23502', '23514', '23P01', '44000'])

/**
 * Whether the detail may describe a row that the caller may not read. PostgreSQL leaves out what the current role may not
 * read, but within a function that is the owner of the function. PostgREST returns these details.
 */
function describesHiddenRow({ code, table, where }: PostgresError): boolean {
  // What a function raises itself names no table. The error of a view's check option never does.
  return rowStates.has(code) && Boolean(where) && (table !== undefined || code === '44000')
}

function isPostgresError(error: unknown): error is PostgresError {
  const { code } = (error ?? {}) as Partial<PostgresError>
  return (
    error instanceof Error && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
  )
}

/** pg has no class for these errors: its own are recognized by their message, those of the socket by their code. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === 'ENOENT' ||
    /^(Connection terminated|Client has encountered a connection error|Client was closed)/.test(error.message)
  )
}

function statusOf({ code, message }: PostgresError, isAnonymous: boolean): number {
  if (code === '42501') return isAnonymous ? 401 : 403
  if (code === '42883' && message.startsWith('function xmlagg(')) return 406
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500
  if (code === '22023') return /^role .* does not exist$/s.test(message) ? 401 : 400
  if (code.startsWith('PT')) {
    const status = Number(code.slice(2))
    return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500
  }
  return STATUS[code] ?? STATUS[code.slice(0, 2)] ?? 400
}

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."

/** `RAISE SQLSTATE 'PGRST'` sets the response: body in the message, status and headers in the detail. */
function parseRaisedJson({ message, detail }: PostgresError): RestError {
  const body = parseObject(message)
  if (
    !body ||
    !isText(body.code) ||
    !isText(body.message) ||
    !isOptionalText(body.details) ||
    !isOptionalText(body.hint)
  ) {
    return errors.raisedJson(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT)
  }
  if (detail === undefined) return errors.raisedJson('DETAIL is missing in the RAISE statement', DETAIL_HINT)
  const { status, status_text: text, headers } = parseObject(detail) ?? {}
  if (!isStatus(status) || !isOptionalText(text) || !areHeaders(headers)) {
    return errors.raisedJson(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
  }
  const { code, message: sentence, details = null, hint = null } = body
  return new RestError(status, { code, message: sentence, details, hint }, headers, statusTextOf(text))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || isText(value)
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599
}

function areHeaders(value: unknown): value is Record<string, string> {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, text]) => isValidHeader(name, text))
  )
}

/** The reason phrase; undefined if it is not valid in HTTP. */
function statusTextOf(text: string | null | undefined): string | undefined {
  return text && isValidHeader('Status', text) ? text : undefined
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
