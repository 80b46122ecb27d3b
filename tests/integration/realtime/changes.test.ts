import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { changeOn, changesOf, joinRaw, listen } from './changesClient.ts'
import { joined } from './channelEvents.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  await realtime.sql(`
    create table public.notes (id int primary key, body text, done boolean not null default false);
    create table public.tasks (id int primary key, title text);
    grant select on public.notes, public.tasks to anon, authenticated;
    alter publication supabase_realtime add table public.notes, public.tasks;
  `)
})
afterAll(() => realtime.close())

describe.each(['1.0.0', '2.0.0'] as const)('version %s', (version) => {
  it('sends inserted, updated and deleted rows', async () => {
    const id = version === '1.0.0' ? 1 : 2
    const entry = { event: '*', schema: 'public', table: 'notes' }
    const { raw, reply, system } = await joinRaw(realtime, [entry], { version })
    expect(reply).toEqual({ status: 'ok', response: { postgres_changes: [{ ...entry, id: 1 }] } })
    expect(system).toEqual({
      extension: 'postgres_changes',
      status: 'ok',
      message: 'Subscribed to PostgreSQL',
      channel: 'changes',
    })
    await realtime.sql(`insert into notes values (${id}, 'a')`)
    await realtime.sql(`update notes set body = 'b' where id = ${id}`)
    await realtime.sql(`delete from notes where id = ${id}`)
    await changeOn(raw, (data) => data.type === 'DELETE')
    const shared = {
      schema: 'public',
      table: 'notes',
      commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      columns: [
        { name: 'id', type: 'int4' },
        { name: 'body', type: 'text' },
        { name: 'done', type: 'bool' },
      ],
      errors: null,
    }
    expect(changesOf(raw)).toEqual([
      { ids: [1], data: { ...shared, type: 'INSERT', record: { id, body: 'a', done: false } } },
      {
        ids: [1],
        data: { ...shared, type: 'UPDATE', record: { id, body: 'b', done: false }, old_record: { id } },
      },
      { ids: [1], data: { ...shared, type: 'DELETE', old_record: { id } } },
    ])
    raw.socket.close()
  })
})

describe('by supabase-js', () => {
  it('sends each kind of change to its subscribers', async () => {
    const client = await realtime.client(bea.token)
    const received: string[] = []
    const channel = client.channel('kinds')
    for (const event of ['INSERT', 'UPDATE', 'DELETE', '*'] as const) {
      channel.on('postgres_changes', { event: event as '*', schema: 'public', table: 'tasks' }, (change) =>
        received.push(`${event} ${change.eventType}`),
      )
    }
    const subscribed = new Promise<void>((resolve) => {
      channel.on('system', {}, ({ message }) => message === 'Subscribed to PostgreSQL' && resolve())
    })
    await joined(channel)
    await subscribed
    const last = await listen(client, 'last', { table: 'tasks', event: 'DELETE' })
    await realtime.sql(`insert into tasks values (1, 'x'); update tasks set title = 'y'; delete from tasks`)
    await last.find(() => true)
    expect(received.toSorted()).toEqual(
      ['* DELETE', '* INSERT', '* UPDATE', 'DELETE DELETE', 'INSERT INSERT', 'UPDATE UPDATE'].toSorted(),
    )
    expect(last.changes).toMatchObject([{ eventType: 'DELETE', old: { id: 1 }, new: {}, errors: null }])
  })

  it('sends several tables of a schema, and of all', async () => {
    const client = await realtime.client(bea.token)
    const listening = [
      await listen(client, 'schema', { table: undefined }),
      await listen(client, 'star', { table: '*' }),
      await listen(client, 'all', { schema: '*', table: undefined }),
    ]
    await realtime.sql(`insert into notes values (11, 'n'); insert into tasks values (11, 't')`)
    for (const { find, changes } of listening) {
      await find((change) => change.table === 'tasks')
      expect(changes.map((change) => change.table)).toEqual(['notes', 'tasks'])
    }
  })

  it('keeps the order of commits', async () => {
    const client = await realtime.client(bea.token)
    const listening = await listen(client, 'order', { table: 'tasks', event: 'INSERT' })
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        realtime.sql(`insert into tasks select ${1_000 + at * 20} + n, '' from generate_series(0, 19) n`),
      ),
    )
    await realtime.sql(`insert into tasks values (9999, 'end')`)
    await listening.find((change) => (change.new as { id: number }).id === 9_999)
    const ids = listening.changes.map((change) => (change.new as { id: number }).id)
    expect(new Set(ids).size).toBe(801)
    // Each transaction whole, and in the order in which it wrote.
    for (let at = 0; at < 800; at += 20) {
      expect(ids.slice(at, at + 20)).toEqual(Array.from({ length: 20 }, (_, n) => ids[at]! + n))
    }
  })

  it('lets the join wait for the subscription on request, and refuses it with the reason', async () => {
    const client = await realtime.client(bea.token)
    await expect(listen(client, 'wait', { table: 'nowhere' })).rejects.toThrow(
      /^RealtimeDisabledForConfiguration: Unable to subscribe to changes/,
    )
  })
})

describe('several entries of one topic', () => {
  it('are sent in one event with their IDs, and separately for other columns', async () => {
    const table = { schema: 'public', table: 'notes' }
    const { raw } = await joinRaw(realtime, [
      { ...table, event: 'INSERT' },
      { ...table, event: 'UPDATE' },
      { ...table, event: '*' },
      { ...table, event: '*', select: ['body'] },
      { ...table, event: '*', filter: 'body=eq.other' },
    ])
    await realtime.sql(`insert into notes values (21, 'one')`)
    await changeOn(raw, (data) => !('done' in (data.record ?? {})))
    expect(changesOf(raw).map(({ ids, data }) => ({ ids, record: data.record }))).toEqual([
      { ids: [1, 3], record: { id: 21, body: 'one', done: false } },
      { ids: [4], record: { id: 21, body: 'one' } },
    ])
    raw.socket.close()
  })

  it('end with the topic', async () => {
    const entry = { schema: 'public', table: 'notes', event: '*' }
    const { raw } = await joinRaw(realtime, [entry])
    const other = await joinRaw(realtime, [entry])
    raw.send({ topic: 'realtime:changes', event: 'phx_leave', ref: 'leave' })
    await raw.reply('leave')
    await realtime.sql(`insert into notes values (22, 'late')`)
    await changeOn(other.raw, (data) => data.record?.['id'] === 22)
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'after' })
    await raw.reply('after')
    expect(changesOf(raw)).toEqual([])
    raw.socket.close()
    other.raw.socket.close()
  })
})

describe('refused subscriptions', () => {
  const table = { event: 'INSERT', schema: 'public', table: 'notes' }
  const unable = 'Unable to subscribe to changes with given parameters. '

  it.each([
    [
      { ...table, table: 'nowhere' },
      `${unable}Please check Realtime is enabled for the given connect parameters: [event: INSERT, schema: public, table: nowhere, filters: [], select: nil]`,
    ],
    [
      { ...table, filter: 'nothing=eq.1' },
      `${unable}An exception happened so please check your connect parameters: [event: INSERT, schema: public, table: notes, filters: [{"nothing", "eq", "1", false}], select: nil]. Exception: ERROR P0001 (raise_exception) invalid column for filter nothing`,
    ],
    [
      { ...table, filter: 'id=eq.one' },
      `${unable}An exception happened so please check your connect parameters: [event: INSERT, schema: public, table: notes, filters: [{"id", "eq", "one", false}], select: nil]. Exception: ERROR 22P02 (invalid_text_representation) invalid input syntax for type integer: "one"`,
    ],
    [{ ...table, filter: 'id=like.1%' }, 'operator like requires a text-compatible column type, got integer'],
    [{ ...table, filter: 'id=is.true' }, 'is true filter requires a boolean column, got integer'],
    [
      { ...table, filter: 'done=is.maybe' },
      'invalid value for is filter: must be null, true, false, or unknown',
    ],
    [{ ...table, filter: 'body=match.(' }, 'invalid regular expression for match filter: '],
    [
      { ...table, filter: `id=in.(${Array.from({ length: 101 }, (_, n) => n).join()})` },
      'too many values for `in` filter. Maximum 100',
    ],
    [{ ...table, select: ['nothing'] }, 'invalid column for select nothing'],
    [{ ...table, filter: 'id=foo.1' }, 'Error parsing `filter` params: ["foo", "1"]'],
    [{ ...table, schema: undefined, table: undefined }, 'No subscription params provided. Please provide'],
  ])('%j', async (entry, message) => {
    const { raw, reply, system } = await joinRaw(realtime, [{ event: '*', schema: 'public' }, entry])
    expect(reply).toMatchObject({ status: 'ok', response: { postgres_changes: [{ id: 1 }, { id: 2 }] } })
    expect(system).toEqual({
      extension: 'postgres_changes',
      status: 'error',
      message: expect.stringContaining(message),
      channel: 'changes',
    })
    raw.socket.close()
  })

  it('do not affect the rest of the topic', async () => {
    const { raw } = await joinRaw(realtime, [{ schema: 'nowhere' }])
    await realtime.sql(`select realtime.send('{}', 'still', 'changes', false)`)
    expect((await raw.find((frame) => frame.broadcast !== undefined)).broadcast?.event).toBe('still')
    raw.socket.close()
  })

  it('do not include null, which is ignored', async () => {
    const { raw } = await joinRaw(realtime, [null as never, { schema: 'public' }])
    raw.send({
      topic: 'realtime:none',
      event: 'phx_join',
      ref: 'none',
      payload: { config: { postgres_changes: [null] } },
    })
    expect(await raw.reply('none')).toEqual({ status: 'ok', response: { postgres_changes: [] } })
    raw.send({ topic: 'phoenix', event: 'heartbeat', ref: 'after' })
    await raw.reply('after')
    expect(
      raw.frames.filter(
        (frame) => frame.topic === 'realtime:none' && (frame as JsonFrame).event === 'system',
      ),
    ).toEqual([])
    raw.socket.close()
  })
})
