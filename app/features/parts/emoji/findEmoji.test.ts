import { expect, test } from 'vitest'
import groups from '../../../../wire/emojiNames/en.generated.ts'
import german from '../../../../wire/emojiNames/de.generated.ts'
import shortcodes from '../../../../wire/emojiNames/shortcodes.generated.ts'
import { readEmoji } from './emojiData.ts'
import { findEmoji, nextOnGrid } from './findEmoji.ts'

const all = readEmoji(groups, shortcodes).flat()
const found = (query: string) => findEmoji(all, query).map((one) => one.emoji)

test('both languages have the same emoji in the same order', () => {
  const ids = (data: readonly string[]) =>
    readEmoji(data, shortcodes).map((group) => group.map((one) => one.emoji))
  expect(all.length).toBeGreaterThan(1_800)
  expect(ids(german)).toEqual(ids(groups))
})

test('an emoji is stored in one form, so that two people add to one reaction', () => {
  expect(all.some((one) => one.emoji === '👍')).toBe(true)
  expect(all.some((one) => one.emoji === '❤️')).toBe(true)
  expect(all.some((one) => one.emoji === '👍\uFE0F')).toBe(false)
})

test('every word of the query has to match, names first', () => {
  expect(found('thumbs up')[0]).toBe('👍')
  expect(found('red hea')[0]).toBe('❤️')
  expect(found('zzz nothing')).toEqual([])
})

test('an emoji matches itself, with or without variation selector, even if it is newer than the data', () => {
  expect(found('❤')).toEqual(['❤️'])
  expect(found('🫩')).toEqual(['🫩'])
  expect(found('5')).not.toEqual(['5'])
})

test('arrow keys move across groups', () => {
  const lengths = [3, 5]
  expect(nextOnGrid(lengths, 1, 'ArrowDown', 4)).toBe(4)
  expect(nextOnGrid(lengths, 4, 'ArrowDown', 4)).toBe(7)
  expect(nextOnGrid(lengths, 6, 'ArrowDown', 4)).toBe(7)
  expect(nextOnGrid(lengths, 7, 'ArrowUp', 4)).toBe(3)
  expect(nextOnGrid(lengths, 7, 'ArrowRight', 4)).toBe(7)
  expect(nextOnGrid(lengths, 2, 'ArrowUp', 4)).toBeNull()
})
