import { expect, test } from 'vitest'
import { isKeyless } from './servicePaths.ts'

test.each([
  ['GET', '/auth/v1/verify'],
  ['GET', '/auth/v1/authorize'],
  ['GET', '/auth/v1/callback'],
  ['GET', '/auth/v1/.well-known/jwks.json'],
  ['GET', '/auth/v1/.well-known/openid-configuration'],
  ['GET', '/auth/v1/oauth/authorize'],
  ['POST', '/auth/v1/oauth/token'],
  ['HEAD', '/storage/v1/object/public/b/x'],
  ['GET', '/storage/v1/object/sign/b/x'],
  ['PUT', '/storage/v1/object/upload/sign/b/x'],
  ['POST', '/storage/v1/upload/resumable'],
  ['PATCH', '/storage/v1/upload/resumable/sign/x'],
  ['PUT', '/storage/v1/s3/b/x'],
  ['GET', '/storage/v1/status'],
  ['GET', '/storage/v1/version'],
])('%s %s needs no key', (method, path) => {
  expect(isKeyless(method, path)).toBe(true)
})

test.each([
  ['GET', '/auth/v1/verify/'],
  ['GET', '/auth/v1/user'],
  ['GET', '/auth/v1/admin/users'],
  ['GET', '/auth/v1/oauth/authorizations/x'],
  ['POST', '/auth/v1/oauth/authorizations/x/consent'],
  ['GET', '/rest/v1/object/public/'],
  ['GET', '/storage/v1/object/publicity/x'],
  ['GET', '/storage/v1/object/b/x'],
  ['POST', '/storage/v1/object/sign/b/x'],
  ['POST', '/storage/v1/object/upload/sign/b/x'],
  ['POST', '/storage/v1/upload/resumablex'],
  ['GET', '/storage/v1/s3x/b'],
  ['POST', '/storage/v1/object/public/x'],
  ['GET', '/storage/v1/status/x'],
])('%s %s needs a key', (method, path) => {
  expect(isKeyless(method, path)).toBe(false)
})

test('only storage accepts an access token without a key', () => {
  expect(isKeyless('POST', '/storage/v1/object/list/b', true)).toBe(true)
  for (const path of ['/rest/v1/x', '/auth/v1/user', '/storage/v10/x', '/functions/v1/x']) {
    expect(isKeyless('GET', path, true)).toBe(false)
  }
})
