import { expect, test } from 'vitest'
import { CallerExceeded, PoolExhausted, PostgresUnavailable } from '../postgres/connections/pool.ts'
import { toStorageError } from './toStorageError.ts'

test.each([
  [{ code: '42501', message: 'new row violates row-level security policy for table "objects"' }, 403, 400],
  [{ code: '23505', message: '' }, 409, 400],
  [{ code: '23503', message: '', detail: 'Key (bucket_id)=(x) is not present' }, 404, 400],
  [{ code: '22021', message: 'invalid byte sequence' }, 400, 400],
  [{ code: '57014', message: '' }, 544, 544],
  [{ code: '57P01', message: '' }, 503, 503],
  [{ code: '53300', message: '' }, 429, 429],
  [{ code: '53100', message: 'could not extend file' }, 507, 507],
  [{ code: 'ENOSPC', message: 'no space left on device' }, 507, 507],
  [{ code: 'EDQUOT', message: 'quota exceeded' }, 507, 507],
  [new PoolExhausted(), 429, 429],
  [new CallerExceeded(), 429, 429],
  [new Error('Connection terminated unexpectedly'), 503, 503],
  [{ code: 'ECONNRESET', message: 'aborted' }, 499, 499],
  [new PostgresUnavailable(), 503, 503],
  [new TypeError('a fault of ours'), 500, 500],
  [undefined, 500, 500],
])('%j', (error, statusCode, httpStatus) => {
  expect(toStorageError(error)).toMatchObject({ statusCode, httpStatus })
})

test('an unknown error reveals no details', () => {
  expect(toStorageError(new TypeError('secret')).toJSON()).toEqual({
    statusCode: '500',
    error: 'Internal',
    code: 'InternalError',
    message: 'Internal Server Error',
  })
})
