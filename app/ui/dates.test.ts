import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import {
  formatTimeIn,
  formatDate,
  formatDay,
  isSameDay,
  formatDateTime,
  formatTime,
  formatDayAndTime,
} from './dates.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en-GB'], messages: {} }))

const now = new Date(2025, 10, 12, 9, 0)
const at = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString()

test('today, yesterday and days of the last week have names, earlier ones dates', () => {
  expect(formatDay(at(2025, 10, 12, 0), now)).toBe('Today')
  expect(formatDay(at(2025, 10, 11, 23), now)).toBe('Yesterday')
  expect(formatDay(at(2025, 10, 10, 12), now)).toBe('Monday')
  expect(formatDay(at(2025, 10, 5, 12), now)).toMatch(/^Wednesday,? 5 November$/)
  expect(formatDay(at(2024, 10, 5, 12), now)).toBe('5 November 2024')
})

test('days of the coming week have names, later ones dates', () => {
  expect(formatDay(at(2025, 10, 13, 0), now)).toBe('Tomorrow')
  expect(formatDay(at(2025, 10, 16, 23), now)).toBe('Sunday')
  expect(formatDay(at(2025, 10, 19, 12), now)).toMatch(/^Wednesday,? 19 November$/)
})

test('in a sentence, today, yesterday and tomorrow are words', () => {
  i18n.loadAndActivate({
    locale: 'en',
    locales: ['en-GB'],
    messages: {
      'today {time}': ['today ', ['time']],
      'yesterday {time}': ['yesterday ', ['time']],
      'tomorrow {time}': ['tomorrow ', ['time']],
      '{day} {time}': [['day'], ' ', ['time']],
    },
  })
  const days = [12, 11, 13, 14].map((day) => formatDayAndTime(at(2025, 10, day, 8), now))
  expect(days).toEqual(['today 08:00', 'yesterday 08:00', 'tomorrow 08:00', 'Friday 08:00'])
})

test('a day ends at local midnight, not after 24 hours', () => {
  expect(isSameDay(at(2025, 10, 12, 0), at(2025, 10, 12, 23))).toBe(true)
  expect(isSameDay(at(2025, 10, 11, 23), at(2025, 10, 12, 0))).toBe(false)
})

test('the local time of another zone has its weekday where that differs, and is absent for an unknown zone', () => {
  const noon = new Date('2025-11-12T12:00:00Z')
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(formatTimeIn(here, noon)).toBe(formatTime(noon.toISOString()))
  const ahead = formatTimeIn('Pacific/Kiritimati', noon)
  const behind = formatTimeIn('Pacific/Pago_Pago', noon)
  expect(ahead).toMatch(/02:00$/)
  expect(behind).toMatch(/01:00$/)
  // These two are never on the same day, so at least one is not on that of this machine.
  expect([ahead, behind].some((time) => /^(Wed|Thu)/.test(time ?? ''))).toBe(true)
  expect(formatTimeIn('Mars/Olympus_Mons', noon)).toBe(null)
})

test('a date includes its year', () => {
  expect(formatDate(at(2025, 10, 5, 12))).toBe('5 November 2025')
})

test('a time has the same format alone, in a sentence and in a tooltip', () => {
  const evening = new Date(2025, 10, 12, 21, 5).toISOString()
  const morning = new Date(2025, 10, 12, 9, 5).toISOString()
  // The space before AM differs between versions of the locale data.
  const spaced = (text: string) => text.replaceAll(/\s/gu, ' ')
  const regions = [
    ['en', 'en-US', '9:05 AM', '9:05 PM'],
    ['en', 'en-GB', '09:05', '21:05'],
    ['de', 'de', '09:05', '21:05'],
  ] as const
  for (const [locale, region, early, late] of regions) {
    i18n.loadAndActivate({ locale, locales: [region], messages: {} })
    expect(spaced(formatTime(morning))).toBe(early)
    expect(spaced(formatTime(evening))).toBe(late)
    expect(spaced(formatDateTime(evening))).toContain(late)
  }
  i18n.loadAndActivate({
    locale: 'en',
    locales: ['en-US'],
    messages: { 'today {time}': [['time']] },
  })
  expect(spaced(formatDayAndTime(morning, now))).toBe('9:05 AM')
})
