import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startServer, temporaryData } from '../../support/server.ts'
import { startFunctions, writeProject } from './startFunctions.ts'

const root = join(import.meta.dirname, '../../..')

const spinning = `import { writeFileSync } from 'node:fs'
import process from 'node:process'
Deno.serve(async (req) => {
  const file = req.headers.get('x-file')
  if (file) { writeFileSync(file, String(process.pid)); for (;;) {} }
  return new Response(String(process.pid))
})`

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const gone = (pid: number): Promise<unknown> => vi.waitFor(() => expect(isAlive(pid)).toBe(false))

describe('all workers end', () => {
  const ending: (() => void)[] = []
  afterAll(() => ending.forEach((end) => end()))

  it('when the server stops, and when they are idle', async () => {
    const server = await startFunctions({ spinning }, '[edge_runtime]\nworker_idle_ms = 400\n')
    const pidNow = async (): Promise<number> => Number(await (await server.call('spinning')).text())
    await gone(await pidNow())
    const last = await pidNow()
    await server.stop()
    expect(isAlive(last)).toBe(false)
  })

  it('after each request with the policy oneshot', async () => {
    const server = await startFunctions({ spinning }, '[edge_runtime]\npolicy = "oneshot"\n')
    const pids = new Set<number>()
    for (let n = 0; n < 4; n++) {
      const response = await server.call('spinning')
      expect(response.status === 200 ? [] : server.lines).toEqual([])
      pids.add(Number(await response.text()))
    }
    const together = await Promise.all(Array.from({ length: 6 }, () => server.call('spinning')))
    for (const response of together) pids.add(Number(await response.text()))
    expect(pids.size).toBe(10)
    await Promise.all([...pids].map(gone))
    await server.stop()
  })

  it('after the whole response was sent, however large', async () => {
    const large = `Deno.serve((req) => new Response('x'.repeat(Number(new URL(req.url).searchParams.get('n')))))`
    const server = await startFunctions({ large }, '[edge_runtime]\npolicy = "oneshot"\n')
    // More than a socket buffers, in one frame and in several.
    for (const length of [250_000, 1_000_000]) {
      const response = await server.call(`large?n=${length}`)
      expect([response.status, (await response.text()).length]).toEqual([200, length])
    }
    await server.stop()
  })

  it('after the response was sent to a server that is too busy to read it', async () => {
    const large = `Deno.serve(() => new Response('x'.repeat(250_000)))`
    const server = await startFunctions({ large }, '[edge_runtime]\npolicy = "oneshot"\n')
    // The worker sends the end of its response while the server does nothing; the server's next ping finds it gone.
    let isBusy = true
    const block = () => {
      const until = performance.now() + 60
      while (performance.now() < until);
      if (isBusy) setImmediate(block)
    }
    block()
    for (let n = 0; n < 5; n++) {
      const response = await server.call('large')
      expect([response.status, (await response.text()).length]).toEqual([200, 250_000])
    }
    isBusy = false
    await server.stop()
  })

  it('when the server is killed, including unresponsive ones', async () => {
    const data = temporaryData()
    const project = writeProject(
      { spinning },
      '[functions.spinning]\nverify_jwt = false\n[edge_runtime]\ncpu_limit_ms = 600_000\n',
    )
    await createDataFromTemplate(data.dir)
    ending.push(data.remove, () => rmSync(project, { recursive: true }))
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--supabase', project],
    })
    const file = join(project, 'pid')
    const call = fetch(`${server.url}/functions/v1/spinning`, { headers: { 'x-file': file } })
    call.catch(() => {})
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\d/))
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(server.pids.server, 'SIGKILL')
    await gone(pid)
    await gone(server.pids.db)
    await server.end('SIGKILL')
  })
})
