import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import { explainBackupFailure } from './explainBackupFailure.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

it.each([
  [
    'There is too little space for a backup in /b: it needs about 9 MiB, 1 MiB are free, and …',
    'enough disk space',
  ],
  ["The disk is full: /b/incoming can't be written. Free some space, or choose …", 'enough disk space'],
  [
    'The backups in /b are missing. Mount their disk, or begin new backups there: …',
    'find its backups in /b',
  ],
  ["/b can't be read or written (EACCES). Check the permissions of the folder.", 'can’t read or write /b'],
  [
    'Another process backs up /data (process 1 on host, since …). Wait until it has ended.',
    'Another process',
  ],
  ['The backup ended unexpectedly.', 'was interrupted'],
])('explains %j', (reason, meaning) => {
  expect(explainBackupFailure(reason)).toContain(meaning)
})

it('does not explain a sentence that it does not know', () => {
  expect(explainBackupFailure('The key is invalid.')).toBeNull()
})
