import { expect, test } from 'vitest'
import { addUse, learnedFor, putLearnedFirst, type Use } from './learnedUses.ts'

const DAY = 86_400_000

const used = (...uses: [key: string, query: string, day?: number][]) =>
  uses.reduce<Use[]>((all, [key, query, day = 0]) => addUse(all, key, query, day * DAY), [])

const first = (uses: Use[], query: string, day = 0) =>
  putLearnedFirst(
    [{ key: 'design' }, { key: 'desk' }, { key: 'deploy' }],
    learnedFor(uses, query, day * DAY),
  )[0]?.key

test('what was opened twice with a query is first for it, for its beginning and for its continuation', () => {
  const uses = used(['desk', 'des'], ['desk', 'des'])
  expect(first(uses, 'des')).toBe('desk')
  expect(first(uses, 'de')).toBe('desk')
  expect(first(uses, 'desi')).toBe('desk')
  expect(first(uses, 'dep')).toBe('design')
  expect(first(uses, '')).toBe('design')
})

test('one use changes no order, and the most frequent item wins', () => {
  expect(first(used(['desk', 'de']), 'de')).toBe('design')
  expect(
    first(used(['desk', 'de'], ['desk', 'de'], ['deploy', 'de'], ['deploy', 'd'], ['deploy', 'de']), 'de'),
  ).toBe('deploy')
})

test('a use counts half after 14 days', () => {
  const uses = used(['desk', 'de'], ['desk', 'de'])
  expect(learnedFor(uses, 'de', 0).get('desk')).toEqual({ total: 2, forQuery: 2 })
  expect(learnedFor(uses, 'x', 14 * DAY).get('desk')).toEqual({ total: 1, forQuery: 0 })
  expect(first(uses, 'de', 5)).toBe('desk')
  expect(first(uses, 'de', 7)).toBe('design')
  const [renewed] = addUse(uses, 'desk', 'de', 14 * DAY)
  expect(renewed).toEqual({ key: 'desk', query: 'de', score: 2, at: 14 * DAY })
})

test('a clock that goes backwards changes no score', () => {
  expect(learnedFor(used(['desk', 'de', 10]), 'de', 0).get('desk')?.total).toBe(1)
})

test('the uses are bounded: those of the lowest score are dropped', () => {
  let uses = used(['desk', 'de'], ['desk', 'de'])
  for (let index = 0; index < 500; index += 1) uses = addUse(uses, `item ${index}`, 'x'.repeat(500), DAY)
  expect(uses).toHaveLength(200)
  expect(uses[0]?.key).toBe('desk')
  expect(uses[1]?.query).toHaveLength(40)
})
