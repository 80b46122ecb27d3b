import { expect, it } from 'vitest'
import { runBackupCommand } from './runBackupCommand.ts'

it('a command receives the variables, and its failure is reported with its output', async () => {
  expect(await runBackupCommand('test "$LINNET_BACKUP_DIR" = /x', { LINNET_BACKUP_DIR: '/x' })).toBeNull()
  expect(await runBackupCommand('echo no space >&2; exit 3', {})).toBe(
    'The command of backup.command failed: it ended with 3. Its last output: no space',
  )
})

it('a command that does not end is killed with its children', async () => {
  expect(await runBackupCommand('sleep 1000 & wait', {}, 50)).toContain('did not end within')
})
