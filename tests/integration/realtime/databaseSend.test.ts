import type { Client, PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Version } from '../../../wire/payloadText.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person

beforeAll(async () => {
  realtime = await startRealtime({ max_payload_size_in_kb: 100 })
  bea = await realtime.person()
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', ['garden', bea.id])
})
afterAll(() => realtime.close())

/** Event and payload of a broadcast, whichever form its frame has; bytes as hexadecimal digits. */
const broadcasts = (raw: RawSocket, topic: string): { event: string; payload: unknown }[] =>
  raw.frames
    .filter((frame) => frame.topic === `realtime:${topic}`)
    .flatMap((frame) => {
      if (!frame.broadcast) {
        if (frame.event !== 'broadcast') return []
        const delivered = frame.payload as { event: string; payload: unknown }
        return [{ event: delivered.event, payload: delivered.payload }]
      }
      const { event, encoding, body } = frame.broadcast
      const bytes = Buffer.from(body)
      return [{ event, payload: encoding === 'json' ? JSON.parse(bytes.toString()) : bytes.toString('hex') }]
    })

/** All broadcasts received on a topic up to now. */
const deliveredOn = async (raw: RawSocket, topic: string): Promise<{ event: string; payload: unknown }[]> => {
  await realtime.sql(`select realtime.send('{}', 'up to here', $1, false)`, [topic])
  await expect.poll(() => broadcasts(raw, topic).at(-1)?.event).toBe('up to here')
  return broadcasts(raw, topic).slice(0, -1)
}

/** Runs it in one session; the warnings that it gave. */
const warningsOf = async (text: string, values: unknown[] = []): Promise<string[]> => {
  const pool = realtime.connections(1)
  return pool.withClient(async (client: Client | PoolClient) => {
    const warnings: string[] = []
    const note = (notice: { severity?: string | undefined; message?: string | undefined }): void => {
      if (notice.severity === 'WARNING') warnings.push(notice.message ?? '')
    }
    client.on('notice', note)
    await client.query(text, values)
    client.off('notice', note)
    return warnings
  })
}

describe('realtime.send', () => {
  it('adds an ID to a payload without one', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:ids')
    await realtime.sql(`select realtime.send('{"a": 1}', 'without', 'ids', false),
                           realtime.send('{"id": "mine"}', 'with', 'ids', false)`)
    const [without, given] = await deliveredOn(raw, 'ids')
    const { rows } = await realtime.sql<{ id: string }>(
      `select id::text from realtime.messages where topic = 'ids' and event = 'without'`,
    )
    expect(without).toEqual({ event: 'without', payload: { a: 1, id: rows[0]!.id } })
    expect(given).toEqual({ event: 'with', payload: { id: 'mine' } })
    raw.socket.close()
  })

  it.each([
    ['no topic', `realtime.send('{}', 'e', null, false)`, /null value in column "topic"/],
    ['a list', `realtime.send('[1]', 'e', 'odd', false)`, /not an integer/],
    ['a number', `realtime.send('7', 'e', 'odd', false)`, /scalar/],
    [
      'bytes without topic',
      `realtime.send_binary('\\x00', 'e', null, false)`,
      /null value in column "topic"/,
    ],
  ])('%s is a warning, and the transaction is not aborted', async (name, call, warning) => {
    await realtime.sql('create table if not exists public.done (what text)')
    const warnings = await warningsOf(
      `with doing as (insert into public.done values (${`'${name}'`}) returning 1) select ${call} from doing`,
    )
    expect(warnings).toEqual([expect.stringMatching(/^WarnSendingBroadcastMessage: /)])
    expect(warnings[0]).toMatch(warning)
    expect((await realtime.sql('select from public.done where what = $1', [name])).rows).toHaveLength(1)
  })

  it.each([
    ['payload', `realtime.send(null, 'e', 'nulls', false)`],
    ['bytes', `realtime.send_binary(null, 'e', 'nulls', false)`],
    ['event', `realtime.send('{}', null, 'nulls', false)`],
    ['privacy', `realtime.send('{}', 'e', 'nulls', null)`],
  ])('without %s a message is not delivered, and later ones are', async (_, call) => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:nulls')
    expect(await warningsOf(`select ${call}`)).toEqual([])
    expect(await deliveredOn(raw, 'nulls')).toEqual([])
    raw.socket.close()
  })

  it('is refused with a warning without permission to insert', async () => {
    const warnings = await warningsOf(
      `select realtime.send('{}', 'e', 'closed', false) from (select set_config('role', 'anon', true)) as become`,
    )
    expect(warnings).toEqual([expect.stringContaining('row-level security')])
  })

  const topics = [
    'a',
    'with space',
    'room:1:2',
    'realtime:twice',
    'a/b?c=d&e#f',
    `it's "quoted" \\ %L %s $1`,
    'ünïcödé 部屋 🪺',
    '\u202eright to left',
    'line\nbreak\ttab',
    'x'.repeat(255),
    'ä'.repeat(500),
  ]
  it.each(['1.0.0', '2.0.0'] satisfies Version[])(
    'accepts topics of every form, version %s',
    async (version) => {
      const raw = await rawSocket(realtime, version)
      for (const topic of topics) {
        expect(await raw.join(`realtime:${topic}`)).toMatchObject({ status: 'ok' })
        await realtime.sql(`select realtime.send('{"id": 1}', $2, $1, false)`, [topic, `sent in ${topic}`])
      }
      for (const topic of topics) {
        expect(await deliveredOn(raw, topic)).toEqual([{ event: `sent in ${topic}`, payload: { id: 1 } }])
      }
      raw.socket.close()
    },
  )

  it('delivers payloads up to exactly the limit, drops larger ones, and continues', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:limit')
    // 100 kB and half a kB for the envelope; the payload's own writing takes 20 bytes.
    const maxBytes = 100_500 - '{"x": "", "id": "i"}'.length
    const text = `select realtime.send(jsonb_build_object('x', repeat('x', $1::int), 'id', 'i'), $2, 'limit', false)`
    await realtime.sql(text, [maxBytes, 'within'])
    await realtime.sql(text, [maxBytes + 1, 'beyond'])
    await realtime.sql(
      `select realtime.send_binary(decode(repeat('ff', 100500), 'hex'), 'bytes', 'limit', false)`,
    )
    await realtime.sql(
      `select realtime.send_binary(decode(repeat('ff', 100501), 'hex'), 'more', 'limit', false)`,
    )
    expect((await deliveredOn(raw, 'limit')).map(({ event }) => event)).toEqual(['within', 'bytes'])
    raw.socket.close()
  })
})

describe('realtime.broadcast_changes', () => {
  const call = (operation: string, level: string): string =>
    `select realtime.broadcast_changes('t', 'e', '${operation}', 'x', 'public', row(1), row(2), '${level}')`

  it('sends inserted, updated and deleted rows completely, to private topics', async () => {
    await realtime.sql(`
      create table public.beds (id int primary key, crop text);
      create function public.tell_beds() returns trigger language plpgsql security definer set search_path = ''
        as $$ begin
          perform realtime.broadcast_changes('garden', tg_op, tg_op, tg_table_name, tg_table_schema, new, old, tg_level);
          return null;
        end $$;
      create trigger tell_beds after insert or update or delete on public.beds
        for each row execute function public.tell_beds();`)
    const [member, outsider] = [await rawSocket(realtime), await rawSocket(realtime)]
    await member.join('realtime:garden', { config: { private: true }, access_token: bea.token })
    await outsider.join('realtime:garden')
    await realtime.sql(`insert into public.beds values (1, 'beans')`)
    await realtime.sql(`update public.beds set crop = 'peas'`)
    await realtime.sql(`delete from public.beds`)
    await expect.poll(() => broadcasts(member, 'garden')).toHaveLength(3)
    const row = (record: unknown, old: unknown, operation: string) => ({
      event: operation,
      payload: {
        schema: 'public',
        table: 'beds',
        operation,
        record,
        old_record: old,
        id: expect.any(String),
      },
    })
    expect(broadcasts(member, 'garden')).toEqual([
      row({ id: 1, crop: 'beans' }, null, 'INSERT'),
      row({ id: 1, crop: 'peas' }, { id: 1, crop: 'beans' }, 'UPDATE'),
      row(null, { id: 1, crop: 'peas' }, 'DELETE'),
    ])
    expect(await deliveredOn(outsider, 'garden')).toEqual([])
    for (const raw of [member, outsider]) raw.socket.close()
  })

  it('raises an error for statement triggers and other operations', async () => {
    const statement = 'function can only be triggered for each row, not for each statement'
    await expect(realtime.sql(call('INSERT', 'STATEMENT'))).rejects.toThrow(
      `Failed to process the row: ${statement}`,
    )
    await expect(realtime.sql(call('TRUNCATE', 'ROW'))).rejects.toThrow('Unexpected operation type: TRUNCATE')
  })
})
