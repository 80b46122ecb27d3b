import { expect, test } from 'vitest'
import { shortcutKey } from './shortcutKey.ts'

test.each([
  ['Cyrillic', 'к', 'KeyR', 'r'],
  ['Cyrillic with Shift', 'А', 'KeyF', 'f'],
  ['Greek', 'κ', 'KeyK', 'k'],
  ['Hebrew', 'ל', 'KeyK', 'k'],
  ['Arabic', 'ن', 'KeyK', 'k'],
  ['Arabic, a key of two letters', 'لا', 'KeyB', 'b'],
  ['Thai, a vowel sign', 'ื', 'KeyN', 'n'],
])('a %s letter counts as the Latin letter at its place', (_layout, key, code, letter) => {
  expect(shortcutKey({ key, code })).toBe(letter)
})

test('Latin layouts keep the places of their letters', () => {
  expect(shortcutKey({ key: 'a', code: 'KeyQ' })).toBe('a')
  expect(shortcutKey({ key: 'É', code: 'Digit2' })).toBe('é')
})

test('signs, digits and named keys are themselves', () => {
  expect(shortcutKey({ key: '+', code: 'Equal' })).toBe('+')
  expect(shortcutKey({ key: "'", code: 'KeyQ' })).toBe("'")
  expect(shortcutKey({ key: 'Enter', code: 'Enter' })).toBe('enter')
  expect(shortcutKey({ key: 'ж', code: 'Semicolon' })).toBe('ж')
})
