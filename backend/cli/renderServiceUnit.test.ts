import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryData } from '../../tests/support/server.ts'
import { renderServiceUnit, type ServiceUnit } from './renderServiceUnit.ts'

const template = readFileSync(join(import.meta.dirname, '../../service/linnet.service'), 'utf8')
const installation: ServiceUnit = {
  user: 'daemon',
  node: process.execPath,
  program: '/opt/linnet/node_modules/linnet/bin/linnet.mjs',
  dataDir: '/srv/our chat/100%',
  supabaseDir: null,
  writable: ['/srv/our chat/backups'],
  opensLowPorts: false,
}
const linesOf = (more: Partial<ServiceUnit>) =>
  renderServiceUnit(template, { ...installation, ...more }).split('\n')

it('starts the program by absolute paths, which systemd reads as they are', () => {
  const lines = linesOf({ supabaseDir: '/srv/$x' })
  expect(lines).toContain(
    `ExecStart=${process.execPath} ${installation.program} start --data "/srv/our chat/100%%" --log json --supabase "/srv/$$x"`,
  )
  expect(lines).toContain('User=daemon')
  expect(lines).toContain('ReadWritePaths="/srv/our chat/100%%" "-/srv/our chat/backups"')
  expect(lines).toContain('Restart=on-failure')
})

it('hides home directories unless the installation is in one', () => {
  const node = '/usr/bin/node'
  expect(linesOf({ node })).toContain('ProtectHome=yes')
  expect(linesOf({ node, dataDir: '/home/ann/data' })).toContain('ProtectHome=no')
})

it('gets the right to open low ports only if the settings have such a port', () => {
  const lines = linesOf({ opensLowPorts: true })
  expect(lines).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE')
  expect(lines).toContain('CapabilityBoundingSet=CAP_NET_BIND_SERVICE')
  expect(lines).not.toContain('CapabilityBoundingSet=')
  expect(lines).toContain('NoNewPrivileges=yes')
  expect(linesOf({}).join('\n')).not.toContain('CAP_NET_BIND_SERVICE')
  expect(linesOf({}).join('\n')).toContain('CapabilityBoundingSet=\n')
})

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0

it.skipIf(!isInstalled).each([
  { user: 'daemon', args: [], opensLowPorts: true },
  { user: null, args: ['--user'], opensLowPorts: false },
])('systemd understands every line of a unit for the user $user', ({ user, args, opensLowPorts }) => {
  const folder = temporaryData()
  const file = join(folder.dir, 'linnet.service')
  const text = renderServiceUnit(template, { ...installation, user, opensLowPorts })
  const verify = (unit: string) => {
    writeFileSync(file, unit)
    const env = { ...process.env, XDG_RUNTIME_DIR: folder.dir }
    return spawnSync('systemd-analyze', [...args, 'verify', '--man=no', file], { encoding: 'utf8', env })
  }
  const { status, stderr } = verify(text)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(verify(text.replace('KillMode=', 'KillModes=')).stderr).toContain("Unknown key 'KillModes'")
  folder.remove()
})
