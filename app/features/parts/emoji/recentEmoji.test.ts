// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { frequentEmoji, recentEmoji, recordEmojiUse } from './recentEmoji.ts'

beforeEach(() => localStorage.clear())

const use = (...emoji: string[]): void => {
  for (const one of emoji) recordEmojiUse(one)
}

test('the most frequent emoji come first, and a single use changes nothing', () => {
  use('🚲', '🍵', '🚲', '🍵', '🍵', '🌧️')
  expect(frequentEmoji(3)).toEqual(['🍵', '🚲', '👍'])
})

test('the names of custom emoji that do not exist are left out', () => {
  use(':gone:', ':gone:', '🚲', '🚲')
  expect(frequentEmoji(3)).toEqual(['🚲', '👍', '❤️'])
})

test('recent emoji are listed once, the last one first', () => {
  use('🚲', '🍵', '🚲')
  expect(recentEmoji().slice(0, 3)).toEqual(['🚲', '🍵', '👍'])
})

test('a hundred uses are stored', () => {
  use(...Array.from({ length: 150 }, (_, index) => (index < 60 ? '🍵' : '🚲')))
  expect(frequentEmoji(2)).toEqual(['🚲', '🍵'])
  use(...Array.from({ length: 100 }, () => '🚲'))
  expect(frequentEmoji(2)).toEqual(['🚲', '👍'])
})
