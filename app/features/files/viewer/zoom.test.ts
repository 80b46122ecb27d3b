import { expect, test } from 'vitest'
import { fitted, isFitted, panned, toggled, zoomed, type Place, type Point, type View } from './zoom.ts'

const wide: Place = { picture: { width: 2000, height: 1000 }, stage: { width: 500, height: 500 } }
const small: Place = { picture: { width: 100, height: 80 }, stage: { width: 500, height: 500 } }

/** Which point of the picture, in its own pixels from its middle, is at a point of the stage. */
const under = (view: View, at: Point) => ({
  x: (at.x - view.x) / view.scale,
  y: (at.y - view.y) / view.scale,
})

test('a picture that covers its stage leaves no edge free, at any scale and place', () => {
  const crop: Place = { ...wide, cover: true }
  expect(fitted(crop)).toEqual({ scale: 0.5, x: 0, y: 0 })
  expect(fitted({ ...small, cover: true }).scale).toBe(6.25)
  const aside = panned(fitted(crop), crop, { x: -9999, y: 9999 })
  expect(aside).toEqual({ scale: 0.5, x: -250, y: 0 })
  expect(isFitted(aside, crop)).toBe(false)
  expect(zoomed(aside, crop, 0.001)).toEqual(aside)
})

test('the whole picture fits, a small one is not enlarged, and one without size does no harm', () => {
  expect(fitted(wide)).toEqual({ scale: 0.25, x: 0, y: 0 })
  expect(fitted(small).scale).toBe(1)
  expect(fitted({ picture: { width: 0, height: 0 }, stage: { width: 0, height: 0 } }).scale).toBe(1)
})

test('what is under the pointer stays there, where the edges allow it', () => {
  const from = zoomed(fitted(wide), wide, 4)
  const pointer = { x: 120, y: -90 }
  const next = zoomed(from, wide, 1.5, pointer)
  expect(next.scale).toBe(1.5)
  expect(under(next, pointer).x).toBeCloseTo(under(from, pointer).x)
  expect(under(next, pointer).y).toBeCloseTo(under(from, pointer).y)
})

test('never smaller than the whole, nor larger than helps', () => {
  expect(zoomed(fitted(wide), wide, 0.1)).toEqual(fitted(wide))
  expect(zoomed(fitted(wide), wide, 1000).scale).toBe(4)
  const strip: Place = { picture: { width: 400, height: 20_000 }, stage: { width: 500, height: 500 } }
  expect(zoomed(fitted(strip), strip, 1000).scale).toBe(4)
  expect(isFitted(zoomed(zoomed(fitted(wide), wide, 3), wide, 1 / 3), wide)).toBe(true)
})

test('a picture does not leave its stage', () => {
  const near = zoomed(fitted(wide), wide, 4)
  expect(panned(near, wide, { x: 1e6, y: -1e6 })).toEqual({ scale: 1, x: 750, y: -250 })
  // What has room lies in the middle: here in height.
  expect(panned(zoomed(fitted(wide), wide, 2), wide, { x: -9999, y: 9999 })).toEqual({
    scale: 0.5,
    x: -250,
    y: 0,
  })
  expect(panned(fitted(wide), wide, { x: 50, y: 50 })).toEqual(fitted(wide))
})

test('twice tapped: its own size and back, or twice that where it fits as it is', () => {
  const own = toggled(fitted(wide), wide, { x: 100, y: 0 })
  expect(own.scale).toBe(1)
  expect(under(own, { x: 100, y: 0 }).x).toBeCloseTo(400)
  expect(toggled(own, wide, { x: 0, y: 0 })).toEqual(fitted(wide))
  expect(toggled(fitted(small), small, { x: 0, y: 0 }).scale).toBe(2)
})
