import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pidNamespace, processIdentity } from '../postgres/server/processIdentity.ts'
import { writeRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { checkStart } from './checkStart.ts'

let dir = ''
let taken: Server
let port = 0
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-check-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(dir, 0o755)
  taken = createServer()
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve)
  })
  port = (taken.address() as AddressInfo).port
})
afterEach(() => {
  taken.close()
  rmSync(dir, { recursive: true })
})

const check = (o: Partial<Parameters<typeof checkStart>[0]>): Promise<{ port: number }> =>
  checkStart({ dataDir: join(dir, 'data'), host: '127.0.0.1', port, isPortRequested: true, ...o })

it('names a requested port that is in use, and creates nothing', async () => {
  await expect(check({})).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use by another program.`)
  expect(readdirSync(dir)).toEqual([])
})

it('chooses the next free port if nobody has requested one', async () => {
  const { port: chosen } = await check({ isPortRequested: false })
  expect(chosen).toBeGreaterThan(port)
  expect(existsSync(join(dir, 'data'))).toBe(false)
})

it('names an address that this machine does not have', async () => {
  await expect(check({ host: '192.0.2.1', port: 0 })).rejects.toThrow('This machine has no address 192.0.2.1')
})

it.each([
  ['a file', () => join(dir, 'file'), /file is not a folder/],
  ['a folder below a file', () => join(dir, 'file', 'data'), /can't be a folder \(ENOTDIR\)/],
  ['a name that is too long', () => join(dir, 'x'.repeat(300)), /can't be a folder \(ENAMETOOLONG\)/],
])('refuses %s as the data folder', async (_, dataDir, pattern) => {
  writeFileSync(join(dir, 'file'), '')
  await expect(check({ dataDir: dataDir(), port: 0 })).rejects.toThrow(pattern)
  expect(readdirSync(dir)).toEqual(['file'])
})

it.skipIf(process.platform !== 'linux')(
  'refuses a place where the system allows no folders, without waiting',
  async () => {
    await expect(check({ dataDir: '/proc/linnet/data', port: 0 })).rejects.toThrow(
      /\/proc\/linnet can't be (created|written)/,
    )
  },
)

it('names the address of a server that runs on the same data, before it checks the port', async () => {
  const holder = {
    pid: process.pid,
    identity: processIdentity(process.pid),
    host: hostname(),
    space: pidNamespace(),
  }
  writeFileSync(join(dir, 'linnet.lock'), JSON.stringify({ ...holder, since: '', url: null }))
  writeRunningServer(dir, {
    url: 'http://127.0.0.1:4280',
    pids: { server: process.pid, db: 1 },
  } as RunningServer)
  await expect(check({ dataDir: dir })).rejects.toThrow(
    `Linnet is already running at http://127.0.0.1:4280 with the data in ${dir}`,
  )
})
