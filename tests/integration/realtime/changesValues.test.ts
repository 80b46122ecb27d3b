import { postgresChangesFilter } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeOn, changesOf, joinRaw, listen, type WireChange } from './changesClient.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
const words = { event: '*', schema: 'public', table: 'words' }

beforeAll(async () => {
  realtime = await startRealtime()
  await realtime.sql(`
    create type public.mood as enum ('calm', 'glad');
    create table public.words (
      id int primary key, word text, n int, price numeric, at timestamptz, mood mood,
      ok boolean
    );
    alter table public.words replica identity full;
    grant select on public.words to anon;
    alter publication supabase_realtime add table public.words;
  `)
})
afterAll(() => realtime.close())

describe('a filter', () => {
  const rows = [
    `1, 'hello', 1, 1.50, '2026-01-01T00:00:00Z', 'calm', true`,
    `2, 'World', 2, 2, '2026-06-01T12:00:00.5Z', 'glad', false`,
    `3, 'a,b', 10, 10, '2026-12-31T00:00:00+02', null, null`,
    `4, null, null, null, null, null, null`,
  ]
  /** And which of the rows pass. */
  const filters: [string, number[]][] = [
    ['word=eq.hello', [1]],
    ['word=eq."a,b"', [3]],
    ['n=eq.01', [1]],
    ['price=eq.1.5', [1]],
    ['at=eq.2026-06-01 13:00:00.5+01', [2]],
    ['mood=eq.glad', [2]],
    ['word=neq.hello', [2, 3]],
    ['n=lt.2', [1]],
    ['n=lte.2', [1, 2]],
    ['n=gt.2', [3]],
    ['n=gte.2', [2, 3]],
    ['price=gt.1.75', [2, 3]],
    ['at=lt.2026-06-02', [1, 2]],
    ['mood=gt.calm', [2]],
    ['n=in.(1,10)', [1, 3]],
    ['word=in.("a,b",hello)', [1, 3]],
    ['price=in.(2.00)', [2]],
    ['word=like.hel%', [1]],
    ['word=ilike.w%', [2]],
    ['word=match.^[a-z]', [1, 3]],
    ['word=imatch.^w', [2]],
    ['word=is.null', [4]],
    ['ok=is.true', [1]],
    ['ok=is.unknown', [3, 4]],
    ['word=isdistinct.hello', [2, 3, 4]],
    ['word=not.eq.hello', [2, 3]],
    ['n=not.in.(1,10)', [2]],
    ['word=not.is.null', [1, 2, 3]],
    ['word=not.isdistinct.hello', [1]],
    ['n=gt.1,word=match.o', [2]],
    ['n=gt.1,n=lt.10', [2]],
    ['', [1, 2, 3, 4]],
  ]
  let received: { ids: number[]; data: WireChange }[] = []

  beforeAll(async () => {
    const { raw, system } = await joinRaw(realtime, [
      ...filters.map(([filter]) => ({ ...words, filter })),
      { ...words, event: 'DELETE' },
    ])
    expect(system).toMatchObject({ status: 'ok' })
    await realtime.sql(`insert into words values ${rows.map((row) => `(${row})`).join(', ')}`)
    await realtime.sql('update words set word = word')
    await realtime.sql('delete from words')
    await realtime.sql('insert into words (id) values (99); delete from words')
    await changeOn(raw, (data) => data.type === 'DELETE' && data.old_record?.['id'] === 99)
    received = changesOf(raw)
    raw.socket.close()
  })

  const passed = (filter: string, type: string): unknown[] => {
    const id = filters.findIndex(([one]) => one === filter) + 1
    return received
      .filter(({ ids, data }) => ids.includes(id) && data.type === type)
      .map(({ data }) => (data.record ?? data.old_record)!['id'])
      .filter((row) => row !== 99)
  }

  it.each(filters)('%s', (filter, passing) => {
    expect(passed(filter, 'INSERT')).toEqual(passing)
    expect(passed(filter, 'UPDATE')).toEqual(passing)
    expect(passed(filter, 'DELETE')).toEqual(passing)
  })

  it('may be built by the library', async () => {
    const filter = postgresChangesFilter().eq('word', 'a "b", (c)').not('n', 'in', [1, 2]) as never
    const listening = await listen(await realtime.client(), 'built', { table: 'words', filter })
    await realtime.sql(`insert into words (id, word, n) values (21, 'a "b", (c)', 1), (22, 'a "b", (c)', 3)`)
    await listening.find(() => true)
    expect(listening.changes.map((change) => (change.new as { id: number }).id)).toEqual([22])
  })

  it('on a column outside the replica identity passes no deleted row', async () => {
    await realtime.sql(`
      create table public.plain (id int primary key, word text);
      grant select on public.plain to anon;
      alter publication supabase_realtime add table public.plain`)
    const plain = { ...words, table: 'plain' }
    const { raw } = await joinRaw(realtime, [{ ...plain, filter: 'word=eq.a' }, plain])
    await realtime.sql(`insert into plain values (1, 'a'); delete from plain`)
    await changeOn(raw, (data) => data.type === 'DELETE')
    expect(changesOf(raw).map(({ ids, data }) => [data.type, ids])).toEqual([
      ['INSERT', [1, 2]],
      ['DELETE', [2]],
    ])
    raw.socket.close()
  })
})

describe('values', () => {
  it('are rendered as to_jsonb renders them', async () => {
    const columns: [string, string, string][] = [
      ['a_bool', 'bool', 'true'],
      ['a_int2', 'int2', '-3'],
      ['a_int8', 'int8', '9007199254740991'],
      ['a_float8', 'float8', "'1e-05'"],
      ['a_nan', 'float4', "'NaN'"],
      ['a_numeric', 'numeric(10, 3)', '12.5'],
      ['a_infinity', 'numeric', "'Infinity'"],
      ['a_char', 'char(4)', "'ab'"],
      ['a_name', 'name', "'n'"],
      ['a_uuid', 'uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"],
      ['a_date', 'date', "'2026-11-21'"],
      ['a_time', 'time', "'13:00'"],
      ['a_timetz', 'timetz', "'13:00+02'"],
      ['a_timestamp', 'timestamp', "'2026-11-21 13:00:00.25'"],
      ['a_timestamptz', 'timestamptz', "'2026-11-21 13:00:00.25+02'"],
      ['a_time_before', 'timestamptz', "'0044-03-15 12:00 BC'"],
      ['a_forever', 'timestamptz', "'infinity'"],
      ['a_interval', 'interval', "'1 year 2 days 3:04:05'"],
      ['a_json', 'json', `'{"b": [1, null], "a": "\\u00e9"}'`],
      ['a_jsonb', 'jsonb', `'{"b": [1, null]}'`],
      ['a_inet', 'inet', "'10.0.0.1/8'"],
      ['a_money', 'money', '7'],
      ['a_bits', 'bit(3)', "'101'"],
      ['a_oid', 'oid', '7'],
      ['a_range', 'int4range', "'[1,5)'"],
      ['a_point', 'point', "'(1,2)'"],
      ['a_vector', 'int2vector', "'1 2'"],
      ['a_text', 'text', `E'quote " back \\\\ line \\n \\u0001 é 🐦'`],
      ['a_mood', 'public.mood', "'glad'"],
      ['a_positive', 'public.positive', '5'],
      ['a_pair', 'public.pair', `row(1, 'x, "y"')`],
      ['a_ints', 'int4[]', "'{1,NULL,3}'"],
      ['a_matrix', 'int4[]', "'{{1,2},{3,4}}'"],
      ['a_texts', 'text[]', `array['a,b', 'NULL', '', null, '"q"', '\\']`],
      ['a_times', 'timestamptz[]', "array['2026-11-21 13:00+02'::timestamptz]"],
      ['a_jsons', 'jsonb[]', `array['{"a": [1]}'::jsonb]`],
      ['a_moods', 'public.mood[]', "'{calm,glad}'"],
      ['a_pairs', 'public.pair[]', `array[row(1, 'x')::public.pair]`],
      ['a_boxes', 'box[]', "'{(1,1),(0,0);(2,2),(0,0)}'"],
      ['a_bounded', 'int4[]', "'[2:3]={1,2}'"],
      ['a_null', 'int4', 'null'],
    ]
    await realtime.sql(`
      create domain public.positive as int check (value > 0);
      create type public.pair as (n int, word text);
      create table public.kinds (id int primary key, ${columns.map(([name, type]) => `${name} ${type}`).join(', ')});
      grant select on public.kinds to anon;
      alter publication supabase_realtime add table public.kinds`)
    const { raw } = await joinRaw(realtime, [{ ...words, table: 'kinds' }])
    await realtime.sql(`insert into kinds values (1, ${columns.map(([, , value]) => value).join(', ')})`)
    const { data } = await changeOn(raw, () => true)
    const { rows } = await realtime.sql<{ record: Record<string, unknown> }>(
      `select set_config('timezone', 'UTC', true), to_jsonb(kinds) as record from kinds`,
    )
    expect(data.record).toEqual(rows[0]!.record)
    expect(data.columns.find(({ name }) => name === 'a_ints')).toEqual({ name: 'a_ints', type: '_int4' })
    raw.socket.close()
  })

  it('of bytea are sent as hexadecimal digits', async () => {
    await realtime.sql(`
      create table public.blobs (id int primary key, body bytea);
      grant select on public.blobs to anon;
      alter publication supabase_realtime add table public.blobs`)
    const { raw } = await joinRaw(realtime, [{ ...words, table: 'blobs' }])
    await realtime.sql(`insert into blobs values (1, '\\x0102ff')`)
    expect((await changeOn(raw, () => true)).data.record).toEqual({ id: 1, body: '0102ff' })
    raw.socket.close()
  })

  it('that are large: complete up to 1 MB, above it only small ones, with an error', async () => {
    await realtime.sql(`
      create table public.files (id int primary key, body text, name text, note text);
      grant select on public.files to anon;
      alter publication supabase_realtime add table public.files`)
    const { raw } = await joinRaw(realtime, [{ ...words, table: 'files' }])
    await realtime.sql(`
      insert into files values (1, repeat('x', 1000000), 'one'), (2, repeat('é', 600000), 'two'), (3, 'y', 'three')`)
    await changeOn(raw, (data) => data.record?.['id'] === 3)
    expect(changesOf(raw).map(({ data }) => ({ record: data.record, errors: data.errors }))).toEqual([
      { record: { id: 1, body: 'x'.repeat(1_000_000), name: 'one', note: null }, errors: null },
      { record: { id: 2, name: 'two' }, errors: ['Error 413: Payload Too Large'] },
      { record: { id: 3, body: 'y', name: 'three', note: null }, errors: null },
    ])
    raw.socket.close()
  })

  it('unchanged TOAST values are sent with replica identity FULL', async () => {
    await realtime.sql(`
      create table public.long (id int primary key, body text, n int);
      alter table public.long alter body set storage external;
      create table public.whole (like public.long including all);
      alter table public.whole replica identity full;
      grant select on public.long, public.whole to anon;
      alter publication supabase_realtime add table public.long, public.whole`)
    const { raw } = await joinRaw(realtime, [
      { ...words, table: 'long' },
      { ...words, table: 'whole' },
      { ...words, table: 'whole', filter: `body=like.x%` },
    ])
    for (const table of ['long', 'whole']) {
      await realtime.sql(`insert into ${table} values (1, repeat('x', 10000), 1); update ${table} set n = 2`)
    }
    await changeOn(raw, (data) => data.table === 'whole' && data.type === 'UPDATE')
    const updates = changesOf(raw).filter(({ data }) => data.type === 'UPDATE')
    expect(updates.map(({ ids, data }) => [ids, data.record])).toEqual([
      [[1], { id: 1, n: 2 }],
      [[2, 3], { id: 1, body: 'x'.repeat(10_000), n: 2 }],
    ])
    raw.socket.close()
  })
})
