import { expect, test } from 'vitest'
import {
  fitView,
  isFitted,
  panView,
  toggleZoom,
  zoomView,
  type ZoomFrame,
  type Point,
  type View,
} from './zoom.ts'

const wide: ZoomFrame = { picture: { width: 2000, height: 1000 }, stage: { width: 500, height: 500 } }
const small: ZoomFrame = { picture: { width: 100, height: 80 }, stage: { width: 500, height: 500 } }

/** The point of the image, in its own pixels from its center, at a point of the stage. */
const under = (view: View, at: Point) => ({
  x: (at.x - view.x) / view.scale,
  y: (at.y - view.y) / view.scale,
})

test('an image that covers its stage leaves no gap, at any scale and position', () => {
  const crop: ZoomFrame = { ...wide, cover: true }
  expect(fitView(crop)).toEqual({ scale: 0.5, x: 0, y: 0 })
  expect(fitView({ ...small, cover: true }).scale).toBe(6.25)
  const aside = panView(fitView(crop), crop, { x: -9999, y: 9999 })
  expect(aside).toEqual({ scale: 0.5, x: -250, y: 0 })
  expect(isFitted(aside, crop)).toBe(false)
  expect(zoomView(aside, crop, 0.001)).toEqual(aside)
})

test('the whole image fits, a small one is not enlarged, and missing dimensions are handled', () => {
  expect(fitView(wide)).toEqual({ scale: 0.25, x: 0, y: 0 })
  expect(fitView(small).scale).toBe(1)
  expect(fitView({ picture: { width: 0, height: 0 }, stage: { width: 0, height: 0 } }).scale).toBe(1)
})

test('the point under the pointer stays there, as far as the edges allow', () => {
  const from = zoomView(fitView(wide), wide, 4)
  const pointer = { x: 120, y: -90 }
  const next = zoomView(from, wide, 1.5, pointer)
  expect(next.scale).toBe(1.5)
  expect(under(next, pointer).x).toBeCloseTo(under(from, pointer).x)
  expect(under(next, pointer).y).toBeCloseTo(under(from, pointer).y)
})

test('the scale is limited to the fitted image and to a maximum', () => {
  expect(zoomView(fitView(wide), wide, 0.1)).toEqual(fitView(wide))
  expect(zoomView(fitView(wide), wide, 1000).scale).toBe(4)
  const strip: ZoomFrame = { picture: { width: 400, height: 20_000 }, stage: { width: 500, height: 500 } }
  expect(zoomView(fitView(strip), strip, 1000).scale).toBe(4)
  expect(isFitted(zoomView(zoomView(fitView(wide), wide, 3), wide, 1 / 3), wide)).toBe(true)
})

test("an image can't be moved out of its stage", () => {
  const near = zoomView(fitView(wide), wide, 4)
  expect(panView(near, wide, { x: 1e6, y: -1e6 })).toEqual({ scale: 1, x: 750, y: -250 })
  // A dimension that fits is centred: here the height.
  expect(panView(zoomView(fitView(wide), wide, 2), wide, { x: -9999, y: 9999 })).toEqual({
    scale: 0.5,
    x: -250,
    y: 0,
  })
  expect(panView(fitView(wide), wide, { x: 50, y: 50 })).toEqual(fitView(wide))
})

test('a double tap toggles the actual size, or twice that if it fits', () => {
  const own = toggleZoom(fitView(wide), wide, { x: 100, y: 0 })
  expect(own.scale).toBe(1)
  expect(under(own, { x: 100, y: 0 }).x).toBeCloseTo(400)
  expect(toggleZoom(own, wide, { x: 0, y: 0 })).toEqual(fitView(wide))
  expect(toggleZoom(fitView(small), small, { x: 0, y: 0 }).scale).toBe(2)
})
