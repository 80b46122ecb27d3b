import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAlive } from '../../../backend/postgres/server/processIdentity.ts'
import { foundWorkspace } from '../../support/people.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs a command and waits until it ends. */
function linnet(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'bin/linnet'), ...args], { cwd: root })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** DB_IN_PRODUCTION, the state in pg_control at byte 16 until a clean shutdown. */
const inProduction = 6

/** Expects a message without a stack trace. */
function expectSentence(output: string, pattern: RegExp): void {
  expect(output).toMatch(pattern)
  expect(output).not.toMatch(/\n\s+at |node:|Error:/)
}

describe('a running server', () => {
  const data = temporaryData()
  let server: Server

  beforeAll(async () => {
    await fillLinnetData(data.dir)
    server = await startServer({ root, dataDir: data.dir, args: ['--no-app', '--db-port', '0'] })
  })
  afterAll(async () => {
    await server.end('SIGTERM')
    data.remove()
  })

  it('prints one line of JSON with its URLs and keys', () => {
    expect(Object.keys(server)).toEqual(
      expect.arrayContaining([
        'url',
        'anonKey',
        'publishableKey',
        'serviceRoleKey',
        'secretKey',
        'jwtSecret',
        'dbUrl',
        'mailbox',
        'metrics',
        'setupUrl',
        'pids',
      ]),
    )
    expect(server.setupUrl).toMatch(/\/setup#token=/)
    expect(server.dbUrl).toMatch(/^postgresql:\/\/postgres:.+@127\.0\.0\.1:\d+\/postgres$/)
  })

  it('makes its secrets readable for their owner only', () => {
    for (const file of ['secrets.json', 'running.json', 'postgres-passwords.json']) {
      expect(statSync(join(data.dir, file)).mode & 0o777).toBe(0o600)
    }
  })

  it('prints its status as text, JSON or environment variables', async () => {
    const json = await linnet('status', '-o', 'json', '--data', data.dir)
    expect(JSON.parse(json.stdout)).toMatchObject({
      running: true,
      responds: true,
      url: server.url,
      pids: server.pids,
      stats: { sockets: 0, droppedReaders: 0, databaseUp: true },
    })
    const env = await linnet('status', '-o', 'env', '--data', data.dir)
    expect(env.stdout).toContain(`API_URL="${server.url}"`)
    expect(env.stdout).toContain(`PUBLISHABLE_KEY="${server.publishableKey}"`)
    expect(env.stdout).not.toContain('LINNET_')
    const pretty = await linnet('status', '--data', data.dir)
    expect(pretty.stdout).toContain(server.url)
    expect(pretty.stdout).toMatch(/^ +Last backup +none yet\n +Problems +none$/m)
    expect(pretty.stdout).not.toMatch(/postgresql:|sb_secret_/)
    const verbose = await linnet('status', '--verbose', '--data', data.dir)
    expect(verbose.stdout).toMatch(/^Realtime +0 sockets/m)
    expect([json.code, env.code, pretty.code]).toEqual([0, 0, 0])
  })

  it('logs no warnings of libraries', async () => {
    // The function imports the client library, which prints a warning on Node 20.
    const called = await fetch(`${server.url}/functions/v1/delete-files`)
    expect(await called.json()).toEqual({ error: 'not_allowed' })
    const logs = await linnet('logs', '-n', '1000', '--data', data.dir)
    expect(logs.stdout).toContain('/functions/v1/delete-files')
    expect(logs.stdout + logs.stderr).not.toMatch(/deprecat|Warning/i)
  })

  it('is named in the error of a second start on the same data', async () => {
    const second = await linnet('start', '--no-app', '--port', '0', '--data', data.dir)
    expect(second.code).toBe(1)
    expectSentence(second.stderr, new RegExp(`already running at ${server.url} .*${server.pids.server}`))
  })

  it('keeps its data while it is suspended, also if the other start runs in another container', async () => {
    const file = join(data.dir, 'linnet.lock')
    const own = readFileSync(file, 'utf8')
    process.kill(server.pids.server, 'SIGSTOP')
    try {
      // As a start in another container sees it: the process id means nothing there, and no heartbeat comes.
      const holder = {
        ...(JSON.parse(own) as object),
        pid: 1,
        identity: 'x',
        space: 'another',
        host: 'another',
      }
      writeFileSync(file, JSON.stringify(holder))
      const second = await linnet('start', '--no-app', '--port', '0', '--data', data.dir)
      expect(second.code).toBe(1)
      expectSentence(second.stderr, new RegExp(`is in use: Linnet at ${server.url} .* on another`))
      writeFileSync(file, own)
    } finally {
      process.kill(server.pids.server, 'SIGCONT')
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  it('shows the setup link until the workspace is founded', async () => {
    const readStatus = async (): Promise<string> => (await linnet('status', '--data', data.dir)).stdout
    expect(await readStatus()).toContain(server.setupUrl)
    await foundWorkspace(server)
    expect(await readStatus()).not.toContain('Setup link')
  })

  it('cannot be reset while it runs', async () => {
    const refused = await linnet('reset', '--yes', '--data', data.dir)
    expect(refused.code).toBe(1)
    expectSentence(refused.stderr, /Stop it first/)
    expect(existsSync(join(data.dir, 'postgres'))).toBe(true)
  })
})

it('stops on `linnet stop`, and is reset only with confirmation', async () => {
  const data = temporaryData()
  try {
    await fillLinnetData(data.dir)
    const server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
    const stopped = await linnet('stop', '--data', data.dir)
    expect(stopped.code).toBe(0)
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed')
    expect((await linnet('status', '--data', data.dir)).code).toBe(1)
    expectSentence((await linnet('reset', '--data', data.dir)).stderr, /--yes/)
    expect(existsSync(join(data.dir, 'postgres'))).toBe(true)
    expect((await linnet('reset', '--yes', '--data', data.dir)).code).toBe(0)
    expect(existsSync(join(data.dir, 'postgres'))).toBe(false)
    // Keys in the settings of other programs stay valid; the setup link of the deleted workspace does not.
    await fillLinnetData(data.dir)
    const again = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
    await again.end('SIGTERM')
    for (const name of ['anonKey', 'serviceRoleKey', 'publishableKey', 'secretKey', 'jwtSecret'] as const) {
      expect(again[name]).toBe(server[name])
    }
    expect(new URL(again.setupUrl!).hash).not.toBe(new URL(server.setupUrl!).hash)
    expect((await linnet('reset', '--all', '--yes', '--data', data.dir)).code).toBe(0)
    expect(existsSync(data.dir)).toBe(false)
  } finally {
    data.remove()
  }
})

it('stops when another server has taken over its data while it was suspended', async () => {
  const data = temporaryData()
  try {
    await fillLinnetData(data.dir)
    const server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
    const file = join(data.dir, 'linnet.lock')
    process.kill(server.pids.server, 'SIGSTOP')
    // As a server in another container writes it when the heartbeat has been missing for long enough.
    const holder = JSON.parse(readFileSync(file, 'utf8')) as object
    const taken = JSON.stringify({ ...holder, pid: 1, host: 'another', since: new Date().toISOString() })
    writeFileSync(file, taken)
    const { code, stderr } = await server.end('SIGCONT')
    expect(code).toBe(1)
    expect(stderr).toContain(`Another server has taken over ${data.dir} while this one was suspended`)
    expectSentence(stderr, /Stop the other one/)
    expect(readFileSync(file, 'utf8')).toBe(taken)
    await expect.poll(() => isAlive(server.pids.db)).toBe(false)
    // An immediate shutdown: a clean one writes a checkpoint to data that the other server uses.
    const control = readFileSync(join(data.dir, 'postgres', 'global', 'pg_control'))
    expect(control.readInt32LE(16)).toBe(inProduction)
  } finally {
    data.remove()
  }
})

it('stops all services if --demo is used on data of another workspace', async () => {
  const data = temporaryData()
  try {
    await fillLinnetData(data.dir)
    const { code, stderr } = await linnet('start', '--demo', '--no-app', '--port', '0', '--data', data.dir)
    expect(code).toBe(1)
    expectSentence(stderr, /--demo needs new data, and .*Name a folder for the demo/)
    // A suggestion to delete the data would be the first thing to read.
    expect(stderr).not.toContain('reset')
    expect(existsSync(join(data.dir, 'postgres', 'postmaster.pid'))).toBe(false)
  } finally {
    data.remove()
  }
})
