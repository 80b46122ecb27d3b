import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelTopic } from '../../wire/events.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

/** What a bot may do, and who decides about it. */
describe.each(testDatabases)('bots on $name', ({ open }) => {
  let fixture: Fixture
  /** In the lobby, with a token and a session of the same id as its account. */
  const bot = randomUUID()
  beforeAll(async () => {
    fixture = await openFixture(await open())
    // Cem administers the workspace too, and alone of the two reads the private channel.
    await fixture.service(
      (s) =>
        s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      true,
    )
    await createBot('ann', { id: bot, channels: [fixture.lobby] })
    await createToken('ann', bot)
  })
  afterAll(() => fixture.stop())

  const createBot = (who: Name, o: { id?: Uuid; channels?: Uuid[] } = {}) =>
    fixture.committedAs(who, (s) =>
      s.call('create_bot', {
        id: o.id ?? randomUUID(),
        workspace: fixture.workspace,
        name: 'Harbour bell',
        channels: o.channels ?? [fixture.lobby],
        description: 'Rings at eight.',
      }),
    )
  const accountOf = (id: Uuid) =>
    fixture.service((s) => s.value<Uuid | null>('select user_id from public.profiles where id = $1', [id]))
  /** Creates a token and a session of its account, as the auth service does. */
  const createToken = async (who: Name, id: Uuid, days = 30) => {
    const made = await fixture.committedAs(who, (s) => s.call('create_bot_token', { bot: id, days }))
    const account = await accountOf(id)
    await fixture.service(
      (s) => s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [account]),
      true,
    )
    return { ...made, account: account! }
  }
  /** A transaction of the account, with the session of its own id, that is rolled back. */
  const asAccount = <T>(account: Uuid, work: (s: TestTransaction) => Promise<T>): Promise<T> =>
    fixture.service(async (s) => {
      const claims = { role: 'authenticated', sub: account, session_id: account }
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify(claims)],
      )
      return work(s)
    })
  const asBot = async <T>(id: Uuid, work: (s: TestTransaction) => Promise<T>): Promise<T> =>
    asAccount((await accountOf(id))!, work)
  const failure = (who: Name, work: (s: TestTransaction) => Promise<unknown>) =>
    fixture.rolledBackAs(who, async (s) => (await s.refusal(work)).message)

  it('reads and writes in its channels, from its joining on', async () => {
    const after = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id: after, channel: fixture.lobby, body: 'Ring, please' }),
    )
    await asBot(bot, async (s) => {
      const page = await s.call('channel_page', { channel: fixture.lobby })
      const ids = page.messages.map((message) => message.id)
      expect(ids).toContain(after)
      expect(ids).not.toContain(fixture.messages.fresh)
      const sent = await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: 'Eight o’clock',
      })
      expect(sent.message.author_id).toBe(bot)
    })
  })

  it('reads nothing else: no public channel, no message, no person outside of its channels', async () => {
    await asBot(bot, async (s) => {
      expect(await s.rows('select id from public.channels')).toEqual([{ id: fixture.lobby }])
      const elsewhere = await s.rows('select id from public.messages where channel_id <> $1', [fixture.lobby])
      expect(elsewhere).toEqual([])
      for (const channel of [fixture.side, fixture.closed, fixture.direct]) {
        expect(await s.failure('channel_page', { channel })).toBe('not_found')
        expect(await s.failure('send_message', { id: randomUUID(), channel, body: 'Hello' })).toBe(
          'not_found',
        )
      }
      const people = await s.rows<{ id: Uuid }>('select id from public.profiles')
      expect(people.map((one) => one.id)).not.toContain(fixture.profile.zoe)
    })
    // The premise: there is something to hide.
    const hidden = await fixture.service((s) =>
      s.value<number>('select count(*)::integer from public.messages where channel_id <> $1', [
        fixture.lobby,
      ]),
    )
    expect(hidden).toBeGreaterThan(3)
  })

  it('manages no people, invitations, channels or other bots, and starts no conversation', async () => {
    await asBot(bot, async (s) => {
      const { workspace, lobby, side, profile } = fixture
      expect(await s.failure('create_invitation', { workspace, role: 'member', channels: [lobby] })).toBe(
        'not_allowed',
      )
      expect(await s.failure('list_invitations', { workspace })).toBe('not_allowed')
      expect(await s.failure('deactivate_member', { workspace, person: profile.bea })).toBe('not_allowed')
      expect(await s.failure('add_members', { channel: lobby, people: [profile.cem] })).toBe('not_allowed')
      expect(
        await s.failure('create_channel', { id: randomUUID(), workspace, kind: 'public', name: 'Bells' }),
      ).toBe('not_allowed')
      expect(await s.failure('join_channel', { channel: side })).toBe('not_found')
      expect(await s.failure('open_direct', { workspace, people: [profile.bea] })).toBe('not_allowed')
      expect(await s.failure('create_bot', { id: randomUUID(), workspace, name: 'B', channels: [] })).toBe(
        'not_allowed',
      )
      expect(await s.failure('list_bots', { workspace })).toBe('not_allowed')
      expect(await s.failure('create_bot_token', { bot, days: 1 })).toBe('not_allowed')
      expect(await s.failure('set_bot_channels', { bot, channels: [side] })).toBe('not_allowed')
      expect(
        await s.rows(`update public.profiles set name = 'Ann Okafor' where id = $1 returning id`, [bot]),
      ).toEqual([])
    })
  })

  it('stays a guest of its own workspace, whatever invitation its program has', async () => {
    const { token } = await fixture.committedAs('ann', (s) =>
      s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [fixture.side] }),
    )
    await asBot(bot, async (s) => {
      expect(await s.failure('accept_invitation', { token, person_name: 'Bell' })).toBe('not_allowed')
    })
    for (const change of [`role = 'member'`, `role = 'owner'`])
      expect(
        (
          await fixture.service((s) =>
            s.refusal((t) =>
              t.rows(`update public.workspace_members set ${change} where profile_id = $1`, [bot]),
            ),
          )
        ).message,
      ).toBe('not_allowed')
  })

  it('is added to channels by owners and admins only, and to no direct conversation', async () => {
    const other = (await createBot('ann', { channels: [] })).id
    const { workspace, lobby, side } = fixture
    expect(await failure('bea', (s) => s.call('add_members', { channel: side, people: [other] }))).toBe(
      'not_allowed',
    )
    expect(await failure('bea', (s) => s.call('open_direct', { workspace, people: [other] }))).toBe(
      'not_allowed',
    )
    expect(await failure('ann', (s) => s.call('open_direct', { workspace, people: [other] }))).toBe(
      'not_allowed',
    )
    const added = await fixture.rolledBackAs('ann', (s) =>
      s.call('add_members', { channel: lobby, people: [other] }),
    )
    expect(added.people).toEqual([other])
  })

  it('gets no channel that the one who manages it cannot read', async () => {
    const { closed, direct, lobby, side } = fixture
    for (const channels of [[closed], [direct], [lobby, randomUUID()]]) {
      const create = failure('ann', (s) =>
        s.call('create_bot', { id: randomUUID(), workspace: fixture.workspace, name: 'B', channels }),
      )
      expect(await create).toBe('not_found')
      expect(await failure('ann', (s) => s.call('set_bot_channels', { bot, channels }))).toBe('not_found')
    }
    const shared = (await createBot('cem', { channels: [closed, lobby] })).id
    await fixture.rolledBackAs('ann', async (s) => {
      // Its token would let Ann read the private channel.
      expect(await s.failure('create_bot_token', { bot: shared, days: 1 })).toBe('bot_in_other_channels')
      const { bots } = await s.call('list_bots', { workspace: fixture.workspace })
      expect(bots.find((one) => one.id === shared)).toMatchObject({ channels: [lobby], hidden_channels: 1 })
      const changed = await s.call('set_bot_channels', { bot: shared, channels: [side] })
      expect(changed).toMatchObject({ channels: [side], hidden_channels: 1 })
    })
  })

  it('shows who is responsible to members, and to guests only if they see that person', async () => {
    const rows = (who: Name) =>
      fixture.rolledBackAs(who, (s) =>
        s.rows('select profile_id, responsible_id from public.bots where profile_id = $1', [bot]),
      )
    const shown = [{ profile_id: bot, responsible_id: fixture.profile.ann }]
    expect(await rows('bea')).toEqual(shown)
    expect(await rows('gus')).toEqual(shown)
    expect(await rows('zoe')).toEqual([])
    const elsewhere = (await createBot('ann', { channels: [fixture.side] })).id
    const seen = await fixture.rolledBackAs('gus', (s) =>
      s.rows('select profile_id from public.bots where profile_id = $1', [elsewhere]),
    )
    expect(seen).toEqual([])
  })

  it('has one token, of which only a hash is stored, for at most 366 days', async () => {
    const other = (await createBot('ann')).id
    const first = await createToken('ann', other)
    const stored = await fixture.service((s) =>
      s.value<string>('select encrypted_password from auth.users where id = $1', [first.account]),
    )
    expect(stored).toMatch(/^\$2[ab]\$/)
    const matches = await fixture.service((s) =>
      s.value<boolean>('select extensions.crypt($1, $2) = $2', [first.token, stored]),
    )
    expect(matches).toBe(true)
    const { bots } = await fixture.rolledBackAs('ann', (s) =>
      s.call('list_bots', { workspace: fixture.workspace }),
    )
    expect(JSON.stringify(bots)).not.toContain(first.token)
    const second = await createToken('ann', other)
    expect(second.email).not.toBe(first.email)
    expect(
      await fixture.service((s) => s.rows('select 1 from auth.users where id = $1', [first.account])),
    ).toEqual([])
    expect(
      await fixture.service((s) => s.rows('select 1 from auth.sessions where user_id = $1', [first.account])),
    ).toEqual([])
    await asAccount(first.account, async (s) => {
      expect(await s.rows('select id from public.channels')).toEqual([])
      expect(
        await s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'Late' }),
      ).toBe('session_ended')
    })
    for (const days of [0, 367])
      expect(await failure('ann', (s) => s.call('create_bot_token', { bot: other, days }))).toBe('bad_expiry')
  })

  it('can do nothing once its token has expired or ended, or the bot has', async () => {
    const other = (await createBot('ann')).id
    const refused = async (account: Uuid) =>
      asAccount(account, async (s) => {
        expect(await s.rows('select id from public.channels')).toEqual([])
        expect(await s.rows('select id from public.messages')).toEqual([])
        return s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'Late' })
      })
    const { account } = await createToken('ann', other)
    await asAccount(account, async (s) =>
      expect(await s.rows('select id from public.channels')).toHaveLength(1),
    )
    // Time passes.
    await fixture.service(async (s) => {
      await s.rows(
        `update public.bots set token_expires_at = now() - interval '1 s', token_created_at = now() where profile_id = $1`,
        [other],
      )
      await s.rows('update auth.sessions set not_after = null where user_id = $1', [account])
    }, true)
    expect(await refused(account)).toBe('session_ended')
    const sessions = `select not_after <= now() as ended from auth.sessions where user_id = $1`
    expect(await fixture.service((s) => s.rows(sessions, [account]))).toEqual([{ ended: true }])
    // What the auth service would do for the password.
    await fixture.service(
      (s) =>
        s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())', [
          randomUUID(),
          account,
        ]),
      true,
    )
    expect(await fixture.service((s) => s.rows(sessions, [account]))).toEqual([
      { ended: true },
      { ended: true },
    ])
    await fixture.service((s) => s.rows('select app.end_expired_bot_tokens()'), true)
    expect(await accountOf(other)).toBeNull()

    const second = await createToken('ann', other)
    await fixture.committedAs('ann', (s) => s.call('end_bot_token', { bot: other }))
    expect(await refused(second.account)).toBe('session_ended')

    const third = await createToken('ann', other)
    await fixture.committedAs('ann', (s) => s.call('end_bot', { bot: other }))
    expect(await refused(third.account)).toBe('session_ended')
    const channels = await fixture.service((s) =>
      s.rows('select 1 from public.channel_members where profile_id = $1', [other]),
    )
    expect(channels).toEqual([])
    expect(await failure('ann', (s) => s.call('create_bot_token', { bot: other, days: 1 }))).toBe('not_found')
  })

  it('ends the subscriptions of a bot to its channels when its token ends', async () => {
    const other = (await createBot('ann')).id
    const { account } = await createToken('ann', other)
    const epoch = await fixture.service((s) =>
      s.value<number>('select epoch::int from public.channel_counters where channel_id = $1', [
        fixture.lobby,
      ]),
    )
    const events = await collectBroadcasts(fixture, 'ann', (s) => s.call('end_bot_token', { bot: other }))
    expect(events).toContainEqual({
      topic: channelTopic(fixture.lobby, epoch),
      event: 'end_subscriptions',
      payload: { users: [account] },
    })
  })

  it('ends when its membership is ended, as anyone’s', async () => {
    const other = (await createBot('ann')).id
    const { account } = await createToken('ann', other)
    await fixture.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: other }),
    )
    expect(await fixture.service((s) => s.rows('select 1 from auth.users where id = $1', [account]))).toEqual(
      [],
    )
  })

  it('is created once, whatever is repeated, and 100 at most', async () => {
    const id = randomUUID()
    const first = await createBot('ann', { id })
    expect(await createBot('ann', { id })).toEqual(first)
    const taken = { id: fixture.profile.bea, workspace: fixture.workspace, name: 'B', channels: [] }
    expect(await failure('ann', (s) => s.call('create_bot', taken))).toBe('conflict')
    expect(
      await failure('ann', (s) =>
        s.call('create_bot', { ...taken, id: randomUUID(), description: 'x'.repeat(251) }),
      ),
    ).toBe('bots_description_length')
    await fixture.rolledBackAs('ann', async (s) => {
      const { bots } = await s.call('list_bots', { workspace: fixture.workspace })
      for (let i = bots.length; i < 100; i++) await s.call('create_bot', { ...taken, id: randomUUID() })
      expect(await s.failure('create_bot', { ...taken, id: randomUUID() })).toBe('too_many_bots')
    })
  })

  it('is renamed, described and handed over by those who manage it', async () => {
    const changed = await fixture.rolledBackAs('ann', async (s) => {
      await s.call('update_bot', { bot, name: 'Fog horn' })
      return s.call('update_bot', { bot, responsible: fixture.profile.bea })
    })
    expect(changed).toMatchObject({
      name: 'Fog horn',
      description: 'Rings at eight.',
      responsible_id: fixture.profile.bea,
    })
    for (const responsible of [fixture.profile.gus, fixture.profile.zoe, fixture.profile.dee, bot])
      expect(await failure('ann', (s) => s.call('update_bot', { bot, responsible }))).toBe('not_found')
  })
})
