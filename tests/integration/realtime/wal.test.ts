import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  startCrashingPostgres,
  type CrashingPostgres,
  type TestWalReader,
  type DeliveredMessage,
} from './startWalReader.ts'

let db: CrashingPostgres
let log: TestWalReader

beforeAll(async () => {
  db = await startCrashingPostgres()
  await db.sql('create table public.counter (n int not null)')
  await db.sql('insert into public.counter values (0)')
  await db.sql('create table public.filler (x text)')
})
afterAll(() => db.close())
afterEach(() => log.close())

const sendEvent = (event: string, topic = 'room'): Promise<unknown> =>
  db.sql(`select realtime.send('{}', $1, $2, false)`, [event, topic])

/** Ids of all messages of a topic in the table. */
const stored = async (topic: string): Promise<string[]> => {
  const { rows } = await db.sql<{ id: string }>(
    'select id::text from realtime.messages where topic = $1 order by 1',
    [topic],
  )
  return rows.map((row) => row.id)
}
const idsOf = (delivered: DeliveredMessage[], topic: string): string[] =>
  delivered
    .filter((one) => one.topic === topic)
    .map((one) => one.id)
    .toSorted()

/** Eight who say numbers, counted under a lock, so that the numbers are the order of commits. */
const writers = (topic: string, each: number): Promise<void[]> => {
  const insertMessage = (): Promise<boolean> =>
    db
      .sql(
        `with next as (update public.counter set n = n + 1 returning n)
         select realtime.send(jsonb_build_object('n', n, 'part', part), 'n', $1, false)
         from next, generate_series(1, 3) part`,
        [topic],
      )
      .then(
        () => true,
        // PostgreSQL is away; whether it took the last one is for the table to say.
        () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
      )
  const write = async (): Promise<void> => {
    for (let inserted = 0; inserted < each; inserted++) while (!(await insertMessage()));
  }
  return Promise.all(Array.from({ length: 8 }, write))
}

const numbers = (delivered: DeliveredMessage[], topic: string): number[] =>
  delivered.filter((one) => one.topic === topic && one.event === 'n').map((one) => one.payload!.n!)

/** Each number three times, and none before a lower one. */
const expectOrder = (delivered: DeliveredMessage[], topic: string): void => {
  const received = numbers(delivered, topic)
  expect(received).toEqual(received.toSorted((a, b) => a - b))
}

describe('a break', () => {
  it.each([
    ['kill -9 of PostgreSQL', () => db.crash()],
    ['a restart of PostgreSQL', () => db.restart()],
    ['a cut line', () => db.cutReaders()],
  ])(
    '%s among eight writers: all messages are delivered once, in the order of commits',
    async (name, strike) => {
      let striking: Promise<void> | null = null
      log = await db.read({
        onDelivered: () => {
          if (log.delivered.length === 60) striking = strike()
        },
      })
      await writers(name, 20)
      await striking
      await sendEvent('end', name)
      await log.received('end')
      expect(striking).not.toBeNull()
      expect(log.warnings.join()).toContain('interrupted')
      expect(log.delivered.length).toBeGreaterThanOrEqual(8 * 20 * 3)
      expect(idsOf(log.delivered, name)).toEqual(await stored(name))
      expectOrder(log.delivered, name)
      expect(log.reader.stats().gaps).toBe(0)
    },
  )

  it('during a transaction: the rest is delivered, the start is not repeated', async () => {
    let cut: Promise<void> | null = null
    log = await db.read({
      onDelivered: () => {
        if (log.delivered.length !== 1_000) return
        log.reader.pause()
        // Its sender is stuck, and dies of it once there is room again.
        cut = db.cutReaders(0).then(() => log.reader.resume())
      },
    })
    await db.sql(
      `insert into realtime.messages (payload, event, topic, private, extension)
       select jsonb_build_object('n', n, 'x', repeat('x', 2000)), 'n', 'long', false, 'broadcast'
       from generate_series(1, 5000) n`,
    )
    await sendEvent('end', 'long')
    await log.received('end')
    await cut
    expect(log.warnings.join()).toContain('interrupted')
    expect(numbers(log.delivered, 'long')).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1))
  })

  it('while transactions are open: they are delivered on commit, whatever their timestamps', async () => {
    log = await db.read()
    const [early, late] = [await db.session(), await db.session()]
    const insertMessage = `select realtime.send('{}', $1, 'open', false)`
    await early.query('begin')
    await early.query(insertMessage, ['early'])
    await late.query('begin')
    await late.query(insertMessage, ['late'])
    await sendEvent('between', 'open')
    await log.received('between')
    log.reader.pause()
    await db.cutReaders()
    await late.query('commit')
    log.reader.resume()
    await log.received('late')
    await early.query('commit')
    await log.received('early')
    expect(log.delivered.map((one) => one.event)).toEqual(['between', 'late', 'early'])
  })
})

describe('accumulated WAL', () => {
  const fill = (): Promise<unknown> =>
    db.sql(`insert into public.filler select repeat(md5(n::text), 30) from generate_series(1, 5000) n`)
  const slots = async (): Promise<number> => (await db.sql('select from pg_replication_slots')).rows.length

  it('above the maximum is abandoned, with a warning; the gap is filled from the table, once and in order', async () => {
    log = await db.read({ maxLagBytes: 2_000_000 })
    await sendEvent('before', 'gap')
    await log.received('before')
    const open = await db.session()
    await open.query('begin')
    await open.query(`select realtime.send('{}', 'open', 'gap', false)`)
    log.reader.pause()
    const position = log.reader.position()
    await writers('gap', 10)
    await log.reader.check()
    expect(log.reader.stats().gaps).toBe(0)
    await fill()
    await log.reader.check()
    expect(log.reader.stats().gaps).toBe(1)
    expect(log.warnings.join()).toContain('the lag exceeded the maximum')
    await expect.poll(slots).toBe(0)

    const more = writers('gap', 10)
    log.reader.resume()
    await more
    await sendEvent('after', 'gap')
    // Though no slot can be made before the open transaction ends.
    await log.received('after')
    expect(log.reader.ready()).toBe(false)
    await open.query('commit')
    await log.received('open')
    await log.reader.whenReady()
    await sendEvent('end', 'gap')
    await log.received('end')
    expect(idsOf(log.delivered, 'gap')).toEqual(await stored('gap'))
    expectOrder(log.delivered, 'gap')
    expect(log.lost()).toBe(0)
    // Not the start of the new slot: what was sent between them would count as delivered.
    expect(new Set(log.gapPositions)).toEqual(new Set([position]))
  })

  it('that PostgreSQL invalidates first is handled in the same way', async () => {
    log = await db.read()
    log.reader.pause()
    await sendEvent('skipped', 'taken')
    // Sent when it was stored, without the WAL.
    await db.sql(
      `insert into realtime.messages (topic, extension, event, payload, private, skip_broadcast)
       values ('quiet', 'broadcast', 'stored', '{}', false, true)`,
    )
    await db.admin(`alter system set max_slot_wal_keep_size = '1MB'`)
    await db.admin('select pg_reload_conf()')
    for (let segment = 0; segment < 3; segment++) {
      await fill()
      await db.admin('select pg_switch_wal()')
    }
    await db.admin('checkpoint')
    const { rows } = await db.sql('select wal_status from pg_replication_slots')
    expect(rows).toEqual([{ wal_status: 'lost' }])
    await db.admin('alter system reset max_slot_wal_keep_size')
    await db.admin('select pg_reload_conf()')
    log.reader.resume()
    await sendEvent('received', 'taken')
    await log.received('received')
    await log.received('skipped')
    expect(log.warnings.join()).toContain('PostgreSQL invalidated it')
    expect(idsOf(log.delivered, 'taken')).toEqual(await stored('taken'))
    expect(idsOf(log.delivered, 'quiet')).toEqual([])
  })

  it('is confirmed while others write unrelated changes', async () => {
    log = await db.read()
    const before = await db.sql<{ at: string }>('select pg_current_wal_lsn() as at')
    for (let times = 0; times < 6; times++) await fill()
    await expect
      .poll(async () => {
        const { rows } = await db.sql<{ mb: number }>(
          `select ((confirmed_flush_lsn - $1::pg_lsn) / 1000000)::int as mb from pg_replication_slots where active`,
          [before.rows[0]!.at],
        )
        return rows[0]?.mb
      })
      .toBeGreaterThan(4)
  })
})

describe('slots', () => {
  it('of a killed server are dropped at the next start, own ones on close', async () => {
    const names = async (): Promise<string[]> => {
      const { rows } = await db.sql<{ name: string }>(
        'select slot_name::text as name from pg_replication_slots order by 1',
      )
      return rows.map((row) => row.name)
    }
    // A reader of an earlier test that could not drop its slot in time leaves it to the next start.
    await db.sql('select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active')
    for (const left of [
      'linnet_realtime_00000000_messages_1',
      'linnet_realtime_00000000_changes_1',
      'theirs',
    ]) {
      await db.sql(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [left])
    }
    log = await db.read()
    expect(await names()).toEqual([expect.stringMatching(/^linnet_realtime_(?!0{8})/), 'theirs'])
    await log.close()
    expect(await names()).toEqual(['theirs'])
    await db.sql(`select pg_drop_replication_slot('theirs')`)
  })
})

describe('a huge transaction', () => {
  it('of 100,000 messages, or with one of 50 MB, does not retain memory', async () => {
    let peak = 0
    log = await db.read({
      onDelivered: () => {
        if (log.delivered.length % 1_000 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers)
      },
    })
    const before = process.memoryUsage().arrayBuffers
    await db.sql(
      `insert into realtime.messages (payload, event, topic, private, extension)
       select jsonb_build_object('n', n, 'x', repeat('x', 500)), 'n', 'huge', false, 'broadcast'
       from generate_series(1, 100000) n`,
    )
    await db.sql(
      `select realtime.send(jsonb_build_object('x', repeat('x', 50000000)), 'large', 'huge', false)`,
    )
    await sendEvent('end', 'huge')
    await log.received('end')
    expect(numbers(log.delivered, 'huge')).toHaveLength(100_000)
    expectOrder(log.delivered, 'huge')
    expect(peak - before).toBeLessThan(30_000_000)
    expect(log.warnings.join()).toContain('realtime.message_too_large')
    expect(log.delivered.some((one) => one.event === 'large')).toBe(false)
  })
})

it('publishes a message once other sessions see its transaction, and later commits after it', async () => {
  const seen: Promise<unknown>[] = []
  const countRows = async (): Promise<unknown> =>
    (await db.sql(`select count(*)::int from public.filler where x = 'early'`)).rows[0]
  log = await db.read({ onDelivered: () => seen.push(countRows()) })
  // A commit that waits for a replica is in the log, but not visible yet; without one the same lasts for microseconds.
  await db.admin(`alter system set synchronous_standby_names = 'missing'`)
  await db.admin('select pg_reload_conf()')
  const sessions = [await db.session(), await db.session(), await db.session()]
  for (const session of sessions) {
    await expect
      .poll(async () => (await session.query(`show synchronous_standby_names`)).rows[0])
      .toEqual({ synchronous_standby_names: 'missing' })
  }
  const [waiting, other, probe] = sessions as [
    (typeof sessions)[0],
    (typeof sessions)[0],
    (typeof sessions)[0],
  ]
  const countWaiting = async (): Promise<number> =>
    (await db.sql(`select from pg_stat_activity where wait_event = 'SyncRep'`)).rows.length
  // Commits do not wait before PostgreSQL's checkpointer has the setting too, which no view shows.
  let probing: Promise<unknown> | null = null
  await expect
    .poll(async () => {
      probing ??= probe.query(`insert into public.filler values ('probe')`).then(() => {
        probing = null
      })
      return countWaiting()
    })
    .toBe(1)
  await waiting.query('begin')
  await waiting.query(`insert into public.filler values ('early')`)
  await waiting.query(`select realtime.send('{}', 'early', 'room', false)`)
  const committed = Promise.all([waiting.query('commit'), probing])
  await expect.poll(countWaiting).toBe(2)
  await other.query('set synchronous_commit = local')
  await other.query(`select realtime.send('{}', 'late', 'room', false)`)
  const { rows } = await db.sql<{ at: string }>('select pg_current_wal_flush_lsn() as at')
  await expect
    .poll(
      async () =>
        (await db.sql(`select sent_lsn >= $1 as sent from pg_stat_replication`, [rows[0]!.at])).rows,
    )
    .toEqual([{ sent: true }])
  expect(log.delivered).toEqual([])
  await db.admin('alter system reset synchronous_standby_names')
  await db.admin('select pg_reload_conf()')
  await committed
  await log.received('late')
  expect(log.delivered.map(({ event }) => event)).toEqual(['early', 'late'])
  expect(await Promise.all(seen)).toEqual([{ count: 1 }, { count: 1 }])
})
