import { expect, test } from 'vitest'
import { sourceOfBytes } from './ByteSource.ts'
import { isAnimated } from './isAnimated.ts'

const moves = (content: Uint8Array) => isAnimated(sourceOfBytes(content))
const text = (content: string) => Array.from(content, (letter) => letter.charCodeAt(0))
const number = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const bytes = (...parts: number[][]) => new Uint8Array(parts.flat())

const gifHead = [...text('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
const gifFrame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
const gifDelay = [0x21, 0xf9, 4, 0, 10, 0, 0, 0]

test('a GIF is animated if it has a second frame', async () => {
  expect(await moves(bytes(gifHead, gifDelay, gifFrame, [0x3b]))).toBe(false)
  expect(await moves(bytes(gifHead, gifDelay, gifFrame, gifDelay, gifFrame, [0x3b]))).toBe(true)
})

const chunk = (type: string, ...content: number[][]) => {
  const data = content.flat()
  return [...number(data.length), ...text(type), ...data, 0, 0, 0, 0]
}
const pngHead = [0x89, ...text('PNG'), 13, 10, 26, 10]

test('a PNG is animated if its control chunk has several frames', async () => {
  const control = (frames: number) => chunk('acTL', number(frames), number(0))
  expect(await moves(bytes(pngHead, chunk('IHDR', number(1)), chunk('IDAT', [1]), control(2)))).toBe(false)
  expect(await moves(bytes(pngHead, chunk('IHDR', number(1)), control(1), chunk('IDAT', [1])))).toBe(false)
  expect(await moves(bytes(pngHead, chunk('IHDR', number(1)), control(2), chunk('IDAT', [1])))).toBe(true)
})

test('WebP and AVIF declare animation in their headers', async () => {
  const webp = (type: string, flags: number) =>
    bytes(text('RIFF'), [0, 0, 0, 0], text('WEBP'), text(type), [10, 0, 0, 0], [flags, 0, 0, 0])
  expect(await moves(webp('VP8X', 0x10))).toBe(false)
  expect(await moves(webp('VP8X', 0x12))).toBe(true)
  expect(await moves(webp('VP8 ', 0x02))).toBe(false)
  const avif = (brand: string) => bytes(number(32), text('ftyp'), text(brand))
  expect(await moves(avif('avif'))).toBe(false)
  expect(await moves(avif('avis'))).toBe(true)
})

test('a truncated file, or one that is no image, is not animated', async () => {
  const animated = bytes(gifHead, gifDelay, gifFrame, gifDelay, gifFrame, [0x3b])
  for (let length = 0; length < gifHead.length + 8 + gifFrame.length; length += 1)
    expect(await moves(animated.subarray(0, length))).toBe(false)
  expect(await moves(bytes(text('%PDF-1.7 of some length')))).toBe(false)
})
