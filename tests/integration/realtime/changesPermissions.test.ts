import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { changeOn, changesOf, joinRaw, type WireChange } from './changesClient.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'
import type { RawSocket } from './rawSocket.ts'

let realtime: TestRealtime
let bea: Person
let omar: Person
const diariesEntry = { event: '*', schema: 'public', table: 'diaries' }
/** When a change of this table, which everybody may receive, arrives, no earlier change can arrive anymore. */
const marks = { event: 'INSERT', schema: 'public', table: 'marks' }

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  omar = await realtime.person()
  await realtime.sql(`
    create table public.marks (id int primary key generated always as identity);
    create sequence public.looks;
    create function public.count_look() returns boolean language plpgsql volatile security definer
      as $$ begin perform nextval('public.looks'); return true; end $$;
    create table public.diaries (
      id int primary key generated always as identity, owner uuid not null, body text, secret text default 'hush'
    );
    alter table public.diaries enable row level security;
    create policy "one's own" on public.diaries for select to authenticated
      using (owner = (select auth.uid()) and public.count_look());
    grant select on public.marks to anon, authenticated, service_role;
    grant select on public.diaries to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.marks, public.diaries;
  `)
})
beforeEach(() => realtime.sql('alter table diaries replica identity default'))
afterAll(() => realtime.close())

async function write(person: Person, body: string): Promise<number> {
  const { rows } = await realtime.sql<{ id: number }>(
    'insert into diaries (owner, body) values ($1, $2) returning id',
    [person.id, body],
  )
  return rows[0]!.id
}

/** The changes that each of them has received by now, without those of `marks`. */
async function receivedBy(...raws: RawSocket[]): Promise<WireChange[][]> {
  const { rows } = await realtime.sql<{ id: number }>('insert into marks default values returning id')
  await Promise.all(
    raws.map((raw) => changeOn(raw, (data) => data.record?.['id'] === rows[0]!.id && data.table === 'marks')),
  )
  return raws.map((raw) => changesOf(raw).flatMap(({ data }) => (data.table === 'marks' ? [] : [data])))
}

async function join(
  person: Person | null,
  entry: Record<string, unknown> = diariesEntry,
): Promise<RawSocket> {
  const { raw, system } = await joinRaw(realtime, [entry, marks], { token: person?.token ?? '' })
  expect(system).toMatchObject({ status: 'ok' })
  return raw
}

const checks = async (): Promise<number> =>
  Number((await realtime.sql<{ n: string }>('select nextval($1) - 1 as n', ['public.looks'])).rows[0]!.n)

describe('row security', () => {
  it('sends each caller only visible rows', async () => {
    const sockets = [await join(bea), await join(omar), await join(null)]
    const id = await write(bea, 'mine')
    await realtime.sql('update diaries set body = $1 where id = $2', ['still mine', id])
    const [toBea, toOmar, toAnon] = await receivedBy(...sockets)
    expect(toBea).toMatchObject([
      { type: 'INSERT', record: { id, body: 'mine', secret: 'hush' }, errors: null },
      { type: 'UPDATE', record: { id, body: 'still mine' }, old_record: { id } },
    ])
    expect([toOmar, toAnon]).toEqual([[], []])
    for (const raw of sockets) raw.socket.close()
  })

  it('uses the visibility of the new row', async () => {
    const [one, other] = [await join(bea), await join(omar)]
    const id = await write(bea, 'given')
    await realtime.sql('update diaries set owner = $1 where id = $2', [omar.id, id])
    const [toBea, toOmar] = await receivedBy(one, other)
    expect(toBea!.map(({ type }) => type)).not.toContain('UPDATE')
    expect(toOmar).toContainEqual(expect.objectContaining({ type: 'UPDATE', errors: null }))
    one.socket.close()
    other.socket.close()
  })

  it('sends deletes to all, with the key only, even with replica identity FULL', async () => {
    await realtime.sql('alter table diaries replica identity full')
    const sockets = [await join(bea), await join(omar)]
    const id = await write(bea, 'gone')
    await realtime.sql('delete from diaries where id = $1', [id])
    for (const changes of await receivedBy(...sockets)) {
      expect(changes.filter(({ type }) => type === 'DELETE')).toMatchObject([{ old_record: { id } }])
      expect(changes.find(({ type }) => type === 'DELETE')!.old_record).toEqual({ id })
    }
    for (const raw of sockets) raw.socket.close()
  })

  it('checks once for all callers with the same claims', async () => {
    const [one, same] = [await join(bea), await join(bea)]
    const before = await checks()
    const id = await write(bea, 'shared')
    expect(
      (await receivedBy(one, same)).map((changes) => changes.map(({ record }) => record?.['id'])),
    ).toEqual([[id], [id]])
    expect((await checks()) - before).toBe(2)
    same.socket.close()

    // Another token is another caller.
    const other = await join({ ...bea, token: await realtime.tokenOf(bea, { expiresIn: 60 }) })
    const then = await checks()
    await write(bea, 'apart')
    await receivedBy(one, other)
    expect((await checks()) - then).toBe(3)
    one.socket.close()
    other.socket.close()
  })

  it('checks nothing without subscriptions', async () => {
    const raw = await join(bea, { ...diariesEntry, filter: 'body=eq.other' })
    const before = await checks()
    await write(bea, 'unmatched')
    expect(await receivedBy(raw)).toEqual([[]])
    expect((await checks()) - before).toBe(1)
    raw.socket.close()
  })

  it('sends all rows to the service role', async () => {
    const raw = await join({ ...bea, token: await realtime.tokenOf(bea, { role: 'service_role' }) })
    const id = await write(omar, 'his')
    expect((await receivedBy(raw))[0]).toMatchObject([{ type: 'INSERT', record: { id } }])
    raw.socket.close()
  })

  it('a policy with an error denies its rows, and no others', async () => {
    await realtime.sql(`
      create policy "fails for Omar" on diaries for select to authenticated
        using ((select auth.uid()) = '${omar.id}' and 1 / (id - id) > 0)`)
    const sockets = [await join(omar), await join(bea)]
    await write(bea, 'calm')
    const [toOmar, toBea] = await receivedBy(...sockets)
    await realtime.sql('drop policy "fails for Omar" on diaries')
    expect(toOmar).toEqual([])
    expect(toBea).toMatchObject([{ record: { body: 'calm' } }])
    for (const raw of sockets) raw.socket.close()
  })
})

describe('slow checks', () => {
  it('a policy that sleeps denies its rows, and does not delay other tables for long', async () => {
    await realtime.sql(`
      create table public.slow (id int primary key);
      alter table public.slow enable row level security;
      create policy "sleeps" on public.slow for select using (pg_sleep(60) is null);
      grant select on public.slow to anon, authenticated;
      alter publication supabase_realtime add table public.slow`)
    const sockets = [
      await join(bea, { ...diariesEntry, table: 'slow' }),
      await join(omar, { ...diariesEntry, table: 'slow' }),
      await join(null, { ...diariesEntry, table: 'slow' }),
    ]
    await realtime.sql('insert into slow values (1)')
    expect(await receivedBy(...sockets)).toEqual([[], [], []])
    for (const raw of sockets) raw.socket.close()
  })

  it('a slow pattern is reported, and others continue', async () => {
    await realtime.sql(`
      create table public.texts (id int primary key, body text);
      grant select on public.texts to anon, authenticated;
      alter publication supabase_realtime add table public.texts`)
    const texts = { ...diariesEntry, table: 'texts' }
    // No text of digits repeats itself so, which is found out by trying all ways to cut it.
    const pattern = '^(.+)(.+)(.+)\\1\\2\\3$'
    const slow = await join(bea, { ...texts, filter: `body=match.${pattern}` })
    const quick = await join(bea, { ...texts, filter: 'body=match.^1' })
    await realtime.sql(
      `insert into texts values (1, '1' || (select string_agg(md5(n::text), '') from generate_series(1, 60) n))`,
    )
    const { payload } = (await slow.find(
      (frame) =>
        (frame as JsonFrame).event === 'system' &&
        (frame as JsonFrame & { payload: { status: string } }).payload.status === 'error',
    )) as JsonFrame
    expect(payload).toMatchObject({
      extension: 'postgres_changes',
      message: expect.stringMatching(/^A filter could not be applied: /),
    })
    expect(await receivedBy(quick)).toMatchObject([[{ record: { id: 1 } }]])
    for (const one of [slow, quick]) one.socket.close()
  })
})

describe('columns', () => {
  it('that the role may not read are omitted, and cannot be used in filters', async () => {
    await realtime.sql(`
      create table public.staff (id int primary key, name text, pay int);
      alter table public.staff replica identity full;
      grant select (id, name) on public.staff to authenticated;
      alter publication supabase_realtime add table public.staff`)
    const staff = { event: '*', schema: 'public', table: 'staff' }
    const raw = await join(bea, staff)
    await realtime.sql(`insert into staff values (1, 'Ann', 9); update staff set pay = 10; delete from staff`)
    const columns = [
      { name: 'id', type: 'int4' },
      { name: 'name', type: 'text' },
    ]
    const person = { id: 1, name: 'Ann' }
    expect((await receivedBy(raw))[0]).toMatchObject([
      { type: 'INSERT', columns, record: person },
      { type: 'UPDATE', columns, record: person, old_record: person },
      { type: 'DELETE', columns, old_record: person },
    ])
    expect(JSON.stringify(changesOf(raw))).not.toContain('pay')
    raw.socket.close()
    for (const entry of [{ filter: 'pay=gt.5' }, { select: ['pay'] }]) {
      const { raw: refused, system } = await joinRaw(realtime, [{ ...staff, ...entry }], { token: bea.token })
      expect(system).toMatchObject({
        status: 'error',
        message: expect.stringMatching(/invalid column for .* pay$/),
      })
      refused.socket.close()
    }
  })

  it('count from the moment they are granted or revoked', async () => {
    await realtime.sql(`
      create table public.boards (id int primary key, body text);
      grant select on public.boards to authenticated;
      alter publication supabase_realtime add table public.boards`)
    const boards = { event: '*', schema: 'public', table: 'boards' }
    const [raw, filtering] = [await join(bea, boards), await join(bea, { ...boards, filter: 'body=neq.x' })]
    await realtime.sql(
      `revoke select on boards from authenticated; grant select (id) on boards to authenticated`,
    )
    await realtime.sql(`insert into boards values (1, 'a')`)
    // Rights are checked when a change is sent, which may be after the next statement.
    await receivedBy(raw, filtering)
    await realtime.sql(`grant select (body) on boards to authenticated`)
    await realtime.sql(`insert into boards values (2, 'b')`)
    const [changes, filtered] = await receivedBy(raw, filtering)
    expect(changes!.map(({ record }) => record)).toEqual([{ id: 1 }, { id: 2, body: 'b' }])
    expect(filtered!.map(({ record }) => record)).toEqual([{ id: 2, body: 'b' }])
    raw.socket.close()
    filtering.socket.close()
  })

  it('of the key: a caller that may not read them gets an error, as without a key', async () => {
    await realtime.sql(`
      create table public.sealed (id int primary key, body text);
      create table public.keyless (id int, body text);
      grant select (body) on public.sealed to authenticated;
      grant select on public.keyless to authenticated;
      alter publication supabase_realtime add table public.sealed, public.keyless`)
    const [sealed, keyless] = [
      await join(bea, { ...diariesEntry, table: 'sealed' }),
      await join(bea, { ...diariesEntry, table: 'keyless' }),
    ]
    await realtime.sql(`insert into sealed values (1, 'a'); insert into keyless values (1, 'a')`)
    const refused = { schema: 'public', type: 'INSERT', columns: [], record: {}, commit_timestamp: null }
    expect(await receivedBy(sealed, keyless)).toEqual([
      [{ ...refused, table: 'sealed', errors: ['Error 401: Unauthorized'] }],
      [{ ...refused, table: 'keyless', errors: ['Error 400: Bad Request, no primary key'] }],
    ])
    sealed.socket.close()
    keyless.socket.close()
  })
})

describe('revoked permissions', () => {
  it('a new token determines visibility from then on', async () => {
    const raw = await join(bea)
    const before = raw.frames.length
    raw.send({ topic: 'realtime:changes', event: 'access_token', payload: { access_token: omar.token } })
    await raw.find((frame) => raw.frames.indexOf(frame) >= before && (frame as JsonFrame).event === 'system')
    await write(bea, 'hers')
    await write(omar, 'his')
    expect((await receivedBy(raw))[0]!.map(({ record }) => record?.['body'])).toEqual(['his'])
    raw.socket.close()
  })

  it('an invalid role is refused', async () => {
    const token = await realtime.tokenOf(bea, { role: 'missing_role' })
    const { raw, system } = await joinRaw(realtime, [diariesEntry], { token })
    expect(system).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/role "missing_role" does not exist$/),
    })
    raw.socket.close()
  })

  it('after its session has ended a token receives changes, except of tables whose policies require a session', async () => {
    await realtime.sql(`
      create table public.logbook (id bigint generated always as identity primary key, owner uuid, body text);
      alter table public.logbook enable row level security;
      create policy "owners read while their session lives" on public.logbook for select to authenticated
        using (owner = (select auth.uid()) and (select app.session_lives()));
      grant select on public.logbook to authenticated;
      alter publication supabase_realtime add table public.logbook`)
    const guest = await realtime.person()
    const [own, guarded] = [await join(guest), await join(guest, { ...diariesEntry, table: 'logbook' })]
    await realtime.sql(`insert into logbook (owner, body) values ('${guest.id}', 'in time')`)
    await receivedBy(guarded)
    await realtime.sql(`
      delete from auth.sessions where id = '${guest.sessionId}';
      insert into logbook (owner, body) values ('${guest.id}', 'with its end');
      insert into diaries (owner, body) values ('${guest.id}', 'after it')`)
    const bodies = (await receivedBy(own, guarded)).map((changes) =>
      changes.map(({ record }) => record?.['body']),
    )
    expect(bodies).toEqual([['after it'], ['in time']])
    own.socket.close()
    guarded.socket.close()
  })
})
