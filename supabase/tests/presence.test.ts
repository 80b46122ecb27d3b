import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Digests, Heartbeat } from '../../wire/sync.ts'
import { impersonate, openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Who is present, as heartbeats return it. */
describe.each(testDatabases)('presence on $name', ({ open }) => {
  let fixture: Fixture
  let nameOf: Map<number, Name>
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const rows = await sql<{ number: string; profile_id: string }>(
      'select number, profile_id from public.workspace_members where workspace_id = $1',
      [fixture.workspace],
    )
    const names = new Map(Object.entries(fixture.profile).map(([name, id]) => [id, name as Name]))
    nameOf = new Map(rows.map((row) => [Number(row.number), names.get(row.profile_id)!]))
  })
  afterAll(() => fixture.stop())
  beforeEach(async () => {
    await sql('truncate public.heartbeats, public.presence, public.presence_changes')
  })

  const sql = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    fixture.service((s) => s.rows<Row>(text, values), true)
  const beat = (
    who: Name,
    cursor?: Digests | null,
    state: 'active' | 'away' = 'active',
    within?: (s: TestTransaction) => Promise<unknown>,
  ): Promise<Heartbeat> =>
    fixture.committedAs(who, async (s) => {
      const stored = cursor ? { presence: cursor.presence! } : null
      const response = await s.call('heartbeat', { workspace: fixture.workspace, state, stored })
      await within?.(s)
      return response
    })
  /** Presence computed more than ten seconds ago. */
  const expire = () =>
    sql(`update public.presence set computed_at = computed_at - interval '11 seconds' where true`)
  /** Makes all changes a minute older. */
  const age = async () => {
    await sql('update public.presence_changes set version = version - 60000 where true')
    await sql('update public.presence set version = version - 60000 where true')
  }
  const leave = (who: Name) =>
    sql(`update public.heartbeats set seen_at = now() - interval '151 seconds' where profile_id = $1`, [
      fixture.profile[who],
    ])
  /** The states in the texts of a response, by name. */
  const statesIn = ({ presence: { changes } }: Heartbeat): Record<string, string> =>
    Object.fromEntries(
      changes.flatMap((text) => {
        let number = 0
        return [...text.matchAll(/(\d+)([awo])/g)].map(([, difference, letter]) => {
          number += Number(difference)
          return [nameOf.get(number) ?? String(number), letter!]
        })
      }),
    )

  it('is that of everybody without a cursor, and then what has changed since', async () => {
    const first = await beat('ann')
    expect(first.presence.complete).toBe(true)
    expect(statesIn(first)).toEqual({ ann: 'a' })
    await beat('bea', null, 'away')
    const second = await beat('ann', first.digests)
    expect(second.presence.complete).toBe(false)
    expect(statesIn(second)).toEqual({ bea: 'w' })
    await beat('bea')
    await beat('cem')
    const third = await beat('ann', second.digests, 'away')
    expect(statesIn(third)).toEqual({ ann: 'w', bea: 'a', cem: 'a' })
    const fourth = await beat('ann', third.digests, 'away')
    expect(fourth.presence).toEqual({ complete: false, changes: [] })
    expect(fourth.people).toEqual([])
    expect(statesIn(await beat('cem'))).toEqual({ ann: 'w', bea: 'a', cem: 'a' })
  })

  it('ends two and a half minutes after the last heartbeat, which is noticed within ten seconds', async () => {
    await beat('bea')
    const first = await beat('ann')
    await leave('bea')
    const second = await beat('ann', first.digests)
    expect(second.presence.changes).toEqual([])
    await expire()
    const third = await beat('ann', second.digests)
    expect(statesIn(third)).toEqual({ bea: 'o' })
    // A clock that was set back delays nothing.
    await sql(`update public.presence set computed_at = now() + interval '1 hour' where true`)
    await beat('bea', null)
    expect(statesIn(await beat('ann', third.digests))).toEqual({ bea: 'a' })
  })

  it('ends with the membership', async () => {
    await beat('cem')
    const first = await beat('ann')
    await expire()
    await sql(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [
      fixture.profile.cem,
    ])
    expect(statesIn(await beat('ann', first.digests))).toEqual({ cem: 'o' })
    await sql(`update public.workspace_members set state = 'active' where profile_id = $1`, [
      fixture.profile.cem,
    ])
    await sql('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
      fixture.account.cem,
    ])
  })

  it('loses no change of a heartbeat that commits while another one computes', async () => {
    const first = await beat('cem')
    await expire()
    // Bea's heartbeat begins and ends while Ann's has computed the presence and is not committed.
    const second = await beat('ann', null, 'active', async () => {
      const other = new Client(fixture.database.config('postgres'))
      await other.connect()
      await other.query('begin')
      await impersonate(other, fixture.account.bea)
      const { rows } = await other.query<{ response: Heartbeat }>(
        `select public.heartbeat($1, 'active') as response`,
        [fixture.workspace],
      )
      await other.query('commit')
      await other.end()
      // What is not committed is not read either.
      expect(statesIn(rows[0]!.response)).toEqual({ cem: 'a' })
    })
    expect(statesIn(second)).toEqual({ ann: 'a', cem: 'a' })
    const third = await beat('cem', first.digests)
    expect(statesIn(third)).toEqual({ ann: 'a' })
    await expire()
    expect(statesIn(await beat('cem', third.digests))).toEqual({ bea: 'a' })
  })

  it.each([
    ['the tables were lost in a crash', 'truncate public.presence, public.presence_changes'],
    ['the server was started again', `update public.presence set server_started_at = '-infinity' where true`],
    [
      'the cursor is older than ten minutes',
      'update public.presence set version = version + 600001 where true',
    ],
    [
      'the version is one that the server does not have yet',
      'update public.presence set version = 1 where true',
    ],
  ])('is that of everybody again after %s', async (_, change) => {
    await beat('bea')
    const first = await beat('ann')
    await sql(change)
    const second = await beat('ann', first.digests)
    expect(second.presence.complete).toBe(true)
    expect(statesIn(second)).toEqual({ ann: 'a', bea: 'a' })
    expect((await beat('ann', second.digests)).presence).toEqual({ complete: false, changes: [] })
  })

  it.each([
    '',
    'x',
    '1:2',
    '1:2:',
    '-1:2:3',
    `${'9'.repeat(19)}:${'9'.repeat(18)}:`,
    'A'.repeat(384),
    '1:2:3:4',
  ])('is that of everybody for the cursor “%s”', async (cursor) => {
    const response = await beat('ann', { presence: cursor })
    expect(response.presence.complete).toBe(true)
    expect(statesIn(response)).toEqual({ ann: 'a' })
  })

  it('shows guests only those whom they may see, by their ids, and everybody again when these are others', async () => {
    for (const who of ['ann', 'bea', 'cem', 'eli'] as const) await beat(who)
    await expire()
    const first = await beat('gus')
    const visible = await fixture.rolledBackAs('gus', (s) =>
      s.rows<{ id: string }>('select id from public.profiles'),
    )
    const ids = new Set(visible.map((row) => row.id))
    expect(first.presence).toEqual({ complete: true, changes: [] })
    expect(first.people.length).toBeGreaterThan(1)
    expect(first.people.filter((one) => !ids.has(one.profile_id))).toEqual([])
    await age()
    const quiet = await beat('gus', first.digests)
    expect(quiet).toMatchObject({ presence: { complete: false, changes: [] }, people: [] })
    await beat('bea', null, 'away')
    const second = await beat('gus', quiet.digests)
    expect(second.people).toEqual([{ profile_id: fixture.profile.bea, state: 'away' }])
    await leave('bea')
    await expire()
    const third = await beat('gus', second.digests)
    expect(third.people).toContainEqual({ profile_id: fixture.profile.bea, state: 'offline' })
    // The time of a change would show that somebody has changed whom the guest may not know.
    expect(Number(third.digests.presence!.split(':')[1]) % 10_000).toBe(0)
    // A cursor of a member is not valid for a guest, nor that of a guest who sees other people.
    const member = await beat('ann')
    expect((await beat('gus', member.digests)).presence.complete).toBe(true)
    await fixture.committedAs('bea', (s) => s.call('leave_channel', { channel: fixture.lobby }))
    const fourth = await beat('gus', third.digests)
    expect(fourth.presence.complete).toBe(true)
    expect(fourth.people.map((one) => one.profile_id)).not.toContain(fixture.profile.bea)
  })

  it('gives the numbers of members to full members only', async () => {
    const numbersFor = async (who: Name) =>
      fixture.rolledBackAs(who, async (s) => (await s.call('bootstrap', {})).members.map((one) => one.number))
    for (const number of await numbersFor('ann')) expect(number).toEqual(expect.any(Number))
    for (const number of await numbersFor('gus')) expect(number).toBeNull()
    await sql(`update public.profiles set status_text = 'At lunch' where id = $1`, [fixture.profile.ann])
    const events = await sql<{ topic: string; number: number | null }>(
      `select topic, payload -> 'member' -> 'number' as number from realtime.messages
       where event = 'member' and payload #>> '{member,profile,status_text}' = 'At lunch'`,
    )
    const numbered = events.filter(({ number }) => number !== null).map(({ topic }) => topic)
    expect(numbered.filter((topic) => !topic.startsWith('workspace:'))).toEqual([])
    expect(numbered).toHaveLength(1)
    expect(events.map(({ topic }) => topic)).toContain(`user:${fixture.profile.gus}`)
  })

  it('encodes states as differences of numbers, and decodes them', async () => {
    expect(
      await fixture.service(async (s) => ({
        text: await s.value(`select app.encode_presence(array[700, 12, 15], array['o', 'a', 'w'])`),
        empty: await s.value(`select app.encode_presence(null, null)`),
        decoded: await s.rows(`select number::int, state from app.decode_presence('12a3w685o')`),
      })),
    ).toEqual({
      text: '12a3w685o',
      empty: '',
      decoded: [
        { number: 12, state: 'a' },
        { number: 15, state: 'w' },
        { number: 700, state: 'o' },
      ],
    })
  })

  it('sends nothing longer than the presence of everybody, however often people come and go', async () => {
    const { digests } = await beat('ann')
    await sql(
      `insert into public.presence_changes (workspace_id, version, changes)
       select p.workspace_id, p.version + n, repeat('1a', 50) from public.presence p, generate_series(1, 100) n`,
    )
    await sql('update public.presence set version = version + 100 where true')
    const response = await beat('ann', digests)
    expect(response.presence).toEqual({ complete: true, changes: [expect.any(String)] })
    expect(statesIn(response)).toEqual({ ann: 'a' })
    expect((await beat('ann', response.digests)).presence).toEqual({ complete: false, changes: [] })
  })
})
