import type { SupabaseClient } from '@supabase/supabase-js'
import { createHmac, randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { clientOf, signUp } from '../../support/people.ts'

/** A copy, since packages are installed into it and files changed. */
const project = mkdtempSync(join(tmpdir(), 'linnet-shapes-'))
let backend: Backend
let ann: SupabaseClient

function write(path: string, text: string): void {
  const file = join(project, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

/** What the shapes use of Stripe's package, which is not ours to install: it checks the same signature. */
const stripe = `
export default class Stripe {
  static createSubtleCryptoProvider() { return globalThis.crypto.subtle }
  webhooks = {
    async constructEventAsync(body, header, secret, tolerance, subtle) {
      const parts = Object.fromEntries((header ?? '').split(',').map((part) => part.split('=')))
      const bytes = new TextEncoder()
      const key = await subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
      const mac = Buffer.from(await subtle.sign('HMAC', key, bytes.encode(parts.t + '.' + body))).toString('hex')
      if (mac !== parts.v1) throw new Error('No signatures found matching the expected signature for payload.')
      return JSON.parse(body)
    },
  }
}`

beforeAll(async () => {
  cpSync(join(import.meta.dirname, '../../support/functionShapes'), project, { recursive: true })
  write(
    'supabase/functions/.env',
    'STRIPE_WEBHOOK_SIGNING_SECRET="whsec_test"\nSIGNING_KEY=\'a key\' # ours\n',
  )
  write('node_modules/stripe/package.json', '{ "name": "stripe", "version": "14.25.0", "type": "module" }')
  write('node_modules/stripe/index.js', stripe)
  backend = await startBackend({ supabase: join(project, 'supabase') })
  ann = await signUp(backend, 'Ann')
})
afterAll(async () => {
  await backend?.stop()
  rmSync(project, { recursive: true, force: true })
})

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${backend.url}/functions/v1/${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${backend.anonKey}`, ...(init.headers as object) },
  })

test('the function of every tutorial', async () => {
  const { data, error } = await ann.functions.invoke('hello', { body: { name: 'Ann' } })
  expect(error).toBeNull()
  expect(data).toEqual({ message: 'Hello Ann!' })
})

test('CORS preflight, and an error response', async () => {
  const preflight = await fetch(`${backend.url}/functions/v1/browser-with-cors`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  const { data } = await ann.functions.invoke('browser-with-cors', { body: { name: 'Bea' } })
  expect(data).toEqual({ message: 'Hello Bea!' })
  const broken = await call('browser-with-cors', { method: 'POST', body: 'no json' })
  expect(broken.status).toBe(400)
  expect(await broken.json()).toEqual({ error: expect.stringContaining('JSON') })
})

test('supabase-js with the caller’s own token', async () => {
  const { data } = await ann.functions.invoke('current-user')
  const { data: me } = await ann.auth.getUser()
  expect(data).toEqual({ email: me.user?.email, data: `authenticated ${me.user?.id}`, error: null })
  const outsider = await clientOf(backend).functions.invoke('current-user', {
    headers: { Authorization: `Bearer ${backend.anonKey}` },
  })
  expect(outsider.data).toEqual({ data: 'anon nobody', error: null })
})

test('a Hono application under its own path', async () => {
  const hello = await call('hono-app/hello/Cy', { headers: { Origin: 'https://app.example' } })
  expect(await hello.json()).toEqual({ hello: 'Cy' })
  expect(hello.headers.get('access-control-allow-origin')).toBe('*')
  expect(await (await call('hono-app/echo', { method: 'POST', body: 'echoed' })).text()).toBe('echoed')
  const missing = await call('hono-app/elsewhere')
  expect([missing.status, await missing.text()]).toEqual([404, 'no such page'])
})

test('server-sent events', async () => {
  const response = await call('server-sent')
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await response.text()).toBe('data: message 1\n\ndata: message 2\n\ndata: message 3\n\n')
})

test('an uploaded file, from a form into storage', async () => {
  const form = new FormData()
  form.set('folder', 'pictures')
  form.set('file', new Blob([new Uint8Array(70_000)], { type: 'image/png' }), 'red.png')
  const response = await call('upload', { method: 'POST', body: form })
  expect([response.status, await response.json()]).toEqual([
    201,
    { path: 'pictures/red.png', size: 70_000, type: 'image/png' },
  ])
})

test('work after the response', async () => {
  const name = randomUUID()
  const response = await call('background', { method: 'POST', body: JSON.stringify({ name }) })
  expect(response.status).toBe(202)
  await vi.waitFor(async () => expect(await (await call('background')).json()).toContain(name))
})

test('a mail rendered by React', async () => {
  const { data } = await ann.functions.invoke('send-mail', { body: { user: { name: '<Ann>' } } })
  expect(data).toBe(
    '<html lang="en"><head></head><body><h1>Welcome, &lt;Ann&gt;</h1>' +
      '<a href="https://example.org/?a=1&amp;b=2">Confirm</a></body></html>',
  )
})

test('a signed webhook without a token', async () => {
  const body = JSON.stringify({ id: 'evt_1' })
  const send = (secret: string) => {
    const mac = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
    return fetch(`${backend.url}/functions/v1/stripe-webhook`, {
      method: 'POST',
      body,
      headers: { 'Stripe-Signature': `t=1700000000,v1=${mac}` },
    })
  }
  const right = await send('whsec_test')
  expect([right.status, await right.json()]).toEqual([200, { ok: true, id: 'evt_1' }])
  expect((await send('whsec_other')).status).toBe(400)
})

test('Node’s crypto and Web Crypto', async () => {
  const response = await call('sign', { method: 'POST', body: 'words' })
  const digest = createHmac('sha256', 'a key').update('words').digest('hex')
  expect(await response.json()).toEqual({ digest, same: true })
})

test('JSON, files that config.toml names, and no others', async () => {
  expect(await (await call('pages')).text()).toBe('<h1>A page</h1>\n')
  expect(await (await call('pages/relative')).text()).toBe('<h1>A page</h1>\n')
  expect(await (await call('pages/prices')).json()).toEqual({ tea: 250, cake: 400 })
  const secret = await call('pages/secret')
  expect([secret.status, await secret.text()]).toEqual([404, 'NotFound'])
})

test('the old serve, and a default export', async () => {
  const old = await call('old-serve', { method: 'POST', body: '{"name":"Dot"}' })
  expect(await old.text()).toBe('Good day, Dot')
  expect(await (await call('declarative', { method: 'PUT' })).json()).toEqual({
    method: 'PUT',
    text: 'from this',
  })
})

test('an unresolved import is in the log, and not in the response', async () => {
  const response = await call('absent')
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('jsr')
  const log = backend.warnings.join('\n')
  expect(log).toContain('supabase/functions/absent/index.ts:1 imports')
  expect(log).toContain('npx jsr add @std/encoding@1')
  expect(log).toContain('npm install pdf-nowhere@1')
  expect((await call('switched-off')).status).toBe(404)
})

test('a change, in the function or in what it shares, is served by the next request', async () => {
  const path = 'supabase/functions/changing'
  write('supabase/functions/_shared/word.ts', 'export const word = "one"')
  write(`${path}/index.ts`, 'import { word } from "../_shared/word.ts"\nDeno.serve(() => new Response(word))')
  const fetched = async (): Promise<string> => (await call('changing')).text()
  expect(await fetched()).toBe('one')
  write('supabase/functions/_shared/word.ts', 'export const word = "second"')
  await vi.waitFor(async () => expect(await fetched()).toBe('second'))
  write(`${path}/index.ts`, 'import word from "./gone.ts"\nDeno.serve(() => new Response(word))')
  await vi.waitFor(async () => expect((await call('changing')).status).toBe(503))
  write(`${path}/gone.ts`, 'export default "third time"')
  await vi.waitFor(async () => expect(await fetched()).toBe('third time'))
})

/** One of the answers of the function `runtime`. */
const probe = async (name: string): Promise<Record<string, unknown>> =>
  (await (await call(`runtime/${name}`)).json()) as Record<string, unknown>

test('the environment: variables of the server and the function, none of the machine', async () => {
  expect(await probe('environment')).toEqual({ given: true, own: [true, null], inherited: [] })
})

test('files below /tmp, with Deno’s errors', async () => {
  expect(await probe('temporary')).toEqual({
    count: 3,
    text: 'one',
    entries: ['a.txt'],
    size: 7,
    isFile: true,
    refused: 'string',
    gone: true,
  })
})

test('unsupported members throw an error with their name', async () => {
  const fetched = await probe('sandbox')
  expect(fetched['write']).toBe('PermissionDenied')
  for (const [name, sentence] of Object.entries({
    sync: 'PermissionDenied: Deno.writeTextFileSync can’t',
    connect: 'NotSupported: Deno.connect is not available in functions here.',
    command: 'NotSupported: Deno.Command is not available in functions here.',
    ai: 'NotSupported: Supabase.ai.Session is not available in functions here.',
    upgrade: 'NotSupported: Deno.upgradeWebSocket is not available in functions here.',
  })) {
    expect(fetched[name]).toContain(sentence.replace('’', "'"))
  }
})

test('language features and globals of Deno that this Node lacks', async () => {
  expect(await probe('language')).toEqual({
    resolvers: 'function',
    fromAsync: [1, 2],
    grouped: { odd: [1, 3], even: [2] },
    union: [1, 2],
    file: 3,
    socket: 'function',
    agent: expect.stringMatching(/^Deno\/2/),
    scope: [true, true],
    bytes: [97],
    version: 'string',
    inspected: '{ a: [ 1 ] }',
    granted: 'granted',
  })
})

test('Deno.serve with options: onError, and the address of the caller', async () => {
  const failed = await call('runtime/fail')
  expect([failed.status, await failed.text()]).toEqual([418, 'onError: Error: on purpose'])
  expect(await probe('remote')).toMatchObject({ transport: 'tcp', hostname: expect.any(String) })
})
