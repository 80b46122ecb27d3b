import { expect, test } from 'vitest'
import { contentDisposition } from './contentDisposition.ts'

test.each(['image/png', 'video/mp4', 'audio/ogg', 'application/pdf', 'text/plain;charset=utf-8'])(
  '%s opens in place unless it is asked for as a download',
  (type) => {
    expect(contentDisposition({ type, name: 'a/b.x', download: undefined })).toBeNull()
    expect(contentDisposition({ type, name: 'a/b.x', download: '' })).toBe(
      `attachment; filename="b.x"; filename*=UTF-8''b.x`,
    )
  },
)

test.each([
  'text/html',
  'image/svg+xml',
  'IMAGE/SVG+XML;x=y',
  'application/xhtml+xml',
  'text/xml',
  'application/octet-stream',
  'text/javascript',
])('%s is always an attachment', (type) => {
  expect(contentDisposition({ type, name: 'a/b', download: undefined })).toMatch(/^attachment/)
})

test('a name of any script survives, and none can end the header', () => {
  const of = (download: string): string | null => contentDisposition({ type: 'a/b', name: 'x', download })
  expect(of('Übersicht 2026.pdf')).toBe(
    `attachment; filename="_bersicht 2026.pdf"; filename*=UTF-8''%C3%9Cbersicht%202026.pdf`,
  )
  expect(of('a"; filename="b.exe\r\nSet-Cookie: x=y')).toBe(
    `attachment; filename="a_; filename=_b.exe__Set-Cookie: x=y"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe%0D%0ASet-Cookie%3A%20x%3Dy`,
  )
  expect(of("it's (1)*.txt")).toContain(`filename*=UTF-8''it%27s%20%281%29%2A.txt`)
  expect(of('\uD800')).toContain(`filename*=UTF-8''%EF%BF%BD`)
})

test('marks that turn the direction of a name do not reach who saves it', () => {
  const disposition = contentDisposition({
    type: 'text/plain',
    name: 'a',
    download: 'photo\u202egpj.exe\u2066',
  })
  expect(disposition).toBe(`attachment; filename="photo_gpj.exe_"; filename*=UTF-8''photo_gpj.exe_`)
})
