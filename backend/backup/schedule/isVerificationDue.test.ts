import { expect, it } from 'vitest'
import { isVerificationDue } from './isVerificationDue.ts'

it('a backup is verified once a week, and after each backup while the last verification has failed', () => {
  const at = '2026-01-01T03:02:00.000Z'
  const due = (now: string, failure: string | null = null): boolean =>
    isVerificationDue(new Date(now), { id: '2026-01-01T03-00-00Z', at, failure })
  expect(isVerificationDue(new Date(at), null)).toBe(true)
  expect(due('2026-01-07T03:01:00Z')).toBe(false)
  expect(due('2026-01-08T03:01:00Z')).toBe(true)
  expect(due('2025-12-01T03:01:00Z')).toBe(true)
  expect(due('2026-01-02T03:01:00Z', 'The backup differs.')).toBe(true)
})
