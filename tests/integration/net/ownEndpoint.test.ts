import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOwnEndpoint } from '../../../backend/jobs/http/ownEndpoint.ts'
import { parseAllowed } from '../../../backend/jobs/http/parseAllowed.ts'
import { sendRequest, type Outcome } from '../../../backend/jobs/http/sendRequest.ts'
import { isLocalRequest } from '../../../backend/runtime/clientAddress/isLocalRequest.ts'

/** Self-signed, and for another name than the one requested, like a server's certificate over loopback. */
function makeCertificate(): { cert: string; key: string } | null {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-tls-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const make = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=chat.example'
  try {
    execFileSync('/usr/bin/openssl', [...make.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } catch {
    return null
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const certificate = makeCertificate()

describe.skipIf(certificate === null)('a server with its own certificate', () => {
  let server: Server
  let port: number
  const arrived: { url: string; host: string; fromHere: boolean }[] = []

  beforeAll(async () => {
    server = createServer(certificate!, (request: IncomingMessage, response) => {
      arrived.push({ url: request.url!, host: request.headers.host!, fromHere: isLocalRequest(request) })
      response.end('home')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    ;({ port } = server.address() as AddressInfo)
  })
  beforeEach(() => {
    arrived.length = 0
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })

  const send = async (url: string, o: { allowed?: string[]; headers?: object } = {}): Promise<Outcome> => {
    const { outcome } = await sendRequest(
      { id: '1', method: 'GET', url, headers: o.headers ?? {}, body: null, timeout_milliseconds: 5_000 },
      {
        ownEndpoint: createOwnEndpoint({
          localUrl: () => `https://127.0.0.1:${port}`,
          publicUrl: () => 'https://chat.example',
          apiPort: 55_000,
        }),
        allowed: parseAllowed(o.allowed ?? []),
        resolve: async () => {
          throw new Error('unexpected name lookup')
        },
      },
      new AbortController().signal,
    )
    return outcome
  }

  it.each([
    'https://chat.example',
    'https://CHAT.example:443',
    'http://kong:8000',
    'https://kong:8443',
    'http://supabase_kong_todo-app_1:8000',
    'http://api.supabase.internal:8000',
    'http://localhost:54321',
    'http://127.0.0.1:54321',
    'http://127.1:54321',
    'http://[::1]:54321',
    'http://localhost:55000',
    'http://host.docker.internal:54321',
    'https://127.0.0.1:OWN',
    'http://host.docker.internal:OWN',
  ])('%s is this server', async (origin) => {
    const outcome = await send(`${origin.replace('OWN', String(port))}/functions/v1/hello?a=1`)
    expect(outcome).toMatchObject({ status_code: 200, content: 'home' })
    expect(arrived).toMatchObject([{ url: '/functions/v1/hello?a=1', fromHere: false }])
  })

  it.each([
    'http://chat.example',
    'https://chat.example:444',
    'https://chat.example.evil.example',
    'https://evil.example/chat.example',
    'http://kong:80',
    'http://kong.evil.example:8000',
    'http://supabase_db_todo:8000',
    'http://localhost:54322',
    'http://localhost:5432',
    'http://host.docker.internal:3000',
    'http://10.0.0.1:54321',
  ])('%s is not this server', async (url) => {
    expect((await send(url)).status_code).toBeNull()
    expect(arrived).toEqual([])
  })

  it('never treats a request of the database as local, whatever its headers', async () => {
    for (const headers of [{}, { Host: 'localhost' }, { Via: null }, { via: '' }]) {
      expect((await send('http://localhost:54321/_/', { headers })).content).toBe('home')
    }
    expect(arrived.map(({ fromHere }) => fromHere)).toEqual([false, false, false, false])
  })

  it('is not reached by a redirect of another server', async () => {
    const elsewhere = createPlainServer(({ url }, response) =>
      response.writeHead(307, { location: url!.slice(1) }).end(),
    )
    await new Promise<void>((resolve) => {
      elsewhere.listen(0, '127.0.0.1', resolve)
    })
    const other = (elsewhere.address() as AddressInfo).port
    for (const own of [`https://127.0.0.1:${port}/`, 'http://kong:8000/', 'https://chat.example/']) {
      const redirected = await send(`http://127.0.0.1:${other}/${own}`, { allowed: [`127.0.0.1:${other}`] })
      expect([own, redirected.status_code]).toEqual([own, null])
    }
    expect(arrived).toEqual([])
    elsewhere.closeAllConnections()
    await new Promise((resolve) => {
      elsewhere.close(resolve)
    })
  })

  it('is the only destination whose certificate is not verified', async () => {
    const elsewhere = createServer(certificate!, (_, response) => response.end('elsewhere'))
    await new Promise<void>((resolve) => {
      elsewhere.listen(0, '127.0.0.1', resolve)
    })
    const other = (elsewhere.address() as AddressInfo).port
    expect(await send(`https://127.0.0.1:${other}/`, { allowed: ['127.0.0.1'] })).toMatchObject({
      error_msg: 'SSL peer certificate or SSH remote key was not OK',
    })
    elsewhere.closeAllConnections()
    await new Promise((resolve) => {
      elsewhere.close(resolve)
    })
  })
})
