import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, received, joined } from './channelEvents.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime()
  await realtime.sql(`
    create function app.nap(seconds float8) returns boolean language plpgsql volatile
      as $$ begin perform pg_sleep(seconds); return true; end $$;
    create function app.fail() returns boolean language plpgsql
      as $$ begin raise exception 'this policy fails'; end $$;
    create table public.diary (at timestamptz not null default now(), topic text);
    create function app.write_down() returns boolean language plpgsql security definer
      as $$ begin
        insert into public.diary (topic) values (realtime.topic());
        perform realtime.send('{}', 'forged', 'written:1', true);
        perform pg_notify('realtime_recheck', auth.uid()::text);
        perform pg_advisory_lock(42);
        return true;
      end $$;
    create function app.prefix() returns text language sql stable as $$ select split_part(realtime.topic(), ':', 1) $$;
    create policy "asleep" on realtime.messages for select to authenticated
      using (case (select app.prefix()) when 'asleep' then app.nap(60) when 'drowsy' then app.nap(0.6) else false end);
    create policy "failing" on realtime.messages for select to authenticated
      using (case (select app.prefix()) when 'failing' then app.fail() else false end);
    create policy "writing" on realtime.messages for select to authenticated
      using (case (select app.prefix()) when 'written' then app.write_down() else false end);`)
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }

async function member(...rooms: string[]): Promise<Person> {
  const person = await realtime.person()
  await realtime.sql(
    'insert into public.members (room, user_id, speaks) select room, $2, true from unnest($1::text[]) room',
    [rooms, person.id],
  )
  return person
}

const config = { config: { private: true } }

describe('a policy', () => {
  it('that sleeps is refused, and delays neither the others nor those that are merely slow', async () => {
    const [omar, bea] = await Promise.all([realtime.person(), member('garden')])
    const raw = await rawSocket(realtime)
    const answered: string[] = []
    const naps = Array.from({ length: 6 }, async (_, n) => {
      const reply = await raw.join(`realtime:asleep:${n}`, { ...config, access_token: omar.token })
      answered.push((reply.response as { reason: string }).reason)
    })
    const beas = await realtime.client(bea.token)
    await joined(beas.channel('garden', privately))
    // Only five of his joins wait for their policy check; the sixth is refused at once.
    await Promise.race(naps)
    await joined(beas.channel('drowsy:1', privately))
    expect(answered.length).toBeLessThan(5)
    expect(new Set(answered)).toEqual(
      new Set(['QueryCanceled: A policy of this Channel topic took too long']),
    )
    raw.socket.terminate()
  })

  it('that fails for many topics at once refuses those and no other', async () => {
    const [omar, bea] = await Promise.all([realtime.person(), member('orchard')])
    const raw = await rawSocket(realtime)
    const failing = Array.from({ length: 40 }, (_, n) =>
      raw.join(`realtime:failing:${n}`, { ...config, access_token: omar.token }),
    )
    const sound = raw.join('realtime:orchard', { ...config, access_token: bea.token })
    expect(await sound).toMatchObject({ status: 'ok' })
    for (const reply of await Promise.all(failing)) {
      expect(reply).toMatchObject({
        status: 'error',
        response: { reason: expect.stringMatching('^Unauthorized') },
      })
    }
    raw.socket.terminate()
  })

  it('that writes has no effect: no row, no broadcast, no lock', async () => {
    const bea = await realtime.person()
    const channel = (await realtime.client(bea.token)).channel('written:1', privately)
    const events: string[] = []
    channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    const mark = received(channel, 'mark')
    await joined(channel)
    const other = (await realtime.client(bea.token)).channel('written:2', privately)
    await joined(other)
    await realtime.sql(`select realtime.send('{}', 'mark', 'written:1', true)`)
    await mark
    expect(events).toEqual(['mark'])
    expect((await realtime.sql('select * from public.diary')).rows).toEqual([])
    const { rows } = await realtime.sql(`select from pg_locks where locktype = 'advisory' and objid = 42`)
    expect(rows).toEqual([])
  })
})

describe('a topic', () => {
  it.each([
    '%',
    'ro%',
    'r_om',
    'room%',
    'room\\',
    "room' or true --",
    'room\u0000',
    'ROOM',
    ' room',
    'private:room',
  ])('named %j is checked as that name', async (name) => {
    const bea = await member('room')
    const raw = await rawSocket(realtime)
    const reply = await raw.join(`realtime:${name}`, { ...config, access_token: bea.token })
    expect(reply).toMatchObject({
      status: 'error',
      response: { reason: expect.stringMatching('Unauthorized') },
    })
    expect(await raw.join('realtime:room', { ...config, access_token: bea.token })).toMatchObject({
      status: 'ok',
    })
    raw.socket.terminate()
  })
})

describe('a token', () => {
  it('of another user is checked for the last one, however fast they change', async () => {
    const [bea, omar] = await Promise.all([member('vault'), realtime.person()])
    const raw = await rawSocket(realtime)
    await raw.join('realtime:vault', { ...config, access_token: bea.token })
    const renew = (access_token: string) =>
      raw.send({ topic: 'realtime:vault', event: 'access_token', payload: { access_token } })
    for (let n = 0; n < 5; n++) {
      renew(await realtime.tokenOf(bea, { expiresIn: 100 + n }))
    }
    renew(omar.token)
    renew(await realtime.tokenOf(bea, { expiresIn: 900 }))
    // His ended it: hers that follows finds no topic.
    await raw.find((frame) => !frame.broadcast && frame.event === 'phx_close')
    await realtime.sql(`select realtime.send('{}', 'secret', 'vault', true)`)
    expect(await raw.join('realtime:vault', { ...config, access_token: omar.token })).toMatchObject({
      status: 'error',
    })
    expect(raw.frames.some((frame) => frame.broadcast)).toBe(false)
    raw.socket.terminate()
  })

  it('that is replaced while its permission is revoked delivers nothing', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => member('gate')))
    const channels = await Promise.all(
      people.map(async (person) => {
        const client = await realtime.client(person.token)
        const channel = client.channel('gate', privately)
        const over = ended(channel)
        await joined(channel)
        return { client, channel, over, person }
      }),
    )
    const events: string[] = []
    for (const { channel } of channels)
      channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await Promise.all([
      realtime.sql(`delete from public.members where room = 'gate'`),
      ...channels.map(async ({ client, person }) =>
        client.realtime.setAuth(await realtime.tokenOf(person, { expiresIn: 500 })),
      ),
    ])
    for (const { over } of channels) expect(await over).toMatch('no longer have permission')
    const ann = await member('gate')
    const anns = (await realtime.client(ann.token)).channel('gate', privately)
    const next = received(anns, 'after')
    await joined(anns)
    await realtime.sql(`select realtime.send('{}', 'after', 'gate', true)`)
    await next
    expect(events).toEqual([])
  })

  it('keeps its topic if a permission is revoked and granted again at once', async () => {
    const bea = await member('swing')
    const channel = (await realtime.client(bea.token)).channel('swing', privately)
    const over = ended(channel)
    await joined(channel)
    for (let n = 0; n < 5; n++) {
      await realtime.sql('update public.members set shows = not shows where user_id = $1', [bea.id])
    }
    const next = received(channel, 'still')
    await realtime.sql(`select realtime.send('{}', 'still', 'swing', true)`)
    expect(await Promise.race([next, over])).toMatchObject({ event: 'still' })
  })
})

describe('a stored message', () => {
  it('that was emptied is not replayed', async () => {
    const bea = await member('archive')
    await realtime.sql(`select realtime.send('{"words": "regretted"}', 'note', 'archive', true)`)
    const { rowCount } = await realtime.serviceSql(
      `update realtime.messages set payload = '{}' where topic = 'archive' and event = 'note'`,
    )
    expect(rowCount).toBe(1)
    const raw = await rawSocket(realtime)
    const replay = { since: Date.now() - 60_000 }
    await raw.join('realtime:archive', {
      access_token: bea.token,
      config: { private: true, broadcast: { replay } },
    })
    const frame = await raw.find((found) => found.broadcast !== undefined)
    expect(Buffer.from(frame.broadcast!.body).toString()).toBe('{}')
    raw.socket.terminate()
  })

  it('is not replayed if the permission is revoked during the join', async () => {
    await realtime.sql(`select realtime.send('{"words": "secret"}', 'note', 'annex', true)`)
    const people = await Promise.all(Array.from({ length: 20 }, () => member('annex')))
    const raw = await rawSocket(realtime)
    const other = await rawSocket(realtime)
    const replay = { since: Date.now() - 60_000 }
    const joins = people.map(async (person, n) => {
      const socket = n % 2 === 0 ? raw : await rawSocket(realtime)
      return socket.join(`realtime:annex`, {
        access_token: person.token,
        config: { private: true, broadcast: { replay } },
      })
    })
    await Promise.all([realtime.sql(`delete from public.members where room = 'annex'`), ...joins])
    const [late] = people
    expect(
      await other.join('realtime:annex', {
        access_token: late!.token,
        config: { private: true, broadcast: { replay } },
      }),
    ).toMatchObject({ status: 'error' })
    expect(other.frames.some((frame) => frame.broadcast)).toBe(false)
    for (const { socket } of [raw, other]) socket.terminate()
  })
})

it('a hundred private topics in each of many requests do not delay other callers', async () => {
  const [omar, bea] = await Promise.all([realtime.person(), member('path')])
  const messages = Array.from({ length: 100 }, (_, n) => ({
    topic: `t${n}`,
    event: 'e',
    payload: {},
    private: true,
  }))
  const post = (): Promise<number> =>
    fetch(`${realtime.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: {
        apikey: realtime.anonKey,
        authorization: `Bearer ${omar.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages }),
    }).then((response) => response.status)
  const joining = new AbortController()
  let answered = 0
  const statuses = new Set<number>()
  const flood = Array.from({ length: 15 }, async () => {
    while (!joining.signal.aborted) {
      statuses.add(await post())
      answered++
    }
  })
  await expect.poll(() => answered).toBeGreaterThan(0)
  // Fifteen are under way all the time until this is done.
  await joined((await realtime.client(bea.token)).channel('path', privately))
  joining.abort()
  await Promise.all(flood)
  expect(statuses).toEqual(new Set([202]))
})
