/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { homes } from './support/homes.ts'
import { impersonate, openWorld, sessionOn, type Name, type Session, type World } from './support/world.ts'

/** Many at once: one row an id, no hole in a number, no deadlock, and the order of numbers is that of telling. */
describe.each(homes)('concurrency on $name', ({ open }) => {
  let world: World
  const clients: Client[] = []
  beforeAll(async () => {
    world = await openWorld(await open())
    for (let i = 0; i < 50; i++) clients.push(new Client(world.home.config('postgres')))
    await Promise.all(clients.map((client) => client.connect()))
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await world.stop()
  })

  const run = async <T>(client: Client, who: Name, work: (s: Session) => Promise<T>): Promise<T> => {
    await client.query('begin')
    try {
      await impersonate(client, world.account[who])
      const result = await work(sessionOn(client))
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }

  it('keeps one message of fifty sends with one id, and answers all alike', async () => {
    const id = randomUUID()
    const before = await world.as('bea', (s) => s.call('channel_page', { channel: world.lobby }))
    const answers = await Promise.all(
      clients.map((client) =>
        run(client, 'bea', (s) => s.call('send_message', { id, channel: world.lobby, body: 'Once' })),
      ),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    const after = await world.as('bea', (s) => s.call('channel_page', { channel: world.lobby }))
    expect(after.rev).toBe(before.rev + 1)
    expect(after.messages.length).toBe(before.messages.length + 1)
  })

  it('lets one id into one channel when it is sent to two at once', async () => {
    const ids = Array.from({ length: 10 }, () => randomUUID())
    const outcomes = await Promise.allSettled(
      clients.slice(0, 40).map((client, i) =>
        run(client, 'bea', (s) =>
          s.call('send_message', {
            id: ids[i % 10]!,
            channel: i % 20 < 10 ? world.lobby : world.side,
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
      await world.service((s) =>
        s.value(`select count(*)::int from public.messages where id = any ($1)`, [ids]),
      ),
    ).toBe(10)
  })

  it('lets one person use an invitation for one, and one found what can be founded once', async () => {
    const { token } = await world.by('ann', (s) =>
      s.call('create_invitation', {
        workspace: world.workspace,
        role: 'member',
        channels: [world.lobby],
        max_uses: 1,
      }),
    )
    const outcomes = await Promise.allSettled(
      (['omar', 'zoe'] as const).map((who, i) =>
        run(clients[i]!, who, (s) => s.call('accept_invitation', { token, person_name: who })),
      ),
    )
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const reason = outcomes.find((outcome) => outcome.status === 'rejected')!.reason
    expect(reason.message).toBe('invitation_used')
  })

  it('numbers crossing work on several channels without a hole, a double or a deadlock', async () => {
    const channels = [world.lobby, world.side, world.closed]
    await world.by('cem', (s) => s.call('join_channel', { channel: world.side }))
    const sent: { id: string; channel: string }[] = []
    const refusals: { code: string; message: string }[] = []
    let turn = 0
    const step = async (client: Client, lane: number): Promise<void> => {
      const n = turn++
      const channel = channels[(n * 7 + lane) % 3]!
      const here = sent.filter((message) => message.channel === channel)
      const some = here[(n * 13) % Math.max(here.length, 1)]
      const who: Name = n % 2 ? 'bea' : 'cem'
      const id = randomUUID()
      const deeds: ((s: Session) => Promise<unknown>)[] = [
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
          await s.call('beat', { workspace: world.workspace, state: 'active' })
        },
        async (s) => {
          await s.call('leave_channel', { channel: world.side })
        },
        (s) => s.call('join_channel', { channel: world.side }),
      ]
      const chosen = [0, 1, 2, 1, 4, 2, 0, 5, 3, 6, 7, 1, 0, 8, 2, 9, 10][n % 17]!
      try {
        await run(client, who, deeds[chosen]!)
        if (chosen === 0) sent.push({ id, channel })
      } catch (error) {
        refusals.push(error as { code: string; message: string })
      }
    }
    await Promise.all(
      clients.slice(0, 16).map(async (client, lane) => {
        for (let i = 0; i < 30; i++) await step(client, lane)
      }),
    )
    expect(sent.length).toBeGreaterThan(50)
    // What is refused is refused by a rule, never by the machinery of locks.
    for (const { code, message } of refusals) expect(code, message).toMatch(/^PT4/)
    await world.service(async (s) => {
      for (const channel of channels) {
        const holes = await s.rows(
          `with told as (
             select (payload ->> 'rev')::bigint as rev from realtime.messages
             where topic like 'channel:' || $1::text || ':%' and event in ('message', 'rev', 'meta')
           ), numbered (kind, number, top) as (
             select 'seq', m.seq, k.last_seq from public.messages m, public.channel_counters k
             where m.channel_id = $1::uuid and k.channel_id = m.channel_id and m.seq is not null
             union all select 'told ' , told.rev, k.rev from told, public.channel_counters k where k.channel_id = $1::uuid
           )
           select kind, count(*)::int, min(number)::int, max(number)::int, count(distinct number)::int, max(top)::int as top
           from numbered group by kind`,
          [channel],
        )
        expect(holes).toHaveLength(2)
        for (const { kind, count, min, max, top, ...rest } of holes) {
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
})
