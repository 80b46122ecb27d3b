import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Ann owns the workspace, Cem administers it. */
describe.each(testDatabases)('moderation on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    await fixture.service(
      (s) =>
        s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      true,
    )
  })
  afterAll(() => fixture.stop())

  const send = async (who: Name, channel: Uuid, body: string, thread_root?: Uuid): Promise<Uuid> => {
    const id = randomUUID()
    await fixture.committedAs(who, (s) => s.call('send_message', { id, channel, body, thread_root }))
    return id
  }
  const report = async (
    who: Name,
    message: Uuid,
    rest: Partial<Commands['report_message']['args']> = {},
  ): Promise<Uuid> => {
    const id = randomUUID()
    return (await fixture.committedAs(who, (s) => s.call('report_message', { id, message, ...rest }))).id
  }
  const reports = async (who: Name, state: 'open' | 'in_progress' | 'closed' = 'open') =>
    (
      await fixture.rolledBackAs(who, (s) =>
        s.call('list_reports', { workspace: fixture.workspace, state, limit: 50 }),
      )
    ).reports
  const findReport = async (who: Name, id: Uuid, state?: 'open' | 'in_progress' | 'closed') =>
    (await reports(who, state)).find((one) => one.id === id)
  const silence = (who: Name, person: Name, minutes = 60) =>
    fixture.committedAs(who, (s) =>
      s.call('silence_member', {
        workspace: fixture.workspace,
        person: fixture.profile[person],
        minutes,
        reason: 'Insults',
      }),
    )
  const endSilence = (person: Name) =>
    fixture.committedAs('ann', (s) =>
      s.call('end_silence', { workspace: fixture.workspace, person: fixture.profile[person] }),
    )
  const setRole = (person: Name, role: string) =>
    fixture.service(
      (s) =>
        s.rows('update public.workspace_members set role = $1 where profile_id = $2', [
          role,
          fixture.profile[person],
        ]),
      true,
    )

  describe('reports', () => {
    it('show owners and admins what was reported, also after its deletion, until they are closed', async () => {
      const message = await send('gus', fixture.lobby, 'You are an idiot')
      const id = await report('bea', message, { note: 'Rude' })
      await fixture.committedAs('gus', (s) => s.call('delete_message', { id: message }))
      expect(await findReport('ann', id)).toEqual(
        expect.objectContaining({
          state: 'open',
          reporter_id: fixture.profile.bea,
          author_id: fixture.profile.gus,
          note: 'Rude',
          channel_id: fixture.lobby,
          message_id: message,
          deleted: true,
          snapshot: expect.objectContaining({ body: 'You are an idiot', before: [] }),
        }),
      )
      await fixture.committedAs('cem', (s) => s.call('take_report', { report: id }))
      expect(await findReport('ann', id)).toBeUndefined()
      expect((await findReport('ann', id, 'in_progress'))?.handler_id).toBe(fixture.profile.cem)
      await fixture.committedAs('ann', (s) => s.call('close_report', { report: id, outcome: 'settled' }))
      expect(await findReport('cem', id, 'closed')).toEqual(
        expect.objectContaining({ outcome: 'settled', snapshot: null }),
      )
      const kept = await fixture.service((s) =>
        s.value<boolean>(
          `select exists (select from public.reports r where r.id = $1 and r.snapshot is not null)`,
          [id],
        ),
      )
      expect(kept).toBe(false)
      for (const name of ['take_report', 'close_report'] as const) {
        const args = { report: id, outcome: 'settled' as const }
        const { outcome: _, ...taking } = args
        expect(
          await fixture.rolledBackAs('ann', (s) => s.failure(name, name === 'take_report' ? taking : args)),
        ).toBe('report_closed')
      }
    })

    it('of private channels and direct conversations show the message alone, not where it is', async () => {
      const secret = await report('cem', fixture.messages.secret)
      expect(await findReport('ann', secret)).toEqual(
        expect.objectContaining({
          channel_kind: 'private',
          channel_id: null,
          message_id: null,
          snapshot: expect.objectContaining({ before: [] }),
        }),
      )
      // Cem reads the channel.
      expect((await findReport('cem', secret))?.channel_id).toBe(fixture.closed)
      const whisper = await report('bea', fixture.messages.whisper)
      expect(await findReport('cem', whisper)).toEqual(
        expect.objectContaining({ channel_kind: 'direct', channel_id: null, message_id: null }),
      )
      expect(JSON.stringify(await reports('ann'))).not.toContain(fixture.closed)
    })

    it('have the three messages before, if their reporter includes them, and only what the reporter can read', async () => {
      const bodies = ['one', 'two', 'three', 'four']
      for (const body of bodies) await send('bea', fixture.lobby, body)
      const message = await send('gus', fixture.lobby, 'Bad')
      const id = await report('cem', message, { with_context: true })
      const before = (await findReport('ann', id))?.snapshot?.before.map(({ body }) => body)
      expect(before).toEqual(bodies.slice(1))
      // Of a thread its own messages.
      const reply = await send('bea', fixture.lobby, 'Reply', message)
      const other = await send('gus', fixture.lobby, 'Worse', message)
      const ofReply = await report('bea', other, { with_context: true })
      expect((await findReport('ann', ofReply))?.snapshot?.before.map(({ body }) => body)).toEqual(['Reply'])
      expect(reply).not.toBe(other)
      // Gus joined after the first messages.
      const ofGus = await report('gus', fixture.messages.fresh, { with_context: true })
      expect(await findReport('ann', ofGus)).toBeUndefined()
      const texts = JSON.stringify((await findReport('cem', ofGus))?.snapshot)
      expect(texts).toContain('Orchids are here')
      expect(texts).not.toContain('Orchids for')
    })

    it('of an own message are seen and handled by others alone, and named in their log alone', async () => {
      const id = await report('bea', fixture.messages.fresh)
      expect(await findReport('cem', id)).toBeDefined()
      expect(await findReport('ann', id)).toBeUndefined()
      expect(await fixture.rolledBackAs('ann', (s) => s.failure('take_report', { report: id }))).toBe(
        'not_found',
      )
      const log = async (who: Name) =>
        JSON.stringify(
          await fixture.rolledBackAs(who, (s) =>
            s.call('list_audit_log', { workspace: fixture.workspace, limit: 500 }),
          ),
        )
      expect(await log('cem')).toContain(id)
      expect(await log('ann')).not.toContain(id)
    })

    it('are announced to those who manage the workspace, and counted until somebody takes them', async () => {
      const tasks = (who: Name) =>
        fixture.rolledBackAs(who, (s) => s.call('admin_tasks', { workspace: fixture.workspace }))
      const before = await tasks('ann')
      const message = await send('gus', fixture.lobby, 'Count me')
      const id = randomUUID()
      const announced = (
        await collectBroadcasts(fixture, 'bea', (s) => s.call('report_message', { id, message }))
      ).filter(({ event }) => event === 'reports')
      expect(announced.map(({ topic }) => topic).toSorted()).toEqual(
        ['ann' as const, 'cem' as const].map((who) => `user:${fixture.profile[who]}`).toSorted(),
      )
      // As in the list: not to the author of the message.
      const anns = await send('ann', fixture.lobby, 'Mine')
      const ofAnn = await collectBroadcasts(fixture, 'gus', (s) =>
        s.call('report_message', { id: randomUUID(), message: anns }),
      )
      expect(ofAnn.filter(({ event }) => event === 'reports').map(({ topic }) => topic)).toEqual([
        `user:${fixture.profile.cem}`,
      ])
      for (const { payload } of announced)
        expect(payload).toEqual(expect.objectContaining({ workspace_id: fixture.workspace }))
      expect(await tasks('ann')).toEqual({ ...before, reports: before.reports + 1 })
      await fixture.committedAs('ann', (s) => s.call('take_report', { report: id }))
      expect(await tasks('ann')).toEqual(before)
      for (const who of ['bea', 'gus', 'omar'] as const)
        expect(
          await fixture.rolledBackAs(who, (s) => s.failure('admin_tasks', { workspace: fixture.workspace })),
        ).toBe(who === 'omar' ? 'not_found' : 'not_allowed')
    })

    it('are made once, with a note of at most 500 characters', async () => {
      const message = await send('gus', fixture.lobby, 'Twice')
      expect(await report('bea', message)).toBe(await report('bea', message))
      expect(
        await fixture.rolledBackAs('bea', (s) =>
          s.failure('report_message', { id: randomUUID(), message, note: 'x'.repeat(501) }),
        ),
      ).toBe('bad_report')
    })

    it('are at most twenty at once of one person', async () => {
      await fixture.service(
        (s) => s.rows('delete from public.reports where reporter_id = $1', [fixture.profile.eli]),
        true,
      )
      const messages: Uuid[] = []
      for (let i = 0; i < 21; i++) messages.push(await send('gus', fixture.lobby, `Spam ${i}`))
      for (const message of messages.slice(0, 20)) await report('eli', message)
      expect(
        await fixture.rolledBackAs('eli', (s) =>
          s.failure('report_message', { id: randomUUID(), message: messages[20]! }),
        ),
      ).toBe('too_many_reports')
    })
  })

  describe('removal', () => {
    const remove = (who: Name, args: Omit<Commands['remove_message']['args'], 'reason'>) =>
      fixture.committedAs(who, (s) => s.call('remove_message', { reason: 'Spam', ...args }))
    const refusal = (who: Name, args: Omit<Commands['remove_message']['args'], 'reason'>) =>
      fixture.rolledBackAs(who, (s) => s.failure('remove_message', { reason: 'Spam', ...args }))

    it('erases the message, shows everyone the reason, and is recorded', async () => {
      const message = await send('bea', fixture.lobby, 'Buy now')
      await remove('cem', { message })
      const seen = await fixture.rolledBackAs('gus', (s) => s.call('messages_by_ids', { ids: [message] }))
      expect(seen.messages[0]).toEqual(
        expect.objectContaining({ body: '', extras: { removed: { reason: 'Spam' } } }),
      )
      expect(seen.messages[0]?.deleted_at).not.toBeNull()
      const { entries } = await fixture.rolledBackAs('ann', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, action: 'message.removed' }),
      )
      expect(entries[0]).toEqual(
        expect.objectContaining({
          actor_id: fixture.profile.cem,
          reason: 'Spam',
          target: {
            channel_id: fixture.lobby,
            kind: 'public',
            message_id: message,
            profile_id: fixture.profile.bea,
          },
        }),
      )
      expect(await refusal('ann', { message })).toBe('message_deleted')
    })

    it('reaches private channels and direct conversations only through a report', async () => {
      expect(await refusal('ann', { message: fixture.messages.secret })).toBe('not_found')
      const whisper = await send('bea', fixture.direct, 'A threat')
      // Ann reads it as a participant.
      expect(await refusal('ann', { message: whisper })).toBe('not_allowed')
      const id = await report('ann', whisper)
      await remove('ann', { report: id })
      expect((await findReport('cem', id))?.deleted).toBe(true)
      const { entries } = await fixture.rolledBackAs('cem', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, action: 'message.removed' }),
      )
      expect(entries[0]?.target).toEqual({ profile_id: fixture.profile.bea, report_id: id })
    })

    it('reaches a reported message that its author has moved', async () => {
      const [message, copy] = [await send('bea', fixture.lobby, 'A threat'), randomUUID()]
      const id = await report('cem', message)
      await fixture.committedAs('bea', (s) =>
        s.call('move_thread', { id: copy, message, channel: fixture.closed, accepted_readers: 20 }),
      )
      expect((await findReport('ann', id))?.deleted).toBe(false)
      await remove('ann', { report: id })
      expect((await findReport('ann', id))?.deleted).toBe(true)
      expect(await refusal('ann', { report: id })).toBe('message_deleted')
    })

    it('is for owners and admins, of messages of those below them', async () => {
      const [ofAnn, ofCem] = [
        await send('ann', fixture.lobby, 'Owner'),
        await send('cem', fixture.lobby, 'Admin'),
      ]
      expect(await refusal('cem', { message: ofAnn })).toBe('not_allowed')
      expect(await refusal('cem', { message: ofCem })).toBe('not_allowed')
      expect(await refusal('bea', { message: ofCem })).toBe('not_allowed')
      expect(await refusal('omar', { message: ofCem })).toBe('not_found')
      await remove('ann', { message: ofCem })
      for (const reason of ['', '  ', 'x'.repeat(501)]) {
        expect(
          await fixture.rolledBackAs('ann', (s) => s.failure('remove_message', { reason, message: ofAnn })),
        ).toBe('bad_reason')
      }
    })

    it('leaves no way for clients to mark a message as removed', async () => {
      const refused = await fixture.rolledBackAs('bea', (s) =>
        s.failure('send_message', {
          id: randomUUID(),
          channel: fixture.lobby,
          body: 'x',
          extras: { removed: { reason: 'me' } },
        }),
      )
      expect(refused).toBe('bad_extra')
    })
  })

  describe('silence', () => {
    it('lets a person read, and write, edit, react and change nothing, until it ends', async () => {
      const mine = await send('bea', fixture.lobby, 'Before')
      const { until } = await silence('cem', 'bea')
      expect(Date.parse(until)).toBeGreaterThan(Date.now() + 3_500_000)
      const { workspace, lobby, messages } = fixture
      await fixture.rolledBackAs('bea', async (s) => {
        const failures = [
          await s.failure('send_message', { id: randomUUID(), channel: lobby, body: 'x' }),
          await s.failure('send_message', { id: randomUUID(), channel: fixture.direct, body: 'x' }),
          await s.failure('send_message', {
            id: randomUUID(),
            channel: lobby,
            body: 'x',
            thread_root: messages.fresh,
          }),
          await s.failure('edit_message', { id: mine, body: 'After', edit: randomUUID() }),
          await s.failure('react', { message: messages.fresh, emoji: '👎', on: true }),
          await s.failure('update_channel', { channel: fixture.side, topic: 'Insult' }),
          await s.failure('create_channel', { id: randomUUID(), workspace, kind: 'public', name: 'Insult' }),
        ]
        expect(failures).toEqual(failures.map(() => 'silenced'))
        expect((await s.call('channel_page', { channel: lobby })).messages.length).toBeGreaterThan(0)
        await s.call('delete_message', { id: mine })
        await s.call('leave_channel', { channel: lobby })
        await s.call('join_channel', { channel: lobby })
      })
      await fixture.service((s) => s.rows(`update public.silences set until = now()`), true)
      await send('bea', lobby, 'Again')
      await endSilence('bea')
    })

    it('keeps a person from bookmarks, pins, groups, emoji, typing, moving threads and a new name or status too', async () => {
      const mine = await send('bea', fixture.lobby, 'Before')
      const { workspace, lobby } = fixture
      const options = (by: 'admins' | 'members') =>
        fixture.committedAs('ann', (s) =>
          s.call('set_workspace_options', { workspace, groups_by: by, custom_emoji_by: by }),
        )
      await options('members')
      await silence('ann', 'bea')
      await fixture.rolledBackAs('bea', async (s) => {
        const id = randomUUID()
        const link = { title: 'Insult', url: 'https://insult.example/' }
        const failures = [
          await s.failure('add_bookmark', { id, channel: lobby, ...link }),
          await s.failure('pin_message', { message: mine, on: true }),
          await s.failure('create_group', { id, workspace, name: 'Insult' }),
          await s.failure('typing', { channel: lobby }),
          await s.failure('move_thread', { id, message: mine, channel: fixture.side, accepted_readers: 20 }),
        ]
        expect(failures).toEqual(failures.map(() => 'silenced'))
        expect(await s.failure('add_emoji', { id, workspace, name: 'insult' })).toBe('not_allowed')
        for (const column of ['name', 'title', 'pronouns', 'status_text', 'status_emoji']) {
          const refusal = await s.refusal((t) => t.rows(`update public.profiles set ${column} = 'Insult'`))
          expect(refusal.message).toBe('silenced')
        }
        await s.rows(`update public.profiles set presence = 'away'`)
      })
      await endSilence('bea')
      await options('admins')
    })

    it('keeps a person from what others read without a message: notices, pictures, invitations, names', async () => {
      const { workspace, lobby, side, profile } = fixture
      const bot = randomUUID()
      await setRole('bea', 'admin')
      const path = `${profile.bea}/${randomUUID()}`
      const upload = `insert into storage.objects (bucket_id, name, owner_id) values ('avatars', $1, $2)`
      await fixture.committedAs('bea', async (s) => {
        await s.call('create_bot', { id: bot, workspace, name: 'Bell', channels: [side] })
        await s.rows(upload, [path, fixture.account.bea])
      })
      const notices = () =>
        fixture.service((s) =>
          s.value<number>(
            `select count(*)::int from public.messages where channel_id = $1 and kind = 'system'`,
            [lobby],
          ),
        )
      const before = await notices()
      await fixture.committedAs('bea', async (s) => {
        await s.call('leave_channel', { channel: lobby })
        await s.call('join_channel', { channel: lobby })
      })
      expect(await notices()).toBe(before + 2)
      await silence('ann', 'bea')
      await fixture.committedAs('bea', async (s) => {
        for (let i = 0; i < 3; i++) {
          await s.call('leave_channel', { channel: lobby })
          const { counts } = await s.call('join_channel', { channel: lobby })
          expect(counts.unread).toBe(0)
        }
      })
      expect(await notices()).toBe(before + 2)
      await fixture.rolledBackAs('bea', async (s) => {
        const invitation = { workspace, role: 'member' as const, channels: [] as string[] }
        const failures = [
          await s.failure('create_invitation', invitation),
          await s.failure('invite_by_mail', { ...invitation, emails: ['a@insult.example'] }),
          await s.failure('rename_workspace', { workspace, name: 'Insult' }),
          await s.failure('create_bot', { id: randomUUID(), workspace, name: 'Insult', channels: [] }),
          await s.failure('update_bot', { bot, name: 'Insult' }),
          await s.failure('create_bot_token', { bot, days: 30 }),
          await s.failure('create_incoming_webhook', { bot, channel: side }),
          await s.failure('create_bot_command', { bot, name: 'insult', description: 'Insult' }),
        ]
        expect(failures).toEqual(failures.map(() => 'silenced'))
        const zone = await s.refusal((t) => t.rows(`update public.profiles set time_zone = 'Europe/Berlin'`))
        expect(zone.message).toBe('silenced')
        const added = await s.refusal((t) =>
          t.rows(upload, [`${profile.bea}/${randomUUID()}`, fixture.account.bea]),
        )
        expect(added.message).toMatch(/row-level security/)
        const replaced = `update storage.objects set metadata = '{}' where name = $1 returning name`
        expect(await s.rows(replaced, [path])).toEqual([])
      })
      await endSilence('bea')
      await fixture.rolledBackAs('bea', async (s) => {
        for (const text of ['Ann/is_stupid', 'Insult3', 'Insult']) {
          const refused = await s.refusal((t) => t.rows('update public.profiles set time_zone = $1', [text]))
          expect([text, refused.constraint]).toEqual([text, 'profiles_time_zone_form'])
        }
        await s.rows(`update public.profiles set time_zone = 'Europe/Berlin'`)
      })
      await setRole('bea', 'member')
    })

    it('lets nothing through that was scheduled before', async () => {
      const id = randomUUID()
      await fixture.committedAs('bea', (s) =>
        s.call('schedule_message', {
          id,
          channel: fixture.lobby,
          body: 'Later',
          send_at: new Date(Date.now() + 3_600_000).toISOString(),
        }),
      )
      await silence('ann', 'bea')
      const failure = await fixture.service(async (s) => {
        const error = await s.refusal((r) =>
          r.rows('select app.post_as($1, $2, $3, $4)', [fixture.profile.bea, id, fixture.lobby, 'Later']),
        )
        return error.message
      })
      expect(failure).toBe('silenced')
      await endSilence('bea')
    })

    it('does not stop others who move or delete the messages of a silenced person', async () => {
      const [root, copy] = [await send('bea', fixture.lobby, 'Root'), randomUUID()]
      await send('bea', fixture.lobby, 'Reply', root)
      await fixture.committedAs('bea', async (s) => {
        await s.call('react', { message: root, emoji: '👀', on: true })
        await s.call('add_members', { channel: fixture.side, people: [fixture.profile.ann] })
      })
      await silence('ann', 'bea')
      await fixture.committedAs('ann', (s) =>
        s.call('move_thread', { id: copy, message: root, channel: fixture.side, accepted_readers: 20 }),
      )
      const [moved] = await fixture.rolledBackAs('ann', (s) =>
        s.rows('select author_id, channel_id, reply_count, body from public.messages where id = $1', [copy]),
      )
      expect(moved).toEqual({
        author_id: fixture.profile.bea,
        channel_id: fixture.side,
        reply_count: 1,
        body: 'Root',
      })
      await fixture.committedAs('ann', (s) => s.call('delete_message', { id: copy }))
      const [deleted] = await fixture.rolledBackAs('ann', (s) =>
        s.rows('select body, deleted_at from public.messages where id = $1', [copy]),
      )
      expect(deleted).toEqual({ body: '', deleted_at: expect.any(Date) })
      await endSilence('bea')
    })

    it('is seen by the person with its reason, and by owners and admins, not by others', async () => {
      await silence('ann', 'bea', 5)
      const read = (who: Name) =>
        fixture.rolledBackAs(who, (s) => s.rows('select profile_id, reason from public.silences'))
      const row = { profile_id: fixture.profile.bea, reason: 'Insults' }
      for (const who of ['bea', 'ann', 'cem'] as const) expect(await read(who)).toEqual([row])
      for (const who of ['eli', 'gus', 'omar', 'zoe'] as const) expect(await read(who)).toEqual([])
      await endSilence('bea')
      const { entries } = await fixture.rolledBackAs('ann', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, limit: 2 }),
      )
      expect(entries.map(({ action }) => action)).toEqual(['member.silence_ended', 'member.silenced'])
      expect(entries[1]?.reason).toBe('Insults')
    })

    it('is of people below the caller, for 5 minutes to 30 days', async () => {
      const failure = (who: Name, person: Name, minutes = 60) =>
        fixture.rolledBackAs(who, (s) =>
          s.failure('silence_member', {
            workspace: fixture.workspace,
            person: fixture.profile[person],
            minutes,
            reason: 'x',
          }),
        )
      expect(await failure('cem', 'ann')).toBe('not_allowed')
      expect(await failure('cem', 'cem')).toBe('not_allowed')
      expect(await failure('ann', 'ann')).toBe('not_allowed')
      expect(await failure('ann', 'bea', 4)).toBe('bad_silence')
      expect(await failure('ann', 'bea', 43_201)).toBe('bad_silence')
      await setRole('eli', 'admin')
      expect(await failure('cem', 'eli')).toBe('not_allowed')
      await silence('ann', 'eli')
      await endSilence('eli')
      await setRole('eli', 'member')
    })
  })

  describe('a block', () => {
    const block = (who: Name, person: Name) =>
      fixture.committedAs(who, (s) => s.call('block_person', { person: fixture.profile[person] }))
    const unblock = (who: Name, person: Name) =>
      fixture.committedAs(who, (s) => s.call('unblock_person', { person: fixture.profile[person] }))
    const openDirect = async (who: Name, people: Name[]) =>
      fixture.committedAs(who, (s) =>
        s.call('open_direct', {
          workspace: fixture.workspace,
          people: people.map((person) => fixture.profile[person]),
        }),
      )
    const isHidden = (who: Name, channel: Uuid) =>
      fixture.service((s) =>
        s.value<boolean>(
          'select hidden from public.channel_member_state where channel_id = $1 and profile_id = $2',
          [channel, fixture.profile[who]],
        ),
      )
    const notified = async (message: Uuid) =>
      (
        await fixture.service((s) =>
          s.rows<{ profile_id: Uuid }>('select profile_id from app.notification_recipients($1)', [message]),
        )
      ).map(({ profile_id }) => profile_id)

    it('hides the conversation, notifies nobody, and the blocked person learns nothing', async () => {
      const before = await openDirect('eli', ['bea'])
      const direct = before.channel.id
      await send('eli', direct, 'Hello lantern')
      expect(await isHidden('bea', direct)).toBe(false)
      await block('bea', 'eli')
      expect(await isHidden('bea', direct)).toBe(true)
      const message = await send('eli', direct, `Hello <@${fixture.profile.bea}> lantern`)
      expect(await isHidden('bea', direct)).toBe(true)
      expect(await notified(message)).toEqual([])
      const found = (who: Name) =>
        fixture.rolledBackAs(who, async (s) => {
          const { hits } = await s.call('search_messages', { workspace: fixture.workspace, query: 'lantern' })
          return hits.length
        })
      expect([await found('eli'), await found('bea')]).toEqual([2, 0])
      const activity = await fixture.rolledBackAs('bea', (s) =>
        s.call('activity', { workspace: fixture.workspace }),
      )
      expect(activity.entries.map((entry) => entry.message.id)).not.toContain(message)
      // For Eli nothing is different.
      expect((await openDirect('eli', ['bea'])).channel).toEqual(before.channel)
      for (const who of ['eli', 'ann'] as const)
        expect(await fixture.rolledBackAs(who, (s) => s.rows('select from public.blocks'))).toEqual([])
      expect(
        await fixture.rolledBackAs('bea', (s) =>
          s.failure('send_message', { id: randomUUID(), channel: direct, body: 'x' }),
        ),
      ).toBe('person_blocked')
      await unblock('bea', 'eli')
      expect(await isHidden('bea', direct)).toBe(false)
      expect(await found('bea')).toBe(2)
      expect(await notified(await send('eli', direct, 'Again'))).toEqual([fixture.profile.bea])
    })

    it('hides new conversations too, and groups until somebody else writes there', async () => {
      await block('cem', 'eli')
      const direct = (await openDirect('eli', ['cem'])).channel.id
      await send('eli', direct, 'First')
      expect(await isHidden('cem', direct)).toBe(true)
      const group = (await openDirect('eli', ['cem', 'bea'])).channel.id
      const message = await send('eli', group, 'All of you')
      expect(await isHidden('cem', group)).toBe(true)
      expect(await isHidden('bea', group)).toBe(false)
      expect(await notified(message)).toEqual([fixture.profile.bea])
      const answer = await send('bea', group, 'Yes')
      expect(await isHidden('cem', group)).toBe(false)
      expect(await notified(answer)).toContain(fixture.profile.cem)
      await unblock('cem', 'eli')
    })

    it('is of somebody else whom the caller sees, and not in the audit log', async () => {
      const failure = (who: Name, person: Name) =>
        fixture.rolledBackAs(who, (s) => s.failure('block_person', { person: fixture.profile[person] }))
      expect(await failure('bea', 'bea')).toBe('not_found')
      expect(await failure('bea', 'zoe')).toBe('not_found')
      await block('gus', 'ann')
      await unblock('gus', 'ann')
      const log = await fixture.rolledBackAs('ann', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, actor: fixture.profile.gus, limit: 500 }),
      )
      expect(log.entries.filter(({ action }) => action.includes('block'))).toEqual([])
    })
  })

  describe('slow mode', () => {
    const slow = (who: Name, seconds: number) =>
      fixture.committedAs(who, (s) => s.call('set_slow_mode', { channel: fixture.lobby, seconds }))
    const refusal = (who: Name, rest: { thread_root?: Uuid } = {}) =>
      fixture.rolledBackAs(who, (s) =>
        s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'x', ...rest }),
      )

    it('lets a person send one message in the interval, except those who manage the channel', async () => {
      expect((await slow('ann', 600)).slow_seconds).toBe(600)
      await send('bea', fixture.lobby, 'One')
      expect(await refusal('bea')).toBe('slow_mode')
      expect(await refusal('bea', { thread_root: fixture.messages.fresh })).toBe('slow_mode')
      const wait = async (who: Name) =>
        (await fixture.rolledBackAs(who, (s) => s.call('slow_mode_wait', { channel: fixture.lobby }))).wait_ms
      expect(await wait('bea')).toBeGreaterThan(590_000)
      expect(await wait('bea')).toBeLessThanOrEqual(600_000)
      expect([await wait('cem'), await wait('ann')]).toEqual([0, 0])
      const entry = (await fixture.rolledBackAs('gus', (s) => s.call('bootstrap', {}))).channels[0]
      expect(entry?.channel.slow_seconds).toBe(600)
      await send('gus', fixture.lobby, 'One')
      await send('ann', fixture.lobby, 'One')
      await send('ann', fixture.lobby, 'Two')
      await send('bea', fixture.side, 'Elsewhere')
      await fixture.service(
        (s) => s.rows(`update public.slow_mode_messages set sent_at = now() - interval '10 minutes'`),
        true,
      )
      await send('bea', fixture.lobby, 'Two')
      expect((await slow('ann', 0)).slow_seconds).toBe(0)
      await send('bea', fixture.lobby, 'Three')
      const { entries } = await fixture.rolledBackAs('ann', (s) =>
        s.call('list_audit_log', { workspace: fixture.workspace, action: 'channel.slow_mode_changed' }),
      )
      expect(entries.map(({ target }) => [target['from'], target['to']])).toEqual([
        [600, 0],
        [0, 600],
      ])
    })

    it('is at most six hours', async () => {
      expect(
        await fixture.rolledBackAs('ann', (s) =>
          s.failure('set_slow_mode', { channel: fixture.lobby, seconds: 21_601 }),
        ),
      ).toBe('bad_state')
    })
  })

  it('links of guests are refused where only members post them, also in edits', async () => {
    const { workspace, lobby } = fixture
    const links = ['See https://a.example/', 'HTTP://a.example', 'www.a.example', '[a](mailto:a@a.example)']
    // All of them are shown as links to https://a.example.
    links.push('<https:a.example>', '[a](https\\://a.example)', '[a]: <ht\ttps:a.example>\n\n[a]')
    const texts = ['No link: http', 'a.b', 'see (this): www.', 'http: nothing', 'C:\\a']
    const mine = await send('gus', lobby, 'Mine')
    await fixture.committedAs('ann', (s) => s.call('set_guest_links', { workspace, allowed: false }))
    await fixture.rolledBackAs('gus', async (s) => {
      const sent = (body: string) => ({ id: randomUUID(), channel: lobby, body })
      for (const body of links)
        expect([body, await s.failure('send_message', sent(body))]).toEqual([body, 'links_by_members'])
      for (const body of texts) await s.call('send_message', sent(body))
      const edit = { id: mine, body: links[0]!, edit: randomUUID() }
      expect(await s.failure('edit_message', edit)).toBe('links_by_members')
    })
    await fixture.rolledBackAs('bea', (s) =>
      s.call('send_message', { id: randomUUID(), channel: lobby, body: links[0]! }),
    )
    for (const who of ['bea', 'gus'] as const)
      expect(
        await fixture.rolledBackAs(who, (s) => s.failure('set_guest_links', { workspace, allowed: true })),
      ).toBe('not_allowed')
    await fixture.committedAs('ann', (s) => s.call('set_guest_links', { workspace, allowed: true }))
    await send('gus', lobby, links[0]!)
  })
})
