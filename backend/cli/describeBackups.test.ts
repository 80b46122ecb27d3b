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

it('states the age, the size and the location of the last backup, and whether one was proven by a restore', () => {
  expect(describeBackups(made, now)).toEqual([
    '9 hours ago, 8.00 MiB, on the same disk as the data',
    'No check has restored a backup yet.',
  ])
  const elsewhere = { ...made.backup!, isOnSameDisk: false }
  const verification = { id: 'a', at: '2026-11-28T12:00:00Z', failure: null }
  expect(describeBackups({ ...made, backup: elsewhere, verification }, now)).toEqual([
    '9 hours ago, 8.00 MiB, in /mnt/backups',
    'Last proven restore: 2 days ago',
  ])
})

it('states that a check could not restore the backup, or that there is no backup', () => {
  const failed = {
    ...made,
    verification: { id: 'a', at: '2026-11-30T09:00:00Z', failure: 'A file is damaged.' },
  }
  expect(describeBackups(failed, now)[1]).toBe('The check 3 hours ago could not restore it.')
  expect(describeBackups(none, now)).toEqual(['none yet'])
})
