import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerFrame } from '../../../wire/realtime.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
})
afterAll(() => realtime.close())

const room = async (): Promise<string> => {
  const name = `room ${crypto.randomUUID()}`
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', [name, bea.id])
  return name
}

const broadcastsOf = (raw: RawSocket): NonNullable<ServerFrame['broadcast']>[] =>
  raw.frames.flatMap((frame) => (frame.broadcast ? [frame.broadcast] : []))

/** What a member who joins the room is replayed: events in order. */
const replayed = async (name: string, replay: object): Promise<string[]> => {
  const raw = await rawSocket(realtime)
  const response = await raw.join(`realtime:${name}`, {
    config: { private: true, broadcast: { replay } },
    access_token: bea.token,
  })
  expect(response.status).toBe('ok')
  await raw.sendHeartbeat()
  raw.socket.close()
  const broadcasts = broadcastsOf(raw)
  for (const { meta } of broadcasts) expect(meta).toEqual({ replayed: true, id: expect.any(String) })
  return broadcasts.map(({ event }) => event)
}

describe('replay', () => {
  const hourAgo = (): number => Date.now() - 3_600_000
  const names = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`)

  it('sends at most the newest 25, in the order of insertion, also of one transaction', async () => {
    const name = await room()
    await realtime.sql(`select realtime.send('{}', n::text, $1, true) from generate_series(1, 40) n`, [name])
    expect(await replayed(name, { since: hourAgo() })).toEqual(names(16, 40))
    expect(await replayed(name, { since: hourAgo(), limit: 1_000 })).toEqual(names(16, 40))
    expect(await replayed(name, { since: hourAgo(), limit: 3 })).toEqual(names(38, 40))
    expect(await replayed(name, { since: hourAgo(), limit: 0 })).toEqual(['40'])
    expect(await replayed(name, { since: Date.now() + 60_000 })).toEqual([])
  })

  it('contains no public messages, other topics, or messages without payload', async () => {
    const name = await room()
    await realtime.sql(
      `select realtime.send('{}', 'public', $1, false), realtime.send('{}', 'other', $1 || '2', true),
              realtime.send(null, 'empty', $1, true), realtime.send('{}', null, $1, true),
              realtime.send_binary('\\x01', 'bytes', $1, true)`,
      [name],
    )
    expect(await replayed(name, { since: hourAgo() })).toEqual(['bytes'])
    const raw = await rawSocket(realtime)
    const response = await raw.join(`realtime:${name}`, {
      config: { private: false, broadcast: { replay: { since: hourAgo() } } },
    })
    expect(response).toEqual({
      status: 'error',
      response: { reason: 'UnableToReplayMessages: Replay is not allowed for public channels' },
    })
    raw.socket.close()
  })

  it.each([
    ['a time that is a word', { since: 'yesterday' }],
    ['no time', { limit: 3 }],
    ['a limit that is a fraction', { since: 0, limit: 1.5 }],
    ['a time beyond all time', { since: Number.MAX_SAFE_INTEGER }],
  ])('is refused with %s', async (_, replay) => {
    const raw = await rawSocket(realtime)
    const response = await raw.join(`realtime:${await room()}`, {
      config: { private: true, broadcast: { replay } },
      access_token: bea.token,
    })
    expect(response).toEqual({
      status: 'error',
      response: { reason: 'UnableToReplayMessages: Replay params are not valid' },
    })
    raw.socket.close()
  })

  it('sends the current content of a stored message, and no change is published', async () => {
    const name = await room()
    const raw = await rawSocket(realtime)
    await raw.join(`realtime:${name}`, { config: { private: true }, access_token: bea.token })
    await realtime.sql(
      `select realtime.send('{"words": "hush"}', event, $1, true)
       from unnest('{kept,changed,emptied,deleted}'::text[]) event`,
      [name],
    )
    const change = (text: string): Promise<unknown> =>
      realtime.sql(
        `${text} and topic = $1 and inserted_at > (now() at time zone 'UTC') - interval '1 hour'`,
        [name],
      )
    await change(`update realtime.messages set event = 'rev', payload = '{}' where event = 'changed'`)
    await change(`update realtime.messages set payload = null where event = 'emptied'`)
    await change(`delete from realtime.messages where event = 'deleted'`)
    await realtime.sql(`select realtime.send('{}', 'end', $1, true)`, [name])
    await raw.find((frame) => frame.broadcast?.event === 'end')
    expect(broadcastsOf(raw).map(({ event }) => event)).toEqual([
      'kept',
      'changed',
      'emptied',
      'deleted',
      'end',
    ])
    expect(await replayed(name, { since: hourAgo() })).toEqual(['kept', 'rev', 'end'])
    raw.socket.close()
  })

  it('uses its index', async () => {
    const { rows } = await realtime.serviceSql<{ 'QUERY PLAN': string }>(
      `explain select from realtime.messages
       where topic = 't' and private is true and extension = 'broadcast' and inserted_at >= now() at time zone 'UTC'
       order by inserted_at desc limit 25`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index')
  })
})

describe('partitions', () => {
  const list = `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass order by 1`
  /** The day (UTC) of these tests, also when midnight passes meanwhile. */
  const today = new Date().toISOString().slice(0, 10)
  const day = (ahead: number): string =>
    new Date(Date.parse(today) + ahead * 86_400_000).toISOString().slice(0, 10)
  const nameOf = (ahead: number): string => `messages_${day(ahead).replaceAll('-', '_')}`
  /** The names of a list, without those that only maintenance on the day before or after creates. */
  const namesOf = (rows: { name: string }[]): string[] =>
    rows.map(({ name }) => name).filter((name) => name !== nameOf(-2) && name !== nameOf(4))
  const createSql = (ahead: number): string =>
    `create table realtime.${nameOf(ahead)} partition of realtime.messages
     for values from ('${day(ahead)}') to ('${day(ahead + 1)}');`
  const maintainSql = `select realtime.maintain_partitions('${today}');`
  const maintain = (): Promise<unknown> => realtime.serviceSql(maintainSql)
  const partitions = async (): Promise<string[]> => namesOf((await realtime.sql<{ name: string }>(list)).rows)
  /** Runs statements in one transaction, whose changes maintenance by the service does not see; returns the partitions. */
  const partitionsAfter = async (statements: string): Promise<string[]> => {
    const results = await realtime.serviceSql<{ name: string }>(`${statements} ${list}`)
    return namesOf((results as unknown as (typeof results)[]).at(-1)!.rows)
  }

  it('that are missing are created by the next maintenance, and sending continues', async () => {
    const name = await room()
    const raw = await rawSocket(realtime)
    await raw.join(`realtime:${name}`, { config: { private: true }, access_token: bea.token })
    await realtime.serviceSql(`drop table realtime.${nameOf(0)}, realtime.${nameOf(1)}`)
    await realtime.sql(`select realtime.send('{}', 'missed', $1, true)`, [name])
    await maintain()
    await realtime.sql(`select realtime.send('{}', 'received', $1, true)`, [name])
    await raw.find((frame) => frame.broadcast?.event === 'received')
    expect(broadcastsOf(raw)).toHaveLength(1)
    expect(await partitions()).toEqual([-1, 0, 1, 2, 3].map(nameOf))
    expect(await replayed(name, { since: 0 })).toEqual(['received'])
    raw.socket.close()
  })

  it('of maintenance equal those of the start: owner, indexes, row security', async () => {
    await realtime.serviceSql(`drop table realtime.${nameOf(3)}`)
    await maintain()
    const { rows } = await realtime.sql(
      `select relowner::regrole::text as owner, relrowsecurity as rls,
              (select count(*)::int - (select count(*) from pg_index where indrelid = 'realtime.messages'::regclass)::int
               from pg_index where indrelid = c.oid and indisvalid) as "more indexes",
              (select count(*)::int from pg_publication_tables where tablename = relname) as published
       from pg_class c where relname in ('${nameOf(3)}', '${nameOf(2)}')`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual(rows[1])
    expect(rows[0]).toEqual({ owner: 'supabase_realtime_admin', rls: true, 'more indexes': 0, published: 1 })
  })

  it('of three days ago are kept, older ones dropped, after any number of days', async () => {
    const created = [-3, -4, -9].map(createSql).join('')
    expect(await partitionsAfter(created + maintainSql)).toEqual([-3, -1, 0, 1, 2, 3].map(nameOf))
    await realtime.serviceSql(`drop table if exists realtime.${nameOf(-3)}`)
  })

  it('that a wrong clock has created ahead are dropped, unless they contain messages', async () => {
    const created = `${createSql(40)} ${createSql(41)}
      insert into realtime.messages (topic, extension, inserted_at) values ('t', 'broadcast', '${day(41)}');`
    expect(await partitionsAfter(created + maintainSql)).toEqual([-1, 0, 1, 2, 3, 41].map(nameOf))
    await realtime.serviceSql(`drop table realtime.${nameOf(41)}`)
  })

  it('that are too old are dropped once, and missing ones created once, by concurrent calls', async () => {
    await realtime.serviceSql(`${createSql(-2000)} drop table realtime.${nameOf(3)}`)
    await Promise.all([maintain(), maintain(), maintain()])
    expect(await partitions()).toEqual([-1, 0, 1, 2, 3].map(nameOf))
  })

  it('are created despite an open transaction with messages, and dropped after it', async () => {
    await realtime.serviceSql(`drop table realtime.${nameOf(3)}`)
    await realtime.serviceSql(createSql(-5))
    await realtime.connections(1).transaction(async (client) => {
      await client.query(`select realtime.send('{}', 'e', 't', true)`)
      await maintain()
      expect(await partitions()).toEqual([nameOf(-5), ...[-1, 0, 1, 2, 3].map(nameOf)])
    })
    await maintain()
    expect(await partitions()).toEqual([-1, 0, 1, 2, 3].map(nameOf))
  })
})
