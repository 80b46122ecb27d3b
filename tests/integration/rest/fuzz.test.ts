import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anything } from './anyHttpRequest.ts'
import type { Anything } from './anyHttpRequest.ts'
import { fixture } from './fixture.ts'
import { timeoutMs, runs } from './properties/runs.ts'
import { startRest } from './startRest.ts'
import type { RestServer, RestResponse } from './startRest.ts'

let server: RestServer
beforeAll(async () => {
  server = await startRest(fixture)
})
afterAll(() => server?.stop())

/** Text that occurs only in responses of a failing server. */
const inside = /\.ts:\d|\.js:\d|node_modules|\bat (?:async )?\w+ \(|TypeError|RangeError|\[object /
const IS_SQLSTATE = /^[0-9A-Z]{5}$/

function send({ method, path, query, body, headers }: Anything): Promise<RestResponse> {
  const hasBody = !['GET', 'get', 'HEAD', 'OPTIONS'].includes(method)
  return server.request(`${path}?${query}`, { method, headers, ...(hasBody ? { body } : {}) })
}

/** The defect of a response; null if it conforms to PostgREST. */
function fault({ method }: Pick<Anything, 'method'>, response: RestResponse): string | null {
  const description = `${response.status} ${response.text}`
  if (method === 'HEAD' && response.status < 500) return null
  if (response.status < 400) return null
  // A URL that is longer than Node accepts.
  if (response.status === 431 && response.text === '') return null
  const { code = '' } = (response.json ?? {}) as { code?: string }
  const keys = Object.keys((response.json ?? {}) as object).sort()
  if (keys.join() !== 'code,details,hint,message') return description
  // PostgreSQL's own errors for too large or too deep values.
  if (response.status >= 500 && !IS_SQLSTATE.test(code)) return description
  if (!/^(PGRST\d{3}|[0-9A-Z]{5})$/.test(code)) return description
  return inside.test(response.text) ? description : null
}

/** Used heap bytes after garbage collection. */
function bytesInUse(): number {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

const AT_ONCE = 20
const TRIES = 3_000
/** Allowed growth of the heap after the caches are full. */
const MOST_GROWTH_BYTES = 24 * 1024 * 1024

it(
  'responds to any request as PostgREST does, without internal details, and retains no memory',
  async () => {
    const half = runs(TRIES / 2 / AT_ONCE)
    const batch = fc.array(anything, { minLength: AT_ONCE, maxLength: AT_ONCE })
    const answered = fc.asyncProperty(batch, async (requests) => {
      const faults = await Promise.all(requests.map(async (request) => fault(request, await send(request))))
      expect(faults.filter((each) => each !== null)).toEqual([])
    })
    await fc.assert(answered, { numRuns: half, endOnFailure: true })
    const before = bytesInUse()
    await fc.assert(answered, { numRuns: half, endOnFailure: true })
    expect(bytesInUse() - before).toBeLessThan(MOST_GROWTH_BYTES)
    expect(server.logged).toEqual([])
    expect((await server.request('/clients?select=id&order=id&limit=1')).json).toEqual([{ id: 1 }])
  },
  timeoutMs * 2,
)

it('detects a response that does not conform to PostgREST', () => {
  const response = { status: 500, headers: new Headers(), text: '{}', json: {} }
  expect(fault({ method: 'GET' }, response)).not.toBeNull()
  const json = { code: 'PGRSTX00', message: 'Internal error', details: null, hint: null }
  expect(fault({ method: 'GET' }, { ...response, json, text: JSON.stringify(json) })).not.toBeNull()
  const trace = { ...json, code: '22P02', details: 'at run (backend/rest/runRequest.ts:1)' }
  expect(
    fault({ method: 'GET' }, { ...response, status: 400, json: trace, text: JSON.stringify(trace) }),
  ).not.toBeNull()
})

/** The status of the response to raw bytes; null if the connection was closed without one. */
async function statusOf(bytes: Buffer | string): Promise<number | null> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(null) : reject(error),
    )
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? NaN) || null))
    socket.end(bytes)
  })
}

const request = (line: string, headers: string[] = [], body = ''): string =>
  [line, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n')
const get = (target: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('GET '),
    Buffer.from(target),
    Buffer.from(' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
  ])

const RAW: [what: string, bytes: Buffer | string][] = [
  ['nothing', ''],
  ['a line that is none', 'GET\r\n\r\n'],
  ['NUL in the path', get('/rest/v1/cli\u0000ents')],
  ['NUL, encoded', get('/rest/v1/clients?name=eq.%00&select=%00')],
  ['invalid UTF-8', get(Buffer.from('/rest/v1/clients?name=eq.\xff\xfe', 'latin1'))],
  ['invalid UTF-8, encoded', get('/rest/v1/clients?name=eq.%ff%fe&%c3%28=eq.1&select=%ed%a0%80')],
  ['broken percents', get('/rest/v1/clients?name=eq.%&%zz=eq.1&select=%2')],
  ['a broken path', get('/rest/v1/%E0%A4%A')],
  ['another path', get('/rest/v1/../../etc/passwd')],
  ['another path, encoded', get('/rest/v1/%2e%2e%2f%2e%2e%2fetc%2fpasswd')],
  ['an absolute address', get('http://elsewhere/rest/v1/clients')],
  ['an asterisk', request('OPTIONS * HTTP/1.1')],
  ['CONNECT', request('CONNECT elsewhere:443 HTTP/1.1')],
  ['TRACE', request('TRACE /rest/v1/clients HTTP/1.1')],
  ['a made-up method', request('FROB /rest/v1/clients HTTP/1.1')],
  ['an old version', 'GET /rest/v1/clients HTTP/1.0\r\n\r\n'],
  ['a long address', get(`/rest/v1/clients?name=eq.${'x'.repeat(1024 * 1024)}`)],
  ['a long select', get(`/rest/v1/clients?select=${'id,'.repeat(300_000)}id`)],
  ['a long header', request('GET /rest/v1/clients HTTP/1.1', [`Prefer: ${'x'.repeat(100_000)}`])],
  [
    'many headers',
    request(
      'GET /rest/v1/clients HTTP/1.1',
      Array.from({ length: 3_000 }, (_, i) => `X-${i}: y`),
    ),
  ],
  [
    'a header twice',
    request('GET /rest/v1/clients HTTP/1.1', ['Range: 0-0', 'Range: 1-1', 'Accept: a', 'Accept: b']),
  ],
  [
    'a header of many lines',
    request('GET /rest/v1/clients HTTP/1.1', ['Prefer: count=exact,\r\n tx=rollback']),
  ],
  [
    'a header of bytes',
    Buffer.from(request('GET /rest/v1/clients HTTP/1.1', ['Prefer: \xff\xfe', 'Cookie: a=\xe9']), 'latin1'),
  ],
  ['two lengths', request('POST /rest/v1/items HTTP/1.1', ['Content-Length: 2', 'Content-Length: 30'], '{}')],
  [
    'length and chunks',
    request('POST /rest/v1/items HTTP/1.1', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  ],
  ['a length that is none', request('POST /rest/v1/items HTTP/1.1', ['Content-Length: -1'], '{}')],
  ['a body that is cut', request('POST /rest/v1/items HTTP/1.1', ['Content-Length: 50'], '{"name":')],
  [
    'a chunk that is none',
    request('POST /rest/v1/items HTTP/1.1', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'),
  ],
  [
    'a body of another request',
    request(
      'GET /rest/v1/clients HTTP/1.1',
      ['Content-Length: 44'],
      'GET /rest/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n',
    ),
  ],
  [
    'a body that is no UTF-8',
    Buffer.concat([
      Buffer.from(
        request('POST /rest/v1/items HTTP/1.1', ['Content-Type: application/json', 'Content-Length: 12']),
      ),
      Buffer.from('{"name":"\xff"}', 'latin1'),
    ]),
  ],
]

it.each(RAW)('survives %s', async (_what, bytes) => {
  const status = await statusOf(bytes)
  expect(status === null || (status >= 200 && status < 500)).toBe(true)
  expect((await server.request('/clients?select=id&order=id&limit=1')).json).toEqual([{ id: 1 }])
  expect(server.logged).toEqual([])
})
