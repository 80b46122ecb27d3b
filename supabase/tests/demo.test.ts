/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bootstrap } from '../../wire/sync.ts'
import { registerOneTimeFiles, runOneTimeFiles } from '../../backend/postgres/schema/oneTimeFiles.ts'
import { defaultSeeds, listSeeds } from '../../backend/postgres/schema/seedFiles.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../../backend/postgres/server/temporaryPostgres.ts'
import { impersonate, transactionOn, type TestTransaction } from './support/fixture.ts'
import { fillLinnetData, loudLog, supabaseDir } from './support/linnetData.ts'

const demo = join(import.meta.dirname, '..', 'demo')

/** The demo is inserted without the commands, so its rows are checked for the invariants that commands ensure. */
describe('the demo', () => {
  let database: TemporaryPostgres
  let client: Client
  let service: TestTransaction
  beforeAll(async () => {
    // Its people would meet those of the fixture.
    database = await temporaryPostgres(fillLinnetData)
    client = new Client(database.config('postgres'))
    await client.connect()
    const { files } = listSeeds(supabaseDir, defaultSeeds)
    await registerOneTimeFiles(client, files)
    await runOneTimeFiles(client, files, loudLog)
    await client.query('analyze')
    service = transactionOn(client)
  })
  afterAll(async () => {
    await client.end()
    await database.stop()
  })

  const as = async <T>(email: string, work: (session: TestTransaction) => Promise<T>): Promise<T> => {
    await client.query('begin')
    try {
      const account = await service.value<string>('select id from auth.users where email = $1', [email])
      await service.rows('insert into auth.sessions (id, user_id) values ($1, $1)', [account])
      await impersonate(client, account)
      return await work(service)
    } finally {
      await client.query('rollback')
    }
  }

  it('is a workspace that looks lived in', async () => {
    const [counts] = await service.rows(
      `select (select count(*)::int from public.messages) as messages,
         (select count(distinct author_id)::int from public.messages) as people,
         (select count(*)::int from public.channels where name is not null) as channels,
         (select count(*)::int from public.channels where kind = 'private') as private,
         (select count(*)::int from public.channels where posting = 'admins') as announcements,
         (select count(*)::int from public.channels where kind = 'group') as groups,
         (select count(*)::int from public.channels where archived_at is not null) as archived,
         (select count(*)::int from public.channels where description <> '') as described,
         (select count(*)::int from public.profiles where presence = 'dnd' and presence_until > now()) as undisturbed,
         (select count(*)::int from public.pins) as pins,
         (select count(*)::int from public.messages where created_at > now()) as ahead,
         (select (now()::date - min(created_at)::date) from public.messages) as days`,
    )
    expect(counts).toMatchObject({
      people: 12,
      channels: 10,
      private: 1,
      announcements: 1,
      groups: 1,
      archived: 1,
      described: 4,
      undisturbed: 1,
      ahead: 0,
      days: 62,
    })
    expect(counts!.messages).toBeGreaterThanOrEqual(3000)
    expect(counts!.pins).toBeGreaterThan(0)
    // All of it is in one language.
    for (const letters of ['[\\u0600-\\u06FF]', '[\\u3040-\\u30FF]', 'ß|ü', 'ç|è', 'ã|õ', 'ż|ę']) {
      expect(
        await service.value('select count(*)::int from public.messages where body ~ $1', [letters]),
        letters,
      ).toBe(0)
    }
    // What is left in braces was never filled in.
    expect(
      await service.value(`select count(*)::int from public.messages where body ~ '[{}]| ~ |(^|[^<])@[a-z]'`),
    ).toBe(0)
  })

  it('numbers changes without gaps, with increasing times', async () => {
    for (const [what, sql] of Object.entries({
      seq: `select channel_id from public.messages join public.channel_counters k using (channel_id) where seq is not null
            group by 1, k.last_seq having min(seq) <> 1 or max(seq) <> count(*) or max(seq) <> k.last_seq`,
      rev: `select channel_id from public.messages join public.channel_counters k using (channel_id)
            group by 1, k.rev, k.meta_rev having greatest(max(messages.rev), k.meta_rev) <> k.rev`,
      thread: `select t.id from public.messages t join public.messages r on r.thread_root = t.id and r.channel_id = t.channel_id
               group by t.id having t.last_thread_seq <> count(*) or max(r.thread_seq) <> count(*) or t.reply_count <> count(*)
                 or t.last_reply_at <> max(r.created_at) or cardinality(t.reply_people) <> least(3, count(distinct r.author_id))
                 or min(r.history_seq) filter (where r.seq is null) <> t.seq`,
      dates: `select id from (select id, created_at < lag(created_at) over (partition by channel_id order by seq) as back
              from public.messages where seq is not null) x where back`,
      pointers: `select s.channel_id from public.channel_member_state s join public.channel_counters k using (channel_id)
                 where s.last_read_seq > k.last_seq`,
      words: `select id from public.messages m where kind = 'text' and not exists (
                select from public.message_search s where s.message_id = m.id and s.history_seq = m.history_seq)`,
      marks: `select s.message_id from public.message_search s join public.attachments a using (message_id)
              where not s.words @@ '''=file'''::tsquery
              union all select s.message_id from public.message_search s join public.reactions r using (message_id)
              where not s.words @@ '''=reaction'''::tsquery`,
      members: `select m.channel_id from public.channel_members m join public.channels c on c.id = m.channel_id
                where m.workspace_id is distinct from c.workspace_id`,
      states: `select m.channel_id from public.channel_members m where not exists (
                 select from public.channel_member_state s where s.channel_id = m.channel_id and s.profile_id = m.profile_id)`,
      places: `select m.id from public.thread_members t join public.messages m on m.id = t.root_id
               where t.last_read_thread_seq > m.last_thread_seq or not t.follows`,
      calls: `select m.id from public.mentions n join public.messages m on m.id = n.message_id
              where (n.thread_root, n.thread_seq) is distinct from (m.thread_root, m.thread_seq)`,
      closed: `select c.id from public.channels c join public.channel_counters k on k.channel_id = c.id
               where c.archived_at is not null and not exists (
                 select from public.messages m
                 where m.channel_id = c.id and m.seq = k.last_seq and m.system ->> 'event' = 'archived')`,
      triggers: `select tgname from pg_trigger where tgenabled <> 'O' and tgrelid in (
                   select oid from pg_class where relnamespace = 'public'::regnamespace)`,
    })) {
      expect(await service.rows(sql), what).toEqual([])
    }
  })

  it('has unread messages for Ann and Bea, who can sign in', async () => {
    for (const [email, unread, mentions, waiting] of [
      ['ann@harbour.example', 18, 3, 3],
      ['bea@harbour.example', 13, 2, 2],
    ] as const) {
      const { me, channels, members, threads, sections } = await as(email, (s): Promise<Bootstrap> =>
        s.call('bootstrap', {}),
      )
      expect(me?.email).toBe(email)
      expect(members).toHaveLength(12)
      const sum = (key: 'unread' | 'mentions') =>
        channels.reduce((total, entry) => total + entry.counts[key], 0)
      expect([sum('unread'), sum('mentions')], email).toEqual([unread, mentions])
      expect(threads.map((thread) => thread.counts.unread)).toEqual(Array(waiting).fill(1))
      expect(sections).toHaveLength(2)
      const states = channels.map((entry) => entry.state)
      expect(states.filter((state) => state.section_id).length).toBeGreaterThan(2)
      expect(states.some((state) => state.starred) && states.some((state) => state.muted)).toBe(true)
    }
    expect(
      await service.value(
        `select count(*)::int from auth.users u join auth.identities i on i.user_id = u.id where u.email_confirmed_at is not null`,
      ),
    ).toBe(12)
  })

  it('goes on where it stops: the next message takes the next numbers, a conversation is found again', async () => {
    await as('ann@harbour.example', async (s) => {
      const { workspace, channels, members } = await s.call('bootstrap', {})
      const rota = channels.find((entry) => entry.channel.name === 'rota')!
      const { message } = await s.call('send_message', {
        id: randomUUID(),
        channel: rota.channel.id,
        body: 'Next',
      })
      expect([message.seq, message.rev]).toEqual([rota.counters.last_seq + 1, rota.counters.rev + 1])
      for (const { channel } of channels.filter((entry) => entry.channel.people !== null)) {
        expect(
          (await s.call('open_direct', { workspace: workspace!.id, people: channel.people! })).channel.id,
        ).toBe(channel.id)
      }
      const found = await s.call('search_messages', { workspace: workspace!.id, query: 'afternoon' })
      expect(found.hits.length).toBeGreaterThan(0)
      const noor = members.find((member) => member.profile.name === 'Noor Haddad')!
      expect(noor.state).toBe('active')
    })
    const guest = await as('gus@harbour.example', (s): Promise<Bootstrap> => s.call('bootstrap', {}))
    expect(guest.channels.map((entry) => entry.channel.name).toSorted()).toEqual([
      'building-works',
      'kitchen',
    ])
  })

  it('names each file once, with the size that it has', async () => {
    const files = JSON.parse(readFileSync(join(demo, 'files.json'), 'utf8')) as {
      path: string
      file: string
    }[]
    const named = await service.rows<{ path: string; size: string }>(
      `select distinct upload_channel_id || '/' || upload_id || '/file' as path, size from public.attachments`,
    )
    expect(named.map(({ path, size }) => [path, Number(size)]).toSorted()).toEqual(
      files.map(({ path, file }) => [path, statSync(join(demo, file)).size]).toSorted(),
    )
  })
})
