import { expect, test } from 'vitest'
import { fitted, panned, zoomed, type Place } from '../../files/viewer/zoom.ts'
import { cropOf, factorTo, zoomLevel } from './crop.ts'

const place: Place = {
  picture: { width: 2000, height: 1000 },
  stage: { width: 250, height: 250 },
  cover: true,
}

test('at first the crop is the middle square of the picture', () => {
  expect(cropOf(fitted(place), place)).toEqual({ x: 500, y: 0, side: 1000 })
})

test('dragging the picture to the right crops further left, and never beyond an edge', () => {
  expect(cropOf(panned(fitted(place), place, { x: 25, y: 0 }), place)).toEqual({ x: 400, y: 0, side: 1000 })
  expect(cropOf(panned(fitted(place), place, { x: 1e6, y: 1e6 }), place)).toEqual({ x: 0, y: 0, side: 1000 })
  expect(cropOf(panned(fitted(place), place, { x: -1e6, y: 0 }), place)).toEqual({
    x: 1000,
    y: 0,
    side: 1000,
  })
})

test('an enlarged picture is cropped more closely', () => {
  expect(cropOf(zoomed(fitted(place), place, 2), place)).toEqual({ x: 750, y: 250, side: 500 })
})

test('rounding never crops beyond the picture', () => {
  const odd: Place = { picture: { width: 333, height: 997 }, stage: { width: 251, height: 251 }, cover: true }
  for (const by of [-1e6, 1e6]) {
    const { x, y, side } = cropOf(panned(fitted(odd), odd, { x: by, y: by }), odd)
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
    expect(x + side).toBeLessThanOrEqual(333)
    expect(y + side).toBeLessThanOrEqual(997)
  }
})

test('a level leads to its factor and back', () => {
  const view = fitted(place)
  expect(zoomLevel(view, place)).toBe(0)
  const near = zoomed(view, place, factorTo(0.5, view, place))
  expect(zoomLevel(near, place)).toBeCloseTo(0.5)
  expect(zoomLevel(zoomed(view, place, 1e6), place)).toBeCloseTo(1)
})
