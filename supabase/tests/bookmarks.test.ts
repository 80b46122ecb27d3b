/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('bookmarks and read receipts on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const link = { title: 'Rota', url: 'https://rota.example/now' }
  const add = (s: TestTransaction, args: object = link, channel = fixture.lobby, id = randomUUID()) =>
    s.call('add_bookmark', { id, channel, ...args })

  it('takes only http and https links with a title, at most 20, and one for a repeated request', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (const bad of [
        { title: 'x', url: 'javascript:alert(1)' },
        { title: 'x', url: 'data:text/html,x' },
        { title: 'x', url: 'https://a b' },
        { title: ' ', url: link.url },
        { title: 'x'.repeat(81), url: link.url },
        { url: link.url },
        { title: 'x' },
      ])
        expect(
          await s.failure('add_bookmark', { id: randomUUID(), channel: fixture.side, ...bad }),
          JSON.stringify(bad).slice(0, 60),
        ).toBe('bad_bookmark')
      const id = randomUUID()
      await add(s, link, fixture.side, id)
      expect((await add(s, link, fixture.side, id)).bookmarks).toHaveLength(1)
      expect(await s.failure('add_bookmark', { id, channel: fixture.closed, ...link })).toBe('conflict')
      for (let count = 1; count < 20; count += 1) await add(s, link, fixture.side)
      expect(await s.failure('add_bookmark', { id: randomUUID(), channel: fixture.side, ...link })).toBe(
        'too_many_bookmarks',
      )
    })
  })

  it('is moved, changed and removed, each announced by a change of the channel', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    const events = await collectBroadcasts(fixture, 'bea', async (s) => {
      for (const [index, id] of ids.entries()) await add(s, { ...link, title: `${index}` }, fixture.side, id)
    })
    expect(events.filter((one) => one.event === 'meta')).toHaveLength(3)
    await fixture.rolledBackAs('bea', async (s) => {
      const order = (list: { bookmarks: { title: string | null }[] }) =>
        list.bookmarks.map((one) => one.title)
      expect(order(await s.call('move_bookmark', { id: ids[2]!, position: 0 }))).toEqual(['2', '0', '1'])
      expect(order(await s.call('move_bookmark', { id: ids[2]!, position: 1 }))).toEqual(['0', '2', '1'])
      expect(order(await s.call('move_bookmark', { id: ids[0]!, position: 9 }))).toEqual(['2', '1', '0'])
      const changed = await s.call('change_bookmark', {
        id: ids[0]!,
        title: ' New ',
        url: 'http://x.example',
      })
      expect(changed.bookmarks[2]).toMatchObject({ title: 'New', url: 'http://x.example' })
      expect(order(await s.call('delete_bookmark', { id: ids[1]! }))).toEqual(['2', 'New'])
      expect(await s.failure('delete_bookmark', { id: ids[1]! })).toBe('not_found')
    })
    for (const who of ['gus', 'omar'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.failure('delete_bookmark', { id: ids[0]! })), who).toBe(
        'not_found',
      )
    expect(await fixture.rolledBackAs('ann', (s) => s.failure('delete_bookmark', { id: ids[0]! }))).toBe(
      'not_a_member',
    )
  })

  it('refers to a file without its name, which only readers of a message with it get', async () => {
    const upload = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await s.rows(
        `insert into storage.objects (bucket_id, name, owner_id, metadata)
         values ('files', $1, auth.uid()::text, '{"size": 10, "mimetype": "text/plain"}')`,
        [`${fixture.closed}/${upload}/file`],
      )
      await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.closed,
        body: 'The contract',
        attachments: [{ id: upload, name: 'merger.txt', width: null, height: null, thumb: false }],
      })
    })
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('add_bookmark', { id: randomUUID(), channel: fixture.lobby, upload }),
      ),
    ).toBe('not_found')
    const list = await fixture.committedAs('bea', (s) => add(s, { upload }, fixture.lobby))
    expect(JSON.stringify(list)).not.toContain('merger')
    const seen = (s: TestTransaction) =>
      s.rows(
        'select b.id, a.name from public.channel_bookmarks b left join public.attachments a using (upload_id) where b.upload_id = $1',
        [upload],
      )
    expect(await fixture.rolledBackAs('bea', seen)).toMatchObject([{ name: 'merger.txt' }])
    for (const who of ['ann', 'gus'] as const)
      expect(await fixture.rolledBackAs(who, seen), who).toMatchObject([{ name: null }])
  })

  it('shows who has read a message only where the workspace allows it, guests’ channels by choice', async () => {
    const message = fixture.messages.fresh
    const seenBy = (who: Name, id = message) =>
      fixture
        .rolledBackAs(who, (s) => s.call('seen_by', { message: id }))
        .catch((error: Error) => error.message)
    const choose = (read_receipts: 'off' | 'members' | 'everyone') =>
      fixture.committedAs('ann', (s) =>
        s.call('set_workspace_options', { workspace: fixture.workspace, read_receipts }),
      )
    expect(await seenBy('ann')).toBe('read_receipts_off')
    expect(
      await fixture.rolledBackAs('bea', (s) =>
        s.failure('set_workspace_options', { workspace: fixture.workspace, read_receipts: 'members' }),
      ),
    ).toBe('not_allowed')
    expect((await choose('members')).read_receipts).toBe('members')
    // Gus is a guest of the lobby.
    expect(await seenBy('ann')).toBe('read_receipts_off')
    const share = (who: Name, shares_reads: boolean) =>
      fixture.committedAs(who, (s) =>
        s.rows(
          `insert into public.notification_preferences (workspace_id, shares_reads) values ($1, $2)
          on conflict (profile_id, workspace_id) do update set shares_reads = excluded.shares_reads`,
          [fixture.workspace, shares_reads],
        ),
      )
    await fixture.committedAs('cem', async (s) => {
      const entry = (await s.call('bootstrap', {})).channels.find((one) => one.channel.id === fixture.closed)!
      await s.call('mark_read', {
        channel: fixture.closed,
        seq: entry.counters.last_seq,
        read_version: entry.state.read_version,
      })
    })
    // Nobody shares what they have read unless they choose so, and then only with those who do, too.
    expect(await seenBy('bea', fixture.messages.secret)).toBe('reads_not_shared')
    await share('bea', true)
    expect(await seenBy('bea', fixture.messages.secret)).toEqual({ people: [] })
    await share('cem', true)
    expect(await seenBy('bea', fixture.messages.secret)).toEqual({ people: [fixture.profile.cem] })
    // A conversation of 12 people, and then of 13.
    await fixture.service(async (s) => {
      const join = (count: number) =>
        s.rows(
          `with people as (
             insert into public.profiles (name) select 'Person ' || i from generate_series(1, $3) i returning id),
           members as (
             insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people)
           insert into public.channel_members (channel_id, profile_id) select $2, id from people`,
          [fixture.workspace, fixture.closed, count],
        )
      const asBea = JSON.stringify({
        role: 'authenticated',
        sub: fixture.account.bea,
        session_id: fixture.account.bea,
      })
      const become = (role: string) =>
        s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
          asBea,
          role,
        ])
      await join(
        12 - (await s.value<number>('select count(*)::int from app.channel_readers($1)', [fixture.closed])),
      )
      await become('authenticated')
      expect(await s.call('seen_by', { message: fixture.messages.secret })).toEqual({
        people: [fixture.profile.cem],
      })
      await become('none')
      await join(1)
      await become('authenticated')
      expect(await s.failure('seen_by', { message: fixture.messages.secret })).toBe('read_receipts_off')
      await become('none')
    })
    await share('bea', false)
    expect(await seenBy('bea', fixture.messages.secret)).toBe('reads_not_shared')
    for (const who of ['ann', 'eli', 'omar'] as const)
      expect(await seenBy(who, fixture.messages.secret), who).toBe('not_found')
    await choose('everyone')
    await share('ann', true)
    await share('gus', true)
    await fixture.committedAs('gus', async (s) => {
      const entry = (await s.call('bootstrap', {})).channels.find((one) => one.channel.id === fixture.lobby)!
      await s.call('mark_read', {
        channel: fixture.lobby,
        seq: entry.counters.last_seq,
        read_version: entry.state.read_version,
      })
    })
    expect((await seenBy('ann')) as { people: string[] }).toMatchObject({
      people: expect.arrayContaining([fixture.profile.gus]),
    })
    await share('gus', false)
    expect(((await seenBy('ann')) as { people: string[] }).people).not.toContain(fixture.profile.gus)
    await choose('off')
    expect(await seenBy('ann')).toBe('read_receipts_off')
  })
})
