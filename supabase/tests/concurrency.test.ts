/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../../wire/limits.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { slowDownRefill } from './support/slowDownRefill.ts'
import { testDatabases } from './support/testDatabases.ts'
import {
  impersonate,
  openFixture,
  transactionOn,
  type Name,
  type TestTransaction,
  type Fixture,
} from './support/fixture.ts'

/** Many requests at once: one row for each id, no gap in the numbers, no deadlock, and broadcasts in the order of the numbers. */
describe.each(testDatabases)('concurrency on $name', ({ open }) => {
  let fixture: Fixture
  const clients: Client[] = []
  beforeAll(async () => {
    fixture = await openFixture(await open())
    for (let i = 0; i < 50; i++) clients.push(new Client(fixture.database.config('postgres')))
    await Promise.all(clients.map((client) => client.connect()))
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await fixture.stop()
  })

  const run = <T>(client: Client, who: Name, work: (s: TestTransaction) => Promise<T>): Promise<T> =>
    runAs(client, fixture.account[who], work)
  const runAs = async <T>(
    client: Client,
    account: string,
    work: (s: TestTransaction) => Promise<T>,
  ): Promise<T> => {
    await client.query('begin')
    try {
      await impersonate(client, account)
      const result = await work(transactionOn(client))
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }

  it('stores one message of fifty sends with one id, and returns the same to all', async () => {
    const id = randomUUID()
    const before = await fixture.rolledBackAs('bea', (s) =>
      s.call('channel_page', { channel: fixture.lobby }),
    )
    const answers = await Promise.all(
      clients.map((client) =>
        run(client, 'bea', (s) => s.call('send_message', { id, channel: fixture.lobby, body: 'Once' })),
      ),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    const after = await fixture.rolledBackAs('bea', (s) => s.call('channel_page', { channel: fixture.lobby }))
    expect(after.rev).toBe(before.rev + 1)
    expect(after.messages.length).toBe(before.messages.length + 1)
  })

  it('refuses a message that waits for its channel if its author is silenced or signs out meanwhile', async () => {
    const [holding, sending, watching] = clients as [Client, Client, Client]
    const { rows } = await sending.query<{ pid: number }>('select pg_backend_pid() as pid')
    const outcomeOf = async (change: () => Promise<unknown>): Promise<string> => {
      await holding.query('begin')
      await holding.query('select from public.channel_counters where channel_id = $1 for update', [
        fixture.lobby,
      ])
      const body = 'Waits'
      let outcome: string | undefined
      const sent = run(sending, 'bea', (s) =>
        s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body }),
      ).then(
        () => (outcome = 'sent'),
        (error: Error) => (outcome = error.message),
      )
      const waiting = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
      await vi.waitFor(async () => {
        expect(outcome ?? (await watching.query(waiting, [rows[0]!.pid])).rowCount).not.toBe(0)
      })
      await change()
      await holding.query('commit')
      return sent
    }
    const { workspace, profile, account } = fixture
    expect(await outcomeOf(async () => {})).toBe('sent')
    const silence = { workspace, person: profile.bea, minutes: 5, reason: 'Pause' }
    expect(await outcomeOf(() => fixture.committedAs('ann', (s) => s.call('silence_member', silence)))).toBe(
      'silenced',
    )
    await fixture.committedAs('ann', (s) => s.call('end_silence', { workspace, person: profile.bea }))
    expect(
      await outcomeOf(() =>
        fixture.service((s) => s.rows('delete from auth.sessions where id = $1', [account.bea]), true),
      ),
    ).toBe('session_ended')
    await fixture.service(
      (s) =>
        s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [account.bea]),
      true,
    )
  })

  it('deletes a message while the vocabulary of search is being written, without waiting', async () => {
    const id = randomUUID()
    const [job, person] = clients as [Client, Client]
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id, channel: fixture.lobby, body: 'unrepeatable' }),
    )
    await fixture.service((s) => s.rows('select app.update_search_vocabulary()'), true)
    await job.query('begin')
    await job.query(`update public.search_vocabulary set last_seq = last_seq where word = 'unrepeatable'`)
    try {
      await person.query(`set lock_timeout = '5s'`)
      const { message } = await run(person, 'bea', (s) => s.call('delete_message', { id }))
      expect(message.deleted_at).not.toBeNull()
    } finally {
      await job.query('rollback')
      await person.query('reset lock_timeout')
    }
  })

  it('refuses an invitation to a channel that becomes private while it is written', async () => {
    const channel = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('create_channel', {
        id: channel,
        workspace: fixture.workspace,
        kind: 'public',
        name: 'closing now',
      }),
    )
    const [closing, inviting, watching] = clients as [Client, Client, Client]
    await closing.query('begin')
    await impersonate(closing, fixture.account.bea)
    await transactionOn(closing).call('update_channel', { channel, kind: 'private' })
    const { rows } = await inviting.query<{ pid: number }>('select pg_backend_pid() as pid')
    let outcome: string | undefined
    const invited = run(inviting, 'ann', (s) =>
      s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [channel] }),
    ).then(
      () => (outcome = 'invited'),
      (error: Error) => (outcome = error.message),
    )
    const waiting = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
    await vi.waitFor(async () => {
      expect(outcome ?? (await watching.query(waiting, [rows[0]!.pid])).rowCount).not.toBe(0)
    })
    await closing.query('commit')
    expect(await invited).toBe('not_found')
  })

  it('counts channels that one person creates at once together', async () => {
    const { workspace, profile } = fixture
    const [creating, waiting, watching] = clients as [Client, Client, Client]
    const filler = `created_by = '${profile.bea}' and name like 'filler %'`
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.channels (id, workspace_id, kind, name, created_by)
           select gen_random_uuid(), $1, 'public', 'filler ' || n, $2
           from generate_series(1, $3 - (select count(*) from public.channels c
             where c.created_by = $2 and c.workspace_id = $1 and c.kind in ('public', 'private'))) n`,
          [workspace, profile.bea, LIMITS.createdChannels - 1],
        ),
      true,
    )
    const create = (name: string) => (s: TestTransaction) =>
      s.call('create_channel', { id: randomUUID(), workspace, kind: 'public', name })
    await creating.query('begin')
    await impersonate(creating, fixture.account.bea)
    await create('the last')(transactionOn(creating))
    const { rows } = await waiting.query<{ pid: number }>('select pg_backend_pid() as pid')
    let outcome: string | undefined
    const second = run(waiting, 'bea', create('one more')).then(
      () => (outcome = 'created'),
      (error: Error) => (outcome = error.message),
    )
    await vi.waitFor(
      async () => {
        const blocked = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
        expect(outcome ?? (await watching.query(blocked, [rows[0]!.pid])).rowCount).not.toBe(0)
      },
      { timeout: 30_000 },
    )
    await creating.query('commit')
    expect(await second).toBe('too_many_channels_created')
    await fixture.service((s) => s.rows(`delete from public.channels where ${filler}`), true)
  })

  it('stores a message in one channel when its id is sent to two at once', async () => {
    const ids = Array.from({ length: 10 }, () => randomUUID())
    const outcomes = await Promise.allSettled(
      clients.slice(0, 40).map((client, i) =>
        run(client, 'bea', (s) =>
          s.call('send_message', {
            id: ids[i % 10]!,
            channel: i % 20 < 10 ? fixture.lobby : fixture.side,
            body: 'Which',
          }),
        ),
      ),
    )
    const refused = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map((outcome) => outcome.reason.message)
    expect(new Set(refused)).toEqual(new Set(['conflict']))
    expect(
      await fixture.service((s) =>
        s.value(`select count(*)::int from public.messages where id = any ($1)`, [ids]),
      ),
    ).toBe(10)
  })

  it('lets one of fifty people use an invitation for one', async () => {
    const { token } = await fixture.committedAs('ann', (s) =>
      s.call('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [fixture.lobby],
        max_uses: 1,
      }),
    )
    const people = clients.map(() => randomUUID())
    await fixture.service(
      (s) =>
        s.rows(
          `with people as (
             insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
             select p, 'authenticated', 'authenticated', p || '@elsewhere.example', now(), now()
             from unnest($1::uuid[]) p returning id)
           insert into auth.sessions (id, user_id, created_at) select p, p, now() from unnest($1::uuid[]) p`,
          [people],
        ),
      true,
    )
    const outcomes = await Promise.allSettled(
      clients.map((client, i) =>
        runAs(client, people[i]!, (s) => s.call('accept_invitation', { token, person_name: 'Someone' })),
      ),
    )
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as Error).message] : [],
    )
    expect(refusals).toEqual(Array.from({ length: 49 }, () => 'invitation_used'))
    const members = await fixture.service((s) =>
      s.value<number>(
        `select count(*)::int from public.workspace_members m
         join public.profiles p on p.id = m.profile_id where p.user_id = any ($1)`,
        [people],
      ),
    )
    expect(members).toBe(1)
  })

  it('lets one of two admins decide a request to join, and admits the person once', async () => {
    const { workspace, profile } = fixture
    await fixture.service(async (s) => {
      await s.rows('update public.workspaces set open_requests = true where id = $1', [workspace])
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [profile.cem])
    }, true)
    const decide = (who: Name, client: Client, decision: 'approve' | 'decline', id: string) =>
      run(client, who, (s) => s.call(`${decision}_join_request`, { id })).then(
        ({ state }) => state,
        (error: Error) => error.message,
      )
    for (let round = 0; round < 10; round++) {
      const account = randomUUID()
      await fixture.service(async (s) => {
        await s.rows(
          `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
           values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
          [account, `${account}@elsewhere.example`],
        )
        await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [account])
      }, true)
      const { id } = await runAs(clients[0]!, account, (s) =>
        s.call('request_to_join', { workspace, person_name: 'Someone' }),
      )
      const outcomes = await Promise.all(
        clients
          .slice(0, 20)
          .map((client, i) => decide(i % 2 ? 'ann' : 'cem', client, i % 4 < 2 ? 'approve' : 'decline', id)),
      )
      // Whoever was first decides; others repeat the same decision or learn that it is closed.
      const state = await fixture.service((s) =>
        s.value<string>('select state from public.join_requests where id = $1', [id]),
      )
      expect(['approved', 'declined']).toContain(state)
      expect(new Set(outcomes)).toEqual(new Set([state, 'join_request_closed']))
      const facts = await fixture.service((s) =>
        s.rows<{ members: number; entries: number }>(
          `select (select count(*)::int from public.workspace_members m where m.profile_id = p.id) as members,
             (select count(*)::int from public.audit_log a
               where a.action like 'join_request.%' and a.target ->> 'profile_id' = p.id::text) as entries
           from public.profiles p where p.user_id = $1`,
          [account],
        ),
      )
      expect(facts).toEqual([{ members: state === 'approved' ? 1 : 0, entries: 1 }])
    }
  })

  it('numbers crossing work on several channels without a hole, a double or a deadlock', async () => {
    const channels = [fixture.lobby, fixture.side, fixture.closed]
    await fixture.committedAs('cem', (s) => s.call('join_channel', { channel: fixture.side }))
    const sent: { id: string; channel: string }[] = []
    const refusals: { code: string; message: string }[] = []
    let turn = 0
    const step = async (client: Client, worker: number): Promise<void> => {
      const n = turn++
      const channel = channels[(n * 7 + worker) % 3]!
      const here = sent.filter((message) => message.channel === channel)
      const some = here[(n * 13) % Math.max(here.length, 1)]
      const who: Name = n % 2 ? 'bea' : 'cem'
      const id = randomUUID()
      const operations: ((s: TestTransaction) => Promise<unknown>)[] = [
        (s) => s.call('send_message', { id, channel, body: `Words ${n}` }),
        (s) =>
          s.call('send_message', {
            id,
            channel,
            body: `Reply ${n}`,
            thread_root: some?.id ?? null,
            also_to_channel: n % 3 === 0,
          }),
        (s) => s.call('react', { message: some?.id ?? id, emoji: `:${n % 5}:`, on: n % 4 !== 0 }),
        (s) => s.call('pin_message', { message: some?.id ?? id, on: n % 2 === 0 }),
        (s) => s.call('edit_message', { id: some?.id ?? id, body: `Edited ${n}` }),
        (s) => s.call('delete_message', { id: here[(n * 31) % Math.max(here.length, 1)]?.id ?? id }),
        (s) => s.call('update_channel', { channel, topic: `Topic ${n}` }),
        (s) => s.call('mark_unread', { channel, seq: n % 10 }),
        async (s) => {
          // Two channels in one transaction would cross; each command is its own, as over REST.
          await s.call('heartbeat', { workspace: fixture.workspace, state: 'active' })
        },
        async (s) => {
          await s.call('leave_channel', { channel: fixture.side })
        },
        (s) => s.call('join_channel', { channel: fixture.side }),
      ]
      const chosen = [0, 1, 2, 1, 4, 2, 0, 5, 3, 6, 7, 1, 0, 8, 2, 9, 10][n % 17]!
      try {
        await run(client, who, operations[chosen]!)
        if (chosen === 0) sent.push({ id, channel })
      } catch (error) {
        refusals.push(error as { code: string; message: string })
      }
    }
    await Promise.all(
      clients.slice(0, 16).map(async (client, worker) => {
        for (let i = 0; i < 30; i++) await step(client, worker)
      }),
    )
    expect(sent.length).toBeGreaterThan(50)
    // What is refused is refused by a rule, never by the machinery of locks.
    for (const { code, message } of refusals) expect(code, message).toMatch(/^PT4/)
    await fixture.service(async (s) => {
      for (const channel of channels) {
        const sequences = await s.rows(
          `with published as (
             select (payload ->> 'rev')::bigint as rev from realtime.messages
             where topic like 'channel:' || $1::text || ':%' and event in ('message', 'changed', 'rev', 'meta')
           ), numbered (kind, number, top) as (
             select 'seq', m.seq, k.last_seq from public.messages m, public.channel_counters k
             where m.channel_id = $1::uuid and k.channel_id = m.channel_id and m.seq is not null
             union all select 'published ' , published.rev, k.rev from published, public.channel_counters k where k.channel_id = $1::uuid
           )
           select kind, count(*)::int, min(number)::int, max(number)::int, count(distinct number)::int, max(top)::int as top
           from numbered group by kind`,
          [channel],
        )
        expect(sequences).toHaveLength(2)
        for (const { kind, count, min, max, top, ...rest } of sequences) {
          expect([min, max, count, rest], `${kind}`).toEqual([1, top, top, {}])
        }
      }
      const threads = await s.rows(
        `select t.id from public.messages t
         left join lateral (
           select count(*) as replies, count(*) filter (where r.deleted_at is null) as live,
             coalesce(max(r.thread_seq), 0) as last
           from public.messages r where r.channel_id = t.channel_id and r.thread_root = t.id) r on true
         where t.thread_root is null
           and (t.last_thread_seq <> r.last or t.last_thread_seq <> r.replies or t.reply_count <> r.live)`,
      )
      expect(threads).toEqual([])
    })
  })

  /** What each of these came to: done, or the name that it was refused with. */
  const outcomes = async (work: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(work)).map((outcome) =>
      outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).message,
    )

  it('a thread is not marked read while a reply is in flight', async () => {
    const roots = [randomUUID(), randomUUID()]
    for (const id of roots) {
      await fixture.committedAs('bea', (s) =>
        s.call('send_message', { id, channel: fixture.lobby, body: 'Root' }),
      )
    }
    const sentIds: string[] = []
    const runOperations = async (client: Client, nth: number): Promise<string[]> => {
      const found: string[] = []
      for (let n = 0; n < 12; n++) {
        const root = roots[(n + nth) % 2]!
        const who = (['ann', 'bea', 'cem', 'gus'] as const)[(nth + (n >> 2)) % 4]!
        const id = randomUUID()
        const operations: ((s: TestTransaction) => Promise<unknown>)[] = [
          (s) =>
            s.call('send_message', { id, channel: fixture.lobby, body: `<!here> ${n}`, thread_root: root }),
          async (s) => {
            const { threads } = await s.call('thread_states', { workspace: fixture.workspace, roots: [root] })
            const { last_thread_seq: thread_seq, read_version } = threads[0]!
            await s.call('mark_thread_read', { root, thread_seq: thread_seq + 1, read_version })
          },
          (s) => s.call('mark_thread_unread', { root, thread_seq: n }),
          (s) => s.call('follow_thread', { root, on: n % 4 !== 1 }),
          (s) => s.call('delete_message', { id: sentIds[(n * 7) % sentIds.length] ?? id }),
        ]
        const operation = [0, 1, 0, 1, 2, 0, 1, 3, 1, 0, 4, 1][(n + nth * 5) % 12]!
        const [outcome] = await outcomes([run(client, who, operations[operation]!)])
        if (operation === 0 && outcome === 'done') sentIds.push(id)
        found.push(outcome!)
      }
      return found
    }
    const all = (await Promise.all(clients.slice(0, 16).map(runOperations))).flat()
    // Refusals are the rules', never the machinery's: no deadlock, no doubled row.
    expect(new Set(all.filter((outcome) => !/^(done|not_found|not_allowed)$/.test(outcome)))).toEqual(
      new Set(),
    )
    expect(sentIds.length).toBeGreaterThan(40)
    const wrong = await fixture.service((s) =>
      s.rows(
        `select t.* from public.thread_members t join public.messages m on m.id = t.root_id
         where m.id = any ($1) and t.last_read_thread_seq > m.last_thread_seq`,
        [roots],
      ),
    )
    expect(wrong).toEqual([])
  })

  it('accepts no message, reaction or member after the system message about archiving', async () => {
    for (const closing of ['archived', 'visibility'] as const) {
      for (let round = 0; round < 3; round++) {
        const [channel, first] = [randomUUID(), randomUUID()]
        await fixture.committedAs('bea', async (s) => {
          const name = `${closing} ${round}`
          await s.call('create_channel', { id: channel, workspace: fixture.workspace, kind: 'public', name })
          await s.call('send_message', { id: first, channel, body: 'First' })
        })
        const { token } = await fixture.committedAs('ann', (s) =>
          s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [channel] }),
        )
        const close = (s: TestTransaction) =>
          closing === 'archived'
            ? s.call('archive_channel', { channel, on: true })
            : s.call('update_channel', { channel, kind: 'private' })
        const operations: [Name, (s: TestTransaction) => Promise<unknown>][] = [
          ['bea', (s) => s.call('send_message', { id: randomUUID(), channel, body: 'Last' })],
          ['bea', (s) => s.call('react', { message: first, emoji: '🌱', on: true })],
          ['bea', (s) => s.call('edit_message', { id: first, body: randomUUID() })],
          ['cem', (s) => s.call('join_channel', { channel })],
          // Ann, whose invitation it is, stays outside: it opens nothing once the channel is closed to her.
          ['eli', (s) => s.call('accept_invitation', { token, person_name: 'Eli' })],
        ]
        const found = await outcomes(
          clients
            .slice(0, 13)
            .map((client, i) =>
              i === 6 + round ? run(client, 'bea', close) : run(client, ...operations[i % 5]!),
            ),
        )
        expect(new Set([...found, 'done', 'archived', 'not_found'])).toEqual(
          new Set(['done', 'archived', 'not_found']),
        )
        const late = await fixture.service((s) =>
          s.rows(
            `select m.system, m.body from public.messages m,
               (select rev from public.messages where channel_id = $1 and system ->> 'event' = $2) closing
             where m.channel_id = $1 and m.rev > closing.rev
               and ($2 = 'archived' or m.system ->> 'event' = 'joined')`,
            [channel, closing],
          ),
        )
        expect(late, closing).toEqual([])
      }
    }
  })

  /** What the data API does before each request. */
  const request = async (s: TestTransaction, path: string): Promise<void> => {
    await s.rows(`select set_config('request.path', $1, true)`, [path])
    await s.rows('select app.check_request()')
  }
  const backendOf = async (client: Client): Promise<number> =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
  const isWaiting = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`

  it('answers a request of a person while another request of this person waits for a lock', async () => {
    const [locking, first, second, watching] = clients as [Client, Client, Client, Client]
    // Longer than a hundred bytes, so that its characters are counted too.
    const body = 'Orchids need light. '.repeat(10)
    const send = (channel: Uuid) => async (s: TestTransaction) => {
      await request(s, '/rpc/send_message')
      return (await s.call('send_message', { id: randomUUID(), channel, body })).message
    }
    const pid = await backendOf(first)
    await locking.query('begin')
    await locking.query('select from public.channel_counters where channel_id = $1 for update', [
      fixture.lobby,
    ])
    const waiting = run(first, 'bea', send(fixture.lobby))
    try {
      await vi.waitFor(async () => expect((await watching.query(isWaiting, [pid])).rowCount).toBe(1))
      await second.query(`set lock_timeout = '5s'`)
      expect(await run(second, 'bea', send(fixture.side))).toMatchObject({ body })
      expect((await watching.query(isWaiting, [pid])).rowCount).toBe(1)
    } finally {
      await locking.query('rollback')
      await second.query('reset lock_timeout')
    }
    expect(await waiting).toMatchObject({ body })
  })

  it('passes exactly as many of 200 concurrent requests of a person as the limit permits', async () => {
    const stored = await fixture.service((s) =>
      s.value<object>(`select value from public.settings where key = 'rate_limits'`),
    )
    await fixture.service(slowDownRefill, true)
    try {
      const react = (client: Client): Promise<string[]> =>
        outcomes([run(client, 'gus', (s) => request(s, '/rpc/react'))])
      const reactions = async (client: Client): Promise<string[]> => {
        const found: string[] = []
        for (let n = 0; n < 4; n++) found.push(...(await react(client)))
        return found
      }
      const all = (await Promise.all(clients.map(reactions))).flat()
      expect(all).toHaveLength(200)
      expect(new Set(all)).toEqual(new Set(['done', 'rate_limited']))
      let passed = all.filter((outcome) => outcome === 'done').length
      expect(passed).toBeGreaterThan(100)
      // While others are in progress, the last ones may be refused. Afterwards the rest is available.
      while ((await react(clients[0]!))[0] === 'done') passed += 1
      expect(passed).toBe(120)
    } finally {
      await fixture.service(
        (s) =>
          s.rows(`update public.settings set value = $1 where key = 'rate_limits'`, [JSON.stringify(stored)]),
        true,
      )
    }
  })

  it('applies an edit once when it is repeated concurrently, and stores fifty of sixty sections', async () => {
    const id = randomUUID()
    await fixture.committedAs('bea', (s) => s.call('send_message', { id, channel: fixture.lobby, body: '0' }))
    const edits = Array.from({ length: 5 }, () => randomUUID())
    const all = await outcomes(
      clients
        .slice(0, 40)
        .map((client, i) =>
          run(client, 'bea', (s) =>
            s.call('edit_message', { id, body: `${(i % 5) + 1}`, edit: edits[i % 5]! }),
          ),
        ),
    )
    expect(new Set(all)).toEqual(new Set(['done']))
    const versions = await fixture.service((s) =>
      s.rows('select body from public.message_revisions where message_id = $1', [id]),
    )
    expect(versions).toHaveLength(5)
    const made = await outcomes(
      clients.map((client, i) =>
        run(client, 'ann', (s) =>
          s.rows(
            `insert into public.sections (id, workspace_id, name, position)
             select gen_random_uuid(), $1, n, 1 from unnest($2::text[]) n`,
            [fixture.workspace, i < 10 ? [`a ${i}`, `b ${i}`] : [`a ${i}`]],
          ),
        ),
      ),
    )
    expect(made.filter((outcome) => outcome.includes('sections_at_most_fifty')).length).toBeGreaterThan(0)
    expect(made.filter((outcome) => !/^done$|sections_at_most_fifty/.test(outcome))).toEqual([])
    expect(
      await fixture.service((s) =>
        s.value('select count(*)::int from public.sections where profile_id = $1', [fixture.profile.ann]),
      ),
    ).toBeOneOf([49, 50])
  })
})
