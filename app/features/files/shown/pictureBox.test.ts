import { expect, test } from 'vitest'
import { isPicture, pictureBox } from './pictureBox.ts'

test('a picture keeps its proportions within the place it may take', () => {
  expect(pictureBox({ width: 1680, height: 960 }, true)).toEqual({ width: 420, height: 240 })
  expect(pictureBox({ width: 1000, height: 2000 }, true)).toEqual({ width: 170, height: 340 })
  expect(pictureBox({ width: 300, height: 200 }, true)).toEqual({ width: 300, height: 200 })
})

test('a tiny one leaves room for its name', () => {
  expect(pictureBox({ width: 8, height: 8 }, true)).toEqual({ width: 160, height: 48 })
})

test('what may run scripts or has no size is no picture', () => {
  expect(isPicture({ type: 'image/png', width: 2, height: 2 })).toBe(true)
  expect(isPicture({ type: 'image/svg+xml', width: 2, height: 2 })).toBe(false)
  expect(isPicture({ type: 'image/png', width: null, height: null })).toBe(false)
})
