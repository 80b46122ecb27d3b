/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** What a search finds, and that its work is bounded by what the reader may read. */
describe.each(testDatabases)('search on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    await fixture.service((s) => s.rows('alter table public.messages disable trigger user'), true)
  })
  afterAll(() => fixture.stop())

  /** Stores `amount` messages, number i with the text `words i`; each is followed by eleven other changes of the channel. */
  const store = async (
    s: TestTransaction,
    channel: Uuid,
    amount: number,
    words: string,
    withFiles = false,
  ): Promise<void> => {
    await s.rows(
      `with posted as (
         insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
         select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + 12 * i, $2, $4 || ' ' || i,
           greatest(k.last_at, now()) + i * interval '1 millisecond'
         from public.channel_counters k, generate_series(1, $3::int) i where k.channel_id = $1
         returning *),
       files as (
         insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         select id, gen_random_uuid(), channel_id, 0, body, 'text/plain', 7 from posted where $5),
       indexed as (
         insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
         select id, channel_id, app.search_segment(rev), history_seq, created_at,
           app.index_text(body) || array_to_tsvector(
             array['=from:' || author_id] || case when $5 then '=file'::text || app.split_words(body) else '{}' end)
         from posted
         returning channel_id, segment, created_at)
       insert into public.search_segments as s (channel_id, segment, first_at, last_at)
       select channel_id, segment, min(created_at), max(created_at) from indexed group by 1, 2
       on conflict (channel_id, segment) do update set last_at = greatest(s.last_at, excluded.last_at)`,
      [channel, fixture.profile.bea, amount, words, withFiles],
    )
    await s.rows(
      `update public.channel_counters
       set last_seq = last_seq + $2, rev = rev + 12 * $2, last_at = greatest(last_at, now()) + $2 * interval '1 millisecond'
       where channel_id = $1`,
      [channel, amount],
    )
    await s.rows('set constraints all immediate')
  }
  const become = (s: TestTransaction, who: Name) =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`, [
      JSON.stringify({ sub: fixture.account[who], session_id: fixture.account[who] }),
    ])
  const find = (s: TestTransaction, words: string, before: string | null = null, limit = 20) =>
    s.call('search_messages', { workspace: fixture.workspace, query: words, before, limit })
  /** All pages of a search, and the number of requests. */
  const findAll = async (s: TestTransaction, words: string, limit?: number) => {
    const ids: Uuid[] = []
    let requests = 0
    let before: string | null = null
    do {
      const page: Awaited<ReturnType<typeof find>> = await find(s, words, before, limit)
      ids.push(...page.hits.map((hit) => hit.message.id))
      before = page.next
      requests++
    } while (before !== null)
    return { ids, requests }
  }

  it('reads as much, however many messages and files match where the reader does not read', async () => {
    const work = async (amount: number, who: Name): Promise<Record<string, number>> =>
      fixture.service(async (s) => {
        // Tables as small as these are read whole elsewhere in the response.
        await s.rows('set local enable_seqscan = off')
        await store(s, fixture.closed, amount, 'common', true)
        await s.rows(
          'analyze public.messages, public.message_search, public.listed_files, public.search_segments',
        )
        await become(s, who)
        const found: Record<string, number> = {}
        const measured: [string, string, unknown[]][] = [
          ...['c', 'common', 'common 7', 'absent', 'orchids'].map((words): [string, string, unknown[]] => [
            words,
            'select public.search_messages($1, $2)',
            [fixture.workspace, words],
          ]),
          ...['c', 'common 7', 'absent'].map((words): [string, string, unknown[]] => [
            `files: ${words}`,
            'select public.list_files($1, query => $2)',
            [fixture.workspace, words],
          ]),
        ]
        const rows = () =>
          s.value<number>(
            `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int
             from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
          )
        for (const [label, sql, values] of measured) {
          // Until PostgreSQL has settled on plans, and the caches have what it needs of the catalogue.
          for (let i = 0; i < 7; i++) await s.rows(sql, values)
          const before = await rows()
          await s.rows(sql, values)
          found[`${label}: rows`] = (await rows()) - before
          const [explained] = await s.rows<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
            `explain (analyze, buffers, format json) ${sql
              .replace('$1', `'${values[0] as string}'`)
              .replace('$2', `'${values[1] as string}'`)}`,
          )
          const plan = explained!['QUERY PLAN'][0]!.Plan
          found[`${label}: buffers`] = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
        }
        return found
      })
    for (const who of ['ann', 'gus'] as const) {
      // More than the newest files that are examined in any case.
      const few = await work(250, who)
      const many = await work(1500, who)
      for (const [label, count] of Object.entries(many)) {
        // Index trees that became higher by a level.
        expect(count, `${who}, ${label}: ${few[label]}`).toBeLessThanOrEqual(few[label]! * 1.1 + 20)
      }
    }
  })

  it('reads no words in the ids of mentions and of links to channels', async () => {
    await fixture.service(async (s) => {
      const id = '0f0e8a52-9d1c-4c1e-8a51-111111111111'
      const body = `see <#${id}> and <@${id}> or <!here> now`
      const words = await s.value<string[]>('select app.split_words($1)', [body])
      expect(words.toSorted()).toEqual(['and', 'now', 'or', 'see'])
    })
  })

  it('finds what the policies show, for anyone, by pages of any size', async () => {
    await fixture.service(async (s) => {
      for (const [channel, words] of [
        [fixture.lobby, 'harvest apples'],
        [fixture.closed, 'harvest pears'],
        [fixture.side, 'harvest plums'],
        [fixture.lobby, 'quiet'],
        [fixture.direct, 'harvest plums'],
        [fixture.side, 'quiet'],
        [fixture.closed, 'harvest apples'],
      ] as const) {
        await store(s, channel, 400, words)
      }
      // Less work in one request, so that there are more of them.
      await s.rows(`update public.settings set value = '40' where key = 'search_messages_examined'`)
      await s.rows(`update public.settings set value = '2' where key = 'search_segments'`)
      for (const who of ['ann', 'bea', 'cem', 'gus'] as const) {
        await become(s, who)
        for (const words of ['harvest 304', 'plums 12', 'h', 'pears', 'orch', 'absent']) {
          const parts = words.split(' ')
          const seen = await s.rows<{ id: Uuid }>(
            `select id from public.messages
             where kind = 'text' and (select bool_and(body ~* ('\\m' || part)) from unnest($1::text[]) part)
             order by created_at desc, id desc`,
            [parts],
          )
          const { ids } = await findAll(s, words, 100)
          expect(ids.length, `${who}: ${words}`).toBe(seen.length)
          expect(ids, `${who}: ${words}`).toEqual(seen.map((row) => row.id))
        }
        await s.rows('reset role')
      }
    })
  })

  it('finds everything once in more channels than one request walks, also of the same moment', async () => {
    await fixture.service(async (s) => {
      await become(s, 'bea')
      const channels: Uuid[] = []
      for (let i = 0; i < 60; i++) {
        const id = crypto.randomUUID()
        channels.push(id)
        await s.call('create_channel', {
          id,
          workspace: fixture.workspace,
          kind: 'private',
          name: `many ${i}`,
        })
      }
      await s.rows('reset role')
      for (const [i, channel] of channels.entries()) await store(s, channel, i % 2 ? 45 : 3, 'harvest')
      // Imported messages have whole seconds, or all the same time.
      await s.rows(
        `update public.message_search set created_at = date_trunc('second', created_at) where channel_id = any ($1)`,
        [channels.slice(0, 40)],
      )
      await s.rows(
        `update public.messages m set created_at = s.created_at from public.message_search s where s.message_id = m.id`,
      )
      await s.rows(
        `insert into public.search_segments
         select channel_id, segment, min(created_at), max(created_at) from public.message_search group by 1, 2
         on conflict (channel_id, segment) do update set first_at = excluded.first_at, last_at = excluded.last_at`,
      )
      await s.rows(`update public.settings set value = '40' where key = 'search_messages_examined'`)
      await s.rows(`update public.settings set value = '7' where key = 'search_segments'`)
      await become(s, 'bea')
      for (const words of ['harvest', 'harvest 44', 'harvest 2']) {
        const seen = await s.rows<{ id: Uuid }>(
          `select id from public.messages
           where (select bool_and(body ~* ('\\m' || part)) from unnest($1::text[]) part)
           order by created_at desc, id desc`,
          [words.split(' ')],
        )
        expect(seen.length, words).toBeGreaterThan(20)
        expect((await findAll(s, words, 10)).ids, words).toEqual(seen.map((row) => row.id))
      }
    })
  })

  it('finds a rare word behind many newer messages in one request, and bounds the work of one', async () => {
    await fixture.service(async (s) => {
      await store(s, fixture.lobby, 1, 'unusual')
      await store(s, fixture.lobby, 2000, 'frequent')
      await become(s, 'ann')
      expect((await find(s, 'unusual')).hits).toHaveLength(1)
      await s.rows('reset role')
      await s.rows(`update public.settings set value = '2' where key = 'search_segments'`)
      await become(s, 'ann')
      const first = await find(s, 'unusual')
      expect(first.hits).toEqual([])
      expect(first.next).not.toBeNull()
      const { ids, requests } = await findAll(s, 'unusual')
      expect(ids).toHaveLength(1)
      expect(requests).toBeLessThan(6)
    })
  })
})
