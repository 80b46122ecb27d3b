import { expect, it } from 'vitest'
import { selectBackups, type Retention } from './selectBackups.ts'

const on = (...days: string[]): { startedAt: string }[] =>
  days.map((day) => ({ startedAt: day.includes('T') ? day : `${day}T03:00:00.000Z` }))

const keptDays = (backups: { startedAt: string }[], retention: Retention): string[] =>
  [...selectBackups(backups, retention, new Date(backups.at(-1)?.startedAt ?? 0)).kept]
    .map(({ startedAt }) => startedAt.slice(0, 10))
    .sort()

it('the newest backup of each day, week and month is kept', () => {
  const start = Date.UTC(2026, 0, 1, 3)
  const backups = Array.from({ length: 200 }, (_, day) => ({
    startedAt: new Date(start + day * 86_400_000).toISOString(),
  }))
  const kept = keptDays(backups, { days: 7, weeks: 4, months: 6 })
  expect(kept).toEqual([
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
    '2026-06-28',
    '2026-06-30',
    '2026-07-05',
    '2026-07-12',
    '2026-07-13',
    '2026-07-14',
    '2026-07-15',
    '2026-07-16',
    '2026-07-17',
    '2026-07-18',
    '2026-07-19',
  ])
})

it('all backups of the last 24 hours are kept, and older ones of one day count once', () => {
  const backups = on(
    '2026-01-01T03:00:00.000Z',
    '2026-01-01T09:00:00.000Z',
    '2026-01-02T03:00:00.000Z',
    '2026-01-02T09:00:00.000Z',
    '2026-01-02T09:05:00.000Z',
  )
  const select = (now: string): ReturnType<typeof selectBackups<{ startedAt: string }>> =>
    selectBackups(backups, { days: 2, weeks: 0, months: 0 }, new Date(now))
  const sameDay = select('2026-01-02T09:10:00.000Z')
  expect(sameDay.kept).toEqual(new Set(backups.slice(1)))
  expect(sameDay.daily).toEqual(backups.slice(1).toReversed())
  const nextDay = select('2026-01-03T09:02:00.000Z')
  expect(nextDay.kept).toEqual(new Set([backups[4], backups[1]]))
  expect(nextDay.daily).toEqual([backups[4], backups[1]])
})

it('only the newest 24 backups of the last 24 hours are kept', () => {
  const start = Date.UTC(2026, 0, 1, 12)
  const backups = Array.from({ length: 100 }, (_, index) => ({
    startedAt: new Date(start + index * 60_000).toISOString(),
  }))
  const { kept } = selectBackups(
    backups,
    { days: 7, weeks: 4, months: 6 },
    new Date(backups.at(-1)!.startedAt),
  )
  expect(kept).toEqual(new Set(backups.slice(-24)))
})

it('the newest backup is kept and precedes others, although the clock was ahead when an earlier one was made', () => {
  const backups = on('2026-01-01', '2031-01-01', '2026-01-02', '2026-01-03')
  const now = new Date('2026-01-03T04:00:00.000Z')
  const { kept, daily } = selectBackups(backups, { days: 1, weeks: 0, months: 0 }, now)
  expect(kept).toEqual(new Set([backups[3]]))
  expect(daily).toEqual([backups[3]])
  const later = selectBackups(backups, { days: 1, weeks: 0, months: 0 }, new Date('2031-02-01T00:00:00.000Z'))
  expect(later.kept).toEqual(new Set([backups[3]]))
})

it('the newest backup is always kept, and old backups stay while no new ones are made', () => {
  expect(keptDays(on('2020-01-01'), { days: 0, weeks: 0, months: 0 })).toEqual(['2020-01-01'])
  expect(keptDays(on('2020-01-01', '2021-05-01'), { days: 7, weeks: 0, months: 0 })).toEqual([
    '2020-01-01',
    '2021-05-01',
  ])
  expect(keptDays([], { days: 7, weeks: 4, months: 6 })).toEqual([])
})
