/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pollKey } from '../../app/data/messages/reactionKeys.ts'
import { channelTopic } from '../../wire/events.ts'
import type { Message, MessageExtras } from '../../wire/messages.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
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

describe.each(testDatabases)('moving a thread on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    // Ann owns the workspace and manages the lobby; she and Cem may post in `side`, which Bea manages.
    for (const who of ['ann', 'cem'] as const)
      await fixture.committedAs(who, (s) => s.call('join_channel', { channel: fixture.side }))
  })
  afterAll(() => fixture.stop())

  const send = async (
    who: Name,
    channel: string,
    body: string,
    more: { thread_root?: string; also_to_channel?: boolean; extras?: MessageExtras } = {},
  ): Promise<Message> => {
    const args = { id: randomUUID(), channel, body, ...more }
    return (await fixture.committedAs(who, (s) => s.call('send_message', args))).message
  }
  const move = (
    s: TestTransaction,
    message: string,
    channel: string,
    accepted_readers = 0,
    id = randomUUID(),
  ) => s.call('move_thread', { id, message, channel, accepted_readers })
  const refusal = (
    who: Name,
    message: string,
    channel: string,
    before: (s: TestTransaction) => Promise<unknown> = async () => {},
  ) =>
    fixture.rolledBackAs(who, async (s) => {
      await before(s)
      const preview = await s.refusal((t) => t.call('preview_move', { message, channel }))
      const moved = await s.failure('move_thread', {
        id: randomUUID(),
        message,
        channel,
        accepted_readers: 99,
      })
      expect(preview.message).toBe(moved)
      return moved
    })
  /** Runs `work` with the rights of the service within a person's transaction. */
  const asService = async <T>(s: TestTransaction, work: () => Promise<T>): Promise<T> => {
    await s.rows('reset role')
    const result = await work()
    await s.rows('set local role authenticated')
    return result
  }
  const countsOf = async (s: TestTransaction, channel: string) =>
    (await s.call('bootstrap', {})).channels.find((one) => one.channel.id === channel)?.counts

  it('inserts copies with new numbers in their order, and empties the old messages', async () => {
    const root = await send('bea', fixture.lobby, 'When do we open?')
    const replies: Message[] = []
    for (const [who, body] of [
      ['cem', 'At nine'],
      ['bea', 'Wrong'],
      ['ann', 'At *ten*'],
    ] as const)
      replies.push(
        await send(who, fixture.lobby, body, { thread_root: root.id, also_to_channel: who === 'ann' }),
      )
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: replies[1]!.id }))
    await fixture.rolledBackAs('ann', async (s) => {
      const before = await s.call('channel_page', { channel: fixture.side })
      const last = before.messages.at(-1)!
      const { message, moved } = await move(s, root.id, fixture.side)
      expect(message).toMatchObject({
        channel_id: fixture.side,
        seq: last.seq! + 1,
        history_seq: last.seq! + 1,
        author_id: root.author_id,
        body: 'When do we open?',
        reply_count: 2,
        last_thread_seq: 2,
        reply_people: [fixture.profile.ann, fixture.profile.cem],
        last_reply_at: replies[2]!.created_at,
        deleted_at: null,
        extras: { moved: { by: fixture.profile.ann, from: root.id } },
      })
      const same = (one: string, other: string) => expect(Date.parse(one)).toBe(Date.parse(other))
      same(message.extras!.moved!.written_at, root.created_at)
      expect(Date.parse(message.created_at)).toBeGreaterThan(Date.parse(replies[2]!.created_at))
      expect(moved).toMatchObject({
        id: root.id,
        seq: root.seq,
        body: '',
        reply_count: 0,
        last_reply_at: null,
        extras: { moved_to: { message_id: message.id, by: fixture.profile.ann } },
      })
      expect(moved.deleted_at).not.toBeNull()

      const page = await s.call('thread_page', { root: message.id })
      expect(page.messages.map((one) => [one.thread_seq, one.seq, one.author_id, one.body])).toEqual([
        [1, null, fixture.profile.cem, 'At nine'],
        [2, null, fixture.profile.ann, 'At *ten*'],
      ])
      for (const { id } of page.messages) expect(id).toMatch(/^.{14}7/)
      page.messages.forEach((one, i) => same(one.extras!.moved!.written_at, replies[i * 2]!.created_at))
      const source = await s.call('thread_page', { root: root.id })
      expect(source.messages.map((one) => [one.body, one.extras?.moved_to?.message_id])).toEqual([
        ['', page.messages[0]!.id],
        ['', undefined],
        ['', page.messages[1]!.id],
      ])
      // The next reply continues the numbers and the counts.
      const next = await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.side,
        body: 'Thanks',
        thread_root: message.id,
      })
      expect(next.message.thread_seq).toBe(3)
      await s.call('delete_message', { id: next.message.id })
      const after = await s.call('messages_by_ids', { ids: [message.id] })
      same(after.messages[0]!.last_reply_at!, replies[2]!.created_at)

      for (const [channel, rev] of [
        [fixture.lobby, replies[2]!.rev],
        [fixture.side, before.rev],
      ] as const) {
        const changes = await s.call('channel_changes', { channel, after_rev: rev })
        const revs = changes.reset ? [] : changes.messages.map((one) => one.rev)
        expect(changes.rev).toBe(revs.at(-1))
        expect(revs).toEqual(revs.toSorted((a, b) => a - b))
      }
      const search = await s.call('search_messages', { workspace: fixture.workspace, query: 'ten' })
      expect(search.hits.map((one) => one.message.id)).toEqual([page.messages[1]!.id])
      await asService(s, async () => {
        const orphans = await s.value<number>(
          `select (select count(*) from public.message_search where message_id = any ($1))
             + (select count(*) from public.message_edits where message_id = any ($1))
             + (select count(*) from public.mentions where message_id = any ($1))`,
          [[root.id, ...replies.map((one) => one.id)]],
        )
        expect(Number(orphans)).toBe(0)
        const falling = await s.rows(
          `select from (select created_at, lag(created_at) over (order by seq) as previous
             from public.messages where channel_id = $1 and seq is not null) m where created_at < previous`,
          [fixture.side],
        )
        expect(falling).toEqual([])
      })
      // Moved once more, it is still as old as it was written.
      const back = await move(s, message.id, fixture.lobby, 1)
      same(back.message.extras!.moved!.written_at, root.created_at)
      expect(back.message.extras!.moved!.from).toBe(message.id)
    })
  })

  it('moves what belongs to the messages: files, reactions, votes, pins, earlier texts, saved messages', async () => {
    const upload = randomUUID()
    const path = `${fixture.lobby}/${upload}/file`
    const id = randomUUID()
    const poll = { options: ['Soup', 'Salad'], multiple: false, anonymous: false, closes_at: null }
    await fixture.committedAs('bea', async (s) => {
      await s.rows(
        `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
         values ('files', $1, $2::text::uuid, $2::text, '{"size": 12, "mimetype": "image/png"}')`,
        [path, fixture.account.bea],
      )
      await s.call('send_message', {
        id,
        channel: fixture.lobby,
        body: 'First',
        extras: { poll },
        attachments: [{ id: upload, name: 'Menu.png', width: 4, height: 3, thumb: false }],
      })
      for (const body of ['Second', '- [ ] Third'])
        await s.call('edit_message', { id, body, edit: randomUUID() })
      await s.call('pin_message', { message: id, on: true })
      await s.call('save_message', { message: id, state: 'done' })
      await s.call('add_bookmark', { id: randomUUID(), channel: fixture.lobby, upload })
    })
    for (const [who, emoji] of [
      ['cem', '👀'],
      ['gus', pollKey(1)],
      ['ann', pollKey(1)],
      ['cem', 'task:01234567'],
    ] as const)
      await fixture.committedAs(who, (s) => s.call('react', { message: id, emoji, on: true }))
    const quoting = await send('ann', fixture.lobby, 'See', { extras: { quote: { message_id: id } } })
    await fixture.committedAs('gus', (s) => s.call('save_message', { message: id, state: 'saved' }))
    const before = await fixture.rolledBackAs('ann', (s) => s.call('messages_by_ids', { ids: [id] }))

    const copy = randomUUID()
    const events = await collectBroadcasts(fixture, 'ann', (s) => move(s, id, fixture.side, 0, copy))
    const sees = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => ({
        file: await s.value<number>(`select count(*)::int from storage.objects where name = $1`, [path]),
        saved: ((await s.call('bootstrap', {})).own.saved ?? []).map((one) => [
          one.id,
          one.channel_id,
          one.state,
        ]),
        listed: (await s.call('list_files', { workspace: fixture.workspace, query: 'menu' })).files.map(
          (one) => [one.message_id, one.file.channel_id],
        ),
        message: (await s.call('messages_by_ids', { ids: [copy] })).messages[0],
      }))
    const bea = await sees('bea')
    expect(bea).toMatchObject({
      file: 1,
      saved: [[copy, fixture.side, 'done']],
      listed: [[copy, fixture.lobby]],
    })
    const { attachments, reactions, pinned_at } = before.messages[0]!
    expect(bea.message).toMatchObject({ attachments, pinned_at, body: '- [ ] Third', extras: { poll } })
    expect(bea.message!.edited_at).not.toBeNull()
    expect(bea.message!.reactions.map(({ emoji, people }) => [emoji, people])).toEqual(
      reactions.map(({ emoji, people }) => [emoji, people]),
    )
    // Gus is no reader of `side`: he keeps only the note that the message was moved.
    expect(await sees('gus')).toEqual({
      file: 0,
      saved: [[id, fixture.lobby, 'saved']],
      listed: [],
      message: undefined,
    })
    await fixture.rolledBackAs('gus', async (s) => {
      const [stub] = (await s.call('messages_by_ids', { ids: [id] })).messages
      expect(stub).toMatchObject({ body: '', attachments: [], reactions: [], pinned_at: null })
      expect(JSON.stringify(stub)).not.toContain(fixture.side)
      expect(await s.failure('who_can_read', { message: copy })).toBe('not_found')
    })
    await fixture.rolledBackAs('bea', async (s) => {
      const versions = await s.rows(
        'select body from public.message_revisions where message_id = $1 order by rev desc',
        [copy],
      )
      expect(versions.map((one) => one['body'])).toEqual(['Second', 'First'])
      await s.call('edit_message', { id: copy, body: 'Fourth', edit: randomUUID() })
      const more = await s.rows(
        'select body from public.message_revisions where message_id = $1 order by rev desc',
        [copy],
      )
      expect(more.map((one) => one['body'])).toEqual(['- [ ] Third', 'Second', 'First'])
      expect(await s.failure('edit_message', { id, body: 'Late' })).toBe('message_deleted')
      expect(await s.failure('react', { message: id, emoji: '👀', on: true })).toBe('message_deleted')
      expect((await s.call('delete_message', { id })).message.extras).toHaveProperty('moved_to')
      const pins = await s.rows('select message_id from public.pins where channel_id = $1', [fixture.side])
      expect(pins).toEqual([{ message_id: copy }])
      expect((await s.call('messages_by_ids', { ids: [quoting.id] })).messages[0]!.extras).toEqual({
        quote: { message_id: id },
      })
    })
    // One broadcast in each channel has all that changed, and no stored one has the text in the source.
    const inTarget = events.filter((one) => one.topic === channelTopic(fixture.side, 1))
    expect(inTarget.map((one) => one.event)).toEqual(['message'])
    expect(inTarget[0]!.payload).toMatchObject({
      message: {
        id: copy,
        attachments,
        pinned_at,
        reactions: reactions.map(({ emoji, count }) => ({ emoji, count })),
      },
    })
    const texts = await fixture.service((s) =>
      s.rows(`select from realtime.messages where topic like $1 and payload::text like '%Third%'`, [
        `channel:${fixture.lobby}:%`,
      ]),
    )
    expect(texts).toEqual([])
    // The file goes with the copy, not with the emptied message.
    await fixture.rolledBackAs('bea', async (s) => {
      await s.call('delete_message', { id: copy })
      await asService(s, async () => {
        const queued = await s.rows('select name from public.file_deletion_queue where name = $1', [path])
        expect(queued).toHaveLength(1)
      })
    })
  })

  it('does not show who has voted in an anonymous poll', async () => {
    const poll = { options: ['Yes', 'No'], multiple: false, anonymous: true, closes_at: null }
    const { closed, lobby } = fixture
    // Cem, who manages `closed` by his role in the workspace, tries a target that Bea cannot read.
    const trial = async (voter: Name | null) => {
      const { id } = await send('cem', closed, 'Vote', { extras: { poll } })
      if (voter)
        await fixture.committedAs(voter, (s) => s.call('react', { message: id, emoji: pollKey(0), on: true }))
      return fixture.service(async (s) => {
        await s.rows(`update public.workspace_members set role = 'owner' where profile_id = $1`, [
          fixture.profile.cem,
        ])
        await s.rows('delete from public.channel_members where channel_id = $1 and profile_id = $2', [
          lobby,
          fixture.profile.bea,
        ])
        await s.rows(`update public.channels set kind = 'private' where id = $1`, [lobby])
        const claims = {
          role: 'authenticated',
          sub: fixture.account.cem,
          session_id: fixture.account.cem,
        }
        await s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify(claims)],
        )
        return s
          .refusal((t) => t.call('preview_move', { message: id, channel: lobby }))
          .then(
            (error) => error.message,
            (error: Error) => error.message,
          )
      })
    }
    // Nobody has voted, which everybody sees.
    expect(await trial(null)).toBe('It was allowed.')
    // Bea has voted, or Cem.
    expect([await trial('bea'), await trial('cem')]).toEqual(['move_reveals', 'move_reveals'])
    // Where all readers of the source can read the target, votes do not matter.
    const { id } = await send('bea', closed, 'Vote', { extras: { poll } })
    await fixture.committedAs('cem', (s) => s.call('react', { message: id, emoji: pollKey(0), on: true }))
    await fixture.rolledBackAs('bea', async (s) => {
      const preview = await s.call('preview_move', { message: id, channel: lobby })
      expect(preview).toMatchObject({ losing: 0 })
      expect(preview.gaining).toBeGreaterThan(0)
    })
  })

  it('follows slow mode of the target: one message without replies in its interval, except for admins', async () => {
    const slow = (seconds: number) =>
      fixture.committedAs('ann', (s) => s.call('set_slow_mode', { channel: fixture.side, seconds }))
    const single = [await send('cem', fixture.lobby, 'One'), await send('cem', fixture.lobby, 'Two')]
    const thread = await send('cem', fixture.lobby, 'Thread')
    for (let i = 0; i < 3; i++) await send('cem', fixture.lobby, 'Reply', { thread_root: thread.id })
    await slow(600)
    expect(await refusal('cem', thread.id, fixture.side)).toBe('slow_mode_thread')
    expect(
      await refusal('cem', single[1]!.id, fixture.side, (s) => move(s, single[0]!.id, fixture.side)),
    ).toBe('slow_mode')
    // A move takes the turn of a message, and a message that of a move.
    await fixture.rolledBackAs('cem', async (s) => {
      await move(s, single[0]!.id, fixture.side)
      const sent = { id: randomUUID(), channel: fixture.side, body: 'x' }
      expect(await s.failure('send_message', sent)).toBe('slow_mode')
    })
    await send('cem', fixture.side, 'First')
    expect(await refusal('cem', single[0]!.id, fixture.side)).toBe('slow_mode')
    await fixture.rolledBackAs('ann', (s) => move(s, thread.id, fixture.side))
    await slow(0)
    await fixture.rolledBackAs('cem', (s) => move(s, thread.id, fixture.side))
  })

  it('counts a moved thread as one unread message without a mention, and nothing for who moved it', async () => {
    const body = `<@${fixture.profile.cem}> <!channel>`
    const root = await send('bea', fixture.lobby, body)
    for (let i = 0; i < 3; i++)
      await send('bea', fixture.lobby, body, { thread_root: root.id, also_to_channel: true })
    for (const who of ['ann', 'cem'] as const)
      await fixture.committedAs(who, (s) =>
        s.call('mark_read', { channel: fixture.side, seq: 1_000, read_version: 0 }),
      )
    const before = await fixture.rolledBackAs('cem', async (s) => [
      await countsOf(s, fixture.lobby),
      await countsOf(s, fixture.side),
    ])
    const copy = randomUUID()
    const events = await collectBroadcasts(fixture, 'ann', (s) => move(s, root.id, fixture.side, 0, copy))
    expect(events.filter((one) => one.event === 'activity' || one.event === 'reply')).toEqual([])
    const after = await fixture.rolledBackAs('cem', async (s) => [
      await countsOf(s, fixture.lobby),
      await countsOf(s, fixture.side),
    ])
    expect(after).toEqual([
      { unread: before[0]!.unread - 4, mentions: before[0]!.mentions - 4 },
      { unread: before[1]!.unread + 1, mentions: before[1]!.mentions },
    ])
    const mover = await fixture.rolledBackAs('ann', (s) => countsOf(s, fixture.side))
    expect(mover).toEqual({ unread: 0, mentions: 0 })
    // An edit of the copy notifies nobody either.
    const edited = await collectBroadcasts(fixture, 'bea', (s) =>
      s.call('edit_message', { id: copy, body: `${body}!`, edit: randomUUID() }),
    )
    expect(edited.map((one) => one.event)).toEqual(['message'])
  })

  it('moves the followers of a thread with more than twenty followers without an event for each', () =>
    fixture.rolledBackAs('ann', async (s) => {
      const root = randomUUID()
      await s.call('send_message', { id: root, channel: fixture.lobby, body: 'Who follows?' })
      await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: 'Re',
        thread_root: root,
      })
      await s.rows('reset role')
      await s.rows(
        `with people as (
           insert into public.profiles (name) select 'Person ' || i from generate_series(1, 30) i returning id),
         members as (
           insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people),
         of_channels as (
           insert into public.channel_members (channel_id, profile_id)
           select c, id from people, unnest(array[$2, $3]::uuid[]) c)
         insert into public.thread_members (root_id, profile_id, last_read_thread_seq) select $4, id, 0 from people`,
        [fixture.workspace, fixture.lobby, fixture.side, root],
      )
      await s.rows('set constraints all immediate')
      const count = () =>
        s.value<number>(
          `select count(*)::int from realtime.messages where topic like 'user:%' and event = 'thread'`,
        )
      const before = await count()
      const copy = randomUUID()
      await s.rows('set local role authenticated')
      await move(s, root, fixture.side, 0, copy)
      await s.rows('reset role')
      expect((await count()) - before).toBe(0)
      const follows = (id: string) =>
        s.value<number>('select count(*)::int from public.thread_members where root_id = $1 and follows', [
          id,
        ])
      expect([await follows(root), await follows(copy)]).toEqual([0, 31])
    }))

  it('moves followers and read markers of those who can read the target, and unfollows the old thread', async () => {
    const root = await send('bea', fixture.lobby, 'Who follows?')
    const replies = [
      await send('cem', fixture.lobby, 'One', { thread_root: root.id }),
      await send('ann', fixture.lobby, 'Two', { thread_root: root.id }),
    ]
    await fixture.committedAs('gus', (s) => s.call('follow_thread', { root: root.id, on: true }))
    await fixture.committedAs('bea', async (s) => {
      await s.call('mark_thread_read', {
        root: root.id,
        thread_seq: 1,
        read_version: (await s.call('thread_page', { root: root.id })).state.read_version,
      })
    })
    await fixture.committedAs('cem', (s) => s.call('delete_message', { id: replies[0]!.id }))
    const copy = randomUUID()
    const events = await collectBroadcasts(fixture, 'ann', (s) => move(s, root.id, fixture.side, 0, copy))
    const stateOf = async (who: Name, id: string) =>
      (
        await fixture.rolledBackAs(who, (s) =>
          s.call('thread_states', { workspace: fixture.workspace, roots: [id] }),
        )
      ).threads[0]
    expect(await stateOf('bea', copy)).toMatchObject({
      follows: true,
      last_read_thread_seq: 0,
      last_thread_seq: 1,
      counts: { unread: 1, mentions: 0 },
    })
    expect(await stateOf('ann', copy)).toMatchObject({ follows: true, last_read_thread_seq: 1 })
    expect(await stateOf('gus', copy)).toBeUndefined()
    for (const who of ['ann', 'bea', 'cem', 'gus'] as const)
      expect(await stateOf(who, root.id), who).toMatchObject({
        follows: false,
        counts: { unread: 0, mentions: 0 },
      })
    const inbox = await fixture.rolledBackAs('bea', (s) =>
      s.call('thread_inbox', { workspace: fixture.workspace }),
    )
    const listed = inbox.threads.map((one) => one.root.id)
    expect(listed).toContain(copy)
    expect(listed).not.toContain(root.id)
    const threadEvents = events.filter((one) => one.event === 'thread')
    expect(new Set(threadEvents.map((one) => one.payload.root_id))).toEqual(new Set([copy, root.id]))
  })

  it('is for those who manage the source, and for authors whom nobody has replied to', async () => {
    const own = await send('cem', fixture.lobby, 'Mine')
    const answered = await send('cem', fixture.lobby, 'Answered')
    await send('cem', fixture.lobby, 'Myself', { thread_root: answered.id })
    const { side, lobby, closed, direct, messages } = fixture
    await fixture.rolledBackAs('cem', (s) => move(s, own.id, side))
    await fixture.rolledBackAs('cem', (s) => move(s, answered.id, side))
    expect(await refusal('bea', own.id, side)).toBe('not_allowed')
    await send('ann', fixture.lobby, 'And I', { thread_root: answered.id })
    expect(await refusal('cem', answered.id, side)).toBe('not_allowed')
    await fixture.rolledBackAs('ann', (s) => move(s, answered.id, side))
    expect(await refusal('gus', messages.fresh, lobby)).toBe('not_allowed')
    expect(await refusal('gus', messages.fresh, side)).toBe('not_found')
    expect(await refusal('ann', own.id, closed)).toBe('not_found')
    expect(await refusal('ann', messages.secret, side)).toBe('not_found')
    expect(await refusal('ann', messages.whisper, side)).toBe('not_allowed')
    expect(await refusal('ann', own.id, direct)).toBe('not_allowed')
    expect(await refusal('ann', own.id, lobby)).toBe('not_allowed')
    expect(await refusal('omar', own.id, side)).toBe('not_found')
    expect(await refusal('ann', messages.reply, side)).toBe('not_a_thread')
    expect(await refusal('ann', own.id, randomUUID())).toBe('not_found')
    const system = await fixture.service((s) =>
      s.value<string>(`select id from public.messages where channel_id = $1 and kind = 'system' limit 1`, [
        lobby,
      ]),
    )
    expect(await refusal('ann', system, side)).toBe('not_a_thread')
    const set = (change: string, channel: string) => (s: TestTransaction) =>
      asService(s, () => s.rows(`update public.channels set ${change} where id = $1`, [channel]))
    for (const channel of [lobby, side])
      expect(await refusal('ann', own.id, side, set('archived_at = now()', channel))).toBe('archived')
    expect(await refusal('cem', own.id, side, set(`posting = 'admins'`, side))).toBe('posting_admins')
    const leave = (channel: string) => (s: TestTransaction) => s.call('leave_channel', { channel })
    expect(await refusal('cem', own.id, side, leave(side))).toBe('not_a_member')
    expect(await refusal('cem', own.id, side, leave(lobby))).toBe('not_a_member')
    const deleted = await send('ann', lobby, 'x')
    const remove = (s: TestTransaction) => s.call('delete_message', { id: deleted.id })
    expect(await refusal('ann', deleted.id, side, remove)).toBe('message_deleted')
  })

  it('shows more people a thread only with the consent of who moves it, and if all who wrote can read it', async () => {
    const { side, closed, lobby } = fixture
    const root = await send('bea', closed, 'For partners')
    const reply = await send('cem', closed, 'Agreed', { thread_root: root.id })
    await fixture.rolledBackAs('bea', async (s) => {
      // All full members read `side`: Ann, Eli and Sid newly.
      expect(await s.call('preview_move', { message: root.id, channel: side })).toEqual({
        replies: 1,
        losing: 0,
        gaining: 3,
      })
      const args = { id: randomUUID(), message: root.id, channel: side }
      expect(await s.failure('move_thread', args)).toBe('move_readers')
      expect(await s.failure('move_thread', { ...args, accepted_readers: 2 })).toBe('move_readers')
      await s.call('move_thread', { ...args, accepted_readers: 3 })
    })
    // Cem only wrote a reply, and Bea, who manages the channel, cannot expose him to where he cannot read.
    const other = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await s.call('create_channel', {
        id: other,
        workspace: fixture.workspace,
        kind: 'private',
        name: 'board',
      })
      await s.call('add_members', { channel: other, people: [fixture.profile.ann] })
    })
    expect(await refusal('bea', root.id, other)).toBe('move_reveals')
    const alone = await send('bea', closed, 'My own')
    await fixture.rolledBackAs('bea', (s) => move(s, alone.id, other, 1))
    await fixture.committedAs('cem', (s) => s.call('react', { message: alone.id, emoji: '👀', on: true }))
    expect(await refusal('bea', alone.id, other)).toBe('move_reveals')
    // Without the right to manage, not where others have reacted.
    const byCem = await send('cem', closed, 'Mine')
    await fixture.rolledBackAs('cem', (s) => move(s, byCem.id, side, 3))
    await fixture.committedAs('bea', (s) => s.call('react', { message: byCem.id, emoji: '👀', on: true }))
    expect(await refusal('cem', byCem.id, side)).toBe('move_reveals')
    await fixture.rolledBackAs('bea', (s) => move(s, byCem.id, side, 3))
    // Fewer readers: nobody has to consent.
    const open = await send('bea', lobby, 'Open')
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.call('preview_move', { message: open.id, channel: closed })).toEqual({
        replies: 0,
        losing: 4,
        gaining: 0,
      })
      await move(s, open.id, closed)
    })
    expect(reply.thread_seq).toBe(1)
  })

  it('moves a thread once, whoever repeats it', async () => {
    const root = await send('ann', fixture.lobby, 'Once')
    const id = randomUUID()
    const first = await fixture.committedAs('ann', (s) => move(s, root.id, fixture.side, 0, id))
    const again = await fixture.committedAs('ann', (s) => move(s, root.id, fixture.side, 0, id))
    expect(again).toEqual(first)
    expect(await refusal('ann', root.id, fixture.side)).toBe('message_moved')
    const other = await send('ann', fixture.lobby, 'Other')
    await fixture.rolledBackAs('ann', async (s) => {
      for (const taken of [id, other.id])
        expect(await s.failure('move_thread', { id: taken, message: other.id, channel: fixture.side })).toBe(
          'conflict',
        )
      // Only commands write what marks moved messages.
      const forged = { moved: { written_at: '2020-01-01T00:00:00Z' } } as MessageExtras
      for (const extras of [forged, { moved_to: { message_id: id, by: fixture.profile.ann } }])
        expect(
          await s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'x', extras }),
        ).toBe('bad_extra')
    })
  })

  it('moves at most 500 replies, and 30 threads at once', async () => {
    const root = await send('bea', fixture.lobby, 'Long')
    const fill = (s: TestTransaction, count: number) =>
      asService(s, () =>
        s.rows(
          `with numbered as (
             insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
             select gen_random_uuid(), $1, $2, n, $3, $4, $5, 'x', now() from generate_series(1, $6::int) n returning id)
           update public.messages set last_thread_seq = $6::int, reply_count = $6::int where id = $2`,
          [fixture.lobby, root.id, root.history_seq, root.rev, fixture.profile.bea, count],
        ),
      )
    // All with one rev, which the unique constraint of message_changes refuses.
    const dropRevs = (s: TestTransaction) =>
      asService(s, () =>
        s.rows('alter table public.message_changes drop constraint message_changes_rev_once'),
      )
    await fixture.rolledBackAs('ann', async (s) => {
      await dropRevs(s)
      await fill(s, 501)
      expect(
        await s.failure('move_thread', { id: randomUUID(), message: root.id, channel: fixture.side }),
      ).toBe('replies_at_most_500')
    })
    await fixture.rolledBackAs('ann', async (s) => {
      await dropRevs(s)
      await fill(s, 500)
      const { message } = await move(s, root.id, fixture.side)
      expect(message).toMatchObject({ last_thread_seq: 500, reply_count: 500 })
    })
    await fixture.rolledBackAs('ann', async (s) => {
      await asService(s, async () => {
        await s.rows('delete from public.rate_limits')
        await slowDownRefill(s)
      })
      let from = fixture.lobby
      let message = root.id
      for (let i = 0; i < 30; i++) {
        from = from === fixture.lobby ? fixture.side : fixture.lobby
        message = (await move(s, message, from, 1)).message.id
      }
      const target = from === fixture.lobby ? fixture.side : fixture.lobby
      expect(await s.failure('move_thread', { id: randomUUID(), message, channel: target })).toBe(
        'rate_limited',
      )
    })
  })

  describe('at the same time', () => {
    const clients: Client[] = []
    beforeAll(async () => {
      for (let i = 0; i < 12; i++) clients.push(new Client(fixture.database.config('postgres')))
      await Promise.all(clients.map((client) => client.connect()))
      await fixture.service((s) => s.rows('delete from public.rate_limits'), true)
    })
    afterAll(() => Promise.all(clients.map((client) => client.end())))
    const begin = async (client: Client, who: Name): Promise<TestTransaction> => {
      await client.query('begin')
      await impersonate(client, fixture.account[who])
      return transactionOn(client)
    }
    const run = async <T>(client: Client, who: Name, work: (s: TestTransaction) => Promise<T>) => {
      try {
        const result = await work(await begin(client, who))
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    }

    it('takes along a reply in flight, and refuses the next', async () => {
      const [replying, moving, late] = clients as [Client, Client, Client]
      const root = await send('bea', fixture.lobby, 'Race')
      const reply = (s: TestTransaction) =>
        s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'r', thread_root: root.id })
      await reply(await begin(replying, 'cem'))
      const { rows } = await moving.query<{ pid: number }>('select pg_backend_pid() as pid')
      const moved = run(moving, 'ann', (s) => move(s, root.id, fixture.side))
      await vi.waitFor(async () => {
        const waiting = await fixture.service((s) =>
          s.rows(`select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [rows[0]!.pid]),
        )
        expect(waiting).toHaveLength(1)
      })
      await replying.query('commit')
      expect((await moved).message.reply_count).toBe(1)
      await expect(run(late, 'cem', reply)).rejects.toThrow('message_deleted')
    })

    it('moves it for one of several people, and keeps every order of numbers without a deadlock', async () => {
      for (let round = 0; round < 4; round++) {
        const roots = [await send('bea', fixture.lobby, 'There'), await send('bea', fixture.side, 'And back')]
        const outcomes = await Promise.allSettled(
          clients.map((client, i) => {
            const [root, to] = i % 2 ? [roots[1]!, fixture.lobby] : [roots[0]!, fixture.side]
            const who: Name = i % 4 < 2 ? 'ann' : 'bea'
            if (i < 6) return run(client, who, (s) => move(s, root.id, to, 1))
            return run(client, who, (s) =>
              i < 10
                ? s.call('send_message', {
                    id: randomUUID(),
                    channel: root.channel_id,
                    body: 'Me too',
                    thread_root: root.id,
                  })
                : s.call('react', { message: root.id, emoji: '👀', on: true }),
            )
          }),
        )
        const errors = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
        for (const { message } of errors)
          expect(['message_moved', 'message_deleted', 'not_allowed'], message).toContain(message)
        for (const root of roots) {
          const copies = await fixture.service((s) =>
            s.value<number>(
              `select count(*)::int from public.messages where extras #>> '{moved,from}' = $1::text`,
              [root.id],
            ),
          )
          expect(copies).toBe(1)
        }
      }
      const gaps = await fixture.service((s) =>
        s.rows(
          `select from public.channel_counters k where k.last_seq <> (
             select count(*) from public.messages m where m.channel_id = k.channel_id and m.seq is not null)`,
        ),
      )
      expect(gaps).toEqual([])
    })
  })

  it('delivers nothing to webhooks: a moved message is not new', async () => {
    const bot = await fixture.committedAs('ann', (s) =>
      s.call('create_bot', {
        id: randomUUID(),
        workspace: fixture.workspace,
        name: 'Relay',
        channels: [fixture.side],
      }),
    )
    await fixture.service(
      (s) => s.rows(`update public.settings set value = '"^https?://"' where key = 'outgoing_webhook_urls'`),
      true,
    )
    await fixture.committedAs('ann', (s) =>
      s.call('create_outgoing_webhook', {
        bot: bot.id,
        channel: fixture.side,
        url: 'https://relay.example/in',
      }),
    )
    const root = await send('ann', fixture.lobby, 'Old news')
    await fixture.rolledBackAs('ann', async (s) => {
      await move(s, root.id, fixture.side)
      await asService(s, async () =>
        expect(await s.rows(`select from public.jobs where kind = 'webhook'`)).toEqual([]),
      )
    })
  })
})
