import { expect, test } from 'vitest'
import { objectHeaders } from './objectHeaders.ts'
import type { ObjectMetadata, ObjectRow } from '../objectRows.ts'

const rowWith = (metadata: ObjectMetadata | null): ObjectRow => ({
  id: 'id',
  name: 'a/b.bin',
  created_at: null,
  updated_at: new Date('2026-01-02T03:04:05Z'),
  last_accessed_at: null,
  metadata,
})

test('what SQL may have written into a row can not break out of a header', () => {
  const { fields } = objectHeaders(
    rowWith({
      eTag: '"x"\r\nSet-Cookie: a=b',
      mimetype: 'text/plain\r\nX: y',
      cacheControl: 'no-cache\r\nX: y',
      lastModified: 'whenever',
    }),
  )
  expect(fields).toMatchObject({
    ETag: '"id"',
    'Content-Type': 'application/octet-stream',
    'Cache-Control': 'no-cache',
    'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
  })
})

test('a page is sent as text to keep, under a policy that runs nothing', () => {
  const { fields } = objectHeaders(rowWith({ mimetype: 'text/html' }))
  expect(fields['Content-Type']).toBe('text/plain; charset=utf-8')
  expect(fields['Content-Disposition']).toMatch(/^attachment/)
  expect(fields['X-Content-Type-Options']).toBe('nosniff')
  expect(fields['Content-Security-Policy']).toMatch(/default-src 'none'.*sandbox$/)
})

test('a row without metadata has headers all the same', () => {
  expect(objectHeaders(rowWith(null)).fields['Last-Modified']).toBe('Fri, 02 Jan 2026 03:04:05 GMT')
})
