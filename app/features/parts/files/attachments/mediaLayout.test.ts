import { expect, test } from 'vitest'
import {
  gridStyle,
  isInlineImage,
  videoSize,
  imageSize,
  layoutOf,
  ownSize,
  tileLayout,
} from './mediaLayout.ts'

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
  expect(layoutOf({ ...huge, thumb: false })).toBe(null)
  expect(isInlineImage({ ...huge, size: 16 * 1024 * 1024, thumb: false })).toBe(true)
})

test('several images are tiles of a grid without gaps', () => {
  const photo = { width: 1600, height: 900 }
  for (const [count, columns, cells] of [
    [2, 2, 2],
    [3, 3, 6],
    [4, 2, 4],
    [5, 3, 6],
    [6, 3, 6],
  ] as const) {
    const images = Array.from({ length: count }, () => photo)
    expect(gridStyle(images).gridTemplateColumns).toContain(`repeat(${columns},`)
    const taken = images.map((_image, index) => {
      const { gridArea, gridColumn } = tileLayout(index, count).style
      return gridArea ? 4 : gridColumn ? 2 : 1
    })
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(cells)
  }
})

test('a small image is not enlarged', () => {
  expect(ownSize({ width: 32, height: 24 })).toEqual({ maxWidth: 32, maxHeight: 24 })
  const columns = (...sides: number[]) =>
    gridStyle(sides.map((side) => ({ width: side, height: side }))).gridTemplateColumns
  expect(columns(32, 48)).toBe('repeat(2, minmax(0, 96px))')
  expect(columns(32, 150)).toBe('repeat(2, minmax(0, 150px))')
  expect(columns(32, 1600)).toBe('repeat(2, minmax(0, 208px))')
})

test('a video has a size before its dimensions are known, with space for its controls', () => {
  expect(videoSize({ width: null, height: null })).toEqual({ width: 420, height: 236 })
  expect(videoSize({ width: 64, height: 48 })).toEqual({ width: 420, height: 315 })
})
