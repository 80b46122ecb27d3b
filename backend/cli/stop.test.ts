import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { processIdentity, pidNamespace } from '../postgres/server/processIdentity.ts'
import { writeRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { runCommand } from './linnet.ts'

let dataDir: string
let child: ChildProcess
let printed = ''
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-stop-'))
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true })
})

/** Writes the files that remain when a server with the child's process id is killed. */
function writeStateFiles(identity: string | null): void {
  writeRunningServer(dataDir, {
    url: 'http://127.0.0.1:4280',
    pids: { server: child.pid!, db: 1 },
  } as RunningServer)
  const holder = { pid: child.pid, identity, host: hostname(), space: pidNamespace(), since: '', url: null }
  writeFileSync(join(dataDir, 'linnet.lock'), JSON.stringify(holder))
}

const stop = (): Promise<number> => runCommand(['stop', '--data', dataDir], '/nowhere')

test('a process that reuses the id of a killed server receives no signal, and the command fails', async () => {
  writeStateFiles('an earlier process')
  expect(await stop()).toBe(1)
  expect(printed).toBe(`No server is running on ${dataDir}.\n`)
  rmSync(join(dataDir, 'linnet.lock'))
  expect(await stop()).toBe(1)
  expect(child.signalCode).toBeNull()
})

test('signals the server and waits until its process has ended', async () => {
  writeStateFiles(processIdentity(child.pid!))
  const exited = once(child, 'exit')
  expect(await stop()).toBe(0)
  expect(printed.split('\n')[0]).toBe('Stopping Linnet at http://127.0.0.1:4280…')
  expect(printed).toMatch(/: stopped( \(\d+ s\))?\n$/)
  expect(await exited).toEqual([null, 'SIGTERM'])
})
