import { i18n } from '@lingui/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { emojiOfShortcode, suggestEmoji } from './suggestEmoji.ts'

beforeEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))
afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const texts = async (typed: string, max?: number) => (await suggestEmoji(typed, max)).map(({ text }) => text)

test('the shortcode itself comes first, then those that begin so', async () => {
  expect((await texts('heart'))[0]).toBe('❤️')
  expect((await suggestEmoji('heart_ey', 1))[0]).toEqual({
    text: '😍',
    shortcode: 'heart_eyes',
    label: 'smiling face with heart-eyes',
  })
  expect(await texts('+1', 1)).toEqual(['👍'])
  expect(await texts('-1', 1)).toEqual(['👎'])
  expect(await texts('thumbsu', 1)).toEqual(['👍'])
  expect(await texts('TADA', 1)).toEqual(['🎉'])
})

test('at most as many as requested, and none for no text', async () => {
  expect(await texts('fl')).toHaveLength(8)
  expect(await texts('fl', 3)).toHaveLength(3)
  expect(await texts('')).toEqual([])
  expect(await texts('_')).toEqual([])
  expect(await texts('zzz_nothing')).toEqual([])
})

test('finds names in the language of the interface, and English shortcodes in each', async () => {
  expect(await texts('daumen')).toEqual([])
  i18n.loadAndActivate({ locale: 'de', messages: {} })
  expect(await texts('daumen')).toContain('👍')
  expect(await texts('thumbsup', 1)).toEqual(['👍'])
})

test('a complete shortcode has one emoji', async () => {
  expect(await emojiOfShortcode('tada')).toBe('🎉')
  expect(await emojiOfShortcode('woman-technologist')).toBe('👩‍💻')
  expect(await emojiOfShortcode('tad')).toBeNull()
})
