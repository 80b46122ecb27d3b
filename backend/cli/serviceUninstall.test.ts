import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from './linnet.ts'

const root = join(import.meta.dirname, '../..')

vi.mock('./systemdUnit.ts', async (load) => ({ ...(await load<object>()), requireSystemd: () => undefined }))

let dir = ''
let unit = ''
const calls = (): string => readFileSync(join(dir, 'calls'), 'utf8')

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-service-'))
  unit = join(dir, 'config/systemd/user/linnet.service')
  writeFileSync(join(dir, 'calls'), '')
  // Programs that record how they are called. They replace the ones of systemd.
  mkdirSync(join(dir, 'bin'))
  for (const name of ['systemctl', 'loginctl']) {
    const program = join(dir, 'bin', name)
    writeFileSync(
      program,
      `#!/bin/sh\necho "${name} $*" >> '${join(dir, 'calls')}'\n[ ! -e '${dir}/fails' ]\n`,
    )
    chmodSync(program, 0o755)
  }
  vi.stubEnv('PATH', `${join(dir, 'bin')}:${process.env['PATH']}`)
  vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'config'))
  vi.spyOn(process, 'getuid').mockReturnValue(1000)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

async function run(...args: string[]): Promise<{ code: number; stderr: string }> {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommand(args, root)
  const text = stderr.mock.calls.map(([line]) => String(line)).join('')
  stderr.mockRestore()
  return { code, stderr: text }
}

it('stops the service that "service install" has installed, removes the unit and keeps the data', async () => {
  const dataDir = join(dir, '100% data')
  const installed = await run('service', 'install', '--data', dataDir)
  expect(installed).toMatchObject({ code: 0 })
  expect(existsSync(unit)).toBe(true)
  writeFileSync(join(dir, 'calls'), '')
  mkdirSync(`${unit}.d`)
  const { code, stderr } = await run('service', 'uninstall')
  expect([code, stderr]).toEqual([
    0,
    `Stopped the service and removed ${unit}.\nThe data stay in ${dataDir}.\nYour changes of the unit stay in ${unit}.d.\n`,
  ])
  expect(calls()).toBe('systemctl --user disable --now linnet.service\nsystemctl --user daemon-reload\n')
  expect([existsSync(unit), existsSync(dataDir)]).toEqual([false, true])
})

it('removes nothing if there is no unit, or one of somebody else', async () => {
  const missing = await run('service', 'uninstall')
  expect(missing).toEqual({ code: 1, stderr: expect.stringContaining(`${unit} does not exist`) })
  mkdirSync(dirname(unit), { recursive: true })
  writeFileSync(unit, '[Service]\nExecStart=/bin/true\n')
  const other = await run('service', 'uninstall')
  expect(other).toEqual({ code: 1, stderr: expect.stringContaining('Remove it yourself.') })
  expect([existsSync(unit), calls()]).toEqual([true, ''])
})

it('keeps the unit if systemd cannot stop the service', async () => {
  await run('service', 'install', '--data', join(dir, 'data'))
  writeFileSync(join(dir, 'fails'), '')
  const { code, stderr } = await run('service', 'uninstall')
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /"systemctl --user disable --now linnet\.service" failed\. .* journalctl --user -u linnet/,
    ),
  ])
  expect(existsSync(unit)).toBe(true)
})
