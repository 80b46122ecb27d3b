import type { SupabaseClient } from '@supabase/supabase-js'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, signUp } from '../../support/people.ts'
import { writeProject } from '../functions/startFunctions.ts'

/** What stalls is cut off after this time only in the tests of that: others take several steps beside stalled requests. */
const settings = (stallTimeoutSeconds: number) => `
[budgets]
max_buffered_mb = 40
stall_timeout_in_s = ${stallTimeoutSeconds}
head_timeout_in_s = 6
max_silent_connections = 100
max_connections_per_address = 40
`

const migration = `
create function public.length_of(what text) returns int language sql immutable as $$ select length(what) $$;
create function public.text_of(length int) returns text language sql immutable as $$ select repeat('x', length) $$;
grant usage on schema public to anon, authenticated, service_role;
`

let backend: Backend
/** With a short stall timeout. */
let impatient: Backend
let ann: SupabaseClient
const started: { dir: string; backend: Backend }[] = []
async function start(stallTimeoutSeconds: number): Promise<Backend> {
  const dir = writeProject(
    { length: 'Deno.serve(async (request) => new Response(String((await request.text()).length)))' },
    '[functions.length]\nverify_jwt = false\n',
  )
  writeFileSync(join(dir, 'linnet.toml'), settings(stallTimeoutSeconds))
  mkdirSync(join(dir, 'migrations'))
  writeFileSync(join(dir, 'migrations', '20260101000000_length.sql'), migration)
  const backend = await startBackend({ supabase: dir })
  started.push({ dir, backend })
  const { error } = await adminOf(backend).storage.createBucket('files', { public: true })
  if (error) throw error
  return backend
}
beforeAll(async () => {
  backend = await start(600)
  impatient = await start(2)
  ann = await signUp(backend, 'ann')
})
afterAll(async () => {
  for (const { dir, backend } of started) {
    await backend.stop()
    rmSync(dir, { recursive: true, force: true })
  }
})

interface Unfinished {
  request: ClientRequest
  response: Promise<{ status: number; body: Record<string, unknown> }>
}

const open: ClientRequest[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.destroy()
})

/** A request that declares `length` bytes, or null for no length, and sends a few of them. */
function begin(
  path: string,
  length: number | null,
  headers: Record<string, string> = {},
  to = backend,
): Unfinished {
  const sent = request(`${to.localUrl}${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      apikey: to.publishableKey,
      'content-type': 'application/json',
      ...(length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
      ...headers,
    },
  })
  open.push(sent)
  const response = new Promise<Awaited<Unfinished['response']>>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text || '{}') }))
    })
  })
  response.catch(() => {})
  sent.write('"some bytes')
  return { request: sent, response }
}

const buffered = async (of = backend): Promise<number> => {
  const text = await (await fetch(of.metrics)).text()
  return Number(/^linnet_budget_buffered_bytes (\d+)/m.exec(text)![1])
}

const call = '/functions/v1/length'
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

describe('request bodies', () => {
  it('incomplete ones of one caller are bounded, and those of others are accepted', async () => {
    const slow = [begin(call, 10_000_000), begin(call, 10_000_000)]
    await expect.poll(buffered).toBe(20_000_000)
    const refused = begin(call, 10_000_000)
    expect(await refused.response).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    // What is refused is not read to its end.
    await expect.poll(() => refused.request.destroyed).toBe(true)
    const inRest = await begin('/rest/v1/rpc/length_of', 10_000_000).response
    expect(inRest).toMatchObject({ status: 429, body: { code: '53400', details: null, hint: null } })

    const text = 'x'.repeat(9_000_000)
    const [invoked, called] = await Promise.all([
      ann.functions.invoke<string>('length', { body: text }),
      ann.rpc('length_of', { what: 'x' }),
    ])
    expect([invoked.data, called.data]).toEqual(['9000000', 1])
    for (const { request } of slow) request.destroy()
    await expect.poll(buffered).toBe(0)
  })

  it('stalled ones get 408, in the error format of their service', async () => {
    const responses = [call, '/rest/v1/rpc/length_of', '/auth/v1/otp'].map(
      (path) => begin(path, 1_000, {}, impatient).response,
    )
    expect(await Promise.all(responses)).toMatchObject([
      { status: 408, body: { code: 'REQUEST_TIMEOUT' } },
      { status: 408, body: { code: 'PGRST102', details: null } },
      { status: 408, body: { code: 408, error_code: 'request_timeout' } },
    ])
    await expect.poll(() => buffered(impatient)).toBe(0)
  })

  it('those of uploads may stall for longer', async () => {
    const { secretKey } = impatient
    const headers = {
      authorization: `Bearer ${secretKey}`,
      apikey: secretKey,
      'content-type': 'text/plain',
    }
    const upload = begin('/storage/v1/object/files/slow.txt', 20, headers, impatient)
    // A buffered request that stalls for the same time is aborted meanwhile.
    expect((await begin(call, 1_000, {}, impatient).response).status).toBe(408)
    upload.request.end('and more.')
    expect(await upload.response).toMatchObject({ status: 200, body: { Key: 'files/slow.txt' } })
  })

  it('those without a length are counted as they arrive', async () => {
    const slow = begin(call, null)
    slow.request.write(Buffer.alloc(15_000_000))
    await expect.poll(buffered).toBeGreaterThan(14_000_000)
    slow.request.write(Buffer.alloc(10_000_000))
    expect(await slow.response).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
  })
})

describe('responses', () => {
  /** Calls for a text of `length` characters, and reads nothing but the head. */
  function unread(length: number, of = backend): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(`${of.localUrl}/rest/v1/rpc/text_of?length=${length}`, {
        agent: false,
        headers: { apikey: of.publishableKey },
      })
      open.push(sent)
      sent.on('error', reject)
      sent.on('response', (response) => resolve(response.on('error', () => {})))
      sent.end()
    })
  }

  it('unread ones of one caller are bounded, and others get theirs', async () => {
    const first = [await unread(9_000_000), await unread(9_000_000)]
    expect(first.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(await buffered()).toBeGreaterThan(18_000_000)
    const third = await unread(9_000_000)
    expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '1'])
    const { data } = await ann.rpc('text_of', { length: 9_000_000 })
    expect((data as string).length).toBe(9_000_000)
    for (const response of first) response.destroy()
    await expect.poll(buffered).toBe(0)
  })

  it('unread ones are aborted', async () => {
    // Where this process is slow, before it has read the head.
    const response = await unread(9_000_000, impatient).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') throw error
      return null
    })
    await expect.poll(() => buffered(impatient)).toBe(0)
    if (!response) return
    await new Promise((resolve) => {
      response.once('close', resolve).resume()
    })
    expect(response.complete).toBe(false)
  })

  it('slowly read ones are sent completely', async () => {
    const response = await unread(9_000_000, impatient)
    let length = 0
    for await (const chunk of response) {
      length += (chunk as Buffer).length
      // In total longer than the stall timeout, which applies to each pause and not to the whole response.
      if (length < 6_000_000) await new Promise((resolve) => setTimeout(resolve, 25))
    }
    expect(length).toBe(9_000_002)
  })
})

describe('a caller is', () => {
  it('a user only with a valid token: a forged one uses the budget of the address', async () => {
    const { data } = await ann.auth.getSession()
    const [head, , signature] = data.session!.access_token.split('.')
    const claims = { sub: data.session!.user.id, role: 'authenticated', exp: 4_000_000_000 }
    const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    const headers = { authorization: `Bearer ${forged}` }
    begin(call, 10_000_000, headers)
    begin(call, 10_000_000, headers)
    await expect.poll(buffered).toBe(20_000_000)
    expect((await begin(call, 10_000_000).response).status).toBe(429)
    const own = await ann.functions.invoke<string>('length', { body: 'x'.repeat(9_000_000) })
    expect(own.data).toBe('9000000')
  })

  it('else an address, or the /64 of an IPv6 address, as forwarded by a trusted proxy', async () => {
    begin(call, 10_000_000, from('2001:db8:1:1::1'))
    begin(call, 10_000_000, from('2001:db8:1:1::2'))
    await expect.poll(buffered).toBe(20_000_000)
    const same = await begin(call, 10_000_000, from('2001:db8:1:1::3')).response
    const other = begin(call, 10_000_000, from('2001:db8:1:2::1'))
    expect(same.status).toBe(429)
    await expect.poll(buffered).toBe(30_000_000)
    other.request.destroy()
  })
})

describe('connections', () => {
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  /** Sends a head without its end; `closed` once the server has closed it, with what it sent before. */
  function halfSend(): { closed: string | null } {
    const { hostname, port } = new URL(backend.localUrl)
    const half: { closed: string | null } = { closed: null }
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n'),
    )
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => (half.closed = text))
    sockets.push(socket)
    return half
  }

  it('silent ones displace each other, and no active one', async () => {
    const half = Array.from({ length: 160 }, halfSend)
    await expect.poll(() => half.filter(({ closed }) => closed === '').length).toBeGreaterThanOrEqual(60)
    const called = await ann.rpc('length_of', { what: 'four' })
    expect(called.data).toBe(4)
    // The others are ended by the time limit for a head.
    await expect.poll(() => half.filter(({ closed }) => closed === null).length).toBe(0)
    expect(half.some(({ closed }) => closed!.startsWith('HTTP/1.1 408'))).toBe(true)
    expect(await (await fetch(backend.metrics)).text()).toMatch(
      /^linnet_http_connections_closed_total\{reason="silent"\} \d\d/m,
    )
  })
})

describe('connections to PostgreSQL', () => {
  const inUse = async (pool: string): Promise<number> => {
    const text = await (await fetch(backend.metrics)).text()
    return Number(
      new RegExp(`^linnet_pool_connections_in_use\\{pool="${pool}"\\} (\\d+)`, 'm').exec(text)![1],
    )
  }

  it('remain available to others, whatever one caller waits for in storage and auth', async () => {
    await adminOf(backend).storage.from('files').upload('open.txt', 'text', { upsert: true })
    const read = (address: string): Promise<Response>[] =>
      Array.from({ length: 20 }, () =>
        fetch(`${backend.localUrl}/storage/v1/object/public/files/open.txt`, { headers: from(address) }),
      )
    const signIn = (address: string): Promise<Response>[] =>
      Array.from({ length: 10 }, (_, n) =>
        fetch(`${backend.localUrl}/auth/v1/token?grant_type=password`, {
          method: 'POST',
          headers: { ...from(address), apikey: backend.publishableKey },
          body: JSON.stringify({ email: `nobody${n}@harbour.example`, password: 'no password of anybody' }),
        }),
      )
    const database = createPool({ connectionString: backend.dbUrl }, { max: 1, name: 'tests' })
    const responses = await database.transaction(async (client) => {
      await client.query('lock table storage.objects, auth.users in access exclusive mode')
      const first = [...read('192.0.2.1'), ...signIn('192.0.2.1')]
      // Twelve for a caller that is alone; else ten, for which there is time at ordinary priority.
      await expect.poll(() => inUse('authenticator')).toBeGreaterThanOrEqual(10)
      await expect.poll(() => inUse('supabase_auth_admin')).toBe(2)
      const second = [...read('192.0.2.2'), ...signIn('192.0.2.2')]
      await expect.poll(() => inUse('authenticator')).toBeGreaterThanOrEqual(13)
      await expect.poll(() => inUse('supabase_auth_admin')).toBe(3)
      expect((await ann.rpc('length_of', { what: 'four' })).data).toBe(4)
      return [...first, ...second]
    })
    await database.end()
    const statuses = new Set((await Promise.all(responses)).map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 400]))
  })
})
