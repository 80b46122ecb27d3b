import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from './linnet.ts'

const root = join(import.meta.dirname, '../..')

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-refused-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(dir, 0o755)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

/** Runs `linnet start` in the test process, and expects that it ends with a message without a stack trace. */
async function expectRefusal(args: string[], pattern: RegExp): Promise<void> {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommand(['start', '--no-app', ...args], root)
  const output = stderr.mock.calls.map(([text]) => String(text)).join('')
  expect([code, output]).toEqual([1, expect.stringMatching(pattern)])
  expect(output).not.toMatch(/\n\s+at |node:|Error:/)
}

/** Expects that `linnet start` on new data with these files in its project ends with a message and creates no database. */
async function expectRefusedProject(config: string, pattern: RegExp): Promise<void> {
  const project = join(dir, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'config.toml'), config)
  await expectRefusal(['--port', '0', '--data', join(dir, 'data'), '--supabase', project], pattern)
  expect(existsSync(join(dir, 'data', 'postgres'))).toBe(false)
}

it.each([
  [['--prot', '1'], /--prot/],
  [['--port', 'many'], /--port must be a whole number/],
  [['--public-url', 'chat.example.org'], /--public-url must be a URL/],
  [['--tls-cert', 'x.pem'], /must be used together/],
  [['--supabase', '/nowhere/at/all'], /There is no directory/],
  [['--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.pem'], /can't be read/],
])('explains the mistake in %j', (args, pattern) => expectRefusal(args, pattern))

it('names a port that is in use', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve)
  })
  const port = String((taken.address() as AddressInfo).port)
  await expectRefusal(['--port', port, '--data', join(dir, 'data')], new RegExp(`${port}.*--port`))
  taken.close()
})

it('names a data directory that is a file, and one that cannot be created', async () => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  await expectRefusal(['--port', '0', '--data', file], /is not a folder/)
  await expectRefusal(['--port', '0', '--data', join(file, 'data')], /file/)
})

it('names a data directory of another program', async () => {
  mkdirSync(join(dir, 'postgres'))
  writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '9\n')
  writeFileSync(join(dir, 'postgres-passwords.json'), '{}')
  await expectRefusal(['--port', '0', '--data', dir], /PostgreSQL 9/)
})

it('names a certificate that is invalid', async () => {
  const pem = join(dir, 'junk.pem')
  writeFileSync(pem, 'junk')
  const args = ['--port', '0', '--data', join(dir, 'data'), '--tls-cert', pem, '--tls-key', pem]
  await expectRefusal(args, /TLS certificate or its key can't be used/)
})

it('ends before the data change if the settings of a service are invalid', () =>
  expectRefusedProject(
    '[realtime]\nmax_channels_per_client = "many"\n',
    /realtime\.max_channels_per_client must be a number/,
  ))

it('names the key of a mistake in config.toml', () =>
  expectRefusedProject('[api]\nmax_rows = "many"\n', /api\.max_rows must be a number/))
