import { expect, it } from 'vitest'
import { createFairQueue } from './createFairQueue.ts'

it('serves callers in turn, and each in its own order', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['o1', 'o2', 'o3', 'o4']) queue.add('omar', entry)
  queue.add('bea', 'b1')
  queue.add('bea', 'b2')
  expect([queue.size(), queue.countOf('omar'), queue.countOf('ann')]).toEqual([6, 4, 0])
  expect(queue.take(3)).toEqual(['o1', 'b1', 'o2'])
  queue.add('ann', 'a1')
  expect(queue.take(9)).toEqual(['b2', 'a1', 'o3', 'o4'])
  expect([queue.size(), queue.take(1)]).toEqual([0, []])
})

it('serves a caller that arrives before those that were served, and none twice that comes again', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['o1', 'o2', 'o3']) queue.add('omar', entry)
  expect(queue.take(1)).toEqual(['o1'])
  queue.add('bea', 'b1')
  expect(queue.take(1)).toEqual(['b1'])
  queue.add('bea', 'b2')
  expect(queue.take(3)).toEqual(['o2', 'b2', 'o3'])
})

it('passes over callers that are not ready, also where all others were served', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['o1', 'o2']) queue.add('omar', entry)
  for (const entry of ['b1', 'b2']) queue.add('bea', entry)
  const isBea = (caller: string): boolean => caller === 'bea'
  expect([queue.next(isBea), queue.next(isBea), queue.next(isBea)]).toEqual(['b1', 'b2', undefined])
  expect([queue.size(), queue.next()]).toEqual([2, 'o1'])
})

it('forgets an entry that no longer waits', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['o1', 'o2']) queue.add('omar', entry)
  expect([queue.remove('omar', 'o1'), queue.remove('omar', 'o1'), queue.remove('bea', 'o2')]).toEqual([
    true,
    false,
    false,
  ])
  expect([queue.size(), queue.next(), queue.next()]).toEqual([1, 'o2', undefined])
})

it('finds the caller with the most entries, and removes its last one', () => {
  const queue = createFairQueue<string>()
  expect([queue.largest(), queue.takeLast('omar')]).toEqual([null, undefined])
  for (const entry of ['o1', 'o2', 'o3', 'o4']) queue.add('omar', entry)
  for (const entry of ['b1', 'b2']) queue.add('bea', entry)
  queue.next()
  expect(queue.largest()).toEqual({ key: 'omar', count: 3 })
  expect([queue.takeLast('omar'), queue.takeLast('omar'), queue.size()]).toEqual(['o4', 'o3', 3])
  expect(queue.largest()).toEqual({ key: 'bea', count: 2 })
  expect(queue.take(9)).toEqual(['b1', 'o2', 'b2'])
})

it('holds its order over many callers that come once while one is never ready', () => {
  const queue = createFairQueue<number>()
  queue.add('blocked', -1)
  for (let n = 0; n < 5_000; n++) {
    queue.add(`caller ${n}`, n)
    expect(queue.next((caller) => caller !== 'blocked')).toBe(n)
  }
  expect([queue.size(), queue.next()]).toEqual([1, -1])
})
