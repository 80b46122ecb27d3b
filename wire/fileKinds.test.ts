import { expect, test } from 'vitest'
import { fileKindOf, fileKinds } from './fileKinds.ts'

test.each([
  ['image/png', 'picture'],
  ['IMAGE/JPEG', 'picture'],
  ['video/webm;codecs="vp9,opus"', 'video'],
  ['audio/x-m4a', 'audio'],
  ['application/pdf', 'pdf'],
  ['text/plain; charset=utf-8', 'text'],
  [' text/x-python ', 'text'],
  ['text/x-c++src', 'text'],
  ['application/json', 'text'],
] as const)('%s opens as a %s', (type, kind) => {
  expect(fileKindOf(type)).toBe(kind)
  expect(fileKinds).toContain(kind)
})

test.each([
  'image/svg+xml',
  'image/png+xml',
  'text/html',
  'text/xml',
  'application/xhtml+xml',
  'text/plain+xml',
  'text/x-drawing+xml',
  'image/heic',
  'video/mp2t',
  'application/octet-stream',
  'text/html;text/plain',
  'text/html\ntext/plain',

  '',
  ';text/plain',
])('%j is only downloaded', (type) => {
  expect(fileKindOf(type)).toBe('other')
})
