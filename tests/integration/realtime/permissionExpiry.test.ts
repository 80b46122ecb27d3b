import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, received, joined } from './channelEvents.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime({ recheck_interval_in_s: 2 })
  await realtime.sql(`
    create table public.guests (room text not null, user_id uuid not null, expires_at timestamptz not null);
    create function app.is_guest() returns boolean language sql stable security definer set search_path = ''
      as $$ select exists (select from public.guests
            where user_id = (select auth.uid()) and room = (select realtime.topic()) and expires_at > now()) $$;
    create policy "guests hear until their day" on realtime.messages for select to authenticated
      using (extension = 'broadcast' and (select app.is_guest()));
    create policy "guests speak until their day" on realtime.messages for insert to authenticated
      with check (extension = 'broadcast' and (select app.is_guest()));
    create policy "all see who is in the parlour" on realtime.messages for select to authenticated
      using (extension in ('presence', 'broadcast') and (select realtime.topic()) = 'parlour');
    create policy "guests are seen in the parlour" on realtime.messages for insert to authenticated
      with check (extension = 'presence' and (select app.is_guest()));`)
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }
const over = 'The session of this token has ended'

async function guest(room: string): Promise<Person> {
  const person = await realtime.person()
  await realtime.sql(`insert into public.guests values ($1, $2, now() + interval '1 hour')`, [
    room,
    person.id,
  ])
  return person
}

/** Ends the permissions of a guest, of which nothing notifies the server. */
const expire = (gus: Person): Promise<unknown> =>
  realtime.sql('update public.guests set expires_at = now() where user_id = $1', [gus.id])

async function member(room: string): Promise<Person> {
  const person = await realtime.person()
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', [room, person.id])
  return person
}

describe('a permission that expires by time alone', () => {
  it('closes the topic of a guest whose access has expired, without a notification, and no other', async () => {
    const [gus, ann] = await Promise.all([guest('porch'), guest('porch')])
    const [guss, anns] = await Promise.all(
      [gus, ann].map(async ({ token }) => (await realtime.client(token)).channel('porch', privately)),
    )
    const gone = ended(guss!)
    await Promise.all([joined(guss!), joined(anns!)])
    await expire(gus)
    expect(await gone).toBe('You no longer have permission to read from this Channel topic: porch')
    await expect(joined((await realtime.client(gus.token)).channel('porch', privately))).rejects.toThrow(
      'Unauthorized',
    )
    const next = received(anns!, 'after')
    await realtime.sql(`select realtime.send('{}', 'after', 'porch', true)`)
    await next
  })

  it('no longer permits sending, while receiving continues', async () => {
    const [gus, ann] = await Promise.all([guest('stoop'), guest('stoop')])
    await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', ['stoop', gus.id])
    const [speaker, listener] = await Promise.all(
      [gus, ann].map(async ({ token }) => (await realtime.client(token)).channel('stoop', privately)),
    )
    const first = received(listener!, 'loud')
    await Promise.all([joined(speaker!), joined(listener!)])
    await speaker!.send({ type: 'broadcast', event: 'loud', payload: {} })
    await first
    await expire(gus)
    const events: string[] = []
    listener!.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await expect
      .poll(
        async () => {
          events.length = 0
          await speaker!.send({ type: 'broadcast', event: 'whisper', payload: {} })
          // What was sent before it has then arrived too.
          const marked = received(listener!, 'mark')
          await realtime.sql(`select realtime.send('{}', 'mark', 'stoop', true)`)
          await marked
          return events
        },
        { interval: 200 },
      )
      .toEqual(['mark'])
  })
})

describe('a session that the policies require', () => {
  it.each([
    ['whose end is moved to now', 'update auth.sessions set not_after = now() where user_id = $1'],
    [
      'of somebody who is banned',
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
    ],
    ['of somebody who is marked as deleted', 'update auth.users set deleted_at = now() where id = $1'],
    ['of an account that is deleted', 'delete from auth.users where id = $1'],
  ])('%s closes its topics, and permits no further join', async (_, sql) => {
    const bea = await member('session:cellar')
    const client = await realtime.client(bea.token)
    const channel = client.channel('session:cellar', privately)
    const gone = ended(channel)
    await joined(channel)
    await realtime.sql(sql, [bea.id])
    expect(await gone).toBe(over)
    await expect(joined(client.channel('session:cellar', privately))).rejects.toThrow(`Unauthorized: ${over}`)
  })

  it('that expires closes them at that time', async () => {
    const bea = await member('session:attic')
    const channel = (await realtime.client(bea.token)).channel('session:attic', privately)
    const gone = ended(channel)
    await joined(channel)
    await realtime.sql(`update auth.sessions set not_after = now() + interval '2 seconds' where id = $1`, [
      bea.sessionId,
    ])
    expect(await gone).toBe(over)
  })

  it('that ends with all others closes them too', async () => {
    const bea = await member('session:loft')
    const channel = (await realtime.client(bea.token)).channel('session:loft', privately)
    const gone = ended(channel)
    await joined(channel)
    await realtime.sql('truncate auth.sessions cascade')
    expect(await gone).toBe(over)
  })
})

it('untracks members without permission to track, and keeps their topic open', async () => {
  const [gus, ann] = await Promise.all([guest('parlour'), realtime.person()])
  const config = { config: { private: true, presence: { key: 'gus', enabled: true } } }
  const guss = (await realtime.client(gus.token)).channel('parlour', config)
  const anns = (await realtime.client(ann.token)).channel('parlour', config)
  const came = new Promise((resolve) => anns.on('presence', { event: 'join' }, resolve))
  const left = new Promise((resolve) => anns.on('presence', { event: 'leave' }, resolve))
  await Promise.all([joined(guss), joined(anns)])
  expect(await guss.track({ mood: 'calm' })).toBe('ok')
  expect(await came).toMatchObject({ newPresences: [{ mood: 'calm' }] })
  await realtime.sql('delete from public.guests where user_id = $1', [gus.id])
  await realtime.sql(`select pg_notify('realtime_recheck', $1)`, [gus.id])
  expect(await left).toMatchObject({ leftPresences: [{ mood: 'calm' }] })
  expect(await guss.track({ mood: 'cross' })).toBe('error')
  expect(guss.state).toBe('joined')
})

it('rechecks all users for a notification without a user', async () => {
  const bea = await member('barn')
  const channel = (await realtime.client(bea.token)).channel('barn', privately)
  const gone = ended(channel)
  await joined(channel)
  await realtime.sql(`alter table public.members disable trigger notify_channel_membership`)
  await realtime.sql('delete from public.members where user_id = $1', [bea.id])
  await realtime.sql('notify realtime_recheck')
  expect(await gone).toBe('You no longer have permission to read from this Channel topic: barn')
})
