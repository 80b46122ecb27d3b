import { expect, test } from 'vitest'
import { fitView, panView, zoomView, type ZoomFrame } from '../../../parts/files/viewer/zoom.ts'
import { cropOf, factorTo, zoomLevel } from './crop.ts'

const frame: ZoomFrame = {
  picture: { width: 2000, height: 1000 },
  stage: { width: 250, height: 250 },
  cover: true,
}

test('the first crop is the middle square of the picture', () => {
  expect(cropOf(fitView(frame), frame)).toEqual({ x: 500, y: 0, side: 1000 })
})

test('dragging to the right crops further left, not beyond the edges', () => {
  expect(cropOf(panView(fitView(frame), frame, { x: 25, y: 0 }), frame)).toEqual({ x: 400, y: 0, side: 1000 })
  expect(cropOf(panView(fitView(frame), frame, { x: 1e6, y: 1e6 }), frame)).toEqual({
    x: 0,
    y: 0,
    side: 1000,
  })
  expect(cropOf(panView(fitView(frame), frame, { x: -1e6, y: 0 }), frame)).toEqual({
    x: 1000,
    y: 0,
    side: 1000,
  })
})

test('an enlarged picture has a smaller crop', () => {
  expect(cropOf(zoomView(fitView(frame), frame, 2), frame)).toEqual({ x: 750, y: 250, side: 500 })
})

test('rounding never crops beyond the picture', () => {
  const odd: ZoomFrame = {
    picture: { width: 333, height: 997 },
    stage: { width: 251, height: 251 },
    cover: true,
  }
  for (const by of [-1e6, 1e6]) {
    const { x, y, side } = cropOf(panView(fitView(odd), odd, { x: by, y: by }), odd)
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
    expect(x + side).toBeLessThanOrEqual(333)
    expect(y + side).toBeLessThanOrEqual(997)
  }
})

test('a zoom level converts to its factor and back', () => {
  const view = fitView(frame)
  expect(zoomLevel(view, frame)).toBe(0)
  const near = zoomView(view, frame, factorTo(0.5, view, frame))
  expect(zoomLevel(near, frame)).toBeCloseTo(0.5)
  expect(zoomLevel(zoomView(view, frame, 1e6), frame)).toBeCloseTo(1)
})
