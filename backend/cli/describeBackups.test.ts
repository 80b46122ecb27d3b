import { expect, it } from 'vitest'
import type { BackupState } from '../backup/state.ts'
import { describeBackups } from './describeBackups.ts'

const now = Date.parse('2026-11-30T12:00:00Z')
const none: BackupState = { backup: null, failure: null, verification: null, wal: null }
const made: BackupState = {
  ...none,
  backup: {
    id: 'a',
    at: '2026-11-30T03:00:00Z',
    dir: '/mnt/backups',
    durationMs: 1,
    addedBytes: 2 ** 23,
    isOnSameDisk: true,
    keyStorage: 'plain',
    hasRecoverySheet: false,
    commandFailure: null,
  },
}

it('states the age, the size and the place of the last backup, and whether a restore has proven one', () => {
  expect(describeBackups(made, now)).toEqual([
    '9 hours ago, 8.00 MiB, on the same disk as the data',
    'No backup has been proven by a restore yet.',
  ])
  const elsewhere = { ...made.backup!, isOnSameDisk: false }
  const verification = { id: 'a', at: '2026-11-28T12:00:00Z', failure: null }
  expect(describeBackups({ ...made, backup: elsewhere, verification }, now)).toEqual([
    '9 hours ago, 8.00 MiB, in /mnt/backups',
    'Last proven restore: 2 days ago',
  ])
})

it('states the reasons of a failed backup and of a failed check', () => {
  const failed = {
    ...made,
    failure: { at: '2026-11-30T11:00:00Z', reason: 'The disk is full.' },
    verification: { id: 'a', at: '2026-11-30T09:00:00Z', failure: 'A file is damaged.' },
  }
  expect(describeBackups(failed, now).slice(1)).toEqual([
    'The attempt 60 minutes ago failed: The disk is full.',
    'The test of a restore 3 hours ago failed: A file is damaged.',
  ])
  expect(describeBackups(none, now)).toEqual(['none yet'])
})
