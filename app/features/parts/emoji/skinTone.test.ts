import { expect, test } from 'vitest'
import groups from '../../../../wire/emojiNames/en.generated.ts'
import shortcodes from '../../../../wire/emojiNames/shortcodes.generated.ts'
import { readEmoji } from './emojiData.ts'
import { hasSkinTone, withoutSkinTone, withSkinTone, type SkinTone } from './skinTone.ts'

test('puts the tone after each person, and removes it again', () => {
  expect(withSkinTone('👍', 3)).toBe('👍🏽')
  expect(withSkinTone('👍🏽', 5)).toBe('👍🏿')
  expect(withSkinTone('👍🏽', 0)).toBe('👍')
  expect(withSkinTone('☝️', 1)).toBe('☝🏻')
  expect(withSkinTone('👩‍❤️‍👨', 2)).toBe('👩🏼‍❤️‍👨🏼')
  expect(withSkinTone('🧑‍🤝‍🧑', 4)).toBe('🧑🏾‍🤝‍🧑🏾')
  expect(withSkinTone('🤝', 4)).toBe('🤝🏾')
})

test('every emoji with tones is found again without its tone', () => {
  const toned = readEmoji(groups, shortcodes)
    .flat()
    .filter((one) => one.hasTones)
  expect(toned.length).toBeGreaterThan(300)
  for (const { emoji } of toned) {
    for (const tone of [1, 2, 3, 4, 5] as SkinTone[]) {
      const variant = withSkinTone(emoji, tone)
      expect(hasSkinTone(variant)).toBe(true)
      expect(withoutSkinTone(variant)).toBe(emoji)
    }
  }
})
