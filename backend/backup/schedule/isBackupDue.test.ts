import { expect, it } from 'vitest'
import { isBackupDue } from './isBackupDue.ts'

const at = (day: number, hour: number, minute = 0): Date => new Date(2026, 0, day, hour, minute)
const due = (now: Date, lastAt: Date | null, failedAt: Date | null = null): boolean =>
  isBackupDue({ now, atMinute: 180, lastAt, failedAt })

it('a backup is due once its time of day has passed since the last one', () => {
  expect(due(at(2, 2, 59), at(1, 3, 1))).toBe(false)
  expect(due(at(2, 3), at(1, 3, 1))).toBe(true)
  expect(due(at(2, 3, 5), at(2, 3, 1))).toBe(false)
})

it('a backup is due after downtime, and if none was ever made', () => {
  expect(due(at(5, 14), at(1, 3, 1))).toBe(true)
  expect(due(at(5, 14), null)).toBe(true)
})

it('a failed backup is repeated after an hour', () => {
  expect(due(at(2, 3, 30), at(1, 3, 1), at(2, 3, 1))).toBe(false)
  expect(due(at(2, 4, 2), at(1, 3, 1), at(2, 3, 1))).toBe(true)
})

it('times in the future do not postpone a backup, because the clock was wrong when they were stored', () => {
  expect(due(at(2, 2), new Date(2031, 0, 1))).toBe(true)
  expect(due(at(2, 3, 30), at(1, 3, 1), new Date(2031, 0, 1))).toBe(true)
})
