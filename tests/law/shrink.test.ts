import { expect, it } from 'vitest'
import { shrink } from './shrink.ts'

const all = Array.from({ length: 300 }, (_, index) => index)
const how = { kindOf: (one: number) => String(one % 3), plainer: () => null, until: Infinity }

it('finds the few that matter, wherever they stand', async () => {
  const needed = [3, 151, 298]
  let asked = 0
  const shows = async (items: readonly number[]) => {
    asked += 1
    return needed.every((one) => items.includes(one))
  }
  expect(await shrink(all, { ...how, shows })).toEqual(needed)
  expect(asked).toBeLessThan(120)
})

it('puts plainer ones where they do', async () => {
  const shows = async (items: readonly number[]) => items.includes(-7) || items.includes(7)
  const plainer = (one: number) => (one > 0 ? -one : null)
  expect(await shrink(all, { ...how, shows, plainer })).toEqual([-7])
})

it('is content with what there is when time is up', async () => {
  expect(await shrink(all, { ...how, shows: async () => true, until: 0 })).toEqual(all)
})
