import { expect, it } from 'vitest'
import { layerPosition, type Side } from './useLayer.ts'

const view = { width: 1_000, height: 800 }
const layer = { width: 200, height: 100 }

/** The position of a layer whose anchor is 40 × 20 px large, in both directions. */
function positions(side: Side, left: number, top: number): [ltr: number[], rtl: number[]] {
  const anchor = { left, top, right: left + 40, bottom: top + 20 }
  const at = (isRtl: boolean) => Object.values(layerPosition(anchor, layer, view, side, isRtl))
  return [at(false), at(true)]
}

it('a layer starts where its anchor starts in the reading direction', () => {
  expect(positions('below', 400, 300)).toEqual([
    [324, 400],
    [324, 240],
  ])
  expect(positions('above', 400, 300)).toEqual([
    [196, 400],
    [196, 240],
  ])
  expect(positions('after', 400, 300)).toEqual([
    [300, 448],
    [300, 192],
  ])
})

it('a layer changes sides where it would extend over an edge', () => {
  expect(positions('below', 900, 750)).toEqual([
    [646, 740],
    [646, 740],
  ])
  expect(positions('above', 20, 20)).toEqual([
    [44, 20],
    [44, 20],
  ])
  expect(positions('after', 900, 300)[0]).toEqual([300, 692])
  expect(positions('after', 20, 300)[1]).toEqual([300, 68])
})

it('a layer without space on any side is moved inside the window', () => {
  const anchor = { left: 10, top: 100, right: 50, bottom: 120 }
  const narrow = { width: 250, height: 160 }
  expect(layerPosition(anchor, layer, narrow, 'after', false)).toEqual({ top: 52, left: 10 })
  expect(layerPosition(anchor, { width: 400, height: 300 }, narrow, 'below', true)).toEqual({
    top: 8,
    left: 8,
  })
})
