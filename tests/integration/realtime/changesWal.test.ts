import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { changeOn, changesOf, joinRaw } from './changesClient.ts'
import type { RawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
const all = { event: '*', schema: 'public' }

beforeAll(async () => {
  realtime = await startRealtime()
})
beforeEach(() =>
  realtime.sql(`
    drop table if exists public.early, public.late, public.renamed cascade;
    create table public.early (id int primary key generated always as identity, body text);
    grant select on public.early to anon;
    alter publication supabase_realtime add table public.early`),
)
afterAll(() => realtime.close())

async function slots(): Promise<string[]> {
  const { rows } = await realtime.sql<{ name: string }>(
    `select slot_name as name from pg_replication_slots where slot_name like '%changes%'`,
  )
  return rows.map(({ name }) => name)
}

/** Waits for what PostgreSQL shows. */
async function until(fits: () => Promise<boolean>): Promise<void> {
  while (!(await fits())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** After it nothing of what was committed before is on its way any more. */
async function mark(raw: RawSocket, table = 'early'): Promise<void> {
  const { rows } = await realtime.sql<{ id: number }>(
    `insert into ${table} (body) values ('mark') returning id`,
  )
  await changeOn(raw, (data) => data.table === table && data.record?.['id'] === rows[0]!.id)
}

const bodies = (raw: RawSocket): unknown[] =>
  changesOf(raw).flatMap(({ data }) => (data.record?.['body'] === 'mark' ? [] : [data.record?.['body']]))

describe('the publication', () => {
  it('is empty at first, and owned by the role of migrations', async () => {
    const { rows } = await realtime.sql(`
      select pubowner::regrole::text as owner, puballtables, pubinsert, pubupdate, pubdelete,
        (select count(*)::int from pg_publication_tables where pubname = 'supabase_realtime'
          and tablename <> 'early') as tables
      from pg_publication where pubname = 'supabase_realtime'`)
    expect(rows).toEqual([
      {
        owner: 'postgres',
        puballtables: false,
        pubinsert: true,
        pubupdate: true,
        pubdelete: true,
        tables: 0,
      },
    ])
  })

  it('is read only while there are subscriptions', async () => {
    await until(async () => (await slots()).length === 0)
    const { raw } = await joinRaw(realtime, [all])
    expect(await slots()).toHaveLength(1)
    raw.socket.close()
    await until(async () => (await slots()).length === 0)
    const again = await joinRaw(realtime, [all])
    await mark(again.raw)
    again.raw.socket.close()
  })

  it('an added table is sent, after filters are checked, and a removed one is not', async () => {
    const { raw } = await joinRaw(realtime, [all, { ...all, table: '*', filter: 'body=eq.wanted' }])
    await realtime.sql(`
      create table public.late (id int primary key generated always as identity, body text);
      grant select on public.late to anon;
      alter publication supabase_realtime add table public.late`)
    await realtime.sql(`insert into late (body) values ('added'), ('wanted')`)
    await mark(raw, 'late')
    await realtime.sql('alter publication supabase_realtime drop table public.late')
    await realtime.sql(`insert into late (body) values ('dropped')`)
    await mark(raw)
    const received = changesOf(raw).filter(({ data }) => data.record?.['body'] !== 'mark')
    expect(received.map(({ ids, data }) => [data.record?.['body'], ids])).toEqual([
      ['added', [1]],
      ['wanted', [1, 2]],
    ])
    raw.socket.close()
  })

  it('a table that is created again under its name is sent', async () => {
    const { raw } = await joinRaw(realtime, [
      { ...all, table: 'early', filter: 'body=neq.mark' },
      { ...all, table: 'early' },
    ])
    await mark(raw)
    await realtime.sql(`
      drop table public.early;
      create table public.early (id int primary key generated always as identity, body varchar);
      grant select on public.early to anon;
      alter publication supabase_realtime add table public.early`)
    await realtime.sql(`insert into early (body) values ('anew')`)
    await mark(raw)
    expect(
      changesOf(raw).flatMap(({ ids, data }) => (data.record?.['body'] === 'anew' ? [ids] : [])),
    ).toEqual([[1, 2]])
    raw.socket.close()
  })

  it('a renamed table is sent under its new name', async () => {
    const { raw } = await joinRaw(realtime, [{ ...all, table: 'early' }])
    const wide = await joinRaw(realtime, [all])
    await realtime.sql('alter table early rename to renamed')
    await realtime.sql(`insert into renamed (body) values ('moved')`)
    const { data } = await changeOn(wide.raw, () => true)
    expect(data).toMatchObject({ table: 'renamed', record: { body: 'moved' } })
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'after' })
    await raw.reply('after')
    expect(changesOf(raw)).toEqual([])
    raw.socket.close()
    wide.raw.socket.close()
  })

  it('added, renamed and changed columns are sent as they are now', async () => {
    const { raw } = await joinRaw(realtime, [all, { ...all, table: 'early', filter: 'body=eq.7' }])
    await mark(raw)
    await realtime.sql(
      `alter table early add column extra int default 5; alter table early alter column body type int using 7`,
    )
    await realtime.sql(`insert into early (body) values (7)`)
    const { data, ids } = await changeOn(raw, ({ record }) => record?.['body'] === 7)
    expect(data).toMatchObject({
      columns: [{ name: 'id' }, { name: 'body', type: 'int4' }, { name: 'extra' }],
      record: { body: 7, extra: 5 },
    })
    expect(ids).toEqual([1, 2])
    raw.socket.close()
  })

  it('ignores TRUNCATE, and continues', async () => {
    const { raw } = await joinRaw(realtime, [all])
    await realtime.sql(`insert into early (body) values ('one'); truncate early`)
    await mark(raw)
    expect(bodies(raw)).toEqual(['one'])
    raw.socket.close()
  })
})

describe('a large transaction', () => {
  it('is sent completely and in order, with concurrent broadcasts', async () => {
    const { raw } = await joinRaw(realtime, [all])
    await realtime.sql(`
      insert into early (body) select n || ':' || repeat('x', 1000) from generate_series(1, 6000) n;
      select realtime.send('{}', 'passing', 'changes', false)`)
    await mark(raw)
    const received = bodies(raw).map((body) => Number((body as string).split(':')[0]))
    expect(received).toEqual(Array.from({ length: 6_000 }, (_, at) => at + 1))
    await raw.find((frame) => frame.broadcast !== undefined)
    raw.socket.close()
  })
})

describe('PostgreSQL is unavailable', () => {
  it('and back: changes are sent again, none is missing, none is repeated', async () => {
    const { raw } = await joinRaw(realtime, [all])
    await realtime.sql(`insert into early (body) values ('before')`)
    await mark(raw)
    await realtime.restartPostgres()
    await until(() =>
      realtime.sql('select 1').then(
        () => true,
        () => false,
      ),
    )
    await realtime.sql(`insert into early (body) values ('after')`)
    await mark(raw)
    expect(bodies(raw)).toEqual(['before', 'after'])
    raw.socket.close()
  })

  it('and new subscriptions succeed once it is back', async () => {
    const { raw } = await joinRaw(realtime, [all])
    const restarting = realtime.restartPostgres()
    raw.send({
      topic: 'realtime:meanwhile',
      event: 'phx_join',
      ref: 'meanwhile',
      payload: { config: { postgres_changes: [all] } },
    })
    await restarting
    await raw.find((frame) => frame.topic === 'realtime:meanwhile' && (frame as JsonFrame).event === 'system')
    await mark(raw)
    expect(
      raw.frames.some(
        (frame) => frame.topic === 'realtime:meanwhile' && (frame as JsonFrame).event === 'postgres_changes',
      ),
    ).toBe(true)
    raw.socket.close()
  })

  it('and has removed unread WAL: the topic gets a new subscription message', async () => {
    const { raw } = await joinRaw(realtime, [all])
    const before = raw.frames.length
    await realtime.serviceSql(`
      do $$
      begin
        loop
          perform pg_terminate_backend(active_pid) from pg_replication_slots
            where slot_name like '%changes%' and active_pid is not null;
          begin
            perform pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name like '%changes%';
            exit;
          exception when object_in_use then null;
          end;
        end loop;
      end
      $$`)
    await raw.find((frame) => raw.frames.indexOf(frame) >= before && (frame as JsonFrame).event === 'system')
    expect((raw.frames[before] as JsonFrame).payload).toMatchObject({
      status: 'ok',
      extension: 'postgres_changes',
    })
    await mark(raw)
    raw.socket.close()
  })
})
