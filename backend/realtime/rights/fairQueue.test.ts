import { expect, it } from 'vitest'
import { createFairQueue } from './fairQueue.ts'

it('serves people in turn, and each in his own order', () => {
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

it('serves who has just come before those who were served, and nobody twice who comes again', () => {
  const queue = createFairQueue<string>()
  for (const entry of ['o1', 'o2', 'o3']) queue.add('omar', entry)
  expect(queue.take(1)).toEqual(['o1'])
  queue.add('bea', 'b1')
  expect(queue.take(1)).toEqual(['b1'])
  queue.add('bea', 'b2')
  expect(queue.take(3)).toEqual(['o2', 'b2', 'o3'])
})
