import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf } from '../../support/people.ts'
import { startProxy, type TestProxy } from './startProxy.ts'

let backend: Backend
let database: Pool
/** Appends the client's address to X-Forwarded-For, as Caddy and a correctly configured nginx do. */
let honest: TestProxy
/** nginx with its defaults: the target's name in Host, and no X-Forwarded-For. */
let silent: TestProxy
/** Passes Host on, without X-Forwarded-For. */
let half: TestProxy
/** Adds a second X-Forwarded-For header after the client's. */
let adding: TestProxy

beforeAll(async () => {
  backend = await startBackend({ more: { publicUrl: 'https://chat.example' } })
  database = createPool({ connectionString: backend.dbUrl }, { max: 1, name: 'tests' })
  const { host } = new URL(backend.localUrl)
  honest = await startProxy(backend.localUrl, (headers) => ({
    ...headers,
    'x-forwarded-for': [headers['x-forwarded-for'], '198.51.100.7'].filter(Boolean).join(', '),
  }))
  silent = await startProxy(backend.localUrl, (headers) => ({ ...headers, host }))
  adding = await startProxy(backend.localUrl, (headers) => ({
    ...headers,
    'x-forwarded-for': [...[headers['x-forwarded-for'] ?? []].flat(), '198.51.100.8'],
  }))
  half = await startProxy(backend.localUrl, (headers) => ({ ...headers, host: 'chat.example' }))
})
afterAll(async () => {
  await Promise.all([honest, silent, half, adding].map((proxy) => proxy?.close()))
  await database?.end()
  await backend?.stop()
})

const through = (proxy: TestProxy): Backend => ({ ...backend, url: proxy.url })

it('requires the token for metrics behind a proxy that looks like a local client', async () => {
  const { pathname, search } = new URL(backend.metrics)
  expect(search).toMatch(/^\?token=[\w-]{43}$/)
  // With the token a request through the silent proxy succeeds: only the token protects this address there.
  for (const base of [backend.localUrl, silent.url]) {
    const response = await fetch(`${base}${pathname}${search}`)
    expect([response.status, (await response.text()).includes('linnet_database_up 1')]).toEqual([200, true])
    for (const wrong of ['', '?token=', '?token=x', `?apikey=${backend.secretKey}`]) {
      const reply = await fetch(`${base}${pathname}${wrong}`)
      expect([reply.status, (await reply.text()).includes('linnet_')]).toEqual([404, false])
    }
  }
  expect((await fetch(`${honest.url}${pathname}${search}`)).status).toBe(404)
  expect((await fetch(`${half.url}${pathname}${search}`)).status).toBe(404)
})

it('requires the token of the mailbox from all of them', async () => {
  const { pathname } = new URL(backend.mailbox!)
  expect((await fetch(backend.mailbox!)).status).toBe(200)
  for (const proxy of [silent, honest, half]) {
    expect((await fetch(`${proxy.url}/mailbox/guess`)).status).toBe(404)
  }
  expect((await fetch(`${honest.url}${pathname}`)).status).toBe(404)
  expect((await fetch(`${half.url}${pathname}`)).status).toBe(404)
})

it('refuses too many headers, so that none of a proxy is lost', async () => {
  const { pathname, search } = new URL(backend.metrics)
  const { hostname, port, host } = new URL(backend.localUrl)
  const send = (path: string, count: number, ...more: string[]): Promise<string> => {
    const fillers = Array.from({ length: count }, (_, i) => `x-filler-${i}: 1`)
    // As Caddy and nginx send it: what they add themselves comes last.
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      ...more,
      ...fillers,
      'X-Forwarded-For: 198.51.100.7',
    ]
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
      let reply = ''
      socket.setEncoding('latin1')
      socket.on('data', (text: string) => {
        reply += text
        if (reply.includes('\r\n\r\n')) socket.destroy()
      })
      socket.on('close', () => resolve(reply.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)))
      socket.on('error', reject)
    })
  }
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const socketPath = `/realtime/v1/websocket?apikey=${backend.publishableKey}`
  expect(await send(`${pathname}${search}`, 0)).toBe('404')
  expect(await send('/health', 150)).toBe('200')
  for (const count of [1_000, 998, 999, 3_000, 250]) {
    expect([count, await send(`${pathname}${search}`, count)]).toEqual([count, '431'])
    expect([count, await send(socketPath, count, ...upgrade)]).toEqual([count, '431'])
  }
})

it('records the address that the proxy forwards in a session, not the claimed one', async () => {
  const account = { email: 'ann@harbour.example', password: 'a-lamp-in-the-harbour' }
  const admin = adminOf({ ...backend, url: backend.localUrl })
  expect((await admin.auth.admin.createUser({ ...account, email_confirm: true })).error).toBeNull()
  const seenAs = async (url: string, claims: Record<string, string>): Promise<unknown> => {
    const reply = await fetch(`${url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey, ...claims },
      body: JSON.stringify(account),
    })
    expect(reply.status).toBe(200)
    const { rows } = await database.query<{ ip: string }>(
      'select host(ip) as ip from auth.sessions order by created_at desc limit 1',
    )
    return rows[0]!.ip
  }
  expect(await seenAs(backend.localUrl, {})).toBe('127.0.0.1')
  expect(await seenAs(backend.localUrl, { 'x-forwarded-for': '203.0.113.9' })).toBe('203.0.113.9')
  expect(await seenAs(honest.url, {})).toBe('198.51.100.7')
  expect(await seenAs(honest.url, { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' })).toBe('198.51.100.7')
  // With a Forwarded header as well, the address of the proxy is used.
  expect(await seenAs(honest.url, { forwarded: 'for=203.0.113.9' })).toBe('127.0.0.1')
  expect(await seenAs(adding.url, { 'x-forwarded-for': '203.0.113.9' })).toBe('198.51.100.8')
  const long = Array.from({ length: 4_000 }, () => '127.0.0.1').join(', ')
  expect(await seenAs(honest.url, { 'x-forwarded-for': long })).toBe('198.51.100.7')
  expect(await seenAs(honest.url, { 'x-forwarded-for': 'x'.repeat(50_000) })).toBe('198.51.100.7')
  expect(await seenAs(honest.url, { 'x-forwarded-host': 'evil.example' })).toBe('198.51.100.7')
})

it('forwards WebSockets', async () => {
  const admin = adminOf(through(honest))
  const channel = admin.channel('a-room', { config: { private: true } })
  const received = new Promise((resolve) => channel.on('broadcast', { event: 'greeting' }, resolve))
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => status === 'SUBSCRIBED' && resolve())
  })
  await database.query(`select realtime.send('{"words": "hello"}', 'greeting', 'a-room', true)`)
  expect(await received).toMatchObject({ payload: { words: 'hello' } })
  await admin.removeAllChannels()
})

it('warns once of a proxy without forwarding headers', async () => {
  const countWarnings = (): number =>
    backend.warnings.filter((line) => line.includes('gateway.client_address_missing')).length
  for (let i = 0; i < 3; i++) await fetch(`${half.url}/health`)
  expect(countWarnings()).toBe(1)
})
