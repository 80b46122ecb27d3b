import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../postgres/server/temporaryPostgres.ts'
import { createInvocationService, type InvocationService } from './createInvocationService.ts'

let postgres: TemporaryPostgres
let owner: Pool
let worker: Pool
let service: InvocationService | null = null
/** What was started, and how each ends. */
let invoked: { name: string; body: unknown; respond(status: number): void }[] = []
let warnings: string[] = []

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres', 2)
  worker = postgres.pool('supabase_functions_admin', 2)
})
afterEach(async () => {
  await service?.close(0)
  service = null
  invoked = []
  warnings = []
  await owner.query('truncate supabase_functions.invocations')
})
afterAll(() => postgres?.stop())

const start = (pool: Pick<Pool, 'query'> = worker): InvocationService => {
  service = createInvocationService({
    pool,
    invoke: (name, body) =>
      new Promise((respond) => invoked.push({ name, body: JSON.parse(String(body)), respond })),
    log: createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) }),
  })
  service.start()
  return service
}
/** As a project does, and then as the server does when it reads the commit. */
const request = async (name: string, ...bodies: unknown[]): Promise<void> => {
  await owner.query('select supabase_functions.invoke($1, value) from jsonb_array_elements($2)', [
    name,
    JSON.stringify(bodies),
  ])
  service?.wake()
}
const waiting = async (): Promise<number> =>
  (await owner.query('select from supabase_functions.invocations')).rowCount!
const started = (count: number) => vi.waitFor(() => expect(invoked).toHaveLength(count))
const bodies = (): unknown[] => invoked.map(({ body }) => body)

it('a function is invoked after the commit, and its row is deleted once it has responded', async () => {
  start()
  await owner.transaction(async (client) => {
    await client.query(`select supabase_functions.invoke('a', '{"of": "an open transaction"}')`)
    await request('a', { of: 'a committed one' })
    await started(1)
  })
  service!.wake()
  await started(2)
  expect(bodies()).toEqual([{ of: 'a committed one' }, { of: 'an open transaction' }])
  expect(await waiting()).toBe(2)
  for (const { respond } of invoked) respond(200)
  await vi.waitFor(async () => expect(await waiting()).toBe(0))
  expect(warnings).toEqual([])
})

it('a transaction that is rolled back invokes nothing', async () => {
  start()
  await expect(
    owner.transaction(async (client) => {
      await client.query(`select supabase_functions.invoke('a', '{"of": "a rolled back transaction"}')`)
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await request('a', { of: 'a committed one' })
  await started(1)
  expect(bodies()).toEqual([{ of: 'a committed one' }])
  expect(await waiting()).toBe(1)
})

it('equal invocations that wait together are one, and one that follows during a run is another', async () => {
  start()
  await request('a', 1, 2, 1, 1)
  await started(2)
  expect(bodies()).toEqual([1, 2])
  await request('a', 1, 1)
  await started(3)
  expect(bodies()).toEqual([1, 2, 1])
  for (const { respond } of invoked) respond(200)
  await vi.waitFor(async () => expect(await waiting()).toBe(0))
})

it('a function that does not respond holds half of the slots, so that another function starts at once', async () => {
  start()
  await request('slow', ...Array.from({ length: 40 }, (_, n) => n))
  await started(16)
  await request('quick', {})
  await started(17)
  expect(invoked[16]!.name).toBe('quick')
  invoked[16]!.respond(200)
  // Each end makes room for the next.
  for (let n = 0; n < 40; n++) {
    await vi.waitFor(() => expect(invoked.length).toBeGreaterThan(n < 16 ? n : n + 1))
    invoked[n < 16 ? n : n + 1]!.respond(200)
  }
  await vi.waitFor(async () => expect(await waiting()).toBe(0))
  expect(invoked).toHaveLength(41)
})

it('an invocation that has not ended when the server stops is repeated by the next server', async () => {
  const first = start()
  await request('a', {})
  await started(1)
  await first.close(0)
  invoked[0]!.respond(500)
  await request('b', {})
  start()
  await started(3)
  expect(invoked.map(({ name }) => name)).toEqual(['a', 'a', 'b'])
})

it('a stopping server waits for invocations in progress, and starts no other', async () => {
  const first = start()
  await request('a', {})
  await started(1)
  const closed = first.close()
  await request('b', {})
  invoked[0]!.respond(200)
  await closed
  expect(await waiting()).toBe(1)
  expect(invoked).toHaveLength(1)
})

it('a function that fails is reported, and not repeated', async () => {
  start()
  await request('a', {})
  await started(1)
  invoked[0]!.respond(503)
  await vi.waitFor(async () => expect(await waiting()).toBe(0))
  expect(warnings).toEqual([expect.stringContaining('functions.invocation_failed')])
  expect(invoked).toHaveLength(1)
})

it('while the database is unavailable, a function that has ended is not invoked again', async () => {
  let isAvailable = true
  const query: Pool['query'] = (...args) =>
    isAvailable ? worker.query(...args) : Promise.reject(new Error('unavailable'))
  start({ query })
  await request('a', {})
  await started(1)
  isAvailable = false
  invoked[0]!.respond(200)
  service!.wake()
  await vi.waitFor(() => expect(warnings.join()).toContain('invocations_read_failed'))
  isAvailable = true
  await request('b', {})
  await vi.waitFor(async () => expect(await waiting()).toBe(1))
  await started(2)
  expect(invoked[1]!.name).toBe('b')
})
