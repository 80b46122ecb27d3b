import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { bareTimeOf, dayOf, isSameDay } from './clock.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en-GB'], messages: {} }))

const now = new Date(2025, 10, 12, 9, 0)
const at = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString()

test('near days have names, farther ones dates', () => {
  expect(dayOf(at(2025, 10, 12, 0), now)).toBe('Today')
  expect(dayOf(at(2025, 10, 11, 23), now)).toBe('Yesterday')
  expect(dayOf(at(2025, 10, 10, 12), now)).toBe('Monday')
  expect(dayOf(at(2025, 10, 5, 12), now)).toMatch(/^Wednesday,? 5 November$/)
  expect(dayOf(at(2024, 10, 5, 12), now)).toBe('5 November 2024')
})

test('so have days to come', () => {
  expect(dayOf(at(2025, 10, 13, 0), now)).toBe('Tomorrow')
  expect(dayOf(at(2025, 10, 16, 23), now)).toBe('Sunday')
  expect(dayOf(at(2025, 10, 19, 12), now)).toMatch(/^Wednesday,? 19 November$/)
})

test('a day ends at the midnight of the reader, not 24 hours on', () => {
  expect(isSameDay(at(2025, 10, 12, 0), at(2025, 10, 12, 23))).toBe(true)
  expect(isSameDay(at(2025, 10, 11, 23), at(2025, 10, 12, 0))).toBe(false)
})

test('a bare time leaves out the half of the day', () => {
  i18n.loadAndActivate({ locale: 'en', locales: ['en-US'], messages: {} })
  expect(bareTimeOf(at(2025, 10, 12, 22))).toBe('10:00')
  i18n.loadAndActivate({ locale: 'de', locales: ['de'], messages: {} })
  expect(bareTimeOf(at(2025, 10, 12, 22))).toBe('22:00')
})
