import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startFunctions, type TestFunctions } from './startFunctions.ts'

const functions = {
  well: `Deno.serve(() => new Response('well'))`,
  busy: `import process from 'node:process'
  const kept = []
  Deno.serve(async (req) => {
    switch (new URL(req.url).pathname.split('/')[2]) {
      case 'loop': for (;;) {}
      case 'heap': for (;;) kept.push(Array.from({ length: 1000 }, () => ({ a: 1 })))
      case 'buffers': for (;;) { kept.push(Buffer.alloc(4_000_000, 1)); await new Promise((go) => setImmediate(go)) }
      case 'throw': throw new Error('as it happens')
      case 'rejection': Promise.reject(new Error('unhandled')); await new Promise(() => {})
      case 'exit': process.exit(0)
      case 'abort': process.abort()
      case 'silence': await new Promise(() => {})
      case 'break': return new Response(new ReadableStream({ pull(c) { c.error(new Error('broken off')) } }))
      case 'garbage': (await import('node:fs')).writeSync(3, 'x'.repeat(64)); await new Promise(() => {})
      case 'pid': return new Response(String(process.pid))
      case 'length': return new Response(String((await req.arrayBuffer()).byteLength))
    }
    return new Response('idle')
  })`,
  spinning: `Deno.serve(async () => { for (;;) await new Promise((go) => setImmediate(go)) })`,
  slow: `Deno.serve(async (req) => {
    if (req.url.endsWith('/silence')) await new Promise(() => {})
    return new Response(new ReadableStream({
      async pull(c) { await new Promise((go) => setTimeout(go, 100)); c.enqueue(new Uint8Array(1)) },
    }))
  })`,
  chatter: `Deno.serve(() => { for (;;) console.log('words '.repeat(20)) })`,
  top: `throw new Error('at the top')`,
  mute: `export const nothing = 1`,
  held: `import { existsSync } from 'node:fs'
  Deno.serve(async (req) => {
    while (!existsSync(req.headers.get('x-gate'))) await new Promise((go) => setTimeout(go, 20))
    return new Response('released')
  })`,
}

/** Time passes faster than CPU time on a busy machine: limits of time are those of another server. */
const config = `[edge_runtime]
cpu_limit_ms = 500
memory_limit_mb = 96
boot_timeout_ms = 100_000
max_requests_per_worker = 20
max_body_bytes = 200_000
`
const timeLimits = `[edge_runtime]
memory_limit_mb = 96
boot_timeout_ms = 5_000
request_idle_timeout_ms = 7_000
worker_timeout_ms = 8_000
`

let server: TestFunctions
/** With limits of time, and more CPU time than it takes to exceed the limit of memory. */
let impatient: TestFunctions
/** Begun first, since they take their time. */
let silence: Promise<string>
let trickle: Promise<unknown>
let mute: Promise<string>

beforeAll(async () => {
  const { well, busy, slow, mute: silent } = functions
  impatient = await startFunctions({ well, busy, slow, mute: silent }, timeLimits)
  // Where the others start from: a healthy function answers.
  expect(await (await impatient.call('well')).text()).toBe('well')
  silence = codeOf('slow/silence', {}, impatient)
  trickle = impatient.call('slow').then((response) => response.arrayBuffer())
  mute = codeOf('mute', {}, impatient)
  for (const one of [silence, trickle, mute]) one.catch(() => {})
  server = await startFunctions(functions, config)
})
afterAll(async () => {
  await impatient?.stop()
  await server?.stop()
})

const codeOf = async (path: string, init?: RequestInit, of = server): Promise<string> => {
  const response = await of.call(path, init)
  const { code } = (await response.json()) as { code: string }
  expect(response.headers.get('sb-error-code')).toBe(code)
  return `${response.status} ${code}`
}

const expectWell = async (of = server): Promise<void> => {
  expect(await (await of.call('well')).text()).toBe('well')
}

const logged = (text: string, of = server): Promise<unknown> =>
  vi.waitFor(() => expect(of.lines.join('\n')).toContain(text))

describe('a function that exceeds a limit', () => {
  it.each(['loop', 'heap', 'buffers'])('is ended: %s', async (kind) => {
    const of = kind === 'buffers' ? impatient : server
    const misbehaving = codeOf(`busy/${kind}`, {}, of)
    await expectWell(of)
    expect(await misbehaving).toBe('546 WORKER_LIMIT')
    if (kind === 'buffers') await logged('reason=memory', of)
    expect(await (await of.call('busy')).text()).toBe('idle')
  })

  it('of CPU time while its event loop turns is ended', async () => {
    expect(await codeOf('spinning')).toBe('546 WORKER_LIMIT')
    await expectWell()
  })

  it('of time gets an error response, and its stream is cut off', async () => {
    expect(await silence).toBe('504 IDLE_TIMEOUT')
    await expect(trickle).rejects.toThrow('terminated')
    expect((await impatient.call('slow')).status).toBe(200)
  })

  it('of log output loses lines, and others lose none', async () => {
    const chatter = server.call('chatter')
    await logged('further lines were dropped')
    await expectWell()
    const before = server.lines.length
    await chatter
    expect(server.lines.length - before).toBeLessThan(20_000)
    const others = server.lines.filter((line) => !line.includes('functions.output chatter: '))
    server.lines.splice(0, server.lines.length, ...others)
  })
})

describe('a function that fails', () => {
  it('with an exception in its handler returns 500 and continues', async () => {
    const pid = await (await server.call('busy/pid')).text()
    const response = await server.call('busy/throw')
    expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error'])
    await logged('as it happens')
    expect(await (await server.call('busy/pid')).text()).toBe(pid)
  })

  it.each(['rejection', 'exit', 'abort', 'garbage'])('by %s is started again', async (kind) => {
    const pid = await (await server.call('busy/pid')).text()
    const other = codeOf('busy/silence')
    expect(await codeOf(`busy/${kind}`)).toBe('500 WORKER_ERROR')
    expect(await other).toBe('500 WORKER_ERROR')
    await expectWell()
    expect(await (await server.call('busy/pid')).text()).not.toBe(pid)
    if (kind !== 'rejection') return
    const output = server.lines.join('\n')
    expect(output).toMatch(/Error: unhandled\n.*busy: +at .*busy\/index\.ts:\d+/)
    expect(output).not.toContain('functionWorker')
  })

  it('when its process is killed externally too', async () => {
    const pid = Number(await (await server.call('busy/pid')).text())
    const silent = codeOf('busy/silence')
    await server.call('busy/idle')
    process.kill(pid, 'SIGKILL')
    expect(await silent).toBe('500 WORKER_ERROR')
    expect(await (await server.call('busy')).text()).toBe('idle')
  })

  it('during its response cuts it off', async () => {
    await expect((await server.call('busy/break')).text()).rejects.toThrow('terminated')
  })

  it.each([
    ['top', 'at the top', () => server, () => codeOf('top')],
    ['mute', 'nothing has called Deno.serve', () => impatient, () => mute],
  ] as const)(
    'while starting is logged, and is loaded again when fixed: %s',
    async (name, reason, of, called) => {
      expect(await called()).toBe('503 BOOT_ERROR')
      await logged(reason, of())
      of().write(name, `Deno.serve(() => new Response('recovered'))`)
      await vi.waitFor(async () => expect(await (await of().call(name)).text()).toBe('recovered'), {
        interval: 100,
      })
    },
  )
})

describe('callers', () => {
  it('may be fifty concurrently', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => server.call('well')))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  })

  it('above workers and queue are refused, the others served', async () => {
    const gate = join(server.dir, 'gate')
    let refused = 0
    // Of two callers: one alone may hold fewer requests.
    const keys = [server.backend.anonKey, server.backend.serviceRoleKey]
    const calls = Array.from({ length: 300 }, async (_, index) => {
      const headers = { 'x-gate': gate, authorization: `Bearer ${keys[index % 2]}` }
      const response = await server.call('held', { headers })
      await response.text()
      if (response.status === 503) refused++
      return response.status
    })
    // 20 places in each of 3 workers, 200 in the queue.
    await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(40))
    writeFileSync(gate, '')
    const statuses = await Promise.all(calls)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
  })

  it('with too large bodies are refused, with content-length or without', async () => {
    const large = new Uint8Array(300_000)
    expect(await codeOf('busy/length', { method: 'POST', body: large })).toBe('413 BODY_TOO_LARGE')
    const stream = new Blob([large]).stream()
    const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
    expect(await codeOf('busy/length', init)).toBe('413 BODY_TOO_LARGE')
    const fits = await server.call('busy/length', { method: 'POST', body: large.subarray(0, 199_999) })
    expect(await fits.text()).toBe('199999')
  })

  it('that send slowly occupy no worker', async () => {
    const { hostname, port } = new URL(server.backend.localUrl)
    const slow = await Promise.all(
      Array.from(
        { length: 60 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect({ host: hostname, port: Number(port) }, () => {
              socket.write('POST /functions/v1/well HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nslow')
              resolve(socket)
            })
          }),
      ),
    )
    await expectWell()
    for (const socket of slow) socket.destroy()
  })
})
