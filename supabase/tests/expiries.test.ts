import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('what expires on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const run = async () => {
    const clients = [1, 2].map(() => new Client(fixture.database.config('postgres')))
    try {
      await Promise.all(clients.map((client) => client.connect()))
      // Two schedulers, and a repeated run.
      await Promise.all(clients.map((client) => client.query('call app.end_what_has_expired()')))
      await clients[0]!.query('call app.end_what_has_expired()')
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
  }
  const statusOf = (who: 'bea' | 'cem') =>
    fixture.service((s) =>
      s.rows(
        `select status_text, status_emoji, status_expires_at is null as open, presence, presence_until is null as ended
         from public.profiles where id = $1`,
        [fixture.profile[who]],
      ),
    )

  it('ends by a job, also while nobody is there: the access of a guest, once, with the subscriptions', async () => {
    await run()
    const ended = () =>
      fixture.service((s) =>
        s.value<number>(
          `select count(*)::int from realtime.messages
           where event = 'end_subscriptions' and topic like 'channel:' || $1 || ':%' and payload = $2`,
          [fixture.lobby, { users: [fixture.account.gus] }],
        ),
      )
    expect(await ended()).toBe(0)
    await fixture.service(
      (s) =>
        s.rows(
          `update public.workspace_members set expires_at = now() - interval '1 day' where profile_id = $1`,
          [fixture.profile.gus],
        ),
      true,
    )
    await run()
    expect(
      await fixture.service((s) =>
        s.rows('select state from public.workspace_members where profile_id = $1', [fixture.profile.gus]),
      ),
    ).toEqual([{ state: 'deactivated' }])
    const count = await ended()
    expect(count).toBeGreaterThan(0)
    await run()
    expect(await ended()).toBe(count)
  })

  it('clears statuses and presence that have expired, and no others', async () => {
    await fixture.service(
      (s) =>
        s.rows(
          `update public.profiles set status_text = 'Lunch', status_emoji = '🥪', presence = 'dnd',
             status_expires_at = now() + case id when $1 then interval '-1 minute' else interval '1 hour' end,
             presence_until = now() + interval '1 hour'
           where id in ($1, $2)`,
          [fixture.profile.bea, fixture.profile.cem],
        ),
      true,
    )
    await run()
    expect(await statusOf('bea')).toEqual([
      { status_text: null, status_emoji: null, open: true, presence: 'dnd', ended: false },
    ])
    expect(await statusOf('cem')).toMatchObject([{ status_text: 'Lunch', open: false, presence: 'dnd' }])
    await fixture.service(
      (s) => s.rows('update public.profiles set presence_until = now() where id = $1', [fixture.profile.cem]),
      true,
    )
    await run()
    expect(await statusOf('cem')).toMatchObject([{ status_text: 'Lunch', presence: 'auto', ended: true }])
  })
})
