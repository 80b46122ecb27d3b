import { expect, it } from 'vitest'
import { createTokenBuckets } from './createTokenBuckets.ts'

it('refills while a caller uses nothing, and limits a debt', () => {
  let time = 0
  const buckets = createTokenBuckets({
    size: 200,
    refill: 100,
    period: 1_000,
    maxDebt: 3_000,
    now: () => time,
  })
  expect(buckets.left('omar')).toBe(200)
  buckets.use('omar', 150)
  buckets.use('omar', 150)
  expect([buckets.left('omar'), buckets.left('ann')]).toEqual([-100, 200])
  time += 1_500
  expect(buckets.left('omar')).toBe(50)
  time += 60_000
  expect(buckets.left('omar')).toBe(200)
  buckets.use('omar', 3_600_000)
  expect(buckets.left('omar')).toBeLessThan(0)
  time += 31_000
  expect(buckets.left('omar')).toBeGreaterThan(0)
})

it('gives one token at a time, and puts it back', () => {
  let time = 0
  const buckets = createTokenBuckets({ size: 2, refill: 1, period: 1_000, now: () => time })
  expect([buckets.take('omar'), buckets.take('omar'), buckets.take('omar')]).toEqual([0, 0, 1])
  expect(buckets.take('ann')).toBe(0)
  buckets.refund('omar')
  expect([buckets.take('omar'), buckets.take('omar')]).toEqual([0, 1])
  time += 1_000
  expect([buckets.take('omar'), buckets.take('omar')]).toEqual([0, 1])
  // A clock that was set back delays the next token, and empties no bucket.
  time -= 3_600_000
  expect([buckets.take('ann'), buckets.take('omar')]).toEqual([0, 1])
  time += 1_000
  expect(buckets.take('omar')).toBe(0)
})

it('gives none where the bucket has none', () => {
  const buckets = createTokenBuckets({ size: 0, refill: 0, period: 300_000, now: () => 0 })
  expect([buckets.take('ann'), buckets.take('ann')]).toEqual([300, 300])
})

it('forgets full buckets and those used longest ago', () => {
  let time = 0
  const buckets = createTokenBuckets({ size: 2, refill: 2, period: 1_000_000, now: () => time })
  for (let index = 0; index <= 20_000; index += 1) {
    buckets.take(`caller ${index}`)
    time += 1
  }
  expect(buckets.left('caller 0')).toBe(2)
  expect(buckets.left('caller 1')).toBeLessThan(2)
})
