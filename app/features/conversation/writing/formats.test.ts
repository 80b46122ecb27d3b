import { expect, test } from 'vitest'
import { formatOf, type FormatKeys } from './formats.ts'

const press = (change: Partial<FormatKeys>): FormatKeys => ({
  key: '',
  code: '',
  ctrlKey: true,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...change,
})

test('letters choose a format with Ctrl or ⌘, by their place on other layouts', () => {
  expect(formatOf(press({ key: 'b', code: 'KeyB' }))).toBe('bold')
  expect(formatOf(press({ key: 'i', code: 'KeyI', ctrlKey: false, metaKey: true }))).toBe('italic')
  expect(formatOf(press({ key: 'X', code: 'KeyX', shiftKey: true }))).toBe('strike')
  expect(formatOf(press({ key: 'и', code: 'KeyB' }))).toBe('bold')
  expect(formatOf(press({ key: '(', code: 'Digit8', shiftKey: true }))).toBe('bullets')
})

test('other keys choose none', () => {
  expect(formatOf(press({ key: 'b', code: 'KeyB', ctrlKey: false }))).toBeNull()
  expect(formatOf(press({ key: 'b', code: 'KeyB', altKey: true }))).toBeNull()
  expect(formatOf(press({ key: 'b', code: 'KeyB', metaKey: true }))).toBeNull()
  expect(formatOf(press({ key: 'x', code: 'KeyX' }))).toBeNull()
  expect(formatOf(press({ key: 'Enter', code: 'Enter' }))).toBeNull()
})
