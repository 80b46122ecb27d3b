import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from './linnet.ts'

const root = join(import.meta.dirname, '../..')

afterEach(() => vi.restoreAllMocks())

/** Runs a command line in this process. */
async function say(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommand(args, root)
  const said = [stdout, stderr].map((spy) => spy.mock.calls.map(([text]) => String(text)).join(''))
  return { code, stdout: said[0]!, stderr: said[1]! }
}

describe('help', () => {
  it('lists every command under a heading, without starting anything', async () => {
    const { code, stdout } = await say(['--help'])
    expect(code).toBe(0)
    for (const name of ['start', 'stop', 'status', 'logs', 'reset', 'db url', 'migration new <name>']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
  })

  it.each([
    [['reset', '--help'], /Keys, the JWT secret .* stay[\s\S]*--all[\s\S]*Also: linnet db reset/],
    [['help', 'migration', 'list'], /linnet migration list \[options\][\s\S]*--db-url URL/],
    [['migration', '-h'], /migration new <name>[\s\S]*migration up/],
  ])('tells more of %j', async (args, words) => {
    const { code, stdout } = await say(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(words)
  })

  it.each([
    [['strat'], /no command "strat"\. Did you mean "linnet start"\?/],
    [['migrations', 'list'], /Did you mean "linnet migration list"\?/],
    [['status', '--outptu', 'json'], /has no option --outptu\. Did you mean --output\?/],
    [['status', '-o', 'yaml'], /must be pretty or env or json, not "yaml"/],
    [['migration', 'new'], /needs <name>/],
    [['stop', 'now'], /can do nothing with "now"/],
    [['stop', '--data'], /--data needs a value/],
    [['db', 'diff', '-f', 'x'], /linnet migration new/],
    [['functions', 'deploy', 'hello'], /linnet start serves/],
    [['db', 'url', '--data', '/nowhere/at/all'], /Nothing runs on/],
  ])('says what is wrong with %j', async (args, words) => {
    const { code, stdout, stderr } = await say(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(words)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})
