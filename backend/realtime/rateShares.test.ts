import { expect, it } from 'vitest'
import { createRateShares } from './rateShares.ts'

it('limits each caller to as much of the rate as it leaves free, and releases it after that minute', () => {
  let time = 1_000_000
  const shares = createRateShares(1, { now: () => time })
  const takeAll = (caller: string): number => {
    let taken = 0
    while (shares.take(caller)) taken++
    return taken
  }
  expect([takeAll('omar'), takeAll('bea'), takeAll('ann')]).toEqual([30, 15, 7])
  time += 59_000
  expect([shares.take('omar'), shares.take('gus'), shares.total()]).toEqual([false, true, 53])
  time += 1_000
  // What gus took a second ago still counts.
  expect(takeAll('omar')).toBe(29)
})

it('distinguishes a caller that takes too much from one for which nothing is left', () => {
  const shares = createRateShares(2)
  for (const caller of Array.from({ length: 120 }, (_, at) => `${at}`)) shares.take(caller)
  shares.take('omar')
  expect([shares.take('bea'), shares.isExcessive('bea')]).toEqual([false, false])
  const busy = createRateShares(2)
  while (busy.take('omar'));
  expect([busy.isExcessive('omar'), busy.isExcessive('bea'), busy.take('bea')]).toEqual([true, false, true])
})

it('applies a limit per caller, and none in total if none is set', () => {
  const shares = createRateShares(Infinity, { maxPerCaller: 1 })
  expect([shares.take('omar', 60), shares.take('omar'), shares.take('bea', 60)]).toEqual([true, false, true])
  expect(createRateShares(Infinity).take('omar', 1e9)).toBe(true)
})
