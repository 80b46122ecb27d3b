import { expect, test } from 'vitest'
import { isInlineImage } from './isInlineImage.ts'
import { videoSize, imageSize, imageStyle, layoutOf } from './mediaLayout.ts'

test('a picture keeps its proportions within the place it may take', () => {
  expect(imageSize({ width: 1680, height: 960 })).toEqual({ width: 420, height: 240 })
  expect(imageSize({ width: 1000, height: 2000 })).toEqual({ width: 170, height: 340 })
  expect(imageSize({ width: 300, height: 200 })).toEqual({ width: 300, height: 200 })
})

test('a tiny one leaves room for its name', () => {
  expect(imageSize({ width: 8, height: 8 })).toEqual({ width: 160, height: 48 })
})

test('what may run scripts or has no size is no picture', () => {
  const small = { width: 2, height: 2, size: 9 }
  expect(isInlineImage({ ...small, type: 'image/png' })).toBe(true)
  expect(isInlineImage({ ...small, type: 'image/svg+xml' })).toBe(false)
  expect(isInlineImage({ ...small, type: 'image/png', width: null, height: null })).toBe(false)
})

test('a picture that would be fetched whole is drawn up to a bound alone', () => {
  const huge = { type: 'image/png', width: 2, height: 2, size: 500_000_000 }
  expect(isInlineImage({ ...huge, thumb: true })).toBe(true)
  expect(isInlineImage({ ...huge, thumb: false })).toBe(false)
  expect(layoutOf({ ...huge, thumb: false }, true)).toBe(null)
  expect(isInlineImage({ ...huge, size: 16 * 1024 * 1024, thumb: false })).toBe(true)
})

test('several pictures share rows of one height, and none is a line or a wall', () => {
  const grow = (width: number, height: number) =>
    Number(String(imageStyle({ width, height }, false).flex).split(' ')[0])
  expect(grow(300, 200)).toBe(1.5)
  expect(grow(9000, 10)).toBe(2.2)
  expect(grow(10, 9000)).toBe(0.6)
})

test('a film has a place before anything of it is known, with room for its controls', () => {
  expect(videoSize({ width: null, height: null })).toEqual({ width: 420, height: 236 })
  expect(videoSize({ width: 64, height: 48 })).toEqual({ width: 420, height: 315 })
})
