import { expect, test } from 'vitest'
import { isInlineImage, videoSize, imageSize, imageStyle, layoutOf } from './mediaLayout.ts'

test('an image keeps its proportions within the available space', () => {
  expect(imageSize({ width: 1680, height: 960 })).toEqual({ width: 420, height: 240 })
  expect(imageSize({ width: 1000, height: 2000 })).toEqual({ width: 170, height: 340 })
  expect(imageSize({ width: 300, height: 200 })).toEqual({ width: 300, height: 200 })
})

test('a tiny image leaves space for its name', () => {
  expect(imageSize({ width: 8, height: 8 })).toEqual({ width: 160, height: 48 })
})

test('a type that can contain scripts, or unknown dimensions, is no inline image', () => {
  const small = { width: 2, height: 2, size: 9 }
  expect(isInlineImage({ ...small, type: 'image/png' })).toBe(true)
  expect(isInlineImage({ ...small, type: 'image/svg+xml' })).toBe(false)
  expect(isInlineImage({ ...small, type: 'image/png', width: null, height: null })).toBe(false)
})

test('an image without a thumbnail is shown inline only up to a size limit', () => {
  const huge = { type: 'image/png', width: 2, height: 2, size: 500_000_000 }
  expect(isInlineImage({ ...huge, thumb: true })).toBe(true)
  expect(isInlineImage({ ...huge, thumb: false })).toBe(false)
  expect(layoutOf({ ...huge, thumb: false }, true)).toBe(null)
  expect(isInlineImage({ ...huge, size: 16 * 1024 * 1024, thumb: false })).toBe(true)
})

test('several images share rows of one height, none too narrow or too wide', () => {
  const grow = (width: number, height: number) =>
    Number(String(imageStyle({ width, height }, false).flex).split(' ')[0])
  expect(grow(300, 200)).toBe(1.5)
  expect(grow(9000, 10)).toBe(2.2)
  expect(grow(10, 9000)).toBe(0.6)
})

test('a video has a size before its dimensions are known, with space for its controls', () => {
  expect(videoSize({ width: null, height: null })).toEqual({ width: 420, height: 236 })
  expect(videoSize({ width: 64, height: 48 })).toEqual({ width: 420, height: 315 })
})
