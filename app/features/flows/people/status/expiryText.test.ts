import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { expiryText } from './expiryText.ts'

beforeAll(() =>
  i18n.loadAndActivate({
    locale: 'en',
    locales: ['en-GB'],
    messages: {
      'until {time}': ['until ', ['time']],
      'until tomorrow, {time}': ['until tomorrow, ', ['time']],
      'until {day}': ['until ', ['day']],
      'until {day}, {time}': ['until ', ['day'], ', ', ['time']],
    },
  }),
)

const now = new Date(2026, 10, 18, 14, 20)
const until = (day: number, hour = 0, minute = 0) =>
  expiryText(new Date(2026, 10, day, hour, minute).toISOString(), now)

test('an expiry today has a time, another one also the day', () => {
  expect(expiryText(null, now)).toBe('')
  expect(until(18, 15)).toBe('until 15:00')
  expect(until(19, 9)).toBe('until tomorrow, 09:00')
  expect(until(20, 9)).toBe('until Friday, 09:00')
})

test('an expiry at midnight is named by the day that ends', () => {
  expect(until(19)).toBe('until midnight')
  expect(until(20)).toBe('until tomorrow')
  expect(until(23)).toBe('until Sunday')
})

test('tomorrow is the next day also when clocks are set forward on it', () => {
  const zone = process.env['TZ']
  try {
    process.env['TZ'] = 'Europe/Berlin'
    const evening = new Date('2026-03-28T22:30:00Z')
    // The formatter of times may be of another zone.
    expect(expiryText('2026-03-29T07:00:00Z', evening)).toMatch(/^until tomorrow, /)
    expect(expiryText('2026-03-30T07:00:00Z', evening)).toMatch(/^until Monday, /)
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})
