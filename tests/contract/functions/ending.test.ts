import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startServer, temporaryData } from '../../support/server.ts'
import { startFunctions, writeProject } from './functionsHome.ts'

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

const gone = (pid: number): Promise<unknown> =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000, interval: 50 })

describe('no worker stays', () => {
  const ending: (() => void)[] = []
  afterAll(() => ending.forEach((end) => end()))

  it('when the house stops, or it has nothing to do', async () => {
    const home = await startFunctions({ spinning }, '[edge_runtime]\nworker_idle_ms = 400\n')
    const pidNow = async (): Promise<number> => Number(await (await home.call('spinning')).text())
    const idle = await pidNow()
    expect(isAlive(idle)).toBe(true)
    await gone(idle)
    const last = await pidNow()
    await home.stop()
    expect(isAlive(last)).toBe(false)
  })

  it('for a second call, where each is to have its own', async () => {
    const home = await startFunctions({ spinning }, '[edge_runtime]\npolicy = "oneshot"\n')
    const pids = new Set<number>()
    for (let n = 0; n < 4; n++) {
      const answer = await home.call('spinning')
      expect(answer.status === 200 ? [] : home.lines).toEqual([])
      pids.add(Number(await answer.text()))
    }
    const together = await Promise.all(Array.from({ length: 6 }, () => home.call('spinning')))
    for (const answer of together) pids.add(Number(await answer.text()))
    expect(pids.size).toBe(10)
    await Promise.all([...pids].map(gone))
    await home.stop()
  })

  it('when the house is killed, not even one that is deaf', async () => {
    const data = temporaryData()
    const project = writeProject(
      { spinning },
      '[functions.spinning]\nverify_jwt = false\n[edge_runtime]\ncpu_limit_ms = 600_000\n',
    )
    ending.push(data.remove, () => rmSync(project, { recursive: true }))
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--supabase', project],
    })
    const file = join(project, 'pid')
    const call = fetch(`${server.url}/functions/v1/spinning`, { headers: { 'x-file': file } })
    call.catch(() => {})
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\d/), 20_000)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(server.pids.server, 'SIGKILL')
    await gone(pid)
    await gone(server.pids.db)
    await server.end('SIGKILL')
  })
})
