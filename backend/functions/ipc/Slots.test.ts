import { expect, it } from 'vitest'
import { Slots } from './Slots.ts'

it('finds current values, and not previous ones of the same slot', () => {
  const slots = new Slots<string>()
  const first = slots.add('a')
  const second = slots.add('b')
  expect([slots.get(first), slots.get(second), slots.size]).toEqual(['a', 'b', 2])
  slots.delete(first)
  slots.delete(first)
  const third = slots.add('c')
  expect(third).not.toBe(first)
  expect([slots.get(first), slots.get(third), slots.size]).toEqual([undefined, 'c', 2])
  expect(slots.values().sort()).toEqual(['b', 'c'])
  slots.clear()
  expect([slots.size, slots.values(), slots.get(second)]).toEqual([0, [], undefined])
})

it('accepts IDs of the other side, in any order', () => {
  const slots = new Slots<string>()
  slots.put(65_536 * 7 + 3, 'late')
  slots.put(65_536 + 1, 'early')
  expect([slots.get(65_536 * 7 + 3), slots.get(65_536 + 1), slots.get(3), slots.size]).toEqual([
    'late',
    'early',
    undefined,
    2,
  ])
})
