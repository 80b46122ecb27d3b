/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName, Commands } from '../../wire/commands.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type Fixture } from './support/fixture.ts'

/** Commands that write messages, reactions and read markers. The permission matrix declares who may call them. */
describe.each(testDatabases)('writing on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  it('no command shows a guest anything before their history start', async () => {
    const message = fixture.messages.old
    const argsByCommand: { [N in CommandName]?: Commands[N]['args'] } = {
      thread_page: { root: message },
      react: { message, emoji: '👍', on: true },
      delete_message: { id: fixture.messages.reply },
      who_can_read: { message },
      follow_thread: { root: message, on: true },
      mark_thread_read: { root: message, thread_seq: 1, read_version: 0 },
      mark_thread_unread: { root: message, thread_seq: 1 },
      send_message: { id: randomUUID(), channel: fixture.lobby, body: 'x', thread_root: message },
    }
    for (const [name, args] of Object.entries(argsByCommand) as [CommandName, never][]) {
      expect(await fixture.rolledBackAs('gus', (s) => s.failure(name, args)), name).toBe('not_found')
    }
    await fixture.rolledBackAs('gus', async (s) => {
      const entry = (await s.call('bootstrap', {})).channels[0]!
      const floor = entry.history_from_seq
      expect(floor).toBeGreaterThan(2)
      for (const args of [
        {},
        { before: floor + 1 },
        { after: 0 },
        { around: 2 },
        { around: floor },
        { before: 3 },
      ]) {
        const page = await s.call('channel_page', { channel: fixture.lobby, ...args })
        expect(
          page.messages.filter((m) => m.history_seq < floor),
          JSON.stringify(args),
        ).toEqual([])
      }
      expect((await s.call('channel_page', { channel: fixture.lobby, after: 0 })).messages[0]!.seq).toBe(
        floor,
      )
    })
    const readers = await fixture.rolledBackAs('bea', (s) => s.call('who_can_read', { message }))
    expect(readers.people).toContain(fixture.profile.cem)
    expect(readers.people).not.toContain(fixture.profile.gus)
    await fixture.rolledBackAs('bea', async (s) => {
      const id = randomUUID()
      const body = `<@${fixture.profile.gus}> <@${fixture.profile.cem}>`
      await s.call('send_message', { id, channel: fixture.lobby, body, thread_root: message })
      const called = await s.rows('select profile_id from public.mentions where message_id = $1', [id])
      expect(called).toEqual([{ profile_id: fixture.profile.cem }])
    })
  })

  it('returns the same to a repeated send, and one error to anyone else who uses the id', async () => {
    const id = randomUUID()
    const once = { id, channel: fixture.lobby, body: 'Once' }
    const first = await fixture.committedAs('bea', (s) => s.call('send_message', once))
    const again = await fixture.committedAs('bea', (s) =>
      s.call('send_message', { ...once, body: 'Other words' }),
    )
    expect(again).toEqual(first)
    expect(await fixture.rolledBackAs('cem', (s) => s.failure('send_message', once))).toBe('conflict')
    expect(
      await fixture.rolledBackAs('bea', (s) => s.failure('send_message', { ...once, channel: fixture.side })),
    ).toBe('conflict')
    expect(
      await fixture.rolledBackAs('bea', (s) =>
        s.failure('send_message', { ...once, id: fixture.messages.whisper }),
      ),
    ).toBe('conflict')
  })

  it('numbers channel, thread and changes without gaps, and dates them in ascending order', async () => {
    await fixture.committedAs('bea', async (s) => {
      const root = randomUUID()
      await s.call('send_message', { id: root, channel: fixture.side, body: 'Root' })
      for (const [i, emoji] of ['👍', '🎉', '👀'].entries()) {
        await s.call('send_message', {
          id: randomUUID(),
          channel: fixture.side,
          body: `Reply ${i}`,
          thread_root: root,
          also_to_channel: i === 1,
        })
        await s.call('react', { message: root, emoji, on: true })
      }
    })
    const page = await fixture.rolledBackAs('bea', (s) => s.call('channel_page', { channel: fixture.side }))
    expect(page.messages.map((m) => m.seq)).toEqual(page.messages.map((_, i) => i + 1))
    const root = page.messages.find((m) => m.body === 'Root')!
    expect(root).toMatchObject({ reply_count: 3, last_thread_seq: 3, reply_people: [fixture.profile.bea] })
    const thread = await fixture.rolledBackAs('bea', (s) =>
      s.call('thread_page', { root: root.id, limit: 2 }),
    )
    expect(thread.messages.map((m) => [m.thread_seq, m.seq, m.history_seq])).toEqual([
      [2, 3, 3],
      [3, null, 2],
    ])
    expect([thread.has_before, thread.has_after]).toEqual([true, false])
    await fixture.service(async (s) => {
      const revs = await s.rows<{ rev: string }>(
        `select rev from public.messages where channel_id = $1
         union all select meta_rev from public.channel_counters where channel_id = $1 order by 1`,
        [fixture.side],
      )
      const last = await s.value<string>('select rev from public.channel_counters where channel_id = $1', [
        fixture.side,
      ])
      expect(Number(revs.at(-1)!.rev)).toBe(Number(last))
      expect(
        await s.value(
          `select count(*)::int from (
             select created_at < lag(created_at) over (order by seq) as back from public.messages
             where channel_id = $1 and seq is not null) x
           where back`,
          [fixture.side],
        ),
      ).toBe(0)
    })
  })

  it('names what is wrong with a message', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const to = (args: Partial<Commands['send_message']['args']>) =>
        s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'x', ...args })
      expect(await to({ body: ' \n ' })).toBe('messages_not_empty')
      expect(await to({ body: 'x'.repeat(20_001) })).toBe('messages_body_length')
      expect(await to({ thread_root: fixture.messages.secret })).toBe('not_found')
      expect(await to({ thread_root: fixture.messages.reply })).toBe('not_a_thread')
      expect(
        await to({ attachments: Array.from({ length: 11 }, () => ({ id: randomUUID() })) as never }),
      ).toBe('attachments_at_most_ten')
      expect(await to({ attachments: [{ id: randomUUID(), name: 'a.png' }] as never })).toBe(
        'attachments_missing',
      )
      expect(await to({ attachments: [{ id: '../x', name: 'a.png' }] as never })).toBe('bad_attachment')
      expect(await to({ attachments: 'x' as never })).toBe('bad_attachment')
      expect(await to({ id: null as never })).toBe('bad_state')
    })
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('send_message', { id: randomUUID(), channel: fixture.side, body: 'x' }),
      ),
    ).toBe('not_a_member')
  })

  it('only admins post in an announcement channel, and everyone replies in its threads', async () => {
    await fixture.committedAs('ann', (s) =>
      s.call('update_channel', { channel: fixture.lobby, posting: 'admins' }),
    )
    const id = randomUUID()
    expect(
      await fixture.rolledBackAs('bea', (s) =>
        s.failure('send_message', { id, channel: fixture.lobby, body: 'x' }),
      ),
    ).toBe('posting_admins')
    await fixture.rolledBackAs('bea', async (s) => {
      const reply = { id, channel: fixture.lobby, body: 'x', thread_root: fixture.messages.old }
      expect(await s.failure('send_message', { ...reply, also_to_channel: true })).toBe('posting_admins')
      await s.call('send_message', reply)
    })
    await fixture.committedAs('ann', (s) =>
      s.call('update_channel', { channel: fixture.lobby, posting: 'everyone' }),
    )
  })

  it('applies an edit with an id once, however late it is repeated', async () => {
    const id = randomUUID()
    const [first, second, same] = [randomUUID(), randomUUID(), randomUUID()]
    await fixture.rolledBackAs('bea', async (s) => {
      await s.call('send_message', { id, channel: fixture.lobby, body: 'One' })
      const edit = (body: string, name?: string) => s.call('edit_message', { id, body, edit: name })
      const two = await edit('Two', first)
      expect(await edit('Two', first)).toEqual(two)
      // A name that changed nothing when it was new changes nothing later.
      expect(await edit('Two', same)).toEqual(two)
      const three = await edit('Three', second)
      for (const name of [first, same, second]) expect(await edit('Two', name)).toEqual(three)
      expect((await edit('Two')).message.body).toBe('Two')
      const versions = 'select body from public.message_revisions where message_id = $1 order by rev'
      expect(await s.rows(versions, [id])).toEqual([{ body: 'One' }, { body: 'Two' }, { body: 'Three' }])
      expect(await s.failure('edit_message', { id, body: ' ', edit: randomUUID() })).toBe(
        'messages_not_empty',
      )
    })
    // The same name on another's message is another edit.
    await fixture.rolledBackAs('ann', async (s) => {
      const args = { id: fixture.messages.fresh, body: 'Other', edit: first }
      expect((await s.call('edit_message', args)).message.body).toBe('Other')
      expect(await s.failure('edit_message', { id: fixture.messages.old, body: 'x', edit: first })).toBe(
        'not_allowed',
      )
    })
  })

  it('stores the first and the last 49 earlier texts of a message', async () => {
    const id = randomUUID()
    await fixture.rolledBackAs('bea', async (s) => {
      await s.call('send_message', { id, channel: fixture.lobby, body: '0' })
      for (let n = 1; n <= 60; n += 1) await s.call('edit_message', { id, body: String(n) })
      const rows = await s.rows<{ body: string }>(
        'select body from public.message_revisions where message_id = $1 order by rev',
        [id],
      )
      const last = Array.from({ length: 49 }, (_, n) => String(n + 11))
      expect(rows.map((row) => row.body)).toEqual(['0', ...last])
    })
  })

  it('repeats none of the last 100 edits of a message, and stores the ids of no others', async () => {
    const id = randomUUID()
    await fixture.rolledBackAs('bea', async (s) => {
      await s.call('send_message', { id, channel: fixture.lobby, body: '0' })
      const edits = Array.from({ length: 104 }, () => randomUUID())
      for (const [n, edit] of edits.entries())
        await s.call('edit_message', { id, body: n % 2 ? 'odd' : 'even', edit })
      const again = await s.call('edit_message', { id, body: 'repeated', edit: edits[4]! })
      expect(again.message.body).toBe('odd')
      await s.rows(`select set_config('role', 'service_role', true)`)
      const stored = await s.rows<{ edit: string }>(
        'select edit from public.message_edits where message_id = $1 order by position',
        [id],
      )
      expect(stored.map((row) => row.edit)).toEqual(edits.slice(4))
    })
  })

  it('authors can edit, authors and admins can delete, and deleting removes all contents', async () => {
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('edit_message', { id: fixture.messages.old, body: 'x' }),
      ),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('cem', (s) => s.failure('delete_message', { id: fixture.messages.old })),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('bea', (s) => s.failure('delete_message', { id: fixture.messages.whisper })),
    ).toBe('not_allowed')
    const id = randomUUID()
    const words = `zebra <@${fixture.profile.ann}>`
    await fixture.committedAs('bea', async (s) => {
      await s.call('send_message', {
        id,
        channel: fixture.lobby,
        body: words,
        thread_root: fixture.messages.fresh,
      })
      await s.call('edit_message', { id, body: `${words} again` })
      await s.call('react', { message: id, emoji: '👍', on: true })
    })
    const copies = () =>
      fixture.service((s) =>
        s.value<number>(`select count(*)::int from realtime.messages where payload::text like '%zebra%'`),
      )
    // A reaction carries no text, and an edit removed the earlier one.
    expect(await copies()).toBe(1)
    const { message } = await fixture.committedAs('ann', (s) => s.call('delete_message', { id }))
    expect(message).toMatchObject({
      id,
      body: '',
      reactions: [],
      attachments: [],
      author_id: fixture.profile.bea,
    })
    expect(message.deleted_at).not.toBeNull()
    expect(await copies()).toBe(0)
    await fixture.service(async (s) => {
      for (const table of [
        'message_revisions',
        'message_search',
        'mentions',
        'reactions',
        'attachments',
        'pins',
      ]) {
        expect(
          await s.value(`select count(*)::int from public.${table} where message_id = $1`, [id]),
          table,
        ).toBe(0)
      }
    })
    await fixture.rolledBackAs('ann', async (s) => {
      expect(
        (await s.call('search_messages', { workspace: fixture.workspace, query: 'zebra' })).hits,
      ).toEqual([])
      expect(await s.failure('react', { message: id, emoji: '👍', on: true })).toBe('message_deleted')
      const { root } = await s.call('thread_page', { root: fixture.messages.fresh })
      expect(root).toMatchObject({
        reply_people: [],
        reply_count: 0,
        last_thread_seq: 1,
        last_reply_at: null,
      })
    })
    expect(await fixture.rolledBackAs('bea', (s) => s.failure('edit_message', { id, body: 'back' }))).toBe(
      'message_deleted',
    )
    // Asked twice it answers the same and changes nothing.
    expect((await fixture.committedAs('bea', (s) => s.call('delete_message', { id }))).message).toEqual(
      message,
    )
  })

  it('the ids of messages that the database inserts are UUIDs of version 7, which increase', async () => {
    await fixture.service(async (s) => {
      const now = () => s.value<number>('select (extract(epoch from clock_timestamp()) * 1000)::float8')
      const before = await now()
      const ids = await s.value<string[]>(
        'select array_agg(app.create_message_id() order by n) from generate_series(1, 1000) n',
      )
      for (const id of ids)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
      expect(times[0]).toBeGreaterThanOrEqual(Math.floor(before))
      expect(times.at(-1)).toBeLessThanOrEqual(await now())
      const beginnings = ids.map((id) => id.slice(0, 18))
      expect(beginnings).toEqual(beginnings.toSorted())
      expect(new Set(ids.map((id) => id.slice(19))).size).toBe(1000)
    })
    const { system } = await fixture.rolledBackAs('ann', async (s) => {
      await s.call('update_channel', { channel: fixture.lobby, name: 'reception' })
      const page = await s.call('channel_page', { channel: fixture.lobby })
      return { system: page.messages.at(-1)! }
    })
    expect(system).toMatchObject({ kind: 'system', id: expect.stringMatching(/^.{14}7/) })
  })

  it('only those who manage a channel can delete its system messages', async () => {
    const note = await fixture.service((s) =>
      s.value<string>(
        `select id from public.messages where channel_id = $1 and kind = 'system' order by seq limit 1`,
        [fixture.closed],
      ),
    )
    await fixture.rolledBackAs('cem', async (s) => {
      expect(await s.failure('delete_message', { id: note })).toBe('not_allowed')
    })
    await fixture.rolledBackAs('bea', async (s) => {
      const { message } = await s.call('delete_message', { id: note })
      expect(message).toMatchObject({ id: note, kind: 'system', system: null, body: '' })
      expect(message.deleted_at).not.toBeNull()
    })
  })

  it('mentions only people who can read the message, and never the author', async () => {
    const called = async (channel: string, who: Name): Promise<string[]> => {
      const id = randomUUID()
      const everyone = ['ann', 'bea', 'cem', 'gus', 'omar', 'zoe', 'dee', 'eli', 'max'] as const
      return fixture.rolledBackAs(who, async (s) => {
        await s.call('send_message', {
          id,
          channel,
          body: everyone.map((name) => `<@${fixture.profile[name]}>`).join(' '),
        })
        await s.rows('reset role')
        const rows = await s.rows<{ profile_id: string }>(
          'select profile_id from public.mentions where message_id = $1',
          [id],
        )
        const ids = new Set(rows.map((row) => row.profile_id))
        return everyone.filter((name) => ids.has(fixture.profile[name]))
      })
    }
    expect(await called(fixture.closed, 'bea')).toEqual(['cem'])
    expect(await called(fixture.lobby, 'bea')).toEqual(['ann', 'cem', 'gus', 'eli'])
    expect(await called(fixture.side, 'bea')).toEqual(['ann', 'cem', 'eli'])
  })

  it('counts unread messages after the read marker without own, deleted and system messages; each mention once', async () => {
    const counts = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => {
        const { channels } = await s.call('bootstrap', {})
        return channels.find((entry) => entry.channel.id === fixture.lobby)!
      })
    const { counters, state } = await counts('cem')
    await fixture.committedAs('cem', (s) =>
      s.call('mark_read', {
        channel: fixture.lobby,
        seq: counters.last_seq,
        read_version: state.read_version,
      }),
    )
    expect((await counts('cem')).counts).toEqual({ unread: 0, mentions: 0 })
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    await fixture.committedAs('bea', async (s) => {
      await s.call('send_message', {
        id: ids[0]!,
        channel: fixture.lobby,
        body: `<@${fixture.profile.cem}> <!channel> <!here>`,
      })
      await s.call('send_message', { id: ids[1]!, channel: fixture.lobby, body: '<!channel>' })
      await s.call('send_message', { id: ids[2]!, channel: fixture.lobby, body: 'No one' })
    })
    await fixture.committedAs('cem', (s) =>
      s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'Mine <!channel>' }),
    )
    expect((await counts('cem')).counts).toEqual({ unread: 3, mentions: 2 })
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: ids[1]! }))
    expect((await counts('cem')).counts).toEqual({ unread: 2, mentions: 1 })
    const stale = await fixture.committedAs('cem', (s) =>
      s.call('mark_read', { channel: fixture.lobby, seq: 9999, read_version: state.read_version }),
    )
    expect(stale).toMatchObject({ applied: false, counts: { unread: 2, mentions: 1 } })
    const read = await fixture.committedAs('cem', (s) =>
      s.call('mark_read', { channel: fixture.lobby, seq: 9999, read_version: stale.state.read_version }),
    )
    expect(read).toMatchObject({ applied: true, counts: { unread: 0, mentions: 0 } })
    const lower = await fixture.committedAs('cem', (s) =>
      s.call('mark_read', { channel: fixture.lobby, seq: 1, read_version: read.state.read_version }),
    )
    expect(lower.state).toEqual(read.state)
    const first = await fixture.rolledBackAs('cem', (s) =>
      s.value<string>('select seq from public.messages where id = $1', [ids[0]]),
    )
    const again = await fixture.committedAs('cem', (s) =>
      s.call('mark_unread', { channel: fixture.lobby, seq: Number(first) }),
    )
    expect(again).toMatchObject({ applied: true, counts: { unread: 2, mentions: 1 } })
    expect(again.state.read_version).toBe(read.state.read_version + 1)
  })

  it('stops counting at a hundred', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (let i = 0; i < 105; i++) {
        await s.call('send_message', {
          id: randomUUID(),
          channel: fixture.direct,
          body: `<@${fixture.profile.ann}> ${i}`,
        })
      }
      await s.rows('reset role')
      const counts = await s.value('select app.unread_counts($1, $2, 0)', [
        fixture.profile.ann,
        fixture.direct,
      ])
      expect(counts).toEqual({ unread: 100, mentions: 100 })
    })
  })

  it('returns changes since a rev: whole messages, the channel if it changed, or a reset', async () => {
    const before = await fixture.rolledBackAs('bea', (s) =>
      s.call('channel_changes', { channel: fixture.lobby, after_rev: 0 }),
    )
    if (before.reset) throw new Error('too soon')
    expect(before.messages.map((m) => m.rev)).toEqual(
      before.messages.map((m) => m.rev).toSorted((a, b) => a - b),
    )
    expect(before.entry?.channel.id).toBe(fixture.lobby)
    await fixture.committedAs('cem', (s) =>
      s.call('react', { message: fixture.messages.fresh, emoji: '🐦', on: true }),
    )
    const since = await fixture.rolledBackAs('bea', (s) =>
      s.call('channel_changes', { channel: fixture.lobby, after_rev: before.rev }),
    )
    expect(since).toMatchObject({ reset: false, entry: null, rev: before.rev + 1 })
    if (since.reset) throw new Error('reset')
    expect(since.messages).toHaveLength(1)
    expect(since.messages[0]!.reactions).toContainEqual({
      emoji: '🐦',
      count: 1,
      people: [fixture.profile.cem],
      mine: false,
    })
    const ahead = await fixture.rolledBackAs('bea', (s) =>
      s.call('channel_changes', { channel: fixture.lobby, after_rev: 10_000 }),
    )
    expect(ahead.reset).toBe(true)
    const guest = await fixture.rolledBackAs('gus', (s) =>
      s.call('channel_changes', { channel: fixture.lobby, after_rev: 0 }),
    )
    if (guest.reset) throw new Error('reset')
    expect(guest.rev).toBe(since.rev)
    expect(guest.messages.some((m) => m.id === fixture.messages.fresh)).toBe(true)
    expect(guest.messages.every((m) => m.history_seq >= guest.entry!.history_from_seq)).toBe(true)
  })

  it('pages in both directions and around, and reports whether there is more', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      for (let i = 0; i < 12; i++)
        await s.call('send_message', { id: randomUUID(), channel: fixture.direct, body: `${i}` })
      const seqs = async (args: Partial<Commands['channel_page']['args']>) => {
        const page = await s.call('channel_page', { channel: fixture.direct, limit: 4, ...args })
        return [page.messages.map((m) => m.seq), page.has_before, page.has_after]
      }
      expect(await seqs({})).toEqual([[10, 11, 12, 13], true, false])
      expect(await seqs({ before: 5 })).toEqual([[1, 2, 3, 4], false, true])
      expect(await seqs({ after: 3 })).toEqual([[4, 5, 6, 7], true, true])
      expect(await seqs({ around: 6 })).toEqual([[4, 5, 6, 7], true, true])
      expect(await seqs({ before: 1 })).toEqual([[], false, true])
      expect(await seqs({ after: 13 })).toEqual([[], true, false])
      // Around a number that does not exist: the nearest ones on one side.
      expect(await seqs({ around: 100 })).toEqual([[12, 13], true, false])
      expect(await seqs({ around: -5 })).toEqual([[1, 2], false, true])
      expect(await seqs({ before: -5 })).toEqual([[], false, true])
      expect(await seqs({ after: 100 })).toEqual([[], true, false])
    })
  })
  it('finds the message at a time, and the nearest one where there is none', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const ids = [0, 1, 2, 3].map(() => randomUUID())
      for (const id of ids) await s.call('send_message', { id, channel: fixture.direct, body: 'Tide' })
      const days = ['2026-01-02', '2026-01-05', '2026-01-05', '2026-01-09']
      await s.rows(`select set_config('role', 'postgres', true)`)
      // The channel's first message is older than all.
      await s.rows(`update public.messages set created_at = '2025-12-31' where channel_id = $1`, [
        fixture.direct,
      ])
      for (const [index, id] of ids.entries())
        await s.rows(`update public.messages set created_at = $2 where id = $1`, [
          id,
          `${days[index]}T12:00:00Z`,
        ])
      await s.rows(`select set_config('role', 'authenticated', true)`)
      const at = async (since: string | null) =>
        (await s.call('message_at', { channel: fixture.direct, since })).message
      expect((await at('2026-01-05T00:00:00Z'))?.id).toBe(ids[1])
      expect((await at('2026-01-02T12:00:00Z'))?.id).toBe(ids[0])
      expect((await at('2026-01-02T12:00:00.000001Z'))?.id).toBe(ids[1])
      // An empty day leads to the next message, the future to the last one.
      expect((await at('2026-01-06T00:00:00Z'))?.id).toBe(ids[3])
      expect((await at('2026-02-01T00:00:00Z'))?.id).toBe(ids[3])
      expect((await at(null))?.seq).toBe(1)
      await s.call('delete_message', { id: ids[1]! })
      expect((await at('2026-01-05T00:00:00Z'))?.id).toBe(ids[2])
    })
  })

  it('finds no message before the start of a guest’s history', async () => {
    await fixture.rolledBackAs('gus', async (s) => {
      const historyStart = (await s.call('bootstrap', {})).channels[0]!.history_from_seq
      const { message } = await s.call('message_at', { channel: fixture.lobby, since: null })
      expect(message?.seq).toBeGreaterThanOrEqual(historyStart)
    })
  })
})
