import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCrashingPostgres, type CrashingPostgres, type ReadLog, type Told } from './readLog.ts'

let db: CrashingPostgres
let log: ReadLog

beforeAll(async () => {
  db = await startCrashingPostgres()
  await db.sql('create table public.counter (n int not null)')
  await db.sql('insert into public.counter values (0)')
  await db.sql('create table public.filler (x text)')
})
afterAll(() => db.close())
afterEach(() => log.close())

const say = (event: string, topic = 'room'): Promise<unknown> =>
  db.sql(`select realtime.send('{}', $1, $2, false)`, [event, topic])

/** Ids of all messages of a topic in the table. */
const stored = async (topic: string): Promise<string[]> => {
  const { rows } = await db.sql<{ id: string }>(
    'select id::text from realtime.messages where topic = $1 order by 1',
    [topic],
  )
  return rows.map((row) => row.id)
}
const idsOf = (told: Told[], topic: string): string[] =>
  told
    .filter((one) => one.topic === topic)
    .map((one) => one.id)
    .toSorted()

/** Eight who say numbers, counted under a lock, so that the numbers are the order of commits. */
const writers = (topic: string, each: number): Promise<void[]> => {
  const speak = (): Promise<boolean> =>
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
    for (let said = 0; said < each; said++) while (!(await speak()));
  }
  return Promise.all(Array.from({ length: 8 }, write))
}

const numbers = (told: Told[], topic: string): number[] =>
  told.filter((one) => one.topic === topic && one.event === 'n').map((one) => one.payload!.n!)

/** Each number three times, and none before a lower one. */
const expectOrder = (told: Told[], topic: string): void => {
  const heard = numbers(told, topic)
  expect(heard).toEqual(heard.toSorted((a, b) => a - b))
}

describe('a break', () => {
  it.each([
    ['kill -9 of PostgreSQL', () => db.crash()],
    ['a restart of PostgreSQL', () => db.restart()],
    ['a cut line', () => db.cutReaders()],
  ])('%s among eight writers: all is told once, in the order of commits', async (name, strike) => {
    let striking: Promise<void> | null = null
    log = await db.read({
      onTold: () => {
        if (log.told.length === 60) striking = strike()
      },
    })
    await writers(name, 20)
    await striking
    await say('end', name)
    await log.heard('end')
    expect(striking).not.toBeNull()
    expect(log.warnings.join()).toContain('interrupted')
    expect(log.told.length).toBeGreaterThanOrEqual(8 * 20 * 3)
    expect(idsOf(log.told, name)).toEqual(await stored(name))
    expectOrder(log.told, name)
    expect(log.reader.stats().gaps).toBe(0)
  })

  it('in the midst of a transaction: its rest is told, its beginning not again', async () => {
    let cut: Promise<void> | null = null
    log = await db.read({
      onTold: () => {
        if (log.told.length !== 1_000) return
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
    await say('end', 'long')
    await log.heard('end')
    await cut
    expect(log.warnings.join()).toContain('interrupted')
    expect(numbers(log.told, 'long')).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1))
  })

  it('while transactions are open: they are told when they commit, however old their time is', async () => {
    log = await db.read()
    const [early, late] = [await db.session(), await db.session()]
    const speak = `select realtime.send('{}', $1, 'open', false)`
    await early.query('begin')
    await early.query(speak, ['early'])
    await late.query('begin')
    await late.query(speak, ['late'])
    await say('between', 'open')
    await log.heard('between')
    log.reader.pause()
    await db.cutReaders()
    await late.query('commit')
    log.reader.resume()
    await log.heard('late')
    await early.query('commit')
    await log.heard('early')
    expect(log.told.map((one) => one.event)).toEqual(['between', 'late', 'early'])
  })
})

describe('a log that piles up', () => {
  const fill = (): Promise<unknown> =>
    db.sql(`insert into public.filler select repeat(md5(n::text), 30) from generate_series(1, 5000) n`)
  const slots = async (): Promise<number> => (await db.sql('select from pg_replication_slots')).rows.length

  it('is given up beyond the cap, with a word; the gap is told from the table, once and in order', async () => {
    log = await db.read({ mostBehindBytes: 2_000_000 })
    await say('before', 'gap')
    await log.heard('before')
    const open = await db.session()
    await open.query('begin')
    await open.query(`select realtime.send('{}', 'open', 'gap', false)`)
    log.reader.pause()
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
    await say('after', 'gap')
    // Though no slot can be made before the open transaction ends.
    await log.heard('after')
    expect(log.reader.ready()).toBe(false)
    await open.query('commit')
    await log.heard('open')
    await log.reader.whenReady()
    await say('end', 'gap')
    await log.heard('end')
    expect(idsOf(log.told, 'gap')).toEqual(await stored('gap'))
    expectOrder(log.told, 'gap')
    expect(log.lost()).toBe(0)
  })

  it('is given up by PostgreSQL before us: the same', async () => {
    log = await db.read()
    log.reader.pause()
    await say('unheard', 'taken')
    // Told when it was stored, past the log.
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
    await say('heard', 'taken')
    await log.heard('heard')
    await log.heard('unheard')
    expect(log.warnings.join()).toContain('PostgreSQL invalidated it')
    expect(idsOf(log.told, 'taken')).toEqual(await stored('taken'))
    expect(idsOf(log.told, 'quiet')).toEqual([])
  })

  it('shrinks while others write what is none of ours', async () => {
    log = await db.read()
    const before = await db.sql<{ at: string }>('select pg_current_wal_lsn() as at')
    for (let times = 0; times < 6; times++) await fill()
    await expect
      .poll(async () => {
        const { rows } = await db.sql<{ mb: number }>(
          `select ((confirmed_flush_lsn - $1::pg_lsn) / 1000000)::int as mb from pg_replication_slots`,
          [before.rows[0]!.at],
        )
        return rows[0]!.mb
      })
      .toBeGreaterThan(4)
  })
})

describe('slots', () => {
  it('of a server that was killed go at the next start, ours when we close', async () => {
    const names = async (): Promise<string[]> => {
      const { rows } = await db.sql<{ name: string }>(
        'select slot_name::text as name from pg_replication_slots order by 1',
      )
      return rows.map((row) => row.name)
    }
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
  it('of 100,000 messages, or with one of 50 MB, takes no memory for long', async () => {
    let peak = 0
    log = await db.read({
      onTold: () => {
        if (log.told.length % 1_000 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers)
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
    await say('end', 'huge')
    await log.heard('end')
    expect(numbers(log.told, 'huge')).toHaveLength(100_000)
    expectOrder(log.told, 'huge')
    expect(peak - before).toBeLessThan(30_000_000)
    expect(log.warnings.join()).toContain('realtime message too large')
    expect(log.told.some((one) => one.event === 'large')).toBe(false)
  })
})
