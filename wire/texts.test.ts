/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { expect, it } from 'vitest'
import { cleanJson, cleanText, cutText, isVisible, nameKey } from './texts.ts'

it('replaces what PostgreSQL cannot store, and nothing else', () => {
  expect(cleanText('a\0b\uD83D c\uDE00 😀\uD83D')).toBe('ab\uFFFD c\uFFFD 😀\uFFFD')
  for (const value of ['a\0b', '\uD83D', 'x\uDE00', 'né 👩🏽‍⚕️', '\\u0000', '\\\\ud83d', '\n"\u0001']) {
    expect(JSON.parse(cleanJson(JSON.stringify({ [value]: [value] }))), value).toEqual({
      [cleanText(value)]: [cleanText(value)],
    })
  }
  const escaped = String.raw`{"a":"\uD83D\uDE00 \ud83d\u0000\ude00 \\ud83d", "n": 1.0}`
  expect(cleanJson(escaped)).toBe(String.raw`{"a":"\uD83D\uDE00 \ufffd\ufffd \\ud83d", "n": 1.0}`)
})

it('cuts after whole graphemes, and counts code points', () => {
  expect(cutText('abc', 3)).toBe('abc')
  expect(cutText('😀😀😀', 3)).toBe('😀😀😀')
  expect(cutText('😀😀😀', 2)).toBe('😀😀')
  expect(cutText('ab👩🏽‍⚕️', 4)).toBe('ab')
  expect(cutText('abe\u0301x', 3)).toBe('ab')
  expect(cutText('🇩🇪🇫🇷🇵🇹', 5, '…')).toBe('🇩🇪🇫🇷…')
  expect(cutText('👩🏽‍⚕️x', 3)).toBe('👩🏽‍')
  for (const max of [0, 1, 7]) expect([...cutText('x\u0301'.repeat(50), max)].length).toBeLessThanOrEqual(max)
})

it('finds texts without a visible character', () => {
  for (const text of ['', ' \n', '\u2800', '\u200B\u200D', '\u3164', '\u00AD', '\uFE0F', '\u{E0061}', '\0'])
    expect(isVisible(text), JSON.stringify(text)).toBe(false)
  for (const text of ['a\u200B', '👍', '.', 'ـ', '\u0301']) expect(isVisible(text), text).toBe(true)
})

it('gives names that people see as equal one key', () => {
  for (const name of ['bu\u0308ro', 'ＢＵ\u0308RO', 'Bü\u00ADro', '\u200BBüro', ' Büro\u2800']) {
    expect(nameKey(name), name).toBe('büro')
  }
  expect(nameKey('Büro 2')).not.toBe('büro')
})
