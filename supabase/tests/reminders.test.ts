import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reminder } from '../../wire/messages.ts'
import { userTopic } from '../../wire/events.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('reminders on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const set = (s: TestTransaction, more: object = {}) =>
    s.call('set_reminder', {
      id: randomUUID(),
      workspace: fixture.workspace,
      text: 'Water the plants',
      due_at: inMinutes(60),
      time_zone: 'Europe/Berlin',
      ...more,
    })
  const remindersOf = async (s: TestTransaction): Promise<Reminder[]> =>
    (await s.call('bootstrap', {})).own.reminders ?? []

  it('are seen by their owner alone, whose devices receive each change', async () => {
    const id = randomUUID()
    const events = await collectBroadcasts(fixture, 'bea', (s) => set(s, { id }))
    const [row] = await fixture.rolledBackAs('bea', remindersOf)
    expect(events).toEqual([
      {
        topic: userTopic(fixture.profile.bea),
        event: 'reminders',
        payload: { ...row, workspace_id: fixture.workspace },
      },
    ])
    for (const who of ['ann', 'gus', 'omar'] satisfies Name[]) {
      expect(await fixture.rolledBackAs(who, (s) => s.rows('select from public.reminders'))).toEqual([])
    }
    const removed = await collectBroadcasts(fixture, 'bea', (s) => s.call('delete_reminder', { id }))
    expect(removed.map((one) => one.payload)).toEqual([{ id, state: null, workspace_id: fixture.workspace }])
    expect(await fixture.service((s) => s.rows(`select from public.jobs where kind = 'reminder'`))).toEqual(
      [],
    )
  })

  it('become due although another one fails', async () => {
    const [failing, due] = [randomUUID(), randomUUID()]
    await fixture.committedAs('bea', async (s) => {
      await set(s, { id: failing, repeats: 'daily' })
      await set(s, { id: due })
    })
    await fixture.service(async (s) => {
      await s.rows(`update public.reminders set time_zone = 'Europe/Gone' where id = $1`, [failing])
      await s.rows(`update public.jobs set run_at = now() where kind = 'reminder'`)
      await s.rows('select app.run_reminders()')
      const reminded = await s.rows('select id from public.reminders where reminded_at is not null')
      expect(reminded).toEqual([{ id: due }])
    })
    await fixture.committedAs('bea', async (s) => {
      for (const id of [failing, due]) await s.call('delete_reminder', { id })
    })
  })

  it('become due once, with two schedulers and after a stop; repeated ones have their next time then', async () => {
    const [once, daily] = [randomUUID(), randomUUID()]
    await fixture.committedAs('bea', async (s) => {
      await set(s, { id: once, message: fixture.messages.fresh, text: '' })
      await set(s, { id: daily, repeats: 'daily' })
    })
    // The server was stopped for three days: the times in between remind once.
    await fixture.service(async (s) => {
      await s.rows(
        `update public.reminders set due_at = due_at - interval '3 days', starts_at = starts_at - interval '3 days'
         where profile_id = $1`,
        [fixture.profile.bea],
      )
      await s.rows(`update public.jobs set run_at = run_at - interval '3 days' where kind = 'reminder'`)
    }, true)
    const clients = [1, 2].map(() => new Client(fixture.database.config('postgres')))
    try {
      await Promise.all(clients.map((client) => client.connect()))
      const run = () => Promise.all(clients.map((client) => client.query('select app.run_reminders()')))
      const events = await collectBroadcasts(fixture, 'bea', run)
      expect(events.map((one) => (one.payload as Reminder).id).toSorted()).toEqual([once, daily].toSorted())
      expect(await collectBroadcasts(fixture, 'bea', run)).toEqual([])
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
    const byId = async () =>
      new Map((await fixture.rolledBackAs('bea', remindersOf)).map((row) => [row.id, row]))
    const due = await byId()
    expect(due.get(once)?.reminded_at).toBe(due.get(once)?.due_at)
    expect(due.get(daily)?.reminded_at).not.toBeNull()
    expect(Date.parse(due.get(daily)!.due_at)).toBeGreaterThan(Date.now())
    await fixture.committedAs('bea', async (s) => {
      await s.call('complete_reminder', { id: once })
      await s.call('complete_reminder', { id: once })
      await s.call('complete_reminder', { id: daily })
    })
    const left = await byId()
    expect([...left.keys()]).toEqual([daily])
    expect(left.get(daily)?.reminded_at).toBeNull()
    // Another time: it waits again.
    await fixture.committedAs('bea', (s) => set(s, { id: daily, due_at: inMinutes(5) }))
    expect((await byId()).get(daily)).toMatchObject({ repeats: null, reminded_at: null })
    await fixture.committedAs('bea', (s) => s.call('delete_reminder', { id: daily }))
  })

  it('keep their local time when clocks change, and the day of a month after a shorter one', async () => {
    const times = (first: string, repeats: string, count: number, zone = 'Europe/Berlin') =>
      fixture.service(async (s) => {
        const found: string[] = []
        let after = await s.value<Date>(`select $1::timestamp at time zone $2`, [first, zone])
        for (let i = 0; i < count; i++) {
          after = await s.value<Date>('select app.next_occurrence($1::timestamp, $2, $3, $4::timestamptz)', [
            first,
            zone,
            repeats,
            after,
          ])
          found.push(after.toISOString().slice(0, 16))
        }
        return found
      })
    // Summer time begins on 28 March 2027 at 2:00, and ends on 31 October at 3:00.
    expect(await times('2027-03-27 09:00', 'daily', 2)).toEqual(['2027-03-28T07:00', '2027-03-29T07:00'])
    expect(await times('2027-10-29 09:00', 'daily', 3)).toEqual([
      '2027-10-30T07:00',
      '2027-10-31T08:00',
      '2027-11-01T08:00',
    ])
    // 2:30 does not exist on 28 March, and exists twice on 31 October: once each day.
    expect(await times('2027-03-27 02:30', 'daily', 2)).toEqual(['2027-03-28T01:30', '2027-03-29T00:30'])
    expect(await times('2027-10-30 02:30', 'daily', 2)).toEqual(['2027-10-31T01:30', '2027-11-01T01:30'])
    expect(await times('2027-03-26 09:00', 'weekdays', 2)).toEqual(['2027-03-29T07:00', '2027-03-30T07:00'])
    expect(await times('2027-03-22 09:00', 'weekly', 2)).toEqual(['2027-03-29T07:00', '2027-04-05T07:00'])
    expect(await times('2027-01-31 09:00', 'monthly', 3)).toEqual([
      '2027-02-28T08:00',
      '2027-03-31T07:00',
      '2027-04-30T07:00',
    ])
  })

  it('are refused of what is not readable, without a text, in an unknown time zone, and above 100', async () => {
    const refused = (who: Name, more: object) =>
      fixture.rolledBackAs(who, async (s) => (await s.refusal((t) => set(t, more))).message)
    expect(await refused('gus', { message: fixture.messages.old })).toBe('not_found')
    expect(await refused('ann', { message: fixture.messages.secret })).toBe('not_found')
    expect(await refused('bea', { text: ' ' })).toBe('bad_reminder')
    expect(await refused('bea', { text: 'x'.repeat(501) })).toBe('bad_reminder')
    for (const zone of [
      'Mars/Olympus',
      'CEST',
      'FOO+3',
      'Foo/Bar+3',
      'Etc/GMT+13',
      'NaN',
      '',
      '+1',
      'Europe/Berlin ',
    ]) {
      expect([zone, await refused('bea', { time_zone: zone })]).toEqual([zone, 'bad_reminder'])
    }
    const refusedZones = await fixture.service((s) =>
      s.rows(
        `select name from pg_timezone_names where name ~ '/' and name !~ '^(posix|right)/' and not app.is_time_zone(name)
           and name !~ '^(SystemV|Etc/GMT-?0)'
         union all select name from unnest(array['UTC', 'CET', 'PST8PDT', 'Etc/GMT-14']) name where not app.is_time_zone(name)`,
      ),
    )
    expect(refusedZones).toEqual([])
    expect(await refused('bea', { repeats: 'hourly' })).toBe('bad_reminder')
    expect(await refused('bea', { due_at: inMinutes(-1) })).toBe('scheduled_in_the_past')
    await fixture.rolledBackAs('bea', async (s) => {
      for (let i = 0; i < 100; i++) await set(s)
      expect((await s.refusal((t) => set(t))).message).toBe('reminders_at_most_100')
    })
  })
})
