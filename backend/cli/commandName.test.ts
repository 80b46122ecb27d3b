import { expect, it } from 'vitest'
import { commandLine, commandName } from './commandName.ts'

it('names the command as a person in the current directory types it', () => {
  const script = '/opt/linnet/bin/linnet'
  const name = (cwd: string, env: NodeJS.ProcessEnv = {}): string => commandName(script, { cwd, env })
  expect(name('/opt/linnet')).toBe('bin/linnet')
  expect(name('/home/ann')).toBe(script)
  expect(name('/opt/linnet', { npm_command: 'exec' })).toBe('npx linnet')
  expect(commandName('/data/releases/1.2.0/bin/linnet', { cwd: '/', env: {} })).toBe('linnet')
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
