/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic } from '../../wire/events.ts'
import { type ThreadState } from '../../wire/threads.ts'
import { testDatabases } from './support/testDatabases.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Name, type Fixture } from './support/fixture.ts'

/** Who follows a thread, what is unread in it, and who is notified. */
describe.each(testDatabases)('threads on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const sendMessage = async (who: Name, body: string, root?: string, more: object = {}): Promise<string> => {
    const id = randomUUID()
    await fixture.committedAs(who, (s) =>
      s.call('send_message', { id, channel: fixture.lobby, body, thread_root: root ?? null, ...more }),
    )
    return id
  }
  const name = (who: Name): string => `<@${fixture.profile[who]}>`
  const placeOf = async (who: Name, root: string): Promise<ThreadState> => {
    const { threads } = await fixture.rolledBackAs(who, (s) =>
      s.call('thread_states', { workspace: fixture.workspace, roots: [root] }),
    )
    return threads[0]!
  }
  const followers = async (root: string): Promise<Name[]> => {
    const found: Name[] = []
    for (const who of ['ann', 'bea', 'cem', 'gus', 'eli'] as const) {
      if ((await placeOf(who, root))?.follows) found.push(who)
    }
    return found
  }
  const behind = async (who: Name): Promise<ThreadState[]> => {
    const [start, beat] = await fixture.rolledBackAs(who, async (s) => [
      (await s.call('bootstrap', {})).threads,
      (await s.call('heartbeat', { workspace: fixture.workspace, state: 'active' })).threads,
    ])
    expect(beat).toEqual(start)
    return start
  }

  it('is followed by its author, authors of replies, people mentioned by name, and those who follow it', async () => {
    const root = await sendMessage('bea', `For ${name('cem')} and <!channel>`)
    expect(await followers(root)).toEqual([])
    await sendMessage('ann', 'First', root)
    expect(await followers(root)).toEqual(['ann', 'bea'])
    // The answer that made her follow is new to her, the one that she wrote is not to Ann.
    expect(await placeOf('bea', root)).toMatchObject({ last_read_thread_seq: 0, counts: { unread: 1 } })
    expect(await placeOf('ann', root)).toMatchObject({ last_read_thread_seq: 1, counts: { unread: 0 } })
    await sendMessage('ann', `${name('eli')}, you too, <!here>`, root)
    expect(await placeOf('eli', root)).toMatchObject({
      follows: true,
      last_read_thread_seq: 1,
      last_thread_seq: 2,
      counts: { unread: 1, mentions: 1 },
    })
    expect((await placeOf('bea', root)).counts).toEqual({ unread: 2, mentions: 1 })
    const followed = await fixture.committedAs('cem', (s) => s.call('follow_thread', { root, on: true }))
    expect(followed).toMatchObject({
      applied: true,
      thread: { follows: true, last_read_thread_seq: 2, counts: { unread: 0, mentions: 0 } },
    })
    // An edit that calls someone begins it from that answer on.
    const third = await sendMessage('bea', 'Third', root)
    await sendMessage('bea', 'Fourth', root)
    await fixture.committedAs('bea', (s) =>
      s.call('edit_message', { id: third, body: `Third, ${name('gus')}` }),
    )
    expect(await placeOf('gus', root)).toMatchObject({
      follows: true,
      last_read_thread_seq: 2,
      counts: { unread: 2, mentions: 1 },
    })
  })

  it('stays unfollowed until a reply, a mention by name or following it', async () => {
    const root = await sendMessage('bea', 'Root')
    // Sent before the first reply, which would make its author follow.
    await fixture.committedAs('bea', (s) => s.call('follow_thread', { root, on: false }))
    const call = await sendMessage('ann', 'One', root)
    expect(await followers(root)).toEqual(['ann'])
    expect(await placeOf('bea', root)).toMatchObject({ follows: false, counts: { unread: 0 } })
    await fixture.committedAs('bea', (s) =>
      s.call('mark_thread_read', { root, thread_seq: 1, read_version: 1 }),
    )
    expect((await placeOf('bea', root)).follows).toBe(false)
    await fixture.committedAs('ann', (s) =>
      s.call('edit_message', { id: call, body: `One, ${name('bea')}`, edit: randomUUID() }),
    )
    expect((await placeOf('bea', root)).follows).toBe(true)
    await fixture.committedAs('bea', (s) => s.call('follow_thread', { root, on: false }))
    // Changing what calls her already calls her no more than before.
    await fixture.committedAs('ann', (s) =>
      s.call('edit_message', { id: call, body: `One more, ${name('bea')}` }),
    )
    await sendMessage('ann', 'Two', root)
    expect((await placeOf('bea', root)).follows).toBe(false)
    await sendMessage('bea', 'Three', root)
    expect(await placeOf('bea', root)).toMatchObject({ follows: true, last_read_thread_seq: 3 })
    const version = (await placeOf('bea', root)).read_version
    await fixture.committedAs('bea', (s) => s.call('follow_thread', { root, on: false }))
    await sendMessage('ann', 'Four', root)
    await fixture.committedAs('bea', (s) => s.call('follow_thread', { root, on: true }))
    const again = await placeOf('bea', root)
    expect(again).toMatchObject({ follows: true, last_read_thread_seq: 4, counts: { unread: 0 } })
    expect(again.read_version).toBe(version + 2)
  })

  it('makes nobody follow a thread whose root they can’t see', async () => {
    // Also sent to the channel, this answer is readable to Gus; its root, before his time, is not.
    const reply = await sendMessage('cem', `Look, ${name('gus')}`, fixture.messages.old, {
      also_to_channel: true,
    })
    await fixture.rolledBackAs('gus', async (s) => {
      const page = await s.call('channel_page', { channel: fixture.lobby })
      expect(page.messages.some((message) => message.id === reply)).toBe(true)
      const { threads } = await s.call('thread_states', {
        workspace: fixture.workspace,
        roots: [fixture.messages.old, fixture.messages.secret, fixture.messages.fresh],
      })
      expect(threads.map((thread) => thread.root_id)).toEqual([fixture.messages.fresh])
    })
    expect(
      await fixture.service((s) =>
        s.rows('select follows from public.thread_members where profile_id = $1 and root_id = $2', [
          fixture.profile.gus,
          fixture.messages.old,
        ]),
      ),
    ).toEqual([])
    const events = await collectBroadcasts(fixture, 'cem', (s) =>
      s.call('send_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: `Again, ${name('gus')} and <!channel>`,
        thread_root: fixture.messages.old,
      }),
    )
    expect(events.filter((event) => event.topic === userTopic(fixture.profile.gus))).toEqual([])
  })

  it('moves a read marker by compare-and-set, and back only by mark_thread_unread', async () => {
    const root = await sendMessage('ann', 'Root')
    for (const word of ['One', 'Two', 'Three']) await sendMessage('bea', word, root)
    const version = (await placeOf('ann', root)).read_version
    const read = (thread_seq: number, read_version: number) =>
      fixture.committedAs('ann', (s) => s.call('mark_thread_read', { root, thread_seq, read_version }))
    expect(await read(2, version)).toMatchObject({
      applied: true,
      thread: { last_read_thread_seq: 2, counts: { unread: 1 } },
    })
    expect(await read(3, version)).toMatchObject({ applied: false, thread: { last_read_thread_seq: 2 } })
    expect(await read(1, version + 1)).toMatchObject({ applied: true, thread: { last_read_thread_seq: 2 } })
    // Not past the end: what comes later has not been read.
    expect(await read(99, version + 1)).toMatchObject({
      applied: true,
      thread: { last_read_thread_seq: 3, read_version: version + 2, counts: { unread: 0 } },
    })
    expect(await behind('ann')).not.toContainEqual(expect.objectContaining({ root_id: root }))
    const back = (thread_seq: number) =>
      fixture.committedAs('ann', (s) => s.call('mark_thread_unread', { root, thread_seq }))
    expect((await back(2)).thread).toMatchObject({ last_read_thread_seq: 1, counts: { unread: 2 } })
    expect((await back(3)).thread).toMatchObject({ last_read_thread_seq: 1 })
    expect(await behind('ann')).toContainEqual(expect.objectContaining({ root_id: root }))
    // Reading doesn't follow; marking unread does.
    const gus = (thread_seq: number) =>
      fixture.committedAs('gus', (s) => s.call('mark_thread_read', { root, thread_seq, read_version: 0 }))
    expect(await gus(2)).toMatchObject({
      applied: true,
      thread: { follows: false, last_read_thread_seq: 2, read_version: 1, counts: { unread: 0 } },
    })
    expect(await gus(3)).toMatchObject({ applied: false })
    expect(
      await fixture.committedAs('gus', (s) => s.call('mark_thread_unread', { root, thread_seq: 3 })),
    ).toMatchObject({
      thread: { follows: true, last_read_thread_seq: 2, counts: { unread: 1 } },
    })
  })

  it('does not count own and deleted replies as unread', async () => {
    const root = await sendMessage('cem', 'Root')
    const first = await sendMessage('bea', `${name('cem')} <!channel>`, root)
    await sendMessage('bea', '<!here>', root)
    await sendMessage('cem', 'Mine', root)
    expect((await placeOf('cem', root)).counts).toEqual({ unread: 2, mentions: 2 })
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: first }))
    expect((await placeOf('cem', root)).counts).toEqual({ unread: 1, mentions: 1 })
    const page = await fixture.rolledBackAs('cem', (s) =>
      s.call('thread_page', { root, around: 2, limit: 1 }),
    )
    expect(page).toMatchObject({ has_before: true, has_after: true, state: { counts: { unread: 1 } } })
    expect(page.messages.map((message) => message.thread_seq)).toEqual([2])
  })

  it('lists followed threads by their latest reply, in pages, and only unread ones on request', async () => {
    const roots: string[] = []
    for (const word of ['A', 'B', 'C', 'D']) {
      const root = await sendMessage('eli', word)
      roots.push(root)
      await sendMessage('cem', `${word}1`, root)
      await sendMessage('cem', `${word}2`, root)
    }
    const [a, b, c, d] = roots as [string, string, string, string]
    const inbox = (args: object = {}) =>
      fixture.rolledBackAs('eli', (s) => s.call('thread_inbox', { workspace: fixture.workspace, ...args }))
    const shown = async (args: object = {}): Promise<string[]> =>
      (await inbox(args)).threads.map((thread) => thread.root.id).filter((root) => roots.includes(root))
    expect(await shown()).toEqual([d, c, b, a])
    await sendMessage('cem', 'A3', a)
    expect(await shown()).toEqual([a, d, c, b])
    const first = await inbox({ limit: 2 })
    expect(first.threads.map((thread) => thread.root.id)).toEqual([a, d])
    expect(first.threads[0]!.replies.map((reply) => reply.body)).toEqual(['A1', 'A2', 'A3'])
    expect(first.threads[0]!.state).toEqual(await placeOf('eli', a))
    const second = await inbox({ limit: 2, before: first.before })
    expect(second.threads.map((thread) => thread.root.id)).toEqual([c, b])
    await fixture.committedAs('eli', (s) =>
      s.call('mark_thread_read', { root: d, thread_seq: 9, read_version: 1 }),
    )
    await fixture.committedAs('eli', (s) => s.call('follow_thread', { root: c, on: false }))
    expect(await shown({ unread_only: true })).toEqual([a, b])
    // The last answer gone, B falls behind; all gone, it is no thread any more.
    const { messages } = await fixture.rolledBackAs('cem', (s) => s.call('thread_page', { root: b }))
    await fixture.committedAs('cem', (s) => s.call('delete_message', { id: messages[1]!.id }))
    expect(await shown()).toEqual([a, d, b])
    await fixture.committedAs('cem', (s) => s.call('delete_message', { id: messages[0]!.id }))
    expect(await shown()).toEqual([a, d])
    expect(await shown({ unread_only: true })).toEqual([a])
    expect(
      await fixture.rolledBackAs('eli', (s) =>
        s.failure('thread_inbox', { workspace: fixture.workspace, before: "1' or true --" }),
      ),
    ).toBe('bad_cursor')
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const) {
      expect(
        await fixture.rolledBackAs(who, (s) => s.failure('thread_inbox', { workspace: fixture.workspace })),
      ).toBe('not_found')
    }
  })

  it('following ends with membership, and returns with it', async () => {
    const secret = fixture.messages.secret
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.closed, people: [fixture.profile.eli] }),
    )
    await fixture.committedAs('eli', (s) =>
      s.call('send_message', { id: randomUUID(), channel: fixture.closed, body: 'Me', thread_root: secret }),
    )
    const reply = () =>
      collectBroadcasts(fixture, 'bea', (s) =>
        s.call('send_message', {
          id: randomUUID(),
          channel: fixture.closed,
          body: `<!channel> ${name('cem')}`,
          thread_root: secret,
        }),
      )
    const isNotified = async (): Promise<boolean> =>
      (await reply()).some((event) => event.topic === userTopic(fixture.profile.eli))
    expect(await isNotified()).toBe(true)
    const inInbox = async (): Promise<boolean> => {
      const all = await fixture.rolledBackAs('eli', (s) =>
        s.call('thread_inbox', { workspace: fixture.workspace }),
      )
      const unread = await behind('eli')
      const there = all.threads.some((thread) => thread.root.id === secret)
      expect(unread.some((thread) => thread.root_id === secret)).toBe(there)
      return there
    }
    expect(await inInbox()).toBe(true)
    const version = (await placeOf('eli', secret)).read_version
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.closed, person: fixture.profile.eli }),
    )
    expect(await inInbox()).toBe(false)
    expect(await isNotified()).toBe(false)
    expect(await placeOf('eli', secret)).toBeUndefined()
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.closed, people: [fixture.profile.eli] }),
    )
    expect(await inInbox()).toBe(true)
    expect((await placeOf('eli', secret)).read_version).toBe(version)

    // A public channel that one left is still readable, but calls no more.
    await fixture.committedAs('cem', (s) => s.call('join_channel', { channel: fixture.side }))
    const root = randomUUID()
    await fixture.committedAs('cem', (s) =>
      s.call('send_message', { id: root, channel: fixture.side, body: 'Root' }),
    )
    const answer = () =>
      collectBroadcasts(fixture, 'bea', (s) =>
        s.call('send_message', { id: randomUUID(), channel: fixture.side, body: 'Re', thread_root: root }),
      )
    await answer()
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel: fixture.side }))
    expect(await placeOf('cem', root)).toMatchObject({ follows: false, counts: { unread: 0 } })
    expect((await behind('cem')).some((thread) => thread.root_id === root)).toBe(false)
    expect((await answer()).filter((event) => event.topic === userTopic(fixture.profile.cem))).toEqual([])
    expect(await fixture.rolledBackAs('cem', (s) => s.failure('follow_thread', { root, on: true }))).toBe(
      'not_a_member',
    )
  })

  it('the inbox hides threads of a closed conversation until its next message', async () => {
    const answer = () =>
      fixture.committedAs('ann', (s) =>
        s.call('send_message', {
          id: randomUUID(),
          channel: fixture.direct,
          body: `${name('bea')}?`,
          thread_root: fixture.messages.whisper,
        }),
      )
    await answer()
    const shows = async (): Promise<boolean> =>
      (await behind('bea')).some((thread) => thread.root_id === fixture.messages.whisper)
    expect(await shows()).toBe(true)
    await fixture.committedAs('bea', (s) => s.call('leave_channel', { channel: fixture.direct }))
    expect(await shows()).toBe(false)
    await answer()
    expect(await shows()).toBe(true)
  })

  it('notifies readers who follow of a reply, a person of their own state, and those who had not read it of a deletion', async () => {
    const root = await sendMessage('bea', 'Root')
    await fixture.committedAs('cem', (s) => s.call('follow_thread', { root, on: true }))
    const id = randomUUID()
    const events = await collectBroadcasts(fixture, 'ann', (s) =>
      s.call('send_message', { id, channel: fixture.lobby, body: `Hi ${name('cem')}`, thread_root: root }),
    )
    const own = (list: typeof events) =>
      list
        .filter((event) => event.event === 'reply' || event.event === 'thread')
        .map(({ topic, event }) => `${event} ${topic}`)
        .toSorted()
    const [ann, bea, cem] = (['ann', 'bea', 'cem'] as const).map((who) => userTopic(fixture.profile[who]))
    expect(own(events)).toEqual([`reply ${bea}`, `reply ${cem}`, `thread ${ann}`, `thread ${bea}`].toSorted())
    const replies = events.filter((event) => event.event === 'reply')
    for (const { topic, payload } of replies) {
      expect(payload).toMatchObject({ root_id: root, thread_seq: 1, mention: topic === cem })
    }
    expect(JSON.stringify(replies)).not.toContain('Hi')
    // A person who starts to follow receives a thread state that includes the reply.
    const began = events.find((event) => event.event === 'thread' && event.topic === bea)!
    expect(began.payload).toMatchObject(await placeOf('bea', root))
    expect((began.payload as ThreadState).rev).toBeGreaterThan((replies[0]!.payload as { rev: number }).rev)

    const { read_version } = await placeOf('cem', root)
    const read = await collectBroadcasts(fixture, 'cem', (s) =>
      s.call('mark_thread_read', { root, thread_seq: 1, read_version }),
    )
    expect(own(read)).toEqual([`thread ${cem}`])
    expect(read[0]!.payload).toMatchObject(await placeOf('cem', root))
    const gone = await collectBroadcasts(fixture, 'ann', (s) => s.call('delete_message', { id }))
    expect(own(gone)).toEqual([`thread ${bea}`])
    expect(gone.find((event) => event.event === 'thread')!.payload).toMatchObject(await placeOf('bea', root))
  })

  it('lists a followed thread as unread if and only if there is a reply after its read marker', async () => {
    const people = ['ann', 'bea', 'cem', 'gus'] as const
    const roots = [await sendMessage('ann', 'R1'), await sendMessage('bea', 'R2')]
    const replies: { id: string; by: Name }[] = []
    // Walks by primes rather than by dice, so that a failure is the same each time.
    for (let n = 0; n < 90; n++) {
      const who = people[(n * 7 + (n >> 3)) % people.length]!
      const root = roots[(n * 5 + (n >> 2)) % 2]!
      const other = people[(n * 11) % people.length]!
      const operation = (n * 13 + (n >> 4)) % 9
      const victim = replies[(n * 17) % Math.max(replies.length, 1)]
      const { read_version, last_thread_seq } = await placeOf(who, root)
      if (operation < 3)
        replies.push({ id: await sendMessage(who, operation ? `n ${n}` : `${name(other)}`, root), by: who })
      else if (operation === 3 && victim) {
        await fixture.committedAs(victim.by, (s) => s.call('delete_message', { id: victim.id }))
        replies.splice(replies.indexOf(victim), 1)
      } else {
        await fixture.committedAs(who, async (s) => {
          if (operation === 4 || operation === 8) {
            await s.call('mark_thread_read', { root, thread_seq: last_thread_seq - (n % 2), read_version })
          } else if (operation === 5) await s.call('mark_thread_unread', { root, thread_seq: n % 9 })
          else await s.call('follow_thread', { root, on: operation === 6 })
        })
      }
    }
    expect(replies.length).toBeGreaterThan(10)
    await fixture.service(async (s) => {
      const rows = await s.rows<Record<string, unknown>>(
        `select t.follows, t.last_read_thread_seq < m.last_thread_seq as below,
           exists (select from app.unread_thread_rows(t.profile_id, $2) u where u.root_id = m.id) as listed,
           app.thread_as_json(t.profile_id, m.id) -> 'counts' ->> 'unread' as unread_shown,
           (select count(*) from public.messages r where r.channel_id = m.channel_id and r.thread_root = m.id
             and r.thread_seq > t.last_read_thread_seq and r.deleted_at is null
             and r.author_id <> t.profile_id)::text as unread
         from public.thread_members t join public.messages m on m.id = t.root_id where m.id = any ($1)`,
        [roots, fixture.workspace],
      )
      expect(new Set(rows.map((row) => `${row.follows} ${row.below}`))).toEqual(
        new Set(['true true', 'true false', 'false true']),
      )
      for (const row of rows.filter((each) => each.follows)) {
        expect(row).toMatchObject({ listed: row.below, unread_shown: row.unread })
      }
      expect(rows.filter((row) => !row.follows && (row.listed || row.unread_shown !== '0'))).toEqual([])
    })
  })

  it('unfollows the threads that a person has not read for the longest time, if they follow more than a thousand', () =>
    fixture.service(async (s) => {
      await s.rows('alter table public.messages disable trigger user')
      await s.rows('alter table public.thread_members disable trigger user')
      await s.rows(
        `with posted as (
           insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, 90000 + i, 90000 + i, 90000 + i, $2, 'Words', now() from generate_series(1, 1003) i
           returning id, seq)
         insert into public.thread_members (root_id, profile_id, marked_at)
         select id, $2, now() + (seq - 90000) * interval '1 second' from posted`,
        [fixture.lobby, fixture.profile.eli],
      )
      await s.rows(
        'update public.thread_members set marked_at = now() where profile_id = $1 and marked_at < now()',
        [fixture.profile.eli],
      )
      await s.rows('alter table public.messages enable trigger user')
      await s.rows('alter table public.thread_members enable trigger user')
      const followed = (who: Name) =>
        s.rows<{ seq: number }>(
          `select m.seq::int from public.thread_members t join public.messages m on m.id = t.root_id
           where t.profile_id = $1 and t.follows order by m.seq`,
          [fixture.profile[who]],
        )
      const [eli, bea] = [await followed('eli'), await followed('bea')]
      expect(eli.length).toBeGreaterThan(1003)
      await s.rows('select app.limit_followed_threads()')
      expect((await followed('eli')).map((one) => one.seq)).toEqual(
        Array.from({ length: 1000 }, (_, i) => 90_004 + i),
      )
      expect(await followed('bea')).toEqual(bea)
    }))

  it('names the error, and reveals nothing of what the caller may not see', async () => {
    const commands = (root: string) =>
      [
        ['mark_thread_read', { root, thread_seq: 1, read_version: 0 }],
        ['mark_thread_unread', { root, thread_seq: 1 }],
        ['follow_thread', { root, on: true }],
      ] as const
    const nothing = randomUUID()
    for (const [command, args] of commands(fixture.messages.secret)) {
      for (const who of ['ann', 'gus', 'omar', 'zoe', 'dee', 'max'] as const) {
        const wall = await fixture.rolledBackAs(who, (s) => s.refusal((t) => t.call(command, args as never)))
        const hole = await fixture.rolledBackAs(who, (s) =>
          s.refusal((t) => t.call(command, { ...args, root: nothing } as never)),
        )
        expect([wall.code, wall.message, wall.detail], `${who} ${command}`).toEqual([
          'PT404',
          'not_found',
          hole.detail,
        ])
        expect([hole.code, hole.message]).toEqual(['PT404', 'not_found'])
      }
      expect(await fixture.rolledBackAs('sid', (s) => s.failure(command, args as never))).toBe(
        'session_ended',
      )
    }
    for (const [command, args] of commands(fixture.messages.old)) {
      expect(await fixture.rolledBackAs('gus', (s) => s.failure(command, args as never)), command).toBe(
        'not_found',
      )
    }
    for (const [command, args] of commands(fixture.messages.reply)) {
      expect(await fixture.rolledBackAs('bea', (s) => s.failure(command, args as never)), command).toBe(
        'not_a_thread',
      )
    }
    await fixture.rolledBackAs('bea', async (s) => {
      const roots = Array.from({ length: 101 }, () => randomUUID())
      const { workspace } = fixture
      expect(await s.failure('thread_states', { workspace, roots })).toBe('too_many_threads')
      expect(await s.call('thread_states', { workspace, roots: roots.slice(1) })).toEqual({ threads: [] })
      for (const sql of [
        `insert into public.thread_members (root_id, profile_id) values ('${fixture.messages.fresh}', '${fixture.profile.bea}')`,
        `update public.thread_members set last_read_thread_seq = 0 where true`,
        `delete from public.thread_members where true`,
        `insert into public.message_edits values ('${fixture.messages.old}', '${randomUUID()}')`,
        `select edit from public.message_edits`,
      ]) {
        expect((await s.refusal((t) => t.rows(sql))).code, sql).toBe('42501')
      }
    })
  })
})
