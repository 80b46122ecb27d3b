import { expect, test } from 'vitest'
import { readCacheControl, parseUploadMetadata } from './uploadMetadata.ts'

test.each([
  ['a', { a: '' }],
  ['a YQ==', { a: 'a' }],
  ['a YWI=,b YWJj', { a: 'ab', b: 'abc' }],
  ['__proto__ YQ==', { ['__proto__']: 'a' }],
])('%s', (header, pairs) => {
  expect(Object.fromEntries(parseUploadMetadata(header)!)).toEqual(Object.fromEntries(Object.entries(pairs)))
})

test.each([
  '',
  ' ',
  'a,a',
  'a YQ',
  'a YQ=',
  'a Y Q=',
  'a  YQ==',
  ' a',
  'é YQ==',
  'a -_==',
  'a YQ==,',
  'a =YQ=',
])('is malformed: %j', (header) => {
  expect(parseUploadMetadata(header)).toBeNull()
})

test.each([
  ['3600', 'max-age=3600'],
  ['-1', 'max-age=-1'],
  ['max-age=1', 'no-cache'],
  ['1\r\nx: y', 'no-cache'],
])('cacheControl %j means %s', (seconds, header) => {
  expect(readCacheControl(new Map([['cacheControl', seconds]]))).toBe(header)
})
