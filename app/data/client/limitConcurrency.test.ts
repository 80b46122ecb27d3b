import { expect, test } from 'vitest'
import { limitConcurrency } from './limitConcurrency.ts'

test('no more than the maximum run at once, all run in order, and a failure frees its slot', async () => {
  const started: number[] = []
  const ends = new Map<number, (failed: boolean) => void>()
  const run = limitConcurrency((id: number) => {
    started.push(id)
    return new Promise<number>((resolve, reject) =>
      ends.set(id, (failed) => (failed ? reject(new Error('failed')) : resolve(id))),
    )
  }, 2)
  const results = [1, 2, 3, 4].map((id) => run(id))
  expect(started).toEqual([1, 2])
  ends.get(2)!(true)
  await expect(results[1]).rejects.toThrow('failed')
  expect(started).toEqual([1, 2, 3])
  ends.get(1)!(false)
  expect(await results[0]).toBe(1)
  expect(started).toEqual([1, 2, 3, 4])
  ends.get(3)!(false)
  ends.get(4)!(false)
  expect(await Promise.all(results.slice(2))).toEqual([3, 4])
  const last = run(5)
  expect(started).toEqual([1, 2, 3, 4, 5])
  ends.get(5)!(false)
  expect(await last).toBe(5)
})
