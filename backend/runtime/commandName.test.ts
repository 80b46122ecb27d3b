import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { commandLine, commandName, publicCommandName, startedScriptVariable } from './commandName.ts'

afterEach(() => vi.unstubAllEnvs())

it('names the command as a person in the current directory types it', () => {
  const script = '/opt/linnet/bin/linnet'
  const name = (cwd: string, env: NodeJS.ProcessEnv = {}): string => commandName(script, { cwd, env })
  expect(name('/opt/linnet')).toBe('bin/linnet')
  expect(name('/home/ann')).toBe(script)
  expect(name('/opt/linnet', { npm_command: 'exec' })).toBe('npx linnet')
  expect(commandName('/data/releases/1.2.0/bin/linnet', { cwd: '/', env: {} })).toBe('linnet')
})

it('names no directory for readers elsewhere: a checkout has bin/linnet, and a package has linnet', () => {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-command-'))
  const write = (path: string): string => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), '')
    return join(dir, path)
  }
  const elsewhere = { cwd: '/', env: {} }
  const installed = write('lib/node_modules/linnet/bin/linnet')
  symlinkSync(installed, join(dir, 'linnet'))
  expect(publicCommandName(join(dir, 'linnet'), elsewhere)).toBe('linnet')
  expect(publicCommandName(installed, elsewhere)).toBe('linnet')
  expect(publicCommandName(write('checkout/bin/linnet'), elsewhere)).toBe('bin/linnet')
  expect(publicCommandName(installed, { cwd: '/', env: { npm_command: 'exec' } })).toBe('npx linnet')
  rmSync(dir, { recursive: true })
})

it('names the program that a person has started, not the release that runs in its place', () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('npm_command', '')
  vi.stubEnv(startedScriptVariable, '/srv/linnet/bin/linnet')
  expect(commandName()).toBe('/srv/linnet/bin/linnet')
  expect(commandName(undefined, { cwd: '/srv/linnet', env: {} })).toBe('bin/linnet')
})

it('repeats the options that name the installation, and quotes them', () => {
  expect(commandLine('logs -f', {})).toBe(`${commandName()} logs -f`)
  expect(commandLine('logs -f', { data: 'my data', supabase: 'x' })).toBe(
    `${commandName()} logs -f --data 'my data' --supabase x`,
  )
  const supabase = '/data/releases/1.2.0/node_modules/linnet/supabase'
  expect(commandLine('logs -f', { data: '/data', supabase })).toBe(`${commandName()} logs -f --data /data`)
  const named = '/srv/shop/releases/42/supabase'
  expect(commandLine('logs -f', { supabase: named })).toBe(`${commandName()} logs -f --supabase ${named}`)
})
