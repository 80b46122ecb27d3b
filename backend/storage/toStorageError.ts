import {
  CallerExceeded,
  PoolExhausted,
  PoolTimeout,
  PostgresUnavailable,
} from '../postgres/connections/pool.ts'
import { errors } from './errors.ts'
import { StorageError } from './StorageError.ts'

interface DatabaseFault {
  code?: unknown
  message?: unknown
  detail?: unknown
}

const callerLimitExceeded = (cause: unknown): StorageError =>
  new StorageError(
    {
      statusCode: 429,
      code: 'SlowDown',
      error: 'too_many_requests',
      message: 'Too many of your requests wait for the database. Try again in a moment.',
      httpStatus: 429,
    },
    { cause },
  )

const overloaded = (cause: unknown): StorageError =>
  new StorageError(
    {
      statusCode: 429,
      code: 'SlowDown',
      error: 'too_many_connections',
      message: 'Too many connections issued to the database',
      httpStatus: 429,
    },
    { cause },
  )

const unavailable = (cause: unknown): StorageError =>
  new StorageError(
    {
      statusCode: 503,
      code: 'DatabaseError',
      message: 'The database does not answer. Please try again later.',
      httpStatus: 503,
    },
    { cause },
  )

/** Maps an SQLSTATE to an error of the storage API, as upstream does. */
function fromSqlState(state: string, fault: DatabaseFault): StorageError | null {
  const text = String(fault.message ?? '')
  const cause = fault
  const createError = (statusCode: number, code: string, message: string): StorageError =>
    new StorageError({ statusCode, code, message }, { cause })

  switch (state) {
    case '42501':
      return errors.accessDenied(
        text.includes('row-level security') ? 'new row violates row-level security policy' : text,
      )
    case '23505':
      return errors.resourceAlreadyExists()
    case '23503':
      return String(fault.detail ?? '').includes('is still referenced from table')
        ? createError(
            409,
            'ResourceReferenced',
            'The resource could not be updated or removed due to a foreign key constraint',
          )
        : createError(404, 'InvalidRequest', 'The related resource does not exist')
    case '55P03':
      return createError(423, 'ResourceLocked', 'The resource is locked')
    case '57014':
      return new StorageError(
        {
          statusCode: 544,
          code: 'DatabaseTimeout',
          message: 'The connection to the database timed out',
          httpStatus: 544,
        },
        { cause },
      )
    case '25006':
      return createError(
        503,
        'DatabaseReadOnly',
        'The database is currently in read-only mode. Please try again later.',
      )
    case '25P02':
      return createError(
        500,
        'DatabaseTransactionAborted',
        'The database transaction has been aborted. Roll back the transaction before retrying.',
      )
    case '42P17':
      return createError(
        503,
        'DatabaseInvalidObjectDefinition',
        'The database schema is invalid or incompatible.',
      )
    case '42703':
    case '42P01':
      return createError(
        503,
        'DatabaseSchemaMismatch',
        'The database schema is out of sync. Please run migrations or contact support.',
      )
    case '53100':
      return errors.diskFull(cause)
    // Raised by the project's own triggers with the status in the code, as for the data API: a quota.
    case 'PT413':
      return createError(413, 'EntityTooLarge', text)
    case '54000':
      return createError(400, 'InvalidParameter', 'A value is too long')
  }
  if (state.startsWith('22')) return createError(400, 'InvalidParameter', text)
  // Raised by a trigger, or by a constraint of a table that a trigger writes to: the message is its author's.
  if (state === 'P0001' || state.startsWith('23')) return createError(400, 'DatabaseError', text)
  if (state.startsWith('53')) return overloaded(fault)
  if (state.startsWith('08') || state.startsWith('57P')) return unavailable(fault)
  return null
}

/** Converts any error of the service; an unexpected one becomes a 500 without details, with its cause. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (error instanceof CallerExceeded) return callerLimitExceeded(error)
  if (error instanceof PoolExhausted || error instanceof PoolTimeout) return overloaded(error)
  if (error instanceof PostgresUnavailable) return unavailable(error)
  const fault = (error ?? {}) as DatabaseFault
  const code = typeof fault.code === 'string' ? fault.code : ''
  if (code === 'ECONNRESET' && fault.message === 'aborted') return errors.aborted()
  // The driver's error for a connection lost during a statement has no SQLSTATE.
  if (String(fault.message).startsWith('Connection terminated')) return unavailable(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return errors.diskFull(error)
  const mapped = /^[0-9A-Z]{5}$/.test(code) ? fromSqlState(code, fault) : null
  return mapped ?? errors.internal(error)
}
