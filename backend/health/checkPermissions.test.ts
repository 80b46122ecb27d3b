import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { judgePermissions, readPermissions } from './checkPermissions.ts'

it.runIf(process.getuid!() === 0)('root sees which files the user of the server cannot write', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-permissions-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const [owned, foreign] = ['storage', 'backups'].map((name) => join(dataDir, name))
  const nobody = 65_534
  for (const folder of [owned!, foreign!]) mkdirSync(folder, { mode: 0o700 })
  for (const folder of [dataDir, owned!]) chownSync(folder, nobody, nobody)
  const [finding] = judgePermissions(readPermissions(dataDir))
  expect(finding).toMatchObject({
    code: 'permissions.not_writable',
    details: [foreign],
    commands: [`chown -R nobody ${foreign}`],
  })
})
