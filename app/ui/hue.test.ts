import { expect, test } from 'vitest'
import { hueOf, initialOf } from './hue.ts'

test('a person keeps their hue, and people differ', () => {
  expect(hueOf('ann')).toBe(hueOf('ann'))
  const hues = new Set(Array.from({ length: 40 }, (_, index) => hueOf(`person-${index}`)))
  expect(hues.size).toBeGreaterThan(4)
})

test('an initial is one letter as people see it', () => {
  expect(initialOf(' ann')).toBe('A')
  expect(initialOf('👩‍👧 Mia')).toBe('👩‍👧')
  expect(initialOf('é́mile')).toBe('É́')
  expect(initialOf('水田')).toBe('水')
  expect(initialOf('  ')).toBe('?')
})
