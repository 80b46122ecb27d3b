import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { changeOn, changesOf, joinRaw, type WireChange } from './changesHome.ts'
import { startRealtimeHome, type Person, type RealtimeHome } from './realtimeHome.ts'
import type { RawSocket } from './rawSocket.ts'

let home: RealtimeHome
let bea: Person
let omar: Person
const asked = { event: '*', schema: 'public', table: 'diaries' }
/** After a change of this table, which everybody may hear, what came before it was told or never will be. */
const marks = { event: 'INSERT', schema: 'public', table: 'marks' }

beforeAll(async () => {
  home = await startRealtimeHome()
  bea = await home.person()
  omar = await home.person()
  await home.sql(`
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
beforeEach(() => home.sql('alter table diaries replica identity default'))
afterAll(() => home.close())

async function write(person: Person, body: string): Promise<number> {
  const { rows } = await home.sql<{ id: number }>(
    'insert into diaries (owner, body) values ($1, $2) returning id',
    [person.id, body],
  )
  return rows[0]!.id
}

/** What each of them was told by now, marks left out. */
async function heardBy(...raws: RawSocket[]): Promise<WireChange[][]> {
  const { rows } = await home.sql<{ id: number }>('insert into marks default values returning id')
  await Promise.all(
    raws.map((raw) => changeOn(raw, (data) => data.record?.['id'] === rows[0]!.id && data.table === 'marks')),
  )
  return raws.map((raw) => changesOf(raw).flatMap(({ data }) => (data.table === 'marks' ? [] : [data])))
}

async function join(person: Person | null, entry: Record<string, unknown> = asked): Promise<RawSocket> {
  const { raw, system } = await joinRaw(home, [entry, marks], { token: person?.token ?? '' })
  expect(system).toMatchObject({ status: 'ok' })
  return raw
}

const looks = async (): Promise<number> =>
  Number((await home.sql<{ n: string }>('select nextval($1) - 1 as n', ['public.looks'])).rows[0]!.n)

describe('row security', () => {
  it('tells each only of the rows that he sees', async () => {
    const sockets = [await join(bea), await join(omar), await join(null)]
    const id = await write(bea, 'mine')
    await home.sql('update diaries set body = $1 where id = $2', ['still mine', id])
    const [toBea, toOmar, toAnon] = await heardBy(...sockets)
    expect(toBea).toMatchObject([
      { type: 'INSERT', record: { id, body: 'mine', secret: 'hush' }, errors: null },
      { type: 'UPDATE', record: { id, body: 'still mine' }, old_record: { id } },
    ])
    expect([toOmar, toAnon]).toEqual([[], []])
    for (const raw of sockets) raw.socket.close()
  })

  it('tells who becomes able to see a row, and who no longer is, as it is now', async () => {
    const [one, other] = [await join(bea), await join(omar)]
    const id = await write(bea, 'given')
    await home.sql('update diaries set owner = $1 where id = $2', [omar.id, id])
    const [toBea, toOmar] = await heardBy(one, other)
    expect(toBea!.map(({ type }) => type)).not.toContain('UPDATE')
    expect(toOmar).toContainEqual(expect.objectContaining({ type: 'UPDATE', errors: null }))
    one.socket.close()
    other.socket.close()
  })

  it('tells everybody that a row is gone, and of it the key alone, even where rows are told whole', async () => {
    await home.sql('alter table diaries replica identity full')
    const sockets = [await join(bea), await join(omar)]
    const id = await write(bea, 'gone')
    await home.sql('delete from diaries where id = $1', [id])
    for (const told of await heardBy(...sockets)) {
      expect(told.filter(({ type }) => type === 'DELETE')).toMatchObject([{ old_record: { id } }])
      expect(told.find(({ type }) => type === 'DELETE')!.old_record).toEqual({ id })
    }
    for (const raw of sockets) raw.socket.close()
  })

  it('asks once for all who have the same claims', async () => {
    const [one, same] = [await join(bea), await join(bea)]
    const before = await looks()
    const id = await write(bea, 'shared')
    expect((await heardBy(one, same)).map((told) => told.map(({ record }) => record?.['id']))).toEqual([
      [id],
      [id],
    ])
    expect((await looks()) - before).toBe(2)
    same.socket.close()

    // Another token is another caller.
    const other = await join({ ...bea, token: await home.tokenOf(bea, { expiresIn: 60 }) })
    const then = await looks()
    await write(bea, 'apart')
    await heardBy(one, other)
    expect((await looks()) - then).toBe(3)
    one.socket.close()
    other.socket.close()
  })

  it('asks nobody where nobody asked for changes', async () => {
    const raw = await join(bea, { ...asked, filter: 'body=eq.other' })
    const before = await looks()
    await write(bea, 'unheard')
    expect(await heardBy(raw)).toEqual([[]])
    expect((await looks()) - before).toBe(1)
    raw.socket.close()
  })

  it('lets the service role see all', async () => {
    const raw = await join({ ...bea, token: await home.tokenOf(bea, { role: 'service_role' }) })
    const id = await write(omar, 'his')
    expect((await heardBy(raw))[0]).toMatchObject([{ type: 'INSERT', record: { id } }])
    raw.socket.close()
  })

  it('a policy that fails tells nothing, and takes nobody along', async () => {
    await home.sql(`
      create policy "fails for Omar" on diaries for select to authenticated
        using ((select auth.uid()) = '${omar.id}' and 1 / (id - id) > 0)`)
    const sockets = [await join(omar), await join(bea)]
    await write(bea, 'calm')
    const [toOmar, toBea] = await heardBy(...sockets)
    await home.sql('drop policy "fails for Omar" on diaries')
    expect(toOmar).toEqual([])
    expect(toBea).toMatchObject([{ record: { body: 'calm' } }])
    for (const raw of sockets) raw.socket.close()
  })
})

describe('who takes too long', () => {
  it('with a policy that sleeps hears nothing, and holds up no other table for long', async () => {
    await home.sql(`
      create table public.slow (id int primary key);
      alter table public.slow enable row level security;
      create policy "sleeps" on public.slow for select using (pg_sleep(60) is null);
      grant select on public.slow to anon, authenticated;
      alter publication supabase_realtime add table public.slow`)
    const sockets = [
      await join(bea, { ...asked, table: 'slow' }),
      await join(omar, { ...asked, table: 'slow' }),
      await join(null, { ...asked, table: 'slow' }),
    ]
    await home.sql('insert into slow values (1)')
    expect(await heardBy(...sockets)).toEqual([[], [], []])
    for (const raw of sockets) raw.socket.close()
  })

  it('with a pattern is told so, and others go on', async () => {
    await home.sql(`
      create table public.texts (id int primary key, body text);
      grant select on public.texts to anon, authenticated;
      alter publication supabase_realtime add table public.texts`)
    const texts = { ...asked, table: 'texts' }
    // No text of digits repeats itself so, which is found out by trying all ways to cut it.
    const pattern = '^(.+)(.+)(.+)\\1\\2\\3$'
    const slow = await join(bea, { ...texts, filter: `body=match.${pattern}` })
    const quick = await join(bea, { ...texts, filter: 'body=match.^1' })
    await home.sql(
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
    expect(await heardBy(quick)).toMatchObject([[{ record: { id: 1 } }]])
    for (const one of [slow, quick]) one.socket.close()
  })
})

describe('columns', () => {
  it('that the role may not read are left out, and not to be filtered by', async () => {
    await home.sql(`
      create table public.staff (id int primary key, name text, pay int);
      alter table public.staff replica identity full;
      grant select (id, name) on public.staff to authenticated;
      alter publication supabase_realtime add table public.staff`)
    const staff = { event: '*', schema: 'public', table: 'staff' }
    const raw = await join(bea, staff)
    await home.sql(`insert into staff values (1, 'Ann', 9); update staff set pay = 10; delete from staff`)
    const columns = [
      { name: 'id', type: 'int4' },
      { name: 'name', type: 'text' },
    ]
    const person = { id: 1, name: 'Ann' }
    expect((await heardBy(raw))[0]).toMatchObject([
      { type: 'INSERT', columns, record: person },
      { type: 'UPDATE', columns, record: person, old_record: person },
      { type: 'DELETE', columns, old_record: person },
    ])
    expect(JSON.stringify(changesOf(raw))).not.toContain('pay')
    raw.socket.close()
    for (const entry of [{ filter: 'pay=gt.5' }, { select: ['pay'] }]) {
      const { raw: refused, system } = await joinRaw(home, [{ ...staff, ...entry }], { token: bea.token })
      expect(system).toMatchObject({
        status: 'error',
        message: expect.stringMatching(/invalid column for .* pay$/),
      })
      refused.socket.close()
    }
  })

  it('count from the moment they are granted or revoked', async () => {
    await home.sql(`
      create table public.boards (id int primary key, body text);
      grant select on public.boards to authenticated;
      alter publication supabase_realtime add table public.boards`)
    const boards = { event: '*', schema: 'public', table: 'boards' }
    const [raw, filtering] = [await join(bea, boards), await join(bea, { ...boards, filter: 'body=neq.x' })]
    await home.sql(`revoke select on boards from authenticated; grant select (id) on boards to authenticated`)
    await home.sql(`insert into boards values (1, 'a')`)
    // Rights are checked when a change is sent, which may be after the next statement.
    await heardBy(raw, filtering)
    await home.sql(`grant select (body) on boards to authenticated`)
    await home.sql(`insert into boards values (2, 'b')`)
    const [told, filtered] = await heardBy(raw, filtering)
    expect(told!.map(({ record }) => record)).toEqual([{ id: 1 }, { id: 2, body: 'b' }])
    expect(filtered!.map(({ record }) => record)).toEqual([{ id: 2, body: 'b' }])
    raw.socket.close()
    filtering.socket.close()
  })

  it('of the key: who may not read it learns that he may not, as where there is none', async () => {
    await home.sql(`
      create table public.sealed (id int primary key, body text);
      create table public.keyless (id int, body text);
      grant select (body) on public.sealed to authenticated;
      grant select on public.keyless to authenticated;
      alter publication supabase_realtime add table public.sealed, public.keyless`)
    const [sealed, keyless] = [
      await join(bea, { ...asked, table: 'sealed' }),
      await join(bea, { ...asked, table: 'keyless' }),
    ]
    await home.sql(`insert into sealed values (1, 'a'); insert into keyless values (1, 'a')`)
    const refused = { schema: 'public', type: 'INSERT', columns: [], record: {}, commit_timestamp: null }
    expect(await heardBy(sealed, keyless)).toEqual([
      [{ ...refused, table: 'sealed', errors: ['Error 401: Unauthorized'] }],
      [{ ...refused, table: 'keyless', errors: ['Error 400: Bad Request, no primary key'] }],
    ])
    sealed.socket.close()
    keyless.socket.close()
  })
})

describe('rights that end', () => {
  it('a new token is who sees from then on', async () => {
    const raw = await join(bea)
    const before = raw.frames.length
    raw.send({ topic: 'realtime:changes', event: 'access_token', payload: { access_token: omar.token } })
    await raw.find((frame) => raw.frames.indexOf(frame) >= before && (frame as JsonFrame).event === 'system')
    await write(bea, 'hers')
    await write(omar, 'his')
    expect((await heardBy(raw))[0]!.map(({ record }) => record?.['body'])).toEqual(['his'])
    raw.socket.close()
  })

  it('a role that is none is refused', async () => {
    const token = await home.tokenOf(bea, { role: 'ghost' })
    const { raw, system } = await joinRaw(home, [asked], { token })
    expect(system).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/role "ghost" does not exist$/),
    })
    raw.socket.close()
  })

  it('after its session has ended a token receives changes, except of tables whose policies require a session', async () => {
    await home.sql(`
      create table public.logbook (id bigint generated always as identity primary key, owner uuid, body text);
      alter table public.logbook enable row level security;
      create policy "owners read while their session lives" on public.logbook for select to authenticated
        using (owner = (select auth.uid()) and (select app.session_lives()));
      grant select on public.logbook to authenticated;
      alter publication supabase_realtime add table public.logbook`)
    const guest = await home.person()
    const [own, guarded] = [await join(guest), await join(guest, { ...asked, table: 'logbook' })]
    await home.sql(`insert into logbook (owner, body) values ('${guest.id}', 'in time')`)
    await heardBy(guarded)
    await home.sql(`
      delete from auth.sessions where id = '${guest.sessionId}';
      insert into logbook (owner, body) values ('${guest.id}', 'with its end');
      insert into diaries (owner, body) values ('${guest.id}', 'after it')`)
    const bodies = (await heardBy(own, guarded)).map((changes) =>
      changes.map(({ record }) => record?.['body']),
    )
    expect(bodies).toEqual([['after it'], ['in time']])
    own.socket.close()
    guarded.socket.close()
  })
})
