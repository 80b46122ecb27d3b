import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, joined, received } from './channelEvents.ts'
import { dropSlot } from './dropSlot.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }
const over = (room: string) => `You no longer have permission to read from this Channel topic: ${room}`

async function member(room: string): Promise<Person> {
  const person = await realtime.person()
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', [room, person.id])
  return person
}

/** Joins a room with the official client; `statuses` has each change of the subscription, `events` each broadcast. */
async function join(person: Person, room: string) {
  const channel = (await realtime.client(person.token)).channel(room, privately)
  const [statuses, events]: [string[], string[]] = [[], []]
  channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      statuses.push(status)
      if (status === 'SUBSCRIBED') resolve()
      else reject(error ?? new Error(status))
    })
  })
  return { channel, statuses, events }
}

/** Waits until everything that was sent before has arrived at a client, by another topic of its socket. */
async function settle(person: Person, { channel }: { channel: RealtimeChannel }): Promise<void> {
  const other = channel.socket.channel(`settled:${person.id}`, privately)
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', [
    `settled:${person.id}`,
    person.id,
  ])
  const mark = received(other, 'mark')
  await joined(other)
  await realtime.sql(`select realtime.send('{}', 'mark', $1, true)`, [`settled:${person.id}`])
  await mark
}

it('ends the subscriptions of these users, and all others continue without joining again', async () => {
  const people = [await member('hall'), await member('hall')] as const
  const [gus, ann] = await Promise.all(people.map((person) => join(person, 'hall')))
  const other = await join(people[0], 'hall:other').catch(() => null)
  expect(other).toBeNull()
  await realtime.sql(`select realtime.send('{}', 'before', 'hall', true)`)
  await expect.poll(() => [gus!.events, ann!.events]).toEqual([['before'], ['before']])
  const gone = ended(gus!.channel)
  // What a transaction sends before is still received, and nothing that it sends after.
  await realtime.sql(`select realtime.send('{}', 'farewell', 'hall', true),
    realtime.end_subscriptions('hall', array['${people[0].id}']::uuid[]), realtime.send('{}', 'after', 'hall', true)`)
  await realtime.sql(`select realtime.send('{}', 'later', 'hall', true)`)
  expect(await gone).toBe(over('hall'))
  await expect.poll(() => ann!.events).toEqual(['before', 'farewell', 'after', 'later'])
  await settle(people[0], gus!)
  expect(gus!.events).toEqual(['before', 'farewell'])
  expect(ann!.statuses).toEqual(['SUBSCRIBED'])
})

it('lets a user whom the policies still permit join again', async () => {
  const gus = await member('porch')
  const first = await join(gus, 'porch')
  const gone = ended(first.channel)
  await realtime.sql(`select realtime.end_subscriptions('porch', array['${gus.id}']::uuid[])`)
  await gone
  const again = await join(gus, 'porch')
  await realtime.sql(`select realtime.send('{}', 'again', 'porch', true)`)
  await expect.poll(() => again.events).toEqual(['again'])
})

it('ends nothing when the transaction is rolled back, and no topic of another name', async () => {
  const gus = await member('attic')
  const { statuses, events } = await join(gus, 'attic')
  await expect(
    realtime.sql(
      `select realtime.end_subscriptions('attic', array['${gus.id}']::uuid[]), 1 / (select 0 where true)`,
    ),
  ).rejects.toThrow('division by zero')
  await realtime.sql(`select realtime.end_subscriptions('attics', array['${gus.id}']::uuid[]),
    realtime.end_subscriptions('attic', '{}'), realtime.send('{}', 'still', 'attic', true)`)
  await expect.poll(() => events).toEqual(['still'])
  expect(statuses).toEqual(['SUBSCRIBED'])
})

it('ends them also where the server reads the rows from the table, after a part of the log was lost', async () => {
  const people = [await member('loft'), await member('loft')] as const
  const [gus, ann] = await Promise.all(people.map((person) => join(person, 'loft')))
  const gone = ended(gus!.channel)
  await dropSlot(realtime)
  await realtime.sql(`select realtime.end_subscriptions('loft', array['${people[0].id}']::uuid[]),
    realtime.send('{}', 'after', 'loft', true)`)
  expect(await gone).toBe(over('loft'))
  await expect.poll(() => ann!.events).toEqual(['after'])
  expect(gus!.events).toEqual([])
})

it('is for the roles of migrations and of the service only', async () => {
  for (const role of ['anon', 'authenticated'])
    await expect(
      realtime.serviceSql(
        `do $$ begin set local role ${role}; perform realtime.end_subscriptions('hall', '{}'); end $$`,
      ),
    ).rejects.toThrow('permission denied')
})
