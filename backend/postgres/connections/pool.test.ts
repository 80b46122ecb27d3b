import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  CallerExceeded,
  createPool,
  PoolExhausted,
  PoolTimeout,
  PostgresUnavailable,
  StatementOverdue,
  type Pool,
  type PoolOptions,
} from './pool.ts'
import { startPostgres, type Postgres } from '../server/startPostgres.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let cluster: TemporaryPostgres
let admin: Pool
const pools: Pool[] = []

beforeAll(async () => {
  cluster = await temporaryPostgres()
  admin = cluster.pool('supabase_admin', 1)
})
afterAll(() => cluster?.stop())
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
})

function pool(o: Omit<PoolOptions, 'name'>): Pool {
  const made = createPool(cluster.config('postgres'), { name: 'tested', ...o })
  pools.push(made)
  return made
}

/** Work that holds its connection until `letGo`. */
function hold(on: Pool): { letGo: () => void; done: Promise<Client> } {
  let letGo: () => void = () => {}
  const released = new Promise<void>((resolve) => (letGo = resolve))
  const done = on.withClient(async (client) => {
    await released
    return client
  })
  return { letGo, done }
}

/** Looks at the promise at once, so that none of its rejections goes unseen. */
const nameOfFailure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: Error) => error.name,
  )

/** Resolves when a statement of the tested pool runs that contains `text`. */
async function running(text: string): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where application_name = 'tested' and state = 'active' and query like $1`,
      [`%${text}%`],
    )
    if (rowCount) return
  }
}

test('connections are opened on demand, reused, and never exceed the limit', async () => {
  const two = pool({ max: 2 })
  expect(two.stats()).toEqual({ max: 2, total: 0, idle: 0, waiting: 0, refused: 0 })
  await two.query('select 1')
  await two.query('select 1')
  expect(two.stats()).toMatchObject({ total: 1, idle: 1 })
  const held = [hold(two), hold(two), hold(two)]
  expect(two.stats()).toMatchObject({ waiting: 2 })
  for (const { letGo } of held) letGo()
  const clients = await Promise.all(held.map((one) => one.done))
  expect(new Set(clients).size).toBeLessThanOrEqual(2)
  expect(two.stats()).toMatchObject({ total: 2, waiting: 0 })
})

test('a full queue refuses requests, and queued requests time out', async () => {
  // Long enough for a busy machine to open the connection, which counts as waiting for one.
  const one = pool({ max: 1, queue: 1, acquireTimeoutMs: 2_000 })
  await one.query('select 1')
  const { letGo, done } = hold(one)
  const waiting = one.query('select 1')
  await expect(one.query('select 1')).rejects.toBeInstanceOf(PoolExhausted)
  await expect(waiting).rejects.toBeInstanceOf(PoolTimeout)
  letGo()
  await done
  expect((await one.query('select 2 as two')).rows).toEqual([{ two: 2 }])
})

test('a connection that onOpen rejects is closed, and its place is free again', async () => {
  let opened = 0
  const one = pool({
    max: 1,
    onOpen() {
      if (++opened === 1) throw new Error('no such process')
    },
  })
  await expect(one.query('select 1')).rejects.toBeInstanceOf(PostgresUnavailable)
  expect((await one.query('select 2 as two')).rows).toEqual([{ two: 2 }])
  expect(one.stats()).toMatchObject({ total: 1, idle: 1 })
})

describe('callers', () => {
  /** Work for a caller that holds its connection until `finish`. */
  function work(
    on: Pool,
    caller: string,
    readOnly = false,
  ): { finish: () => void; done: Promise<string>; began: Promise<void> } {
    let finish: () => void = () => {}
    let begin: () => void = () => {}
    const began = new Promise<void>((resolve) => (begin = resolve))
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const done = on.withClient(
      async () => {
        begin()
        await finished
        return caller
      },
      undefined,
      caller,
      readOnly,
    )
    return { finish, done, began }
  }

  test('share the connections: one caller cannot take more than its share', async () => {
    const four = pool({ max: 4, queue: 40 })
    const omar = Array.from({ length: 10 }, () => work(four, 'omar'))
    await Promise.all(omar.slice(0, 2).map(({ began }) => began))
    const ann = work(four, 'ann')
    await ann.began
    const bea = work(four, 'bea')
    await bea.began
    expect(four.stats()).toMatchObject({ total: 4, idle: 0, waiting: 8 })
    for (const { finish } of [ann, bea, ...omar]) finish()
    expect(await Promise.all(omar.map(({ done }) => done))).toEqual(Array(10).fill('omar'))
    expect(four.stats()).toMatchObject({ idle: 4, waiting: 0, refused: 0 })
  })

  test('wait only behind their own requests', async () => {
    const one = pool({ max: 1, queue: 40 })
    const first = work(one, 'omar')
    await first.began
    const order: string[] = []
    const waiting = ['omar', 'omar', 'omar', 'ann', 'ann', 'bea'].map(async (caller) =>
      order.push(await one.withClient(async () => caller, undefined, caller)),
    )
    first.finish()
    await Promise.all(waiting)
    expect(order).toEqual(['omar', 'ann', 'bea', 'omar', 'ann', 'omar'])
  })

  test('write less at once while others are there: who waits for the same lock waits for few of them', async () => {
    const eight = pool({ max: 8, queue: 40, maxWritesBesideOthers: 2 })
    const alone = [1, 2, 3].map(() => work(eight, 'omar'))
    await Promise.all(alone.map(({ began }) => began))
    await eight.withClient(async () => {}, undefined, 'ann')
    const next = work(eight, 'omar')
    const reading = work(eight, 'omar', true)
    const ann = work(eight, 'ann')
    await Promise.all([reading.began, ann.began])
    expect(eight.stats()).toMatchObject({ waiting: 1 })
    alone[0]!.finish()
    await alone[0]!.done
    expect(eight.stats()).toMatchObject({ waiting: 1 })
    alone[1]!.finish()
    await next.began
    for (const { finish } of [...alone, next, reading, ann]) finish()
    await Promise.all([...alone, next, reading, ann].map(({ done }) => done))
    expect(eight.stats()).toMatchObject({ waiting: 0, refused: 0 })
  })

  test('can fill only their own share of the queue', async () => {
    const one = pool({ max: 1, queue: 8 })
    const first = work(one, 'omar')
    await first.began
    const waiting = [1, 2, 3, 4].map(() => work(one, 'omar'))
    await expect(work(one, 'omar').done).rejects.toBeInstanceOf(CallerExceeded)
    const ann = work(one, 'ann')
    expect(one.stats()).toMatchObject({ waiting: 5, refused: 1 })
    for (const { finish } of [first, ann, ...waiting]) finish()
    expect(await ann.done).toBe('ann')
    await Promise.all(waiting.map(({ done }) => done))
  })
})

test('a transaction is committed, or rolled back when its work rejects', async () => {
  const one = pool({ max: 1 })
  await one.query('create table kept (id int)')
  await one.transaction((client) => client.query('insert into kept values (1)'))
  const failed = one.transaction(async (client) => {
    await client.query('insert into kept values (2)')
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  await expect(one.transaction((client) => client.query('insert into nothing values (1)'))).rejects.toThrow(
    'nothing',
  )
  expect((await one.query('select id from kept')).rows).toEqual([{ id: 1 }])
})

test('a swallowed failure does not count as success', async () => {
  const swallowed = pool({ max: 1 }).transaction((client) => client.query('select 1 / 0').catch(() => 'fine'))
  await expect(swallowed).rejects.toThrow('rolled back')
})

test('a transaction that work has left open is rolled back', async () => {
  const one = pool({ max: 1 })
  await one.withClient(async (client) => {
    await client.query('begin')
    await client.query('create table open (id int)')
  })
  expect((await one.query(`select to_regclass('open') as open`)).rows).toEqual([{ open: null }])
})

describe('an aborted signal', () => {
  test('cancels the running statement and frees the connection', async () => {
    const one = pool({ max: 1 })
    const controller = new AbortController()
    const asleep = one.withClient((client) => client.query('select pg_sleep(60)'), controller.signal)
    await running('pg_sleep')
    controller.abort(new Error('gone'))
    await expect(asleep).rejects.toThrow('gone')
    expect((await one.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('ends the wait for a connection', async () => {
    const one = pool({ max: 1 })
    await one.query('select 1')
    const { letGo, done } = hold(one)
    const controller = new AbortController()
    const waiting = one.withClient((client) => client.query('select 1'), controller.signal)
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(one.stats().waiting).toBe(0)
    letGo()
    await done
  })

  test('before the start runs nothing', async () => {
    const one = pool({ max: 1 })
    const ran = one.withClient((client) => client.query('select 1'), AbortSignal.abort(new Error('gone')))
    await expect(ran).rejects.toThrow('gone')
    expect(one.stats().total).toBe(0)
  })

  test('never cancels the statement of the next caller', async () => {
    const one = pool({ max: 1 })
    for (let i = 0; i < 60; i++) {
      const controller = new AbortController()
      const aborted = one.withClient((client) => client.query('select 1'), controller.signal)
      const next = one.query('select pg_sleep(0.002)')
      // Now early, now late, now just when the answer is on its way.
      if (i % 3 === 0) controller.abort(new Error('gone'))
      else if (i % 3 === 1) setImmediate(() => controller.abort(new Error('gone')))
      else void aborted.then(() => controller.abort(new Error('gone')))
      await aborted.catch(() => {})
      expect((await next).rowCount).toBe(1)
    }
  })
})

describe('a lost server', () => {
  test('a killed connection is replaced', async () => {
    const two = pool({ max: 2 })
    const asleep = nameOfFailure(two.query('select pg_sleep(60)'))
    await running('pg_sleep')
    await two.query('select 1')
    expect(two.stats().total).toBe(2)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tested'`,
    )
    expect(await asleep).toBe('PostgresLost')
    while (two.stats().total > 0) await admin.query('select 1')
    expect((await two.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('a connection that the server ends is not reused', async () => {
    const one = pool({ max: 1 })
    for (let i = 0; i < 10; i++) {
      // Outside of a transaction the connection is released without another query.
      const ended = one.query('select pg_terminate_backend(pg_backend_pid())')
      expect(await nameOfFailure(ended)).toBe('PostgresLost')
      expect((await one.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    }
    expect(one.stats()).toMatchObject({ total: 1, idle: 1 })
  })

  test('is not mistaken for an error that a function raises with the same code', async () => {
    const one = pool({ max: 1 })
    const raised = one.query(`do $$ begin raise sqlstate '57P01' using message = 'not at all'; end $$`)
    await expect(raised).rejects.toMatchObject({ name: 'error', code: '57P01', message: 'not at all' })
    expect(one.stats()).toMatchObject({ total: 1, idle: 1 })
  })

  test('the pool reports it, fails waiting requests, and recovers when the server is back', async () => {
    const own = await temporaryPostgres()
    const tested = createPool(own.config('postgres'), { max: 1, name: 'tested' })
    await tested.query('select 1')
    const asleep = nameOfFailure(tested.query('select pg_sleep(60)'))
    const waiting = nameOfFailure(tested.query('select 1'))
    process.kill(own.pid, 'SIGKILL')
    expect(await asleep).toBe('PostgresLost')
    expect(await waiting).toBe('PostgresUnavailable')
    await own.exited
    await expect(tested.query('select 1')).rejects.toBeInstanceOf(PostgresUnavailable)
    const back: Postgres = await startPostgres({ dataDir: own.dataDir })
    expect((await tested.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await tested.end()
    await back.stop()
    await own.stop()
  })
})

test('renewed connections have the settings of their role as they are now', async () => {
  const two = pool({ max: 2 })
  const cost = async (): Promise<unknown> =>
    (await two.query(`select current_setting('cpu_tuple_cost') as cost`)).rows[0]!.cost
  const { letGo, done } = hold(two)
  expect(await cost()).toBe('0.01')
  await admin.query('alter role postgres set cpu_tuple_cost = 0.5')
  expect(await cost()).toBe('0.01')
  two.renew()
  expect(two.stats()).toMatchObject({ total: 1, idle: 0 })
  expect(await cost()).toBe('0.5')
  letGo()
  await done
  expect(two.stats()).toMatchObject({ total: 1, idle: 1 })
  await admin.query('alter role postgres reset cpu_tuple_cost')
})

test('an ended pool finishes running work and refuses more', async () => {
  const one = pool({ max: 1 })
  await one.query('select 1')
  const running = one.query('select 1 as one')
  const ending = one.end()
  await expect(one.query('select 1')).rejects.toBeInstanceOf(PostgresUnavailable)
  expect((await running).rows).toEqual([{ one: 1 }])
  await ending
  expect(one.stats().total).toBe(0)
  await one.end()
})

test('another connection replaces one whose statement outlives its timeout, for a quarter of the maximum', async () => {
  const two = pool({ max: 2 })
  const overdue = (): { letGo: () => void; done: Promise<unknown> } => {
    let letGo: () => void = () => {}
    const released = new Promise<void>((resolve) => (letGo = resolve))
    return { letGo, done: two.withClient(() => released, undefined, 'somebody', false, 1) }
  }
  const first = overdue()
  await expect(first.done).rejects.toBeInstanceOf(StatementOverdue)
  expect(two.stats()).toMatchObject({ total: 0, waiting: 0 })
  // There is room for no second one: it keeps its place, and its own result.
  const second = overdue()
  await two.query('select 1')
  second.letGo()
  await second.done
  first.letGo()
  await two.query('select 1')
  expect(two.stats()).toMatchObject({ total: 2, idle: 2 })
  await expect(overdue().done).rejects.toBeInstanceOf(StatementOverdue)
})
