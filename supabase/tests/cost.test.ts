/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { Digests } from '../../wire/sync.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type TestTransaction, type Fixture } from './support/fixture.ts'

/**
 * What people wait for must not depend on how much was ever posted. Counted in rows and index entries that a call
 * reads, after enough calls that PostgreSQL has settled on plans for any argument.
 */
describe.each(testDatabases)('cost on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const read = (s: TestTransaction): Promise<number> =>
    s.value(
      `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int
       from pg_class
       where relnamespace in ('public'::regnamespace, 'realtime'::regnamespace) and relkind in ('r', 'i')`,
    )

  /**
   * Rows read by the eighth call of each, as Bea, when the lobby holds `size` messages that she has not read, a thread
   * of a quarter as many of which she has read half, and as many other threads. She follows fifty of these, and has read
   * them to the end.
   */
  const costs = (size: number): Promise<Record<string, number>> =>
    fixture.service(async (s) => {
      // Tables as small as those of the first measurement are read whole elsewhere in the response.
      await s.rows('set local enable_seqscan = off')
      await s.rows('alter table public.messages disable trigger user')
      // Words as app.split_words has them, which would take a quarter of this test's time.
      await s.rows(
        `with posted as (
           insert into public.messages
             (id, channel_id, seq, history_seq, rev, author_id, body, created_at, last_thread_seq, last_reply_at)
           select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + i, $2, 'Words ' || i, now(),
             case when i % 4 = 0 then 1 else 0 end,
             case when i % 4 = 0 then now() - interval '1 day' - i * interval '1 second' end
           from public.channel_counters k, generate_series(1, $3) i where k.channel_id = $1
           returning id, channel_id, history_seq, created_at, body)
         insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
         select id, channel_id, history_seq, created_at, array_to_tsvector(string_to_array(lower(body), ' ')) from posted`,
        [fixture.lobby, fixture.profile.ann, size],
      )
      await s.rows(
        'update public.channel_counters set last_seq = last_seq + $2, rev = rev + $2 where channel_id = $1',
        [fixture.lobby, size],
      )
      await s.rows(
        `insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
         select gen_random_uuid(), r.channel_id, r.id, r.last_thread_seq + i, r.history_seq, k.rev + i, $2, 'Re ' || i, now()
         from public.messages r, public.channel_counters k, generate_series(1, $3) i
         where r.id = $4 and k.channel_id = $1 and r.channel_id = $1`,
        [fixture.lobby, fixture.profile.ann, size / 4, fixture.messages.old],
      )
      await s.rows(
        `insert into public.message_changes (message_id, channel_id, rev, history_seq)
         select id, channel_id, rev, history_seq from public.messages on conflict do nothing`,
      )
      // A file in each fourth message, of three kinds; somebody else has none.
      await s.rows(
        `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         select id, gen_random_uuid(), channel_id, 0, case seq when 200 then 'orchids.png' else 'File ' || seq end,
           (array['image/png', 'application/pdf', 'text/plain'])[1 + seq % 3], 7
         from public.messages where channel_id = $1 and seq % 4 = 0 and kind = 'text' and deleted_at is null
         on conflict do nothing`,
        [fixture.lobby],
      )
      await s.rows('update public.channel_counters set rev = rev + $2 where channel_id = $1', [
        fixture.lobby,
        size / 4,
      ])
      await s.rows(
        'update public.messages set last_thread_seq = last_thread_seq + $2, last_reply_at = now() where id = $1',
        [fixture.messages.old, size / 4],
      )
      await s.rows('alter table public.thread_members disable trigger user')
      await s.rows(
        `insert into public.thread_members (root_id, profile_id, last_read_thread_seq)
         select id, $2, last_thread_seq from public.messages
         where channel_id = $1 and thread_root is null and id <> $3 and last_reply_at < now() - interval '1 day'
         order by last_reply_at desc limit 50`,
        [fixture.lobby, fixture.profile.bea, fixture.messages.old],
      )
      await s.rows(
        'update public.thread_members set last_read_thread_seq = $2 where root_id = $1 and profile_id = $3',
        [fixture.messages.old, size / 8, fixture.profile.bea],
      )
      await s.rows('alter table public.thread_members enable trigger user')
      await s.rows('set constraints all immediate')
      await s.rows('alter table public.messages enable trigger user')
      // What was broadcast in the channel since, and is stored for days.
      await s.rows(
        `insert into realtime.messages (topic, extension, private, event, payload, inserted_at)
         select 'channel:' || k.channel_id || ':' || k.epoch, 'broadcast', true, 'rev',
           jsonb_build_object('channel_id', k.channel_id, 'rev', i), (now() at time zone 'UTC') - i * interval '1 ms'
         from public.channel_counters k, generate_series(1, $2::int) i where k.channel_id = $1`,
        [fixture.lobby, size],
      )
      await s.rows(
        'analyze public.messages, public.message_changes, public.message_search, public.thread_members, public.mentions, public.attachments, public.listed_files',
      )
      const { last_seq: last, rev } = (
        await s.rows<{ last_seq: number; rev: number }>(
          'select last_seq::int, rev::int from public.channel_counters where channel_id = $1',
          [fixture.lobby],
        )
      )[0]!
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      const channel = fixture.lobby
      const root = fixture.messages.old
      let turn = 0
      const own = Array.from({ length: 8 }, () => randomUUID())
      for (const id of own) await s.call('send_message', { id, channel, body: 'Soon deleted' })
      const inbox = await s.call('thread_inbox', { workspace: fixture.workspace })
      expect(inbox.threads[0]).toMatchObject({ root: { id: root }, state: { counts: { unread: 100 } } })
      const older = inbox.before
      const files = await s.call('list_files', { workspace: fixture.workspace })
      expect(files.files).toHaveLength(50)
      const olderFiles = files.before
      // Of fifty that are followed.
      expect((await s.call('bootstrap', {})).threads.map((thread) => thread.root_id)).toEqual([
        root,
        fixture.messages.secret,
      ])
      let lastEmoji = 0x1f400
      const calls: [string, CommandName, () => Commands[CommandName]['args']][] = [
        ['newest page', 'channel_page', () => ({ channel })],
        ['page in the middle', 'channel_page', () => ({ channel, around: last / 2 })],
        ['page before', 'channel_page', () => ({ channel, before: 60 })],
        ['page after', 'channel_page', () => ({ channel, after: last - 60 })],
        ['message at a time', 'message_at', () => ({ channel, since: new Date().toISOString() })],
        ['changes', 'channel_changes', () => ({ channel, after_rev: rev })],
        ['too many changes', 'channel_changes', () => ({ channel, after_rev: 1 })],
        ['thread', 'thread_page', () => ({ root })],
        ['thread in the middle', 'thread_page', () => ({ root, around: size / 8 })],
        ['start', 'bootstrap', () => ({})],
        ['heartbeat', 'heartbeat', () => ({ workspace: fixture.workspace, state: 'active' })],
        ['unread', 'mark_unread', () => ({ channel, seq: 2 })],
        ['inbox', 'thread_inbox', () => ({ workspace: fixture.workspace })],
        ['unread inbox', 'thread_inbox', () => ({ workspace: fixture.workspace, unread_only: true })],
        ['older inbox', 'thread_inbox', () => ({ workspace: fixture.workspace, before: older })],
        ['threads', 'thread_states', () => ({ workspace: fixture.workspace, roots: [root] })],
        ['thread unread', 'mark_thread_unread', () => ({ root, thread_seq: ++turn % 2 ? 9 : 8 })],
        ['follow', 'follow_thread', () => ({ root: fixture.messages.fresh, on: ++turn % 2 === 0 })],
        [
          'search for a rare word',
          'search_messages',
          () => ({ workspace: fixture.workspace, query: 'orchids' }),
        ],
        [
          'search for a phrase of one author',
          'search_messages',
          () => ({
            workspace: fixture.workspace,
            query: '"orchids here" -lilies',
            filters: { from: [fixture.profile.ann], has: ['reaction'] },
          }),
        ],
        [
          'search for a typing error',
          'search_messages',
          () => ({ workspace: fixture.workspace, query: 'orchdis' }),
        ],
        ['files', 'list_files', () => ({ workspace: fixture.workspace })],
        [
          'files of a channel',
          'list_files',
          () => ({ workspace: fixture.workspace, channel, kinds: ['pdf'] }),
        ],
        ['older files', 'list_files', () => ({ workspace: fixture.workspace, before: olderFiles })],
        [
          'files of a person',
          'list_files',
          () => ({ workspace: fixture.workspace, author: fixture.profile.ann }),
        ],
        [
          'files of nobody',
          'list_files',
          () => ({ workspace: fixture.workspace, author: fixture.profile.cem }),
        ],
        ['files by name', 'list_files', () => ({ workspace: fixture.workspace, query: 'chid' })],
        ['send', 'send_message', () => ({ id: randomUUID(), channel, body: 'More' })],
        [
          'reply',
          'send_message',
          () => ({ id: randomUUID(), channel, body: 'More', thread_root: fixture.messages.old }),
        ],
        ['edit', 'edit_message', () => ({ id: fixture.messages.old, body: randomUUID() })],
        [
          'react',
          'react',
          () => ({ message: fixture.messages.old, emoji: String.fromCodePoint(++lastEmoji), on: true }),
        ],
        ['delete', 'delete_message', () => ({ id: own.pop()! })],
      ]
      const found: Record<string, number> = {}
      for (const [label, name, args] of calls) {
        for (let i = 0; i < 7; i++) await s.call(name, args())
        const before = await read(s)
        await s.call(name, args())
        found[label] = (await read(s)) - before
      }
      const before = await read(s)
      await s.rows('select id from public.messages where channel_id = $1 order by seq desc limit 50', [
        channel,
      ])
      found['plain select'] = (await read(s)) - before
      return found
    })

  /** As Bea, in a transaction that is rolled back. */
  const during = (
    table: string,
    work: (s: TestTransaction, figure: (of: string) => Promise<number>) => Promise<void>,
  ) =>
    fixture.rolledBackAs('bea', (s) =>
      work(s, (of) =>
        s.value(
          `select sum(pg_stat_get_xact_${of}(c.oid))::int from pg_class c
           where c.oid = $1::regclass or c.oid in (select indexrelid from pg_index where indrelid = $1::regclass)`,
          [table],
        ),
      ),
    )

  /** Rows read by a heartbeat of Bea that computes no presence, when this many other members are present and some change. */
  const heartbeatAmong = (people: number): Promise<number> =>
    fixture.service(async (s) => {
      for (const table of ['profiles', 'workspace_members'])
        await s.rows(`alter table public.${table} disable trigger user`)
      await s.rows(
        `with made as (
           insert into public.profiles (id, name) select gen_random_uuid(), 'Person ' || n from generate_series(1, $2) n
           returning id
         ), joined as (
           insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from made
         ) insert into public.heartbeats (profile_id, state, seen_at) select id, 'active', now() from made`,
        [fixture.workspace, people],
      )
      await s.rows('set local enable_seqscan = off')
      const beat = async (stored: Digests = {}) => {
        await s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
        )
        const response = await s.call('heartbeat', { workspace: fixture.workspace, state: 'active', stored })
        await s.rows('reset role')
        return response
      }
      let stored = (await beat()).digests
      for (let n = 0; n < 7; n++) stored = Object.assign({}, stored, (await beat(stored)).digests)
      await s.rows(`update public.heartbeats set state = 'away' where profile_id in (
        select profile_id from public.heartbeats order by profile_id limit 20)`)
      await s.rows(`update public.presence set computed_at = '-infinity' where true`)
      await beat()
      const before = await read(s)
      const { presence } = await beat(stored)
      const rows = (await read(s)) - before
      expect(presence).toMatchObject({ complete: false, changes: [expect.any(String)] })
      return rows
    })

  it('a reaction, a pin or a reply rewrites no index of its message', async () => {
    await during('public.messages', async (s, figure) => {
      const message = randomUUID()
      const channel = fixture.closed
      await s.call('send_message', { id: message, channel, body: 'Soon liked' })
      const [all, hot] = ['tuples_updated', 'tuples_hot_updated']
      const before = [await figure(all), await figure(hot)] as const
      await s.call('react', { message, emoji: '👍', on: true })
      await s.call('react', { message, emoji: '👍', on: false })
      await s.call('pin_message', { message, on: true })
      await s.call('send_message', { id: randomUUID(), channel, body: 'Below', thread_root: message })
      expect([(await figure(all)) - before[0], (await figure(hot)) - before[1]]).toEqual([4, 4])
    })
  })

  it('rights to a message are evaluated twice at most, before its lock and under it', async () => {
    await during('auth.sessions', async (s, figure) => {
      const scans = async (work: () => Promise<unknown>): Promise<number> => {
        const before = await figure('numscans')
        await work()
        return (await figure('numscans')) - before
      }
      const message = fixture.messages.secret
      // Each evaluation looks the session up once.
      expect(await scans(() => s.call('thread_page', { root: message }))).toBe(1)
      expect(await scans(() => s.call('pin_message', { message, on: true }))).toBe(2)
      expect(await scans(() => s.call('react', { message, emoji: '🌱', on: true }))).toBe(2)
      // The lock of the channel was free, so that nothing has changed since the rights were read.
      const sent = { id: randomUUID(), channel: fixture.lobby, body: 'Read once' }
      expect(await scans(() => s.call('send_message', sent))).toBe(1)
    })
  })

  it('is the same for two thousand messages and for twenty thousand', async () => {
    const few = await costs(2000)
    const many = await costs(20_000)
    for (const [label, count] of Object.entries(many)) {
      // A few rows more where an index grew by a level or a list of words by a page.
      expect(count, `${label}: ${few[label]} rows`).toBeLessThanOrEqual(few[label]! * 1.2 + 20)
      expect(count, label).toBeLessThan(2000)
    }
  })

  /** Adds `count` threads to the lobby, with one reply each, which Bea follows and has read to the end. */
  const followThreads = async (s: TestTransaction, count: number): Promise<void> => {
    await s.rows('alter table public.messages disable trigger user')
    await s.rows('alter table public.thread_members disable trigger user')
    await s.rows(
      `with posted as (
         insert into public.messages
           (id, channel_id, seq, history_seq, rev, author_id, body, created_at, last_thread_seq, reply_count, last_reply_at)
         select gen_random_uuid(), $1, o.seq + i, o.seq + i, o.seq + i, $2, 'Words', now(), 1, 1, now()
         from (select max(greatest(seq, rev)) + 1000 as seq from public.messages where channel_id = $1) o,
           generate_series(1, $4::int) i
         returning id)
       insert into public.thread_members (root_id, profile_id, last_read_thread_seq) select id, $3, 1 from posted`,
      [fixture.lobby, fixture.profile.ann, fixture.profile.bea, count],
    )
    await s.rows('alter table public.messages enable trigger user')
    await s.rows('alter table public.thread_members enable trigger user')
    await s.rows('analyze public.messages, public.thread_members')
  }

  it('the unread threads, their digests and the list of threads read one root for each followed thread', () =>
    fixture.service(async (s) => {
      await s.rows('set local enable_seqscan = off')
      const lists = ['app.unread_thread_rows($1, $2)', 'app.thread_digests($1)', 'app.followed_threads($1)']
      const readRows = async (): Promise<number[]> => {
        const found = []
        for (const list of lists) {
          const args = [fixture.profile.bea, fixture.workspace].slice(0, list.includes('$2') ? 2 : 1)
          for (let i = 0; i < 7; i++) await s.rows(`select count(*) from ${list}`, args)
          const before = await read(s)
          await s.rows(`select count(*) from ${list}`, args)
          found.push((await read(s)) - before)
        }
        return found
      }
      await followThreads(s, 50)
      const few = await readRows()
      await followThreads(s, 200)
      const many = await readRows()
      // A row of thread_members and one of messages, each found by an entry of an index, which may be read twice.
      for (const [i, rows] of many.entries()) expect(rows - few[i]!, lists[i]).toBeLessThanOrEqual(200 * 6)
    }))

  it('a reply reads and writes the same for two followers of its thread and for two thousand', async () => {
    const costOf = (followers: number) =>
      fixture.service(async (s) => {
        const root = randomUUID()
        await s.rows('set local enable_seqscan = off')
        await s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
        )
        const reply = () =>
          s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'Re', thread_root: root })
        await s.call('send_message', { id: root, channel: fixture.lobby, body: 'Who follows?' })
        await reply()
        await s.rows(`select set_config('role', 'postgres', true)`)
        await s.rows('alter table public.workspace_members disable trigger user')
        await s.rows('alter table public.channel_members disable trigger user')
        await s.rows('alter table public.thread_members disable trigger user')
        await s.rows(
          `with people as (
             insert into public.profiles (name) select 'Person ' || i from generate_series(1, 2000) i returning id),
           members as (
             insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people),
           of_channel as (
             insert into public.channel_members (channel_id, workspace_id, profile_id) select $2, $1, id from people),
           present as (insert into public.heartbeats (profile_id, state, seen_at) select id, 'active', now() from people)
           insert into public.thread_members (root_id, profile_id, last_read_thread_seq)
           select $3, id, 1 from people limit $4 - 1`,
          [fixture.workspace, fixture.lobby, root, followers],
        )
        await s.rows('set constraints all immediate')
        await s.rows('alter table public.workspace_members enable trigger user')
        await s.rows('alter table public.channel_members enable trigger user')
        await s.rows('alter table public.thread_members enable trigger user')
        await s.rows(
          'analyze public.thread_members, public.channel_members, public.workspace_members, public.heartbeats',
        )
        const written = () =>
          s.value<number>(
            `select sum(pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid))::int
             from pg_class where relnamespace in ('public'::regnamespace, 'realtime'::regnamespace) and relkind = 'r'`,
          )
        await s.rows(`select set_config('role', 'authenticated', true)`)
        for (let i = 0; i < 7; i++) await reply()
        await s.rows(`select set_config('role', 'postgres', true)`)
        const before = [await read(s), await written()] as const
        await s.rows(`select set_config('role', 'authenticated', true)`)
        await reply()
        await s.rows(`select set_config('role', 'postgres', true)`)
        return { read: (await read(s)) - before[0], written: (await written()) - before[1] }
      })
    const few = await costOf(2)
    const many = await costOf(2000)
    // Up to 21 followers are read, by an index. The root has more or fewer index entries, depending on the space in its page: reading
    // each follower would add at least 2,000.
    expect(many.read, `${few.read} rows`).toBeLessThanOrEqual(few.read + 500)
    expect(many.written, `${few.written} rows`).toBeLessThanOrEqual(few.written)
  })

  it('an earlier text and an avatar are found by key, however many messages and members there are', () =>
    fixture.service(async (s) => {
      await s.rows('set local enable_seqscan = off')
      const message = fixture.messages.old
      await s.rows(
        `insert into public.message_revisions (message_id, rev, body, written_at) values ($1, 0, 'Before', now())`,
        [message],
      )
      const avatar = `${fixture.profile.cem}/face.webp`
      await s.rows(`insert into storage.objects (bucket_id, name) values ('avatars', $1)`, [avatar])
      const add = async (count: number): Promise<void> => {
        await s.rows('alter table public.messages disable trigger user')
        await s.rows('alter table public.workspace_members disable trigger user')
        await s.rows('alter table public.channel_members disable trigger user')
        await s.rows(
          `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, o.seq + i, o.seq + i, o.seq + i, m.author_id, 'Words', now()
           from (select max(greatest(seq, rev)) + 1000 as seq from public.messages where channel_id = $1) o,
             generate_series(1, $3::int) i, public.messages m where m.id = $2`,
          [fixture.lobby, message, count],
        )
        await s.rows(
          `with people as (
             insert into public.profiles (name) select 'Person ' || i from generate_series(1, $3::int) i returning id),
           members as (
             insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people)
           insert into public.channel_members (channel_id, workspace_id, profile_id) select $2, $1, id from people`,
          [fixture.workspace, fixture.lobby, count],
        )
        await s.rows('set constraints all immediate')
        await s.rows('alter table public.messages enable trigger user')
        await s.rows('alter table public.workspace_members enable trigger user')
        await s.rows('alter table public.channel_members enable trigger user')
        await s.rows(
          'analyze public.messages, public.message_revisions, public.workspace_members, public.channel_members',
        )
      }
      const author = await s.value<string>(
        'select p.user_id from public.messages m join public.profiles p on p.id = m.author_id where m.id = $1',
        [message],
      )
      const cases = [
        [author, 'select body from public.message_revisions where message_id = $1 and rev = 0', message],
        [
          fixture.account.bea,
          `select name from storage.objects where bucket_id = 'avatars' and name = $1`,
          avatar,
        ],
        [
          fixture.account.gus,
          `select name from storage.objects where bucket_id = 'avatars' and name = $1`,
          avatar,
        ],
      ] as const
      const costs = async (): Promise<number[]> => {
        const found = []
        for (const [account, sql, key] of cases) {
          await s.rows(
            `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
            [JSON.stringify({ sub: account, session_id: account })],
          )
          for (let i = 0; i < 7; i++) expect(await s.rows(sql, [key])).toHaveLength(1)
          const before = await read(s)
          await s.rows(sql, [key])
          found.push((await read(s)) - before)
          await s.rows(`select set_config('role', 'postgres', true)`)
        }
        return found
      }
      await add(100)
      const few = await costs()
      await add(2000)
      for (const [i, rows] of (await costs()).entries())
        expect(rows, `${cases[i]![1]}: ${few[i]} rows`).toBeLessThanOrEqual(few[i]! * 1.2 + 20)
    }))

  it('reads only the reactions of the messages that are requested', () =>
    fixture.service(async (s) => {
      await s.rows('alter table public.messages disable trigger user')
      await s.rows('alter table public.reactions disable trigger user')
      const ids = await s.value<string[]>(
        `with posted as (
           insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + i, $2, 'Words ' || i, now()
           from public.channel_counters k, generate_series(1, 10) i where k.channel_id = $1
           returning id)
         select array_agg(id) from posted`,
        [fixture.lobby, fixture.profile.ann],
      )
      await s.rows(
        `insert into public.reactions (message_id, emoji, profile_id, message_author_id)
         select m, 'e' || e, $2, $2 from unnest($1::uuid[]) m, generate_series(1, 420) e`,
        [ids, fixture.profile.ann],
      )
      await s.rows('analyze public.messages, public.reactions')
      const readReactions = () =>
        s.value<number>(
          `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int from pg_class
           where oid = 'public.reactions'::regclass
             or oid in (select indexrelid from pg_index where indrelid = 'public.reactions'::regclass)`,
        )
      for (const count of [1, 3]) {
        const before = await readReactions()
        const messages = await s.value<{ reactions: unknown[] }[]>('select app.messages_as_json($1, $2)', [
          ids.slice(0, count),
          fixture.profile.ann,
        ])
        expect(messages.map(({ reactions }) => reactions.length)).toEqual(Array(count).fill(420))
        // Each is counted for its entry of the index and for its row.
        expect((await readReactions()) - before, `${count} messages`).toBeLessThanOrEqual(count * 420 * 2)
      }
    }))

  // The last test, because index entries of its people remain, which other tests would read.
  it('a heartbeat reads as many rows among 3,000 present people as among 30', async () => {
    expect(await heartbeatAmong(3_000)).toBe(await heartbeatAmong(30))
  })
})
