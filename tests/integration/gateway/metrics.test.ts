import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, clientOf } from '../../support/people.ts'

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend?.stop())

/** With headers that fetch would not let us choose. */
function fetchMetrics(
  o: { headers?: Record<string, string>; method?: string } = {},
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    request(backend.metrics, { method: o.method ?? 'GET', headers: o.headers ?? {} }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}

interface Family {
  type: string
  samples: Map<string, number>
}

/** Reads text format 0.0.4, and throws at a line that is not quite in it. */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  let current = ''
  const parseLine = (line: string): boolean => {
    const help = /^# HELP ([a-z_][a-z_\d]*) \S.*\.$/.exec(line)?.[1]
    if (help) {
      const isNew = !families.has(help)
      current = help
      families.set(help, { type: '', samples: new Map() })
      return isNew
    }
    const { samples } = families.get(current) ?? {}
    const type = /^# TYPE ([a-z_][a-z_\d]*) (counter|gauge)$/.exec(line)
    if (type) {
      families.get(current)!.type = type[2]!
      return type[1] === current && samples?.size === 0
    }
    const [, name, labels = '', value] =
      /^([a-z_][a-z_\d]*)(\{(?:[a-z]+="[\w]*",?)+\})? (-?\d\S*)$/.exec(line) ?? []
    if (name !== current || !samples || samples.has(labels)) return false
    samples.set(labels, Number(value))
    return true
  }
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (!parseLine(line)) throw new Error(`not in the format: ${line}`)
  }
  return families
}

const metrics = async (): Promise<Map<string, Family>> => parse((await fetchMetrics()).text)
const valueOf = (all: Map<string, Family>, name: string, labels = ''): number | undefined =>
  all.get(name)?.samples.get(labels)

it('serves metrics in the text format of Prometheus', async () => {
  const response = await fetchMetrics()
  expect([response.status, response.headers['content-type'], response.headers['cache-control']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'no-store',
  ])
  expect(response.headers['access-control-allow-origin']).toBeUndefined()
  expect(response.text).toMatch(/[^\n]\n$/)
  const all = parse(response.text)
  for (const [name, { type, samples }] of all) {
    expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')])
    for (const [labels, value] of samples) {
      expect([name, labels, Number.isFinite(value) && value >= 0]).toEqual([name, labels, true])
    }
  }
  expect(valueOf(all, 'linnet_database_up')).toBe(1)
  expect(valueOf(all, 'linnet_realtime_log_reading', '{log="messages"}')).toBe(1)
  expect(valueOf(all, 'linnet_pool_connections_max', '{pool="authenticator"}')).toBeGreaterThan(0)
  expect(valueOf(all, 'process_resident_memory_bytes')).toBeGreaterThan(1e7)
})

it('counts events, with a fixed set of labels', async () => {
  const before = await metrics()
  const admin = adminOf(backend)
  const channel = admin.channel('a-room-of-its-own', {
    config: { private: true, presence: { enabled: true } },
  })
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => status === 'SUBSCRIBED' && resolve())
  })
  expect(await channel.track({ on: 'desk' })).toBe('ok')
  const received = new Promise((resolve) => channel.on('broadcast', { event: 'greeting' }, resolve))
  await admin.rpc('no_such_function')
  await clientOf(backend).rpc('bootstrap')
  await channel.httpSend('greeting', { words: 'hello' })
  await received
  const after = await metrics()
  const grown = (name: string, labels = ''): number =>
    valueOf(after, name, labels)! - valueOf(before, name, labels)!
  expect({
    sockets: grown('linnet_realtime_sockets'),
    topics: grown('linnet_realtime_topics'),
    presences: grown('linnet_realtime_presences'),
    joins: grown('linnet_realtime_joins_total'),
    refused: grown('linnet_http_requests_total', '{service="rest",status="4xx"}'),
    broadcastRequests: grown('linnet_http_requests_total', '{service="realtime",status="2xx"}'),
  }).toEqual({
    sockets: 1,
    topics: 1,
    presences: 1,
    joins: 1,
    refused: expect.any(Number),
    broadcastRequests: 1,
  })
  expect(grown('linnet_http_requests_total', '{service="rest",status="4xx"}')).toBeGreaterThan(0)
  expect(grown('linnet_realtime_deliveries_total')).toBeGreaterThan(0)
  const names = (all: Map<string, Family>): string[] =>
    [...all].flatMap(([name, { samples }]) => [...samples.keys()].map((labels) => name + labels))
  expect(names(after)).toEqual(names(before))
  expect((await fetchMetrics()).text).not.toContain('a-room-of-its-own')
  await admin.removeAllChannels()
})

it('reports the delay of the last message in the WAL', async () => {
  const database = createPool({ connectionString: backend.dbUrl }, { max: 1, name: 'tests' })
  const admin = adminOf(backend)
  const channel = admin.channel('another-room', { config: { private: true } })
  let onReceived: (broadcast: unknown) => void = () => {}
  channel.on('broadcast', { event: 'greeting' }, (broadcast) => onReceived(broadcast))
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => status === 'SUBSCRIBED' && resolve())
  })
  let delay: number | undefined = 0
  // The clock has whole milliseconds: a message that is read within the one it was committed in shows no delay.
  while (delay === 0) {
    const received = new Promise((resolve) => {
      onReceived = resolve
    })
    await database.query("select realtime.send('{}', 'greeting', 'another-room', true)")
    await received
    delay = valueOf(await metrics(), 'linnet_realtime_log_delay_seconds', '{log="messages"}')
  }
  expect(delay).toBeGreaterThan(0)
  expect(delay).toBeLessThan(60)
  await admin.removeAllChannels()
  await database.end()
})

it.each([
  ['a name that was rebound', { headers: { host: 'evil.example' } }],
  ['a proxy', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a proxy of another kind', { headers: { forwarded: 'for=127.0.0.1' } }],
  ['yet another', { headers: { via: '1.1 proxy' } }],
  ['nginx', { headers: { 'x-real-ip': '127.0.0.1' } }],
  ['a POST', { method: 'POST' }],
])('refuses %s', async (_, o) => {
  const response = await fetchMetrics(o)
  expect(response.status).toBe(404)
  expect(response.text).not.toContain('linnet_')
})
