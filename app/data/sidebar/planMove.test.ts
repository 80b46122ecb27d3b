import { array, assert, double, nat, option, property } from 'fast-check'
import { expect, test } from 'vitest'
import { planMove, type Placed } from './planMove.ts'

const placed = (...positions: (number | null)[]): Placed[] =>
  positions.map((position, index) => ({ id: 'abcdefghij'[index]!, position }))

/** As shown: by position, those without one last, in the order they had. */
function shown(items: readonly Placed[], writes: { id: string; position: number }[]): string[] {
  const now = items.map((item) => writes.find((one) => one.id === item.id) ?? item)
  return now.toSorted((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity)).map((item) => item.id)
}

test('between two neighbours one position is written', () => {
  expect(planMove(placed(1, 2, 3), 'c', 1)).toEqual([{ id: 'c', position: 1.5 }])
  expect(planMove(placed(1, 2), 'x', 2)).toEqual([{ id: 'x', position: 1026 }])
  expect(planMove(placed(1, 2), 'b', 0)).toEqual([{ id: 'b', position: -1023 }])
})

test('the first one in an empty section is placed too', () => {
  expect(planMove([], 'x', 0)).toEqual([{ id: 'x', position: 1024 }])
})

test('those above without a position get one, those below need none', () => {
  const writes = planMove(placed(null, null, null, null), 'd', 1)
  expect(writes.map((one) => one.id)).toEqual(['a', 'd'])
  expect(shown(placed(null, null, null, null), writes)).toEqual(['a', 'd', 'b', 'c'])
})

test('neighbours that stand too close are numbered anew', () => {
  const items = placed(1, 1 + Number.EPSILON, 5)
  const writes = planMove(items, 'c', 1)
  expect(writes.length).toBeGreaterThan(1)
  expect(shown(items, writes)).toEqual(['a', 'c', 'b'])
})

test('equal positions, which two devices may create, become distinct again', () => {
  const items = placed(7, 7, 7)
  expect(shown(items, planMove(items, 'c', 1))).toEqual(['a', 'c', 'b'])
})

test('every moved item has its new position, and the others keep their order', () => {
  const position = option(double({ noNaN: true, min: -1e6, max: 1e6 }), { nil: null })
  const sections = array(position, { minLength: 1, maxLength: 10 }).map((positions) =>
    placed(...positions.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity))),
  )
  assert(
    property(sections, nat(9), nat(10), (items, from, to) => {
      const id = items[from % items.length]!.id
      const rest = items.map((item) => item.id).filter((one) => one !== id)
      const at = Math.min(to, rest.length)
      expect(shown(items, planMove(items, id, to))).toEqual(rest.toSpliced(at, 0, id))
    }),
  )
})

test('fifty moves between the same two items have the requested order', () => {
  let items = placed(1, 2, 3, 4)
  for (let move = 0; move < 120; move++) {
    const id = items.at(-1)!.id
    const order = items.map((item) => item.id).filter((one) => one !== id)
    const writes = planMove(items, id, 1)
    items = items
      .map((item) => writes.find((one) => one.id === item.id) ?? item)
      .toSorted((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity))
    expect(items.map((item) => item.id)).toEqual(order.toSpliced(1, 0, id))
  }
})
