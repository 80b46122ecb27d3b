import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'
import { received, joined } from './channelEvents.ts'

let realtime: TestRealtime
let bea: Person
let omar: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  omar = await realtime.person()
  await realtime.sql('insert into public.members (room, user_id, speaks) values ($1, $2, true)', [
    'garden',
    bea.id,
  ])
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', ['library', bea.id])
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }

describe('from the database', () => {
  it('a member receives messages of her channel, an outsider is refused', async () => {
    const channel = (await realtime.client(bea.token)).channel('garden', privately)
    const next = received(channel, 'grown')
    await joined(channel)
    await realtime.sql(`select realtime.send('{"what": "beans"}', 'grown', 'garden', true)`)
    const message = await next
    expect(message.payload).toMatchObject({ what: 'beans', id: expect.any(String) })
    expect(message['meta']).toEqual({ id: message.payload['id'] })

    const refused = joined((await realtime.client(omar.token)).channel('garden', privately))
    await expect(refused).rejects.toThrow(
      'Unauthorized: You do not have permissions to read from this Channel topic: garden',
    )
    await expect(joined((await realtime.client()).channel('garden', privately))).rejects.toThrow(
      'Unauthorized',
    )
  })

  it('a binary payload is delivered as binary', async () => {
    const channel = (await realtime.client(bea.token)).channel('garden', privately)
    const next = received(channel, 'bytes')
    await joined(channel)
    await realtime.sql(`select realtime.send_binary('\\x00ff07', 'bytes', 'garden', true)`)
    expect([...new Uint8Array((await next).payload as never)]).toEqual([0, 255, 7])
  })

  it('a public topic of the same name receives no private message', async () => {
    const channel = (await realtime.client(omar.token)).channel('garden')
    const events: unknown[] = []
    channel.on('broadcast', { event: '*' }, (message) => events.push(message))
    const last = received(channel, 'open')
    await joined(channel)
    await realtime.sql(`select realtime.send('{}', 'secret', 'garden', true)`)
    await realtime.sql(`select realtime.send('{}', 'open', 'garden', false)`)
    await last
    expect(events).toHaveLength(1)
  })

  it('keeps the order of commits', async () => {
    const channel = (await realtime.client(bea.token)).channel('garden', privately)
    const numbers: number[] = []
    channel.on('broadcast', { event: 'n' }, ({ payload }) => numbers.push(payload.n as number))
    const last = received(channel, 'end')
    await joined(channel)
    await realtime.sql(
      `select realtime.send(jsonb_build_object('n', n), 'n', 'garden', true) from generate_series(1, 500) n`,
    )
    await realtime.sql(`select realtime.send('{}', 'end', 'garden', true)`)
    await last
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, i) => i + 1))
  })

  it('a row trigger sends the old and the new row', async () => {
    await realtime.sql(`
      create table app.beds (id int primary key, crop text);
      create function app.tell_beds() returns trigger language plpgsql security definer set search_path = ''
        as $$ begin
          perform realtime.broadcast_changes('garden', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
          return null;
        end $$;
      create trigger tell_beds after insert or update or delete on app.beds
        for each row execute function app.tell_beds();`)
    const channel = (await realtime.client(bea.token)).channel('garden', privately)
    const next = received(channel, 'UPDATE')
    await joined(channel)
    await realtime.sql(`insert into app.beds values (1, 'beans')`)
    await realtime.sql(`update app.beds set crop = 'peas'`)
    expect((await next).payload).toMatchObject({
      operation: 'UPDATE',
      schema: 'app',
      table: 'beds',
      record: { id: 1, crop: 'peas' },
      old_record: { id: 1, crop: 'beans' },
    })
  })

  it('replays the newest messages since a time, oldest first, and none of them twice', async () => {
    const since = Date.now()
    const first = (await realtime.client(bea.token)).channel('library', privately)
    const stored = received(first, 'third')
    await joined(first)
    for (const event of ['first', 'second', 'third']) {
      await realtime.sql('select realtime.send($1, $2, $3, true)', [{ event }, event, 'library'])
    }
    await stored
    const channel = (await realtime.client(bea.token)).channel('library', {
      config: { private: true, broadcast: { replay: { since: since - 60_000, limit: 2 } } },
    })
    const events: [string, unknown][] = []
    channel.on('broadcast', { event: '*' }, ({ event, meta }) => events.push([event, meta?.replayed]))
    const live = received(channel, 'live')
    await joined(channel)
    await realtime.sql(`select realtime.send('{}', 'live', 'library', true)`)
    await live
    expect(events).toEqual([
      ['second', true],
      ['third', true],
      ['live', undefined],
    ])
  })

  it('announces that replication is ready, on request', async () => {
    const channel = (await realtime.client(bea.token)).channel('garden', {
      config: { private: true, broadcast: { replication_ready: true } },
    })
    const announced = new Promise((resolve) => channel.on('system', {}, resolve))
    await joined(channel)
    expect(await announced).toMatchObject({ status: 'ok', message: 'Replication connection established' })
  })
})

describe('partitions', () => {
  it('are not readable under their own names', async () => {
    const { rows } = await realtime.sql<{ partition: string }>(
      `select relname as partition from pg_inherits join pg_class c on c.oid = inhrelid
       where inhparent = 'realtime.messages'::regclass limit 1`,
    )
    const [{ partition }] = rows as [{ partition: string }]
    for (const role of ['anon', 'authenticated', 'service_role']) {
      // One message, so one transaction: a "begin" of its own stayed open, and the next to get this connection failed.
      await expect(
        realtime.sql(`set local role ${role}; select * from realtime.${partition}`),
      ).rejects.toThrow('permission denied')
    }
  })
})

describe('from clients', () => {
  const pair = async (room: string, config: object = {}): Promise<[RealtimeChannel, RealtimeChannel]> => {
    const clients = await Promise.all([realtime.client(bea.token), realtime.client(bea.token)])
    const channels = clients.map((client) => client.channel(room, { config: { private: true, ...config } }))
    return channels as [RealtimeChannel, RealtimeChannel]
  }

  it('messages of a subscriber without write permission are ignored', async () => {
    const [mute, listener] = await pair('library', { broadcast: { ack: true } })
    const events: string[] = []
    listener.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    const next = received(listener, 'end')
    await Promise.all([joined(mute), joined(listener)])
    const response = await mute.send({ type: 'broadcast', event: 'forged', payload: {} }, { timeout: 300 })
    expect(response).toBe('timed out')
    await realtime.sql(`select realtime.send('{}', 'end', 'library', true)`)
    await next
    expect(events).toEqual(['end'])
  })
})
