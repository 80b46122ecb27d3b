import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from './linnet.ts'

const root = join(import.meta.dirname, '../..')
let dataDir = ''
let file = ''

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-settings-'))
  file = join(dataDir, 'linnet.toml')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dataDir, { recursive: true })
})

/** Runs a command on the data directory with Linnet's own schema. */
async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommand([...args, '--data', dataDir, '--supabase', root], root)
  const output = [stdout, stderr].map((spy) => spy.mock.calls.map(([text]) => String(text)).join(''))
  return { code, stdout: output[0]!, stderr: output[1]! }
}

it('lists the settings of the installation with their sources, without secrets', async () => {
  writeFileSync(
    file,
    '[auth.email.smtp]\nhost = "smtp.example.org"\nadmin_email = "a@example.org"\npass = "hunter2"\n',
    { mode: 0o600 },
  )
  vi.stubEnv('LINNET_SERVER_PORT', '4444')
  const { code, stdout } = await run('settings', '-o', 'json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual([
    { key: 'auth.email.smtp.host', value: 'smtp.example.org', isSecret: false, source: { file, line: 2 } },
    {
      key: 'auth.email.smtp.admin_email',
      value: 'a@example.org',
      isSecret: false,
      source: { file, line: 3 },
    },
    { key: 'auth.email.smtp.pass', value: null, isSecret: true, source: { file, line: 4 } },
    { key: 'server.port', value: 4444, isSecret: false, source: { variable: 'LINNET_SERVER_PORT' } },
  ])
  const text = await run('settings', '--all')
  expect(text.stdout).toContain(`auth.email.smtp.pass `)
  expect(text.stdout).toContain(`(set)`)
  expect(text.stdout).toContain('environment variable LINNET_SERVER_PORT')
  expect(text.stdout).toContain('supabase/config.toml, line ')
  expect(text.stdout).not.toContain('hunter2')
})

it('names the file if no setting is set', async () => {
  expect(await run('settings')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(file) })
})

it.each([
  ['[server]\nport = 99999', 'line 2: server.port must be a whole number from 0 to 65535'],
  ['[server]\npublic_url = "chat.example.org"', 'line 2: server.public_url must be a URL such as'],
  ['[server]\nhost = "::"\ntls_cert = "cert.pem"', 'line 3: server.tls_cert needs tls_key'],
  ['[server]\ntrusted_proxies = ["0.0.0.0/0"]', 'line 2: server.trusted_proxies must be an address'],
  ['[server]\nlog = "xml"', 'line 2: server.log must be "json" or "text", not "xml"'],
  ['[auth.email]\notp_length = 3', 'line 2: auth.email.otp_length must be a whole number'],
  ['[budgets]\nmax_requests = 0', 'line 2: budgets.max_requests must be a number above 0'],
  ['[storage]\nfree_space_reserve = "much"', 'line 2: storage.free_space_reserve must be a size'],
  [
    '[settings]\npush_contact = "https://example.org/\\u0000"',
    'line 2: settings.push_contact must be a string without the character U+0000',
  ],
])('the check finds the mistake in %j', async (toml, problem) => {
  writeFileSync(file, toml)
  const { code, stderr } = await run('settings', 'check')
  expect([code, stderr.trim()]).toEqual([1, expect.stringContaining(`${file}, ${problem}`)])
})

it.each([
  ['[settings]\npush_endpoints = "^https://("', 'line 2: settings.push_endpoints is refused by PostgreSQL: '],
  ['[auth]\njwt_secret = "short"', 'auth.jwt_secret must have at least 16 characters'],
  ['[db.settings]\nwork_mem = "1kB"', 'for parameter "work_mem"'],
  ['[server]\nhost = "192.0.2.1"', 'This machine has no address 192.0.2.1'],
])('the check finds %j, which only a start refuses', async (toml, problem) => {
  writeFileSync(file, toml, { mode: 0o600 })
  const { code, stderr } = await run('settings', 'check')
  expect([code, stderr]).toEqual([1, expect.stringContaining(problem)])
})

it('the check accepts valid settings, and prints warnings', async () => {
  writeFileSync(file, '[server]\npublic_url = "https://chat.example.org/"\nprot = 1\n')
  expect(await run('settings', 'check')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining(
      `\n${file}, line 3: unknown key server.prot (did you mean server.port?).\nThe settings are valid, with 1 warning.\n`,
    ),
  })
})

it('lists and removes settings that owners have stored', async () => {
  const stored = join(dataDir, 'settings.json')
  writeFileSync(stored, '{"backup.keep_days": 9, "server.public_url": "https://x.example"}', { mode: 0o600 })
  const { stdout } = await run('settings', '-o', 'json')
  expect(JSON.parse(stdout)).toContainEqual({
    key: 'backup.keep_days',
    value: 9,
    isSecret: false,
    source: { file: stored, line: null },
  })
  expect(await run('settings', 'reset', 'backup.keep_weeks')).toMatchObject({ code: 1 })
  expect(await run('settings', 'reset', 'server.public_url')).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(stored, 'utf8'))).toEqual({ 'backup.keep_days': 9 })
  expect(statSync(stored).mode & 0o777).toBe(0o600)
  expect(await run('settings', 'reset')).toMatchObject({ code: 0 })
  expect(existsSync(stored)).toBe(false)
})
