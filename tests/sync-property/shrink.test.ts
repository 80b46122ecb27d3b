import { expect, it } from 'vitest'
import { shrink } from './shrink.ts'

const all = Array.from({ length: 300 }, (_, index) => index)
const how = { kindOf: (one: number) => String(one % 3), simplify: () => null, until: Infinity }

it('finds the few items that matter, at any position', async () => {
  const needed = [3, 151, 298]
  let runs = 0
  const stillFails = async (items: readonly number[]) => {
    runs += 1
    return needed.every((one) => items.includes(one))
  }
  expect(await shrink(all, { ...how, stillFails })).toEqual(needed)
  expect(runs).toBeLessThan(120)
})

it('replaces items by simpler ones that suffice', async () => {
  const stillFails = async (items: readonly number[]) => items.includes(-7) || items.includes(7)
  const simplify = (one: number) => (one > 0 ? -one : null)
  expect(await shrink(all, { ...how, stillFails, simplify })).toEqual([-7])
})

it('returns the current list when time is up', async () => {
  expect(await shrink(all, { ...how, stillFails: async () => true, until: 0 })).toEqual(all)
})
