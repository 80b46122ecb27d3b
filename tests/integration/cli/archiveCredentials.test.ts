import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, it } from 'vitest'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { bring, foundWorkspace, signInAgain } from '../../support/people.ts'
import { runCommandLine } from '../../support/runCommandLine.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')
const data = [temporaryData(), temporaryData()]
const folder = mkdtempSync(join(tmpdir(), 'linnet-credentials-'))
const servers: Server[] = []
const start = async (number: number): Promise<Server> => {
  await fillLinnetData(data[number]!.dir)
  const args = ['--no-app', '--db-port', '0']
  servers[number] = await startServer({ root, dataDir: data[number]!.dir, args })
  return servers[number]
}

afterAll(async () => {
  for (const server of servers) await server.end('SIGTERM')
  for (const { remove } of data) remove()
  rmSync(folder, { recursive: true })
})

it('people sign in on another server with their password and second factor, if credentials are exported and imported', async () => {
  const archive = join(folder, 'harbour.zip')
  const first = await start(0)
  const { ann, workspace, channel } = await foundWorkspace(first)
  const bea = await bring(first, ann, { workspace, channels: [channel], name: 'bea' })
  const { data: factor } = await bea.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
  if (factor?.type !== 'totp') throw new Error('No factor.')
  const codeNow = (): string => new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate()
  const added = await bea.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeNow() })
  expect(added.error).toBeNull()

  const refused = await runCommandLine([
    'export',
    archive,
    '--with-credentials',
    '--scope',
    'owner',
    '--data',
    data[0]!.dir,
  ])
  expect(refused.stderr).toContain('only for the person who runs the server')
  const exported = await runCommandLine(['export', archive, '--with-credentials', '--data', data[0]!.dir])
  expect(exported.stdout).toContain(
    'Anyone with the file can sign in as the people and bots of the workspace.',
  )
  expect(statSync(archive).mode & 0o777).toBe(0o600)

  const second = await start(1)
  const imported = await runCommandLine(['import', archive, '--with-credentials', '--data', data[1]!.dir])
  expect(imported).toMatchObject({ code: 0 })
  const receipt = JSON.parse(readFileSync(`${archive}.receipt.json`, 'utf8')) as object
  expect(receipt).toMatchObject({ isComplete: true, tables: { accounts: { read: 2, written: 2 } } })
  const moved = await signInAgain(second, 'bea')
  const { data: level } = await moved.auth.mfa.getAuthenticatorAssuranceLevel()
  expect(level).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  const verified = await moved.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeNow() })
  expect(verified.error).toBeNull()
})
