import { expect, test } from 'vitest'
import { avatarColor, initialsOf } from './avatarColor.ts'

test('a person keeps their colour, and colours of people differ', () => {
  expect(avatarColor('ann')).toEqual(avatarColor('ann'))
  const colours = Array.from({ length: 220 }, (_, index) => {
    const { hue, tone, pattern } = avatarColor(`5f0c2e9a-7b1d-4c3e-9d2f-${String(index).padStart(12, '0')}`)
    return `${hue} ${tone} ${pattern}`
  })
  const counts = new Map<string, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  expect(counts.size).toBeGreaterThan(55)
  // Three each on average.
  expect(Math.max(...counts.values())).toBeLessThan(12)
})

test('initials are those of the first and last word', () => {
  expect(initialsOf('Ann Okafor')).toBe('AO')
  expect(initialsOf(' josé de la cruz ')).toBe('JC')
  expect(initialsOf('Ann Okafor-Lind (Ops)')).toBe('AO')
  expect(initialsOf('ann')).toBe('A')
  expect(initialsOf('Ann Okafor', 1)).toBe('A')
  expect(initialsOf('Иван Петров')).toBe('ИП')
})

test('an initial is one grapheme', () => {
  expect(initialsOf('👩‍👧 Mia')).toBe('M')
  expect(initialsOf('👩‍👧')).toBe('👩‍👧')
  expect(initialsOf('é́mile')).toBe('É́')
  expect(initialsOf('  ')).toBe('?')
  expect(initialsOf('')).toBe('?')
})

test('scripts with joined or logographic letters have one initial', () => {
  expect(initialsOf('水田 太郎')).toBe('水')
  expect(initialsOf('دانا مراد')).toBe('د')
})
