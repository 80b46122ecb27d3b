import {
  CallerExceeded,
  PoolExhausted,
  PoolTimeout,
  PostgresLost,
  PostgresUnavailable,
} from '../../postgres/connections/pool.ts'
import { RestError, errors } from '../errors.ts'
import { GUARD_WORD } from '../sql/guardSql.ts'
import type { Guard } from '../sql/guardSql.ts'
import { isHeader } from './renderHeaders.ts'

/** The fields of an error that PostgreSQL sends (pg's DatabaseError). */
interface Raised {
  code: string
  message: string
  detail?: string
  hint?: string
}

/** What a guard of the statement means when it fails. */
const GUARDS: Record<Guard, (rows: number) => RestError> = {
  put: errors.putMismatch,
  single: errors.notSingular,
  affected: errors.maxAffected,
}

const GUARD = new RegExp(`"${GUARD_WORD}([a-z]+) (\\d+)"`)

/** Statuses by SQLSTATE, else by its class (PostgREST's table); 400 is the rest. */
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
 * Turns whatever a statement threw into an answer; null for what is no error of the database.
 * `isAnonymous`: a missing right then means that signing in may help (401 rather than 403).
 */
export function databaseError(error: unknown, isAnonymous: boolean): RestError | null {
  if (error instanceof PoolTimeout) return errors.poolTimeout()
  if (error instanceof CallerExceeded) return errors.callerExceeded()
  if (error instanceof PoolExhausted) return errors.poolExhausted()
  if (error instanceof PostgresLost) return errors.connectionLost()
  if (error instanceof PostgresUnavailable) return errors.connectionFailed()
  if (!isRaised(error)) return isConnectionLost(error) ? errors.connectionLost() : null
  const failed = error.code === '22P02' ? GUARD.exec(error.message) : null
  if (failed) return GUARDS[failed[1] as Guard](Number(failed[2]))
  if (error.code === 'PGRST') return raisedJson(error)
  const status = statusOf(error, isAnonymous)
  const statusText = error.code.startsWith('PT') ? statusTextOf(error.message) : undefined
  const body = {
    code: error.code,
    message: error.message,
    details: error.detail ?? null,
    hint: error.hint ?? null,
  }
  return new RestError(status, body, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}, statusText)
}

function isRaised(error: unknown): error is Raised {
  const { code } = (error ?? {}) as Partial<Raised>
  return (
    error instanceof Error && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
  )
}

/** pg has no class for these; its own errors are told by what they say, the socket's by their code. */
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

function statusOf({ code, message }: Raised, isAnonymous: boolean): number {
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

/** `RAISE SQLSTATE 'PGRST'` writes the whole answer: body in the message, status and headers in the detail. */
function raisedJson({ message, detail }: Raised): RestError {
  const said = parseObject(message)
  if (
    !said ||
    !isText(said.code) ||
    !isText(said.message) ||
    !mayBeText(said.details) ||
    !mayBeText(said.hint)
  ) {
    return errors.raisedJson(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT)
  }
  if (detail === undefined) return errors.raisedJson('DETAIL is missing in the RAISE statement', DETAIL_HINT)
  const { status, status_text: text, headers } = parseObject(detail) ?? {}
  if (!isStatus(status) || !mayBeText(text) || !areHeaders(headers)) {
    return errors.raisedJson(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
  }
  const { code, message: sentence, details = null, hint = null } = said
  return new RestError(status, { code, message: sentence, details, hint }, headers, statusTextOf(text))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function mayBeText(value: unknown): value is string | null | undefined {
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
    Object.entries(value).every(([name, text]) => isHeader(name, text))
  )
}

/** What stands behind the status in the first line; what can't stand there is left out. */
function statusTextOf(text: string | null | undefined): string | undefined {
  return text && isHeader('Status', text) ? text : undefined
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
