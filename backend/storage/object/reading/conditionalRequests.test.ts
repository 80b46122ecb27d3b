import { expect, test } from 'vitest'
import { isNotModified, isRangeApplicable } from './conditionalRequests.ts'

const object = { etag: '"a"', lastModified: new Date('2026-01-02T03:04:05.678Z') }

test.each([
  [{ 'if-none-match': '"a"' }, true],
  [{ 'if-none-match': '"b", W/"a"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"b"' }, false],
  [{ 'if-none-match': '"b"', 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, false],
  [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, true],
  [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
  [{}, false],
])('%j', (headers, fresh) => {
  expect(isNotModified(headers, object)).toBe(fresh)
})

test('a part is only given of the very bytes that the client has', () => {
  expect(isRangeApplicable({}, object)).toBe(true)
  expect(isRangeApplicable({ 'if-range': '"a"' }, object)).toBe(true)
  expect(isRangeApplicable({ 'if-range': '"b"' }, object)).toBe(false)
  expect(isRangeApplicable({ 'if-range': 'W/"a"' }, object)).toBe(false)
  expect(isRangeApplicable({ 'if-range': 'Fri, 02 Jan 2026 03:04:05 GMT' }, object)).toBe(true)
})
