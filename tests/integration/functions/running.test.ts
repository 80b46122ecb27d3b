import { FunctionsHttpError } from '@supabase/supabase-js'
import { existsSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOf, signUp } from '../../support/people.ts'
import { startFunctions, type TestFunctions } from './startFunctions.ts'

const functions = {
  greet: `Deno.serve(async (req) => {
    const { name } = await req.json()
    return name ? Response.json({ hello: name }) : new Response('who?', { status: 422 })
  })`,
  mirror: `Deno.serve(async (req, info) => Response.json({
    method: req.method, url: req.url, headers: Object.fromEntries(req.headers), peer: info.remoteAddr.hostname,
    text: await req.text(),
  }))`,
  echo: `Deno.serve((req) => new Response(req.body))`,
  responses: `Deno.serve((req) => {
    const path = new URL(req.url).pathname.split('/')[2]
    if (path === 'cookies') {
      const headers = new Headers({ 'x-own': 'yes', connection: 'upgrade', 'keep-alive': 'timeout=1' })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2; Path=/')
      return new Response('two', { status: 201, statusText: 'Made', headers })
    }
    if (path === 'none') return new Response(null, { status: 204 })
    if (path === 'gzip') {
      const bytes = Uint8Array.from(atob('${gzipSync('squeezed').toString('base64')}'), (c) => c.charCodeAt(0))
      return new Response(bytes, { headers: { 'content-encoding': 'gzip' } })
    }
    if (path === 'big') return new Response('b'.repeat(3_000_000))
    return new Response(req.method)
  })`,
  leaving: `Deno.serve((req) => new Promise(() => {
    console.log('arrived')
    req.signal.addEventListener('abort', () => console.log('the client left'))
  }))`,
  endless: `let made = 0
  Deno.serve((req) => {
    if (req.url.endsWith('/made')) return new Response(String(made))
    return new Response(new ReadableStream({ pull(c) { made += 65536; c.enqueue(new Uint8Array(65536)) } }))
  })`,
  guarded: `export default { fetch: (req) => new Response(req.headers.get('authorization')) }`,
  talk: `Deno.serve(() => { console.log('to the log'); console.error('and this'); return new Response('said') })`,
  environment: `import process from 'node:process'
  Deno.serve(() => Response.json([Object.keys(Deno.env.toObject()), Object.keys(process.env)]))`,
  changing: `Deno.serve(() => new Response('first'))`,
}

let server: TestFunctions

beforeAll(async () => {
  server = await startFunctions(functions, '[functions.guarded]\nverify_jwt = true\n')
})
afterAll(() => server.stop())

/** A request whose body the test writes step by step. */
function open(path: string): { send: ReturnType<typeof request>; response: Promise<IncomingMessage> } {
  const send = request(`${server.backend.localUrl}/functions/v1/${path}`, { method: 'POST' })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    send.once('response', resolve)
    send.once('error', reject)
  })
  send.flushHeaders()
  return { send, response }
}

const nextChunk = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    response.once('data', (chunk: Buffer) => resolve(chunk.toString()))
  })

describe('a call', () => {
  it('reaches the function and comes back through the client library', async () => {
    const client = clientOf(server.backend)
    const { data, error } = await client.functions.invoke('greet', { body: { name: 'Ann' } })
    expect(error).toBeNull()
    expect(data).toEqual({ hello: 'Ann' })
    const refused = await client.functions.invoke('greet', { body: {} })
    expect(refused.error).toBeInstanceOf(FunctionsHttpError)
    expect(await (refused.error as FunctionsHttpError).context.text()).toBe('who?')
  })

  it('has the URL and headers of Supabase’s runtime', async () => {
    const response = await server.call('mirror/a/b?c=d', {
      method: 'PUT',
      body: 'words',
      headers: { 'x-own': 'kept', te: 'trailers', 'x-forwarded-host': 'evil.example' },
    })
    const { host } = new URL(server.backend.localUrl)
    const seen = (await response.json()) as { headers: Record<string, string> }
    expect(seen).toMatchObject({
      method: 'PUT',
      url: `http://${host}/mirror/a/b?c=d`,
      text: 'words',
      peer: '127.0.0.1',
    })
    expect(seen.headers).toMatchObject({
      host,
      'x-own': 'kept',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-path': '/functions/v1/mirror/a/b',
      'x-forwarded-proto': 'http',
    })
    for (const name of ['connection', 'keep-alive', 'te', 'transfer-encoding']) {
      expect(seen.headers).not.toHaveProperty(name)
    }
  })

  it.each(['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])('may be a %s', async (method) => {
    expect(await (await server.call('responses', { method })).text()).toBe(method)
  })

  it('by HEAD gets no body', async () => {
    const response = await server.call('responses', { method: 'HEAD' })
    expect(response.headers.get('content-length')).toBe('4')
    expect(await response.text()).toBe('')
  })
})

describe('a response', () => {
  it('has status, several cookies and headers, but no hop-by-hop ones', async () => {
    const response = await server.call('responses/cookies')
    expect([response.status, response.statusText]).toEqual([201, 'Made'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2; Path=/'])
    expect(response.headers.get('x-own')).toBe('yes')
    expect(response.headers.get('connection')).not.toBe('upgrade')
    expect(response.headers.get('keep-alive')).not.toBe('timeout=1')
  })

  it('without a body has none, and a large one is complete', async () => {
    expect((await server.call('responses/none')).status).toBe(204)
    expect((await (await server.call('responses/big')).text()).length).toBe(3_000_000)
  })

  it('that is compressed is unchanged', async () => {
    expect(await (await server.call('responses/gzip')).text()).toBe('squeezed')
  })

  it('cannot run scripts in the origin, and is not cached, by default', async () => {
    const { headers } = await server.call('responses')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('bodies', () => {
  it('stream both ways at once', async () => {
    const { send, response } = open('echo')
    send.write('one')
    const incoming = await response
    expect(await nextChunk(incoming)).toBe('one')
    send.write('two')
    expect(await nextChunk(incoming)).toBe('two')
    send.end()
    await new Promise((resolve) => {
      incoming.once('end', resolve).resume()
    })
  })

  it('of megabytes come back as they went', async () => {
    const bytes = Buffer.alloc(5_000_000, 'abcdefg')
    const response = await server.call('echo', { method: 'POST', body: bytes })
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('that are not read are not produced', async () => {
    const { send, response } = open('endless')
    send.end()
    const incoming = await response
    const made = async (): Promise<number> => Number(await (await server.call('endless/made')).text())
    let before = -1
    await vi.waitFor(
      async () => {
        const now = await made()
        const wasStill = now === before
        before = now
        expect(wasStill).toBe(true)
      },
      { interval: 200 },
    )
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(32 * 1_048_576)
    incoming.destroy()
  })

  it('are aborted in the function when the client disconnects', async () => {
    const { send, response } = open('leaving')
    response.catch(() => {})
    send.end()
    await vi.waitFor(() => expect(server.lines.join()).toContain('arrived'))
    expect(server.lines.join()).not.toContain('the client left')
    send.destroy()
    await vi.waitFor(() => expect(server.lines.join()).toContain('the client left'))
  })
})

describe('verify_jwt', () => {
  const bearer = (token: string): RequestInit => ({ headers: { authorization: token } })

  it('requires a token of this server', async () => {
    for (const init of [{}, bearer('Basic YTpi'), bearer('Bearer x.y.z'), bearer('Bearer sb_secret_x')]) {
      const response = await server.call('guarded', init)
      expect(response.status).toBe(401)
      expect(response.headers.get('sb-error-code')).toMatch(/^UNAUTHORIZED_/)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toEqual({ code: 401, message: expect.any(String) })
    }
  })

  it('accepts legacy keys, tokens of users, and sb_ keys', async () => {
    const { anonKey, publishableKey, secretKey, serviceRoleKey } = server.backend
    expect(await (await server.call('guarded', bearer(`Bearer ${anonKey}`))).text()).toBe(`Bearer ${anonKey}`)
    const byKey = async (apikey: string): Promise<string> =>
      (await server.call('guarded', { headers: { apikey } })).text()
    expect(await byKey(publishableKey)).toBe(`Bearer ${anonKey}`)
    expect(await byKey(secretKey)).toBe(`Bearer ${serviceRoleKey}`)
    const bea = await signUp(server.backend, 'bea')
    const { data } = await bea.auth.getSession()
    const { data: seen } = await bea.functions.invoke('guarded')
    expect(seen).toBe(`Bearer ${data.session!.access_token}`)
  })

  it('lets CORS preflight requests pass', async () => {
    expect((await server.call('guarded', { method: 'OPTIONS' })).status).toBe(200)
  })
})

describe('the server', () => {
  it('reports unknown functions', async () => {
    for (const name of ['nothing', '..%2fgreet', '__proto__', 'greet%00']) {
      const response = await server.call(name)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({
        code: 'NOT_FOUND',
        message: 'Requested function was not found',
      })
    }
  })

  it('refuses WebSockets', async () => {
    const send = request(`${server.backend.localUrl}/functions/v1/echo`, {
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' },
    })
    const response = await new Promise<IncomingMessage>((resolve) => {
      send.once('response', resolve).end()
    })
    expect(response.statusCode).toBe(501)
    response.resume()
  })

  it('logs the output of a function, with its name', async () => {
    await server.call('talk')
    await vi.waitFor(() => {
      const logged = server.lines.filter((line) => line.includes('functions.output talk: '))
      expect(logged.join('\n')).toMatch(/info functions\.output talk: to the log/)
      expect(logged.join('\n')).toMatch(/warn functions\.output talk: and this/)
    })
  })

  it('does not pass its environment to a function', async () => {
    process.env['LINNET_TEST_SECRET'] = 'of the server'
    const seen = (await (await server.call('environment')).json()) as string[][]
    delete process.env['LINNET_TEST_SECRET']
    for (const names of seen) {
      expect(names).toContain('SUPABASE_URL')
      for (const name of ['LINNET_TEST_SECRET', 'PATH', 'HOME', 'NODE_OPTIONS'])
        expect(names).not.toContain(name)
    }
  })
})

describe('a change', () => {
  it('is served at once; requests in progress are finished by the old version', async () => {
    const gate = join(server.dir, 'gate')
    const done = join(server.dir, 'done')
    const opened = `while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 10))`
    server.write(
      'changing',
      `import { existsSync, writeFileSync } from 'node:fs'
      Deno.serve(async (req) => {
        if (req.url.endsWith('/slow')) { ${opened} }
        if (req.url.endsWith('/later')) {
          EdgeRuntime.waitUntil((async () => { ${opened}; writeFileSync(${JSON.stringify(done)}, '') })())
        }
        return new Response('second')
      })`,
    )
    const becomes = (text: string): Promise<unknown> =>
      vi.waitFor(async () => expect(await (await server.call('changing')).text()).toBe(text), {
        interval: 100,
      })
    await becomes('second')
    const slow = server.call('changing/slow')
    expect(await (await server.call('changing/later')).text()).toBe('second')
    server.write('changing', `Deno.serve(() => new Response('third'))`)
    await becomes('third')
    expect(existsSync(done)).toBe(false)
    writeFileSync(gate, '')
    expect(await (await slow).text()).toBe('second')
    await vi.waitFor(() => expect(existsSync(done)).toBe(true))
  })
})
