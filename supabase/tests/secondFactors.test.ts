import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { addVerifiedFactor, becomeWithLevel } from './support/secondFactor.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Workspaces that require a second factor of everybody. */
describe.each(testDatabases)('the requirement of a second factor on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name | 'postgres', aal?: 'aal1' | 'aal2') =>
    becomeWithLevel(fixture, s, who, aal)
  const addFactor = (s: TestTransaction, who: Name) => addVerifiedFactor(fixture, s, who)
  const removeFactors = async (s: TestTransaction, who: Name) => {
    await become(s, 'postgres')
    await s.rows('delete from auth.mfa_factors where user_id = $1', [fixture.account[who]])
  }
  type Days = Commands['set_second_factor_requirement']['args']['days']
  /** Ann requires it after some days. The transaction continues as `postgres`. */
  const requireFactor = async (s: TestTransaction, days: Days) => {
    await become(s, 'postgres')
    if (!(await s.value('select app.has_second_factor($1)', [fixture.account.ann]))) await addFactor(s, 'ann')
    await become(s, 'ann', 'aal2')
    const changed = await s.call('set_second_factor_requirement', { workspace: fixture.workspace, days })
    await become(s, 'postgres')
    return changed
  }
  /** The numbers of rows in each table, of subscriptions and of files that the caller can read. It omits zeros. */
  const readable = async (s: TestTransaction) => {
    const counts: Record<string, number> = {}
    const tables = await s.rows<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and has_any_column_privilege(oid, 'select')`,
    )
    for (const { name } of tables) {
      counts[name] = await s.value<number>(`select count(*)::integer from public.${name}`)
    }
    for (const topic of ['channel', 'workspace'] as const) {
      const id = topic === 'channel' ? fixture.lobby : fixture.workspace
      counts[`topic ${topic}`] = await s.value<number>(
        `select count(*)::integer from generate_series(1, 9) epoch where app.can_subscribe($1 || ':' || epoch)`,
        [`${topic}:${id}`],
      )
    }
    counts['files'] = await s.value<number>('select count(*)::integer from storage.objects')
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  }
  /** Stores Ann's avatar, which everybody who shares a channel with her can read. */
  const addFile = (s: TestTransaction) =>
    s.rows(
      `insert into storage.objects (bucket_id, name, owner_id, metadata) values ('avatars', $1, $2, '{"size": 9}')`,
      [`${fixture.profile.ann}/avatar.webp`, fixture.account.ann],
    )
  /** The events of a person's own topic with this id in their payload. */
  const eventsOf = (s: TestTransaction, who: Name, id: string) =>
    s.rows<{ event: string }>(
      'select event from realtime.messages where topic = $1 and strpos(payload::text, $2) > 0',
      [`user:${fixture.profile[who]}`, id],
    )
  const inTransaction = (work: (s: TestTransaction) => Promise<void>) => fixture.service(work)

  it('is set by owners who have a second factor', () =>
    inTransaction(async (s) => {
      const args = { workspace: fixture.workspace, days: 7 as const }
      await become(s, 'ann')
      expect(await s.failure('set_second_factor_requirement', args)).toBe('own_second_factor_missing')
      for (const [who, failure] of [
        ['bea', 'not_allowed'],
        ['gus', 'not_allowed'],
        ['omar', 'not_found'],
        ['zoe', 'not_found'],
      ] as const) {
        await become(s, who)
        expect(await s.failure('set_second_factor_requirement', args)).toBe(failure)
      }
      await addFactor(s, 'ann')
      await become(s, 'ann')
      expect(await s.failure('set_second_factor_requirement', args)).toBe('second_factor_missing')
      await become(s, 'ann', 'aal2')
      const bad = { ...args, days: 2 as 3 }
      expect(await s.failure('set_second_factor_requirement', bad)).toBe('bad_state')
      const changed = await s.call('set_second_factor_requirement', args)
      const days = (Date.parse(changed.second_factor_from!) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(6.9)
      expect(days).toBeLessThan(7.1)
      await become(s, 'postgres')
      const recorded = await s.rows<{ action: string; target: object }>(
        `select action, target from public.audit_log where workspace_id = $1 and action like 'workspace.second_factor%'`,
        [fixture.workspace],
      )
      expect(recorded).toMatchObject([{ action: 'workspace.second_factor_required', target: { from: null } }])
    }))

  it('changes nothing for anybody before its date, and shows the date to everybody', () =>
    inTransaction(async (s) => {
      await become(s, 'bea')
      const before = await readable(s)
      await requireFactor(s, 3)
      for (const who of ['bea', 'gus'] as const) {
        await become(s, who)
        const { me, workspace, paused_workspaces } = await s.call('bootstrap', {})
        expect(me).toMatchObject({ second_factor: false })
        expect(workspace?.second_factor_from).toBeTruthy()
        expect(paused_workspaces).toBeNull()
      }
      await become(s, 'bea')
      expect(await readable(s)).toEqual(before)
      await become(s, 'ann', 'aal2')
      expect((await s.call('bootstrap', {})).me).toMatchObject({ second_factor: true })
    }))

  it('lets members and guests without one read nothing and change nothing after its date', () =>
    inTransaction(async (s) => {
      await addFile(s)
      for (const who of ['bea', 'gus'] as const) {
        await become(s, who)
        const before = Object.keys(await readable(s))
        expect(before).toEqual(
          expect.arrayContaining([
            'workspaces',
            'channels',
            'messages',
            'profiles',
            'topic channel',
            'files',
          ]),
        )
      }
      await requireFactor(s, 0)
      for (const who of ['bea', 'gus'] as const) {
        await become(s, who)
        // Their own profile.
        expect(await readable(s)).toEqual({ profiles: 1 })
        const boot = await s.call('bootstrap', {})
        expect(boot).toMatchObject({ me: null, workspace: null, workspaces: [], members: [], channels: [] })
        expect(boot.paused_workspaces).toMatchObject([{ id: fixture.workspace, name: 'Harbour Street' }])
        const required = 'second_factor_required'
        expect(await s.failure('heartbeat', { workspace: fixture.workspace, state: 'active' })).toBe(required)
        const message = { id: randomUUID(), channel: fixture.lobby, body: 'Hello' }
        expect(await s.failure('send_message', message)).toBe(required)
        expect(await s.failure('react', { message: fixture.messages.fresh, emoji: '👀', on: true })).toBe(
          required,
        )
        const read = { channel: fixture.lobby, seq: 1, read_version: 1 }
        expect(await s.failure('mark_read', read)).toBe(required)
      }
      // Of a channel that he could never read, the guest does not learn that it exists.
      expect(
        await s.failure('send_message', { id: randomUUID(), channel: fixture.closed, body: 'Hello' }),
      ).toBe('not_found')
      await become(s, 'bea')
      expect(await s.rows(`update public.profiles set title = 'Nurse' returning id`)).toEqual([])
      expect(await s.failure('bootstrap', { workspace: fixture.workspace })).toBe('not_found')
      // Others see her as before.
      await become(s, 'ann', 'aal2')
      const { members } = await s.call('bootstrap', {})
      expect(members.find(({ profile }) => profile.id === fixture.profile.bea)?.state).toBe('active')
      const without = await s.call('list_people', {
        workspace: fixture.workspace,
        states: ['active'],
        second_factor: false,
      })
      const ids = without.people.map(({ profile }) => profile.id)
      expect(ids).toContain(fixture.profile.bea)
      expect(ids).not.toContain(fixture.profile.ann)
    }))

  it('sends paused people nothing, and keeps their mentions until they return', () =>
    inTransaction(async (s) => {
      const send = async () => {
        const direct = randomUUID()
        const mention = randomUUID()
        await become(s, 'ann', 'aal2')
        await s.call('send_message', { id: direct, channel: fixture.direct, body: 'Are you there?' })
        const body = `And <@${fixture.profile.bea}>?`
        await s.call('send_message', { id: mention, channel: fixture.lobby, body })
        await become(s, 'postgres')
        const decision = (id: string) =>
          s.rows('select from app.notification_recipients($1) r where r.profile_id = $2', [
            id,
            fixture.profile.bea,
          ])
        const unread = await s.rows('select from app.unread_messages($1, $2)', [
          fixture.profile.bea,
          [direct, mention],
        ])
        return {
          mentions: await s.value<number>(
            'select count(*)::integer from public.mentions where message_id = $1',
            [mention],
          ),
          notified: (await decision(direct)).length + (await decision(mention)).length,
          unread: unread.length,
          events: (await eventsOf(s, 'bea', '"mention"')).length,
        }
      }
      await addFactor(s, 'ann')
      await s.rows('delete from realtime.messages where true')
      expect(await send()).toMatchObject({ mentions: 1, notified: 2, unread: 2, events: 2 })
      await requireFactor(s, 0)
      await s.rows('delete from realtime.messages where true')
      expect(await send()).toEqual({ mentions: 1, notified: 0, unread: 0, events: 0 })
    }))

  it('shows paused people no response of a bot', () =>
    inTransaction(async (s) => {
      const { workspace, lobby } = fixture
      const bot = randomUUID()
      await become(s, 'ann')
      await s.call('create_bot', { id: bot, workspace, name: 'Tides', channels: [lobby] })
      await s.call('create_bot_token', { bot, days: 7 })
      await s.call('create_bot_command', { bot, name: 'tide', description: 'Water' })
      const invocation = randomUUID()
      await become(s, 'bea')
      await s.call('invoke_command', { id: invocation, channel: lobby, name: 'tide' })
      expect(await s.rows('select from public.command_responses')).toHaveLength(1)
      await requireFactor(s, 0)
      const response = await s.refusal(() =>
        s.rows(
          `select app.show_response(i, 'High', false, false) from public.command_invocations i where i.id = $1`,
          [invocation],
        ),
      )
      expect(response.message).toBe('not_a_member')
      await become(s, 'bea')
      expect(await readable(s)).toEqual({ profiles: 1 })
    }))

  it('lets paused people join no channel by an invitation', () =>
    inTransaction(async (s) => {
      const { workspace } = fixture
      await requireFactor(s, 0)
      await become(s, 'ann', 'aal2')
      const channel = randomUUID()
      await s.call('create_channel', { id: channel, workspace, kind: 'private', name: 'cove' })
      const { token } = await s.call('create_invitation', { workspace, role: 'member', channels: [channel] })
      await become(s, 'bea')
      await s.call('accept_invitation', { token, person_name: 'Bea' })
      await become(s, 'postgres')
      const members = await s.rows('select from public.channel_members where channel_id = $1', [channel])
      expect(members).toHaveLength(1)
    }))

  it('lets a paused owner create no workspace', () =>
    inTransaction(async (s) => {
      await s.rows(`update public.workspace_members set role = 'owner' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      await requireFactor(s, 0)
      await become(s, 'bea')
      const created = { id: randomUUID(), name: 'Second', channel_name: 'general' }
      expect(await s.failure('create_workspace', created)).toBe('not_allowed')
    }))

  it('ends with the factor that is set up, and returns with the factor that is removed', () =>
    inTransaction(async (s) => {
      const announced = async () => {
        await s.rows('set constraints all immediate')
        return (await eventsOf(s, 'bea', fixture.workspace)).map(({ event }) => event)
      }
      await requireFactor(s, 0)
      while (await s.value('select app.pause_member()')) {
        // Each call pauses one member.
      }
      expect(await announced()).toContain('workspace')
      await s.rows('delete from realtime.messages where true')
      await addFactor(s, 'bea')
      // The event would arrive before the token with the verified factor.
      expect(await announced()).toEqual([])
      await become(s, 'bea', 'aal2')
      expect((await s.call('bootstrap', {})).workspace?.id).toBe(fixture.workspace)
      expect((await s.call('bootstrap', {})).me?.role).toBe('member')
      await removeFactors(s, 'bea')
      expect(await announced()).toContain('workspace')
      expect(
        await s.value(
          'select is_paused from public.workspace_members where workspace_id = $1 and profile_id = $2',
          [fixture.workspace, fixture.profile.bea],
        ),
      ).toBe(true)
      await become(s, 'bea')
      expect((await s.call('bootstrap', {})).workspace).toBeNull()
    }))

  it('ends for everybody when the owner ends it, and starts again with another date', () =>
    inTransaction(async (s) => {
      await requireFactor(s, 0)
      while (await s.value('select app.pause_member()')) {
        // Each call pauses one member.
      }
      await become(s, 'ann', 'aal2')
      await s.call('set_second_factor_requirement', { workspace: fixture.workspace, days: 14 })
      await become(s, 'bea')
      expect((await s.call('bootstrap', {})).workspace?.second_factor_from).toBeTruthy()
      await become(s, 'ann', 'aal2')
      const off = await s.call('set_second_factor_requirement', { workspace: fixture.workspace, days: null })
      expect(off.second_factor_from).toBeUndefined()
      await become(s, 'postgres')
      const dues = await s.value(
        'select count(*)::integer from public.workspace_members where second_factor_due is not null or is_paused',
      )
      expect(dues).toBe(0)
    }))

  it('announces the date with one broadcast, and ends the subscriptions of each person by the job', () =>
    inTransaction(async (s) => {
      await addFactor(s, 'ann')
      await s.rows('set constraints all immediate')
      const sent = () =>
        s.rows<{ event: string; topic: string }>(
          `select event, split_part(topic, ':', 1) as topic from realtime.messages where event <> 'epoch'
           order by inserted_at, event`,
        )
      await s.rows('delete from realtime.messages where true')
      await become(s, 'ann', 'aal2')
      await s.call('set_second_factor_requirement', { workspace: fixture.workspace, days: 0 })
      await become(s, 'postgres')
      expect((await sent()).filter(({ topic }) => topic === 'workspace')).toEqual([
        { event: 'workspace_changed', topic: 'workspace' },
      ])
      await s.rows('delete from realtime.messages where true')
      let paused = 0
      while (await s.value('select app.pause_member()')) paused += 1
      expect(paused).toBeGreaterThanOrEqual(5)
      const events = await sent()
      expect(events.filter(({ event }) => event === 'workspace')).toHaveLength(paused)
      // Nobody else is notified of each.
      expect(events.filter(({ event }) => event === 'member')).toEqual([])
    }))

  it('pauses a person in one workspace only, and newcomers at once', () =>
    inTransaction(async (s) => {
      await s.rows(
        `insert into public.workspace_members (workspace_id, profile_id, role)
         select w.id, $1, 'member' from public.workspaces w where w.name = 'Elsewhere'`,
        [fixture.profile.bea],
      )
      await requireFactor(s, 0)
      await become(s, 'bea')
      const boot = await s.call('bootstrap', {})
      expect(boot.workspace?.name).toBe('Elsewhere')
      expect(boot.workspaces).toHaveLength(1)
      expect(boot.paused_workspaces).toMatchObject([{ name: 'Harbour Street' }])
      await become(s, 'ann', 'aal2')
      const { token } = await s.call('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [fixture.lobby],
      })
      await become(s, 'zoe')
      await s.call('accept_invitation', { token, person_name: 'Zoe' })
      const zoe = await s.call('bootstrap', {})
      expect(zoe.workspace?.name).toBe('Elsewhere')
      expect(zoe.paused_workspaces).toMatchObject([{ name: 'Harbour Street' }])
    }))

  it('does not concern bots', () =>
    inTransaction(async (s) => {
      const bot = randomUUID()
      await s.rows(`insert into public.profiles (id, name, kind) values ($1, 'Robot', 'bot')`, [bot])
      await s.rows(
        `insert into public.workspace_members (workspace_id, profile_id, role) values ($1, $2, 'member')`,
        [fixture.workspace, bot],
      )
      await requireFactor(s, 0)
      const dueOf = (profile: string) =>
        s.value('select second_factor_due from public.workspace_members where profile_id = $1', [profile])
      expect(await dueOf(fixture.profile.cem)).not.toBeNull()
      expect(await dueOf(bot)).toBeNull()
    }))
})
