import { expect, it } from 'vitest'
import { parseMoment, renderMoment } from './moments.ts'

it.each([
  ['2026-11-30T14:05:33Z', '2026-11-30T14:05:33.000Z'],
  ['2026-11-30 14:05:33.25 Z', '2026-11-30T14:05:33.250Z'],
  ['2026-11-30T14:05:33.123456+01', '2026-11-30T13:05:33.123Z'],
  ['2026-11-30 14:05 -0530', '2026-11-30T19:35:00.000Z'],
  ['2026-11-30 14:05 +05:45', '2026-11-30T08:20:00.000Z'],
])('reads %s', (text, expected) => {
  expect(parseMoment(text).toISOString()).toBe(expected)
})

it('reads the times that commands print', () => {
  const moment = new Date('2026-07-01T12:00:00.007Z')
  for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns'])
    expect(parseMoment(renderMoment(moment, zone)).getTime()).toBe(moment.getTime())
  expect(parseMoment('2026-07-01 12:00:00.007 (UTC)').getTime()).toBe(moment.getTime())
})

it('a time without a zone is in the time zone of this machine', () => {
  expect(parseMoment('2026-11-30 14:05').getTime()).toBe(new Date(2026, 10, 30, 14, 5).getTime())
  expect(parseMoment('2026-11-30').getTime()).toBe(new Date(2026, 10, 30).getTime())
})

it.each(['', 'yesterday', '14:05', '2026-02-30', '2026-13-01', '2026-11-30 25:00', '2026-11-30 14:05 CET'])(
  'refuses %j with an example',
  (text) => {
    expect(() => parseMoment(text)).toThrow(/is not a time. Write a date and a time, such as/)
  },
)

it('shows milliseconds and the offset of a zone, also in summer', () => {
  expect(renderMoment(new Date('2026-07-01T12:00:00.007Z'), 'Europe/Berlin')).toBe(
    '2026-07-01 14:00:00.007 (UTC+02:00)',
  )
  expect(renderMoment(new Date('2026-12-01T23:30:00Z'), 'Europe/Berlin')).toBe(
    '2026-12-02 00:30:00.000 (UTC+01:00)',
  )
  expect(renderMoment(new Date('2026-12-01T23:30:00Z'), 'UTC')).toBe('2026-12-01 23:30:00.000 (UTC+00:00)')
})
