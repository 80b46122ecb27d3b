import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startedScriptVariable } from '../runtime/commandName.ts'
import { renderAllHelp, runCommand } from './linnet.ts'

const root = join(import.meta.dirname, '../..')

afterEach(() => vi.restoreAllMocks())

/** Runs a command line in the test process. */
async function runInProcess(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommand(args, root)
  const output = [stdout, stderr].map((spy) => spy.mock.calls.map(([text]) => String(text)).join(''))
  return { code, stdout: output[0]!, stderr: output[1]! }
}

it('a closed pipe behind the output does not end a command', async () => {
  expect((await runInProcess(['--version'])).code).toBe(0)
  for (const stream of [process.stdout, process.stderr])
    expect(() => stream.emit('error', new Error('write EPIPE'))).not.toThrow()
})

describe('help', () => {
  it('lists every command under a heading without starting anything', async () => {
    const { code, stdout } = await runInProcess(['--help'])
    expect(code).toBe(0)
    for (const name of ['start', 'stop', 'status', 'logs', 'reset', 'db url', 'migration new <name>']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
  })

  it('is in bin/help.txt for checkouts that are not built; vitest -u writes the file', async () => {
    await expect(renderAllHelp()).toMatchFileSnapshot(join(root, 'bin/help.txt'))
  })

  it('includes the version', async () => {
    const { code, stdout } = await runInProcess(['--version'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  })

  it.each([
    [
      ['reset', '--help'],
      /keeps linnet\.toml, and the keys, the JWT secret[\s\S]*--all[\s\S]*Also: linnet db reset/,
    ],
    [['help', 'migration', 'list'], /linnet migration list \[options\][\s\S]*--db-url URL/],
    [['migration', '-h'], /migration new <name>[\s\S]*migration up/],
  ])('describes %j', async (args, pattern) => {
    const { code, stdout } = await runInProcess(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(pattern)
  })

  it.each([
    [['strat'], /no command "strat"\. Did you mean "linnet start"\?/],
    [['migrations', 'list'], /Did you mean "linnet migration list"\?/],
    [['status', '--outptu', 'json'], /has no option --outptu\. Did you mean --output\?/],
    [['status', '-o', 'yaml'], /must be pretty or env or json, not "yaml"/],
    [['migration', 'new'], /needs <name>/],
    [['stop', 'now'], /does not take the argument "now"/],
    [['stop', '--data'], /--data needs a value/],
    [['db', 'diff', '-f', 'x'], /linnet migration diff/],
    [['functions', 'deploy', 'hello'], /linnet start serves/],
    [['db', 'url', '--data', '/nowhere/at/all'], /No server is running on/],
  ])('explains the mistake in %j', async (args, pattern) => {
    const { code, stdout, stderr } = await runInProcess(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(pattern)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

it.each([
  ['strat', 'Did you mean "/srv/linnet/bin/linnet start"? See "/srv/linnet/bin/linnet --help".'],
  ['start --prot 1', 'See "/srv/linnet/bin/linnet start --help".'],
  ['stop now', 'See "/srv/linnet/bin/linnet stop --help".'],
  ['migration new', 'See "/srv/linnet/bin/linnet migration new --help".'],
  ['login', 'use /srv/linnet/bin/linnet start.'],
])('"linnet %s" names the help as a person in a checkout types it', async (words, hint) => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('npm_command', '')
  vi.stubEnv(startedScriptVariable, '/srv/linnet/bin/linnet')
  const { stderr } = await runInProcess(words.split(' '))
  vi.unstubAllEnvs()
  expect(stderr).toContain(hint)
})

it.each([
  [
    '/srv/linnet/bin/linnet',
    '',
    /^bin\/linnet settings check \[options\][\s\S]*"bin\/linnet settings check && systemctl restart linnet"/,
  ],
  [
    '/srv/linnet/bin/linnet',
    'exec',
    /^npx linnet settings check \[options\][\s\S]*"npx linnet settings check &&/,
  ],
])('the help has the command as a person types it: %s %s', async (script, npm, text) => {
  vi.spyOn(process, 'cwd').mockReturnValue('/srv/linnet')
  vi.stubEnv('PATH', '')
  vi.stubEnv('npm_command', npm)
  vi.stubEnv(startedScriptVariable, script)
  const { stdout } = await runInProcess(['settings', 'check', '--help'])
  const overview = await runInProcess(['--help'])
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  expect(stdout).toMatch(text)
  expect(overview.stdout).toMatch(
    /^"(bin\/|npx )linnet <command> --help" describes a command\. "(bin\/|npx )linnet --version"/m,
  )
})

it.each(['service install', 'service install --print'])(
  '"linnet %s" refuses to run a checkout as root',
  async (words) => {
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    const { code, stderr } = await runInProcess(words.split(' '))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Root cannot install a service of a checkout.* without sudo.* docs\/service\.md/)
  },
)

describe('data of another user', () => {
  const isRoot = process.geteuid!() === 0
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'linnet-other-user-'))
    for (const name of ['secrets.json', 'running.json']) {
      writeFileSync(join(dataDir, name), '{}')
      // Root reads all files.
      chmodSync(join(dataDir, name), 0)
    }
    chmodSync(dataDir, 0o711)
    if (isRoot) process.seteuid!(65_534)
  })
  afterEach(() => {
    if (isRoot) process.seteuid!(0)
    rmSync(dataDir, { recursive: true })
  })

  it.each([
    'status',
    'stop',
    'mailbox',
    'logs',
    'settings',
    'backup',
    'backup list',
    'upgrade --check',
    'start',
  ])('"linnet %s" names the users who can run it', async (words) => {
    const { code, stdout, stderr } = await runInProcess([...words.split(' '), '--data', dataDir])
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `You can't read the data in ${dataDir}. Run this command as root or as the user of the server.\n`,
    ])
  })
})
