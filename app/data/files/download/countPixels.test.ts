import sharp from 'sharp'
import { expect, test } from 'vitest'
import { countPixels } from './countPixels.ts'

const drawn = () => sharp({ create: { width: 30, height: 20, channels: 3, background: '#c9d8c4' } })

test.each([
  ['png', {}],
  ['jpeg', {}],
  ['jpeg', { progressive: true }],
  ['gif', {}],
  ['webp', {}],
  ['webp', { lossless: true }],
  ['avif', { effort: 0 }],
] as const)('counts the pixels of %s %o', async (format, how) => {
  const bytes = await drawn().toFormat(format, how).toBuffer()
  expect(countPixels(bytes)).toBe(600)
  expect(countPixels(bytes.subarray(0, 12))).toBe(null)
})

test('counts the pixels of an extended WebP from its first chunk', async () => {
  const bytes = await drawn().withIccProfile('p3').webp().toBuffer()
  expect(bytes.toString('latin1', 12, 16)).toBe('VP8X')
  expect(countPixels(bytes)).toBe(600)
})

test('a GIF is at least as large as its first image', async () => {
  const bytes = await drawn().gif().toBuffer()
  bytes.writeUInt16LE(1, 6)
  bytes.writeUInt16LE(1, 8)
  expect(countPixels(bytes)).toBe(600)
})

test('a JPEG can’t hide its header behind segments that decoders don’t skip', async () => {
  const bytes = await drawn().jpeg().toBuffer()
  const with_ = (...between: number[]) =>
    Buffer.concat([bytes.subarray(0, 2), Buffer.from(between), bytes.subarray(2)])
  expect(countPixels(with_(0xff, 0xff, 0xff, 0xfe, 0, 3, 65))).toBe(600)
  expect(countPixels(with_(0xff, 0xd0, 0, 4, 1, 1))).toBe(null)
  expect(countPixels(with_(65))).toBe(null)
})

test.each(['', 'BM', '<svg width="9" height="9"/>', '\0\0\u0001\0 an icon that is long enough'])(
  '%j is none',
  (text) => expect(countPixels(new TextEncoder().encode(text))).toBe(null),
)
