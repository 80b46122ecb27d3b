/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ActivityFilter, ActivityPage } from '../../wire/activity.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

describe.each(testDatabases)('activity on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const page = (
    s: TestTransaction,
    filter: ActivityFilter = 'all',
    before: string | null = null,
    limit = 50,
  ) => s.call('activity', { workspace: fixture.workspace, filter, before, limit })
  const brief = ({ entries }: ActivityPage) => entries.map(({ kind, message }) => `${kind}: ${message.body}`)

  /** Runs steps as different people in one transaction, which is rolled back. */
  const together = (
    work: (s: TestTransaction, as: (name: Name) => Promise<TestTransaction>) => Promise<void>,
  ) =>
    fixture.service(async (s) => {
      await work(s, async (name) => {
        const account = fixture.account[name]
        await s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ role: 'authenticated', sub: account, session_id: account })],
        )
        return s
      })
    })
  const post = async (
    s: TestTransaction,
    body: string,
    more: { thread_root?: string; channel?: string } = {},
  ) => {
    const id = randomUUID()
    await s.call('send_message', { id, channel: fixture.lobby, body, ...more })
    return id
  }

  it('the cursor of a page names no message that the person can no longer read', async () => {
    await together(async (s, as) => {
      const bea = fixture.profile.bea
      await as('ann')
      const channel = randomUUID()
      await s.call('create_channel', {
        id: channel,
        workspace: fixture.workspace,
        name: 'Board',
        kind: 'private',
      })
      await s.call('add_members', { channel, people: [bea] })
      const mentions: string[] = []
      for (let n = 0; n < 25; n += 1) mentions.push(await post(s, `<@${bea}> ${n}`, { channel }))
      await as('bea')
      const own = await post(s, 'Mine', { channel })
      await as('ann')
      await s.call('react', { message: own, emoji: '🔑', on: true })
      await post(s, 'A reply', { channel, thread_root: own })
      await as('bea')
      const whole = await page(s, 'all', null, 1)
      expect(whole.before?.split(' ')[2]).toBe(own)
      const { before } = await page(s, 'mentions', null, 1)
      expect(mentions).toContain(before?.split(' ')[2])
      await as('ann')
      await s.call('remove_member', { channel, person: bea })
      await as('bea')
      for (const filter of ['all', 'mentions', 'reactions', 'replies'] as const) {
        const first = await page(s, filter, null, 1)
        expect(
          [...mentions, own].some((id) => first.before?.includes(id)),
          filter,
        ).toBe(false)
        expect(JSON.stringify(first.entries), filter).not.toContain(channel)
      }
    })
  })

  it('has mentions, reactions and replies of others, newest first', async () => {
    await together(async (_, as) => {
      const mine = await post(await as('bea'), 'Keys?')
      await post(await as('ann'), `<@${fixture.profile.bea}> here`)
      const both = await post(await as('ann'), `<!channel> <!here> and <@${fixture.profile.bea}>`)
      await post(await as('ann'), `<!channel> <!here> all`)
      await (await as('cem')).call('react', { message: mine, emoji: '🔑', on: true })
      await post(await as('cem'), 'On the hook', { thread_root: mine })
      const s = await as('bea')
      // Own actions are none.
      await s.call('react', { message: mine, emoji: '👍', on: true })
      await post(s, `<!channel> <@${fixture.profile.bea}>`)
      expect(brief(await page(s))).toEqual([
        'reply: On the hook',
        'mention: <!channel> <!here> all',
        `mention: <!channel> <!here> and <@${fixture.profile.bea}>`,
        `mention: <@${fixture.profile.bea}> here`,
        // Its time is the start of the transaction.
        'reaction: Keys?',
        // From before: of her messages in both channels.
        ...['reply: They are lovely', 'reaction: ', 'reply: They are lovely', 'reaction: '].map((line) =>
          line === 'reaction: ' ? `reaction: Orchids for <@${fixture.profile.cem}> and <!channel>` : line,
        ),
      ])
      const { entries } = await page(s)
      expect(entries[0]).toMatchObject({ thread: { root_id: mine, counts: { unread: 1 } }, emoji: null })
      expect(entries[4]).toMatchObject({ emoji: '🔑', profile_id: fixture.profile.cem, thread: null })
      expect(brief(await page(s, 'reactions'))[0]).toBe('reaction: Keys?')
      expect(brief(await page(s, 'replies'))[0]).toBe('reply: On the hook')
      expect((await page(s, 'mentions')).entries.map((entry) => entry.kind)).toEqual(Array(3).fill('mention'))
      // Read markers decide what is read: the thread is.
      await s.call('mark_thread_read', { root: mine, thread_seq: 1, read_version: 1 })
      expect((await page(s)).entries[0]?.thread?.counts.unread).toBe(0)
      // A deleted message and a removed reaction leave.
      await (await as('ann')).call('delete_message', { id: both })
      await (await as('cem')).call('react', { message: mine, emoji: '🔑', on: false })
      const left = brief(await page(await as('bea')))
      expect(left.slice(0, 3)).toEqual([
        'reply: On the hook',
        'mention: <!channel> <!here> all',
        `mention: <@${fixture.profile.bea}> here`,
      ])
    })
  })

  it('has the time until which a person has seen reactions, which only they move, and only forward', async () => {
    await together(async (_, as) => {
      const { workspace } = fixture
      const mine = await post(await as('bea'), 'Keys?')
      await (await as('ann')).call('react', { message: mine, emoji: '🔑', on: true })
      const others = await page(await as('ann'))
      const s = await as('bea')
      const [reaction] = (await page(s, 'reactions')).entries
      const at = reaction!.at
      // Nothing is seen before the first mark, but what is older than the membership.
      const joined = (await page(s)).seen_at
      expect(Date.parse(joined)).toBeLessThan(Date.parse(at))
      await s.call('mark_activity_seen', { workspace, until: '2000-01-01T00:00:00Z' })
      expect((await page(s)).seen_at).toBe(joined)
      await s.call('mark_activity_seen', { workspace, until: at })
      expect((await page(s)).seen_at).toBe(at)
      await s.call('mark_activity_seen', { workspace, until: joined })
      expect((await page(s)).seen_at).toBe(at)
      // The transaction began when the reaction did.
      await s.call('mark_activity_seen', { workspace, until: '9999-01-01T00:00:00Z' })
      expect((await page(s)).seen_at).toBe(at)
      expect((await page(await as('ann'))).seen_at).toBe(others.seen_at)
    })
    for (const who of ['omar', 'zoe'] as const)
      expect(
        await fixture.rolledBackAs(who, (s) =>
          s.failure('mark_activity_seen', { workspace: fixture.workspace, until: '2026-01-01T00:00:00Z' }),
        ),
        who,
      ).toBe('not_found')
  })

  it('has neither votes nor ticks', async () => {
    await together(async (_, as) => {
      const poll = {
        question: 'When?',
        options: ['Now', 'Later'],
        multiple: false,
        anonymous: true,
        closes_at: null,
      }
      const id = randomUUID()
      await (
        await as('bea')
      ).call('send_message', {
        id,
        channel: fixture.lobby,
        body: 'When?\n- [ ] tea',
        extras: { poll } as never,
      })
      const s = await as('ann')
      await s.call('react', { message: id, emoji: 'poll:0', on: true })
      await s.call('react', { message: id, emoji: 'task:00000000', on: true })
      const { entries } = await page(await as('bea'), 'reactions')
      expect(entries.filter(({ message }) => message.id === id)).toEqual([])
    })
  })

  it('has replies that mention everyone only for those who follow the thread, and once', async () => {
    await together(async (_, as) => {
      const root = await post(await as('cem'), 'Rota')
      await post(await as('ann'), `<!channel> look`, { thread_root: root })
      expect(brief(await page(await as('bea')))).not.toContain('mention: <!channel> look')
      const entries = brief(await page(await as('cem')))
      expect(entries[0]).toBe('mention: <!channel> look')
      expect(entries).not.toContain('reply: <!channel> look')
      expect(brief(await page(await as('cem'), 'replies'))).toContain('reply: <!channel> look')
    })
  })

  it('a thread in which only the person replied is no activity', async () => {
    await together(async (_, as) => {
      const s = await as('bea')
      const root = await post(s, 'Alone')
      await post(s, 'Still', { thread_root: root })
      expect(brief(await page(s))).not.toContain('reply: Still')
    })
  })

  it('ends with the rights to the message', async () => {
    const mentioned = (entries: ActivityPage) => entries.entries.map(({ message }) => message.id)
    const { old, secret } = fixture.messages
    expect(mentioned(await fixture.rolledBackAs('cem', (s) => page(s)))).toEqual(
      expect.arrayContaining([old, secret]),
    )
    await fixture.rolledBackAs('cem', async (s) => {
      await s.call('leave_channel', { channel: fixture.closed })
      expect(mentioned(await page(s))).not.toContain(secret)
      // The lobby is public: mentions by name in it stay readable.
      await s.call('leave_channel', { channel: fixture.lobby })
      expect(mentioned(await page(s))).toContain(old)
    })
    // Gus joined after `old`, which mentions everyone.
    await together(async (_, as) => {
      const s = await as('gus')
      expect(mentioned(await page(s))).not.toContain(old)
      await post(await as('ann'), '<!channel> tea')
      expect(brief(await page(await as('gus')))).toEqual(['mention: <!channel> tea'])
    })
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const)
      expect(
        await fixture.rolledBackAs(who, (s) => s.failure('activity', { workspace: fixture.workspace })),
        who,
      ).toBe('not_found')
  })

  it('an edit that adds a mention is activity at the time of the edit', async () => {
    await together(async (s, as) => {
      const id = await post(await as('ann'), 'Soon')
      await post(await as('ann'), `<@${fixture.profile.bea}> first`)
      await (await as('ann')).call('edit_message', { id, body: `Now <@${fixture.profile.bea}>` })
      await as('bea')
      expect(brief(await page(s, 'mentions')).slice(0, 2)).toEqual([
        `mention: Now <@${fixture.profile.bea}>`,
        `mention: <@${fixture.profile.bea}> first`,
      ])
    })
  })

  it('pages are what one long page is, also past many rows that are no entries', async () => {
    await together(async (s, as) => {
      const ids: string[] = []
      for (let i = 0; i < 12; i++) {
        const mine = await post(await as('bea'), `Mine ${i}`)
        await (await as('ann')).call('react', { message: mine, emoji: '👍', on: true })
        ids.push(await post(await as('ann'), `<@${fixture.profile.bea}> ${i}`))
        await post(await as('ann'), `Re ${i}`, { thread_root: mine })
        await post(await as('ann'), `<!channel> ${i}`)
      }
      // All of the same time, as after an import, and 60 mentions of a channel that she has left.
      await as('bea')
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows('alter table public.channel_members disable trigger user')
      await s.rows(`update public.channel_members set created_at = created_at - interval '1 day'`)
      await s.rows('alter table public.channel_members enable trigger user')
      await s.rows(`update public.mentions set created_at = date_trunc('hour', created_at)`)
      await s.rows(`update public.reactions set created_at = date_trunc('hour', created_at)`)
      await s.rows('alter table public.messages disable trigger user')
      await s.rows(`update public.messages set last_reply_at = date_trunc('hour', last_reply_at)`)
      await s.rows(
        `with posted as (
           insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, 500 + n, 500 + n, 500 + n, $2, 'x', now() from generate_series(1, 60) n
           returning id, channel_id, author_id, seq)
         insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq)
         select id, channel_id, 'person', $3, author_id, seq from posted`,
        [fixture.closed, fixture.profile.cem, fixture.profile.bea],
      )
      await s.rows('alter table public.messages enable trigger user')
      await as('bea')
      await s.call('leave_channel', { channel: fixture.closed })
      for (const filter of ['all', 'mentions', 'reactions', 'replies'] as const) {
        const pages: string[][] = []
        const seen: string[] = []
        let before: string | null = null
        do {
          const next: ActivityPage = await page(s, filter, before, 5)
          pages.push(brief(next))
          seen.push(...next.entries.map((entry) => `${entry.kind} ${entry.message.id} ${entry.profile_id}`))
          before = next.before
        } while (before !== null && pages.length < 60)
        expect(new Set(seen).size, filter).toBe(seen.length)
        const count = { all: 50, mentions: 24, reactions: 13, replies: 13 }[filter]
        expect(seen.length, `${filter} ${JSON.stringify(pages)}`).toBe(count)
        // Mentions that are not readable any more do not shorten a page.
        expect(pages[0]!.length, filter).toBe(5)
      }
    })
  })

  it('costs as much with four thousand mentions, reactions and threads as with four hundred, if four hundred are followed', async () => {
    /** Rows and index entries that the eighth call of each filter reads, as Bea. */
    const costs = (size: number) =>
      together(async (s, as) => {
        await s.rows('set local enable_seqscan = off')
        for (const table of ['messages', 'reactions', 'thread_members'])
          await s.rows(`alter table public.${table} disable trigger user`)
        await s.rows(
          `with posted as (
             insert into public.messages
               (id, channel_id, seq, history_seq, rev, author_id, body, created_at, last_thread_seq, last_reply_at)
             select gen_random_uuid(), $1, 500 + n, 500 + n, 500 + n, $2, 'x', now() + n * interval '1 ms', 1,
               now() + n * interval '1 ms'
             from generate_series(1, $4::int) n returning *),
           replies as (
             insert into public.messages
               (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
             select gen_random_uuid(), channel_id, id, 1, history_seq, rev, author_id, 'Re', created_at from posted),
           reacted as (
             insert into public.reactions (message_id, emoji, profile_id, message_author_id, created_at)
             select id, '👀', $2, $3, created_at from posted),
           followed as (
             insert into public.thread_members (root_id, profile_id)
             select id, $3 from posted order by seq desc limit 400)
           insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq)
           select p.id, p.channel_id, k.kind, case k.kind when 'person' then $3::uuid end, p.author_id, p.seq
           from posted p, (values ('person'), ('channel')) k (kind) where k.kind = 'person' or p.seq % 2 = 0`,
          [fixture.lobby, fixture.profile.ann, fixture.profile.bea, size],
        )
        await s.rows('analyze public.messages, public.mentions, public.reactions, public.thread_members')
        await as('bea')
        for (const filter of ['all', 'mentions', 'reactions', 'replies'] as const) {
          const { before, entries } = await page(s, filter, null, 20)
          expect(entries.length).toBe(20)
          for (const cursor of [null, before]) {
            for (let call = 0; call < 7; call++) await page(s, filter, cursor, 20)
            const already = await read(s)
            await page(s, filter, cursor, 20)
            found[`${filter}${cursor ? ', older' : ''}`] = (await read(s)) - already
          }
        }
      })
    const read = (s: TestTransaction) =>
      s.value<number>(
        `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int
         from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
      )
    let found: Record<string, number> = {}
    await costs(400)
    const few = found
    found = {}
    await costs(4000)
    for (const [label, rows] of Object.entries(found)) {
      expect(rows, `${label}: ${few[label]} rows`).toBeLessThanOrEqual(few[label]! * 1.2 + 20)
      expect(rows, label).toBeLessThan(5000)
    }
    expect(Object.keys(found)).toHaveLength(8)
  })
})
