import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRepository } from '../backup/repository/openRepository.ts'
import { commandName } from '../runtime/commandName.ts'
import { saveSecrets } from '../startup/secrets.ts'
import { runCommand } from './linnet.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-backup-list-'))
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n')
  saveSecrets(dataDir, { installation: 'abcd1234' })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

it('names the command that makes the first backup', async () => {
  const to = join(dataDir, 'backups')
  await createRepository(to, { writer: 'w', publicKey: null, passphrase: null })
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  expect(await runCommand(['backup', 'list', '--data', dataDir, '--to', to], '/nowhere')).toBe(0)
  expect(write.mock.calls.join('')).toBe(
    `There is no backup yet in ${to}. Make one: ${commandName()} backup --to ${to} --data ${dataDir}\n`,
  )
})
