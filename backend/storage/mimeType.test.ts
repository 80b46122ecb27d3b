import { expect, test } from 'vitest'
import { cleanMimeType, requireAllowableTypes, requireAllowedType } from './mimeType.ts'

test('a label that is no type becomes bytes of no known kind', () => {
  expect(cleanMimeType('text/plain;charset=UTF-8')).toBe('text/plain;charset=UTF-8')
  for (const label of [
    undefined,
    '',
    'x',
    'a/b\r\nSet-Cookie: x',
    'text/html, text/plain',
    `a/${'b'.repeat(255)}`,
  ])
    expect(cleanMimeType(label)).toBe('application/octet-stream')
})

test('a list allows exact types, families, and everything when empty', () => {
  for (const type of ['image/png', 'IMAGE/PNG', 'text/plain;charset=UTF-8'])
    expect(() => requireAllowedType(type, ['image/*', 'text/plain'])).not.toThrow()
  for (const allowed of [null, []]) expect(() => requireAllowedType('a/b', allowed)).not.toThrow()
  for (const type of ['text/html', 'imagex/png', 'application/image/png'])
    expect(() => requireAllowedType(type, ['image/*', 'text/plain'])).toThrow(
      `mime type ${type} is not supported`,
    )
})

test('a bucket can only allow what could be', () => {
  expect(() => requireAllowableTypes(['image/*', 'image/svg+xml', '*', '*/*'])).not.toThrow()
  expect(() => requireAllowableTypes(['image'])).toThrow('mime type image is not supported')
})
