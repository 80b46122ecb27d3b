import { expect, it } from 'vitest'
import { selectBackups } from './selectBackups.ts'

const on = (...days: string[]): { startedAt: string }[] =>
  days.map((day) => ({ startedAt: day.includes('T') ? day : `${day}T03:00:00.000Z` }))

const keptDays = (
  backups: { startedAt: string }[],
  retention: Parameters<typeof selectBackups>[1],
): string[] =>
  [...selectBackups(backups, retention).kept].map(({ startedAt }) => startedAt.slice(0, 10)).sort()

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

it('several backups of one day count once', () => {
  const backups = on('2026-01-01T03:00:00.000Z', '2026-01-01T09:00:00.000Z', '2026-01-02')
  const { kept, daily } = selectBackups(backups, { days: 2, weeks: 0, months: 0 })
  expect(kept).toEqual(new Set([backups[2], backups[1]]))
  expect(daily).toEqual([backups[2], backups[1]])
})

it('the newest backup is kept whatever the settings are, and old ones while no new ones are made', () => {
  expect(keptDays(on('2020-01-01'), { days: 0, weeks: 0, months: 0 })).toEqual(['2020-01-01'])
  expect(keptDays(on('2020-01-01', '2021-05-01'), { days: 7, weeks: 0, months: 0 })).toEqual([
    '2020-01-01',
    '2021-05-01',
  ])
  expect(keptDays([], { days: 7, weeks: 4, months: 6 })).toEqual([])
})
