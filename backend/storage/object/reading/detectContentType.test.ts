import { expect, test } from 'vitest'
import { detectContentType } from './detectContentType.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'
const mp4 = '\0\0\0\x18ftypisom\0\0\x02\0'

test.each([
  ['image/png', png],
  ['image/apng', png],
  ['image/jpg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/heif', '\0\0\0\x18ftypmif1\0\0\0\0'],
  ['image/avif', '\0\0\0\x1cftypavif\0\0\0\0'],
  ['audio/mpeg', 'ID3\x04\0'],
  ['audio/webm', '\x1a\x45\xdf\xa3\x01'],
  ['video/quicktime', '\0\0\0\x14ftypqt  '],
  ['application/pdf', '%PDF-1.7\n'],
  ['image/png', 'a truncated or unknown picture'],
  ['image/png', ''],
  ['text/plain', 'GIF89a is what such files begin with'],
  ['text/plain', 'MZ and PK\r\n'],
  ['text/plain; charset=utf-8', '<3 you, <foo@example.org>'],
  ['text/plain', 'the <script> comes later'],
])('%s stays what it is: %j', (label, head) => {
  expect(detectContentType(label, bytes(head))).toBe(label)
})

test.each([
  ['image/png', '\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
  ['image/jpeg', png, 'image/png'],
  ['video/mp4', png, 'image/png'],
  ['image/gif', mp4, 'video/mp4'],
  ['text/plain', png, 'image/png'],
  ['application/pdf', 'GIF89a\x01\0', 'image/gif'],
])('%s that begins %j is %s', (label, head, type) => {
  expect(detectContentType(label, bytes(head))).toBe(type)
})

test.each([
  ['image/png', '%PDF-1.7\n'],
  ['text/plain', '%PDF-1.7\n\x01\x02'],
  ['video/mp4', 'PK\x03\x04\x14\0'],
  ['image/x-icon', 'MZ\x90\0'],
  ['audio/mpeg', '\0asm\x01\0\0\0'],
])('%s that begins %j is bytes of no kind', (label, head) => {
  expect(detectContentType(label, bytes(head))).toBe('application/octet-stream')
})

const utf16 = (text: string, mark: string): string => mark + Buffer.from(text, 'utf16le').toString('latin1')

test.each([
  '<script>alert(1)</script>',
  '<!DOCTYPE html>',
  '<?xml version="1.0"?><svg/>',
  ' \n\t<SVG onload=x>',
  '\xef\xbb\xbf<html>',
  '<!-- GIF89a --><html>',
  '<x:svg xmlns:x="http://www.w3.org/2000/svg">',
  utf16('<html >', '\xff\xfe'),
  utf16('<script>', ''),
  '\0<body >',
])('markup under whatever label is markup: %j', (head) => {
  for (const label of ['image/png', 'text/plain', 'application/pdf', 'video/mp4']) {
    expect(detectContentType(label, bytes(head))).toBe('text/html')
  }
})
