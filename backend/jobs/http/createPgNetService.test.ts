import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { createPgNetService, type PgNetService } from './createPgNetService.ts'

let postgres: TemporaryPostgres
let owner: Pool
let worker: Pool
let server: Server
let service: PgNetService | null = null
const arrived: string[] = []
const held: ServerResponse[] = []

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres', 2)
  worker = postgres.pool('supabase_functions_admin', 2)
  server = createServer((request, response) => {
    arrived.push(request.url!)
    if (request.url!.endsWith('/held')) held.push(response)
    else if (request.url!.endsWith('/large')) {
      response.write('x'.repeat(300_000))
      held.push(response)
    } else response.end('ok')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
})
afterEach(async () => {
  await service?.close(0)
  service = null
  arrived.length = 0
})
afterAll(async () => {
  await postgres?.stop()
  server?.closeAllConnections()
  server?.close()
})

const start = (url = 'http://127.0.0.1:1'): PgNetService =>
  (service = createPgNetService({
    pool: worker,
    listen: postgres.config('supabase_functions_admin'),
    allowed: ['127.0.0.1'],
    localUrl: () => url,
    publicUrl: () => url,
    apiPort: 54_321,
    log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
  }))

/** Queues a request, whose timeout no test waits for. */
async function queue(path: string, to = server): Promise<string> {
  const { port } = to.address() as AddressInfo
  const { rows } = await owner.query<{ id: string }>(
    'select net.http_get($1, timeout_milliseconds := 600000) as id',
    [`http://127.0.0.1:${port}${path}`],
  )
  return rows[0]!.id
}

const answerTo = async (id: string): Promise<unknown> =>
  (await owner.query('select status_code, error_msg from net._http_response where id = $1', [id])).rows[0]

it('sends requests that were queued while no server ran', async () => {
  await expect(owner.query('select net.check_worker_is_up()')).rejects.toThrow(
    'the pg_net background worker is not up',
  )
  const id = await queue('/early')
  start()
  await owner.query('select net._await_response($1)', [id])
  expect(arrived).toEqual(['/early'])
  await owner.query('select net.check_worker_is_up()')
})

it('waits for requests in progress when it stops', async () => {
  const id = await queue('/held')
  const stopping = start()
  await expect.poll(() => held.length).toBe(1)
  const closed = stopping.close()
  held.pop()!.end('late')
  await closed
  expect(await answerTo(id)).toEqual({ status_code: 200, error_msg: null })
})

it('sends requests to other servers while one hangs', async () => {
  start()
  const hanging = await Promise.all(Array.from({ length: 80 }, () => queue('/held')))
  await expect.poll(() => held.length).toBe(32)
  const other = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve)
  })
  try {
    const id = await queue('/', other)
    await owner.query('select net._await_response($1)', [id])
    expect(await answerTo(id)).toEqual({ status_code: 200, error_msg: null })
    for (let sent = 0; sent < hanging.length; sent++) {
      await expect.poll(() => held.length).toBeGreaterThan(0)
      held.pop()!.end('late')
    }
    await owner.query('select net._await_response($1)', [hanging.at(-1)])
  } finally {
    other.close()
  }
})

it('calls other functions of this server while one is slow', async () => {
  start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const slow = await Promise.all(Array.from({ length: 80 }, () => queue('/functions/v1/slow/held')))
  await expect.poll(() => held.length).toBe(32)
  const id = await queue('/functions/v1/other?x=1')
  await owner.query('select net._await_response($1)', [id])
  expect(await answerTo(id)).toEqual({ status_code: 200, error_msg: null })
  for (let sent = 0; sent < slow.length; sent++) {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    held.pop()!.end('late')
  }
  await owner.query('select net._await_response($1)', [slow.at(-1)])
})

it('records requests that exceed the close timeout as failed, and does not send them again', async () => {
  const id = await queue('/held')
  const stopping = start()
  await expect.poll(() => held.length).toBe(1)
  await stopping.close(0)
  held.pop()
  expect(await answerTo(id)).toEqual({
    status_code: null,
    error_msg: 'The server stopped before the response arrived',
  })
  start()
  await owner.query('select net._await_response($1)', [await queue('/next')])
  expect(arrived).toEqual(['/held', '/next'])
})

it('deletes responses when their time to live is over, as configured', async () => {
  const ages = async (): Promise<unknown[]> =>
    (
      await owner.query<{ id: string }>(`select id from net._http_response where id < 0 order by id`)
    ).rows.map(({ id }) => id)
  await owner.query(`insert into net._http_response (id, created)
    values (-7, now() - interval '7 hours'), (-5, now() - interval '5 hours'), (-1, now())`)
  start()
  await expect.poll(ages).toEqual(['-5', '-1'])
  await service!.close(0)
  await postgres.pool('supabase_admin', 1).query(`alter database postgres set "pg_net.ttl" to '1 hour'`)
  worker.renew()
  start()
  await expect.poll(ages).toEqual(['-1'])
})

it('removes invalid rows from the queue', async () => {
  await owner.query(`insert into net.http_request_queue (method, url, headers, timeout_milliseconds)
    values ('GET', 'http://a b/', null, 1000), ('get', 'http://127.0.0.1:9/', '[1]', 0), ('DELETE', '', '{"a b":"1"}', -1)`)
  start()
  const last = await queue('/after')
  await owner.query('select net._await_response($1)', [last])
  await expect.poll(async () => (await owner.query('select from net.http_request_queue')).rowCount).toBe(0)
  const { rows } = await owner.query<{ error_msg: string }>(
    'select error_msg from net._http_response where id between $1::bigint - 3 and $1::bigint - 1 order by id',
    [last],
  )
  expect(rows.map(({ error_msg }) => error_msg)).toEqual([
    'URL using bad/illegal format or missing URL',
    'Headers must be a JSON object',
    'URL using bad/illegal format or missing URL',
  ])
})

it('buffers at most two large responses of one server at once, and waits with the rest of others', async () => {
  held.length = 0
  start()
  const ids: string[] = []
  for (const n of [1, 2, 3]) {
    ids.push(await queue('/large'))
    await expect.poll(() => held.length).toBe(n)
  }
  const [first, , third] = ids as [string, string, string]
  held[2]!.end()
  // A small response needs no place.
  await owner.query('select net._await_response($1)', [await queue('/small')])
  expect(await answerTo(third)).toBe(undefined)
  held[0]!.end()
  await owner.query('select net._await_response($1), net._await_response($2)', [first, third])
  const { rows } = await owner.query(
    'select status_code, length(content) from net._http_response where id = $1',
    [third],
  )
  expect(rows).toEqual([{ status_code: 200, length: 300_000 }])
  held[1]!.end()
})
