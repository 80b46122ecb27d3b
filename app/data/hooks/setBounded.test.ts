import { expect, test } from 'vitest'
import { setBounded } from './setBounded.ts'

test('evicts the entry that was stored the longest ago', () => {
  const map = new Map([
    ['first', 1],
    ['second', 2],
  ])
  setBounded(map, 'first', 3, 2)
  expect([...map]).toEqual([
    ['second', 2],
    ['first', 3],
  ])
  setBounded(map, 'third', 4, 2)
  expect([...map.keys()]).toEqual(['first', 'third'])
})
