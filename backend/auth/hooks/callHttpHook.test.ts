import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callHttpHook } from './callHttpHook.ts'

const limits = { timeout: 5_000, backoff: 1, attempts: 3, functionTimeout: 2_000 }
const json = { 'content-type': 'application/json' }
const secrets = [Buffer.alloc(24, 'a'), Buffer.alloc(32, 'b')]

interface ReceivedRequest {
  body: string
  headers: IncomingMessage['headers']
}
let server: Server
let received: ReceivedRequest[]
let responses: ((response: ServerResponse) => void)[]
beforeEach(async () => {
  received = []
  responses = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ body, headers: request.headers })
      const answer = responses.shift()
      if (answer) answer(response)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function call(o: { url?: string; timeout?: number } = {}): Promise<string | null> {
  const url = new URL(o.url ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`)
  return callHttpHook({ kind: 'http', url, secrets }, '{"user":"é"}', {
    ...limits,
    timeout: o.timeout ?? limits.timeout,
  })
}

it('sends the event once, signed with each secret, and returns the response', async () => {
  responses = [
    (response) =>
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"a":1}'),
  ]
  expect(await call()).toBe('{"a":1}')
  expect(received).toHaveLength(1)
  const { body, headers } = received[0]!
  expect(body).toBe('{"user":"é"}')
  expect(headers['content-type']).toBe('application/json')
  expect(headers['accept-encoding']).toBe('identity')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  expect(headers['webhook-signature']).toBe(
    secrets
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed, 'utf8').digest('base64')}`)
      .join(', '),
  )
})

it.each([
  ['204', (r: ServerResponse) => r.writeHead(204).end(), null],
  ['202', (r: ServerResponse) => r.writeHead(202, json).end('{}'), '{}'],
] as const)('accepts %s', async (_, answer, expected) => {
  responses = [answer]
  expect(await call()).toBe(expected)
})

const unavailableWithRetry = (r: ServerResponse): unknown => r.writeHead(503, { 'retry-after': 'true' }).end()
const hangUp = (r: ServerResponse): unknown => r.destroy()

describe('retries', () => {
  it.each([
    ['a server that is temporarily unavailable', unavailableWithRetry],
    ['a closed connection', hangUp],
  ])('%s', async (_, first) => {
    responses = [first as () => void, first as () => void, (r) => r.writeHead(200, json).end('{}')]
    expect(await call()).toBe('{}')
    expect(received).toHaveLength(3)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  })
})

describe('throws GoTrue’s errors', () => {
  const unavailable = 'Service currently unavailable due to hook'
  it.each([
    ['a server that stays unavailable', unavailableWithRetry, 3, 500, 'unexpected_failure', unavailable],
    [
      'a server that keeps closing connections',
      hangUp,
      3,
      422,
      'hook_timeout_after_retry',
      'Failed to reach hook after maximum retries',
    ],
    ['busy', (r) => r.writeHead(503).end(), 1, 500, 'unexpected_failure', unavailable],
    ['400', (r) => r.writeHead(400).end(), 1, 500, 'unexpected_failure', 'Invalid payload sent to hook'],
    ['401', (r) => r.writeHead(401).end(), 1, 500, 'unexpected_failure', 'Hook requires authorization token'],
    ['418', (r) => r.writeHead(418).end(), 1, 500, 'unexpected_failure', /from hook: 418$/],
    [
      'a redirect',
      (r) => r.writeHead(307, { location: 'http://127.0.0.1:1/private' }).end(),
      1,
      500,
      'unexpected_failure',
      /from hook: 307$/,
    ],
    [
      'a missing content type',
      (r) => r.writeHead(200).end('{}'),
      1,
      400,
      'hook_payload_invalid_content_type',
      'Invalid Content-Type: Missing Content-Type header',
    ],
    [
      'another content type',
      (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
      1,
      400,
      'hook_payload_invalid_content_type',
      'Invalid JSON response. Received content-type: text/html',
    ],
    [
      'a response that is too large',
      (r) => r.writeHead(200, json).end('x'.repeat(10_000_000)),
      1,
      422,
      'hook_payload_over_size_limit',
      'Payload size exceeded size limit of 204800 bytes',
    ],
  ] as [string, (r: ServerResponse) => void, number, number, string, string | RegExp][])(
    '%s',
    async (_, answer, times, status, code, message) => {
      responses = [answer, answer, answer]
      await expect(call()).rejects.toMatchObject({
        status,
        code,
        message: expect.stringMatching(message) as string,
      })
      expect(received).toHaveLength(times)
    },
  )

  it.each([
    ['never responds', () => {}],
    ['never ends', (r: ServerResponse) => void r.writeHead(200, json).write('{')],
    [
      'sends single bytes',
      (r: ServerResponse) => {
        r.writeHead(200, json)
        const drip = setInterval(() => r.write(' '), 5)
        r.on('close', () => clearInterval(drip))
      },
    ],
  ] as [string, (r: ServerResponse) => void][])('one that %s', async (_, answer) => {
    responses = [answer]
    await expect(call({ timeout: 50 })).rejects.toMatchObject({
      status: 422,
      code: 'hook_timeout',
      message: 'Failed to reach hook within maximum time of 0.050000 seconds',
    })
  })

  it('no server', async () => {
    const closed = createTcpServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    await expect(call({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      code: 'hook_timeout_after_retry',
    })
  })
})

it('accepts a response of exactly the maximum size', async () => {
  const whole = JSON.stringify('x'.repeat(200 * 1024 - 2))
  responses = [(r) => r.writeHead(200, json).end(whole)]
  expect(await call()).toBe(whole)
})
