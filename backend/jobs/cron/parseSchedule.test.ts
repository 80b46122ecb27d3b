import { describe, expect, it } from 'vitest'
import { parseSchedule, type CalendarSchedule } from './parseSchedule.ts'

const calendar = (text: string): CalendarSchedule => {
  const schedule = parseSchedule(text)
  if (schedule?.kind !== 'calendar') throw new Error(`${text} is not a calendar schedule`)
  return schedule
}
const indexesOf = (flags: boolean[]): number[] => Array.from(flags.keys()).filter((at) => flags[at])

describe('five fields', () => {
  it('accepts lists, ranges, steps of ranges and names in any case', () => {
    const found = calendar('5,10-12,*/30 8-16/4 1,15 jan-MAR,Dec mon-fri')
    expect(indexesOf(found.minutes)).toEqual([0, 5, 10, 11, 12, 30])
    expect(indexesOf(found.hours)).toEqual([8, 12, 16])
    expect(indexesOf(found.days)).toEqual([1, 15])
    expect(indexesOf(found.months)).toEqual([1, 2, 3, 12])
    expect(indexesOf(found.weekdays)).toEqual([1, 2, 3, 4, 5])
    expect(found).toMatchObject({ bothDays: false, followsClock: false, lastDay: false })
  })

  it('accepts 7 for Sunday', () => {
    expect(indexesOf(calendar('0 0 * * 7').weekdays)).toEqual([0, 7])
  })

  it('requires both days if one begins with a star, with a step or without', () => {
    expect(calendar('0 0 * * 1').bothDays).toBe(true)
    expect(calendar('0 0 */2 * 1').bothDays).toBe(true)
    expect(calendar('0 0 1 * *').bothDays).toBe(true)
    expect(calendar('0 0 1,* * 1').bothDays).toBe(false)
  })

  it('accepts $ for the last day of the month', () => {
    expect(calendar('0 12 $ * *')).toMatchObject({ lastDay: true, days: [] })
    expect(parseSchedule('0 11 $foo * *')).toBeNull()
  })

  it('wraps ranges in the cases in which pg_cron does', () => {
    expect(indexesOf(calendar('0 22-2 * * *').hours)).toEqual([0, 1, 2, 22, 23])
    expect(indexesOf(calendar('0 0 * * 5-1').weekdays)).toEqual([])
  })

  it('ignores comments before, blanks between and text after the fields', () => {
    expect(calendar('# nightly\n\n  0 \t 3 * * *  ')).toEqual(calendar('0 3 * * *'))
    expect(calendar('0 3 * * * select 1')).toEqual(calendar('0 3 * * *'))
    expect(calendar('0; 3 * * *')).toEqual(calendar('0 3 * * *'))
  })
})

it.each([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])('%s is %s', (word, written) => {
  expect(parseSchedule(word)).toEqual(parseSchedule(written))
})

it.each(['@reboot', '@restart'])('%s runs once per start of PostgreSQL', (word) => {
  expect(parseSchedule(word)).toEqual({ kind: 'restart' })
})

it.each([
  ['1 second', 1],
  [' 30 sEcOnDs ', 30],
  ['59 seconds', 59],
  ['17  seconds ', 17],
  ['5seconds', 5],
])('%j is an interval', (text, seconds) => {
  expect(parseSchedule(text)).toEqual({ kind: 'interval', seconds })
})

it.each([
  '',
  '* * * *',
  '5 secondc',
  '50 seconds c',
  '2 second ',
  '*/0 10 * * *',
  '-1 * * * *',
  '*/-1 10 * * *',
  '*/60 10 * * *',
  '1/5 * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * 0 *',
  '* * * * 8',
  '1, * * * *',
  '1- * * * *',
  '* * * foo *',
  '*/5000000000 10 * * *',
  '-1 seconds',
  '0 seconds',
  '60 seconds',
  '10000000000 seconds',
  '@restar',
  '@Daily',
  '@',
  '@constructor',
  '# comment',
  'a'.repeat(1000),
  `* * * * *${' '.repeat(1000)}`,
])('%j is refused', (text) => {
  expect(parseSchedule(text)).toBeNull()
})
