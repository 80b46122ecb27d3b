/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import { isEmailAddress, normalizeEmailAddress } from '../../wire/emailAddress.ts'
import { LIMITS } from '../../wire/limits.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Omar has the address omar@harbour.example and no profile; Zoe has another workspace. */
describe.each(testDatabases)('joining without an invitation on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    // Cem administers the workspace too.
    await fixture.service(
      (s) =>
        s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      true,
    )
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name | 'postgres') => {
    const account = who === 'postgres' ? undefined : fixture.account[who]
    const claims = account && { role: 'authenticated', sub: account, session_id: account }
    return s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims ?? {}),
      who === 'postgres' ? 'postgres' : 'authenticated',
    ])
  }
  const as = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    await become(s, who)
    const result = await work()
    await become(s, 'postgres')
    return result
  }
  const rolledBack = (work: (s: TestTransaction) => Promise<void>) => fixture.service(work)
  const list = (s: TestTransaction, admission: 'join' | 'request' | null, domain = 'harbour.example') =>
    as(s, 'ann', () => s.call('set_joining_domain', { workspace: fixture.workspace, domain, admission }))
  const settings = (s: TestTransaction, who: Name = 'ann') =>
    as(s, who, () => s.call('joining_settings', { workspace: fixture.workspace }))
  const options = (s: TestTransaction, given: Partial<Commands['set_joining_options']['args']>) =>
    as(s, 'ann', () => s.call('set_joining_options', { workspace: fixture.workspace, ...given }))
  const joinable = (s: TestTransaction, who: Name) => as(s, who, () => s.call('list_joinable_workspaces', {}))
  const join = (s: TestTransaction, who: Name) =>
    as(s, who, () => s.call('join_workspace', { workspace: fixture.workspace, person_name: 'New Person' }))
  const request = (s: TestTransaction, who: Name, note = 'I water the plants') =>
    as(s, who, () =>
      s.call('request_to_join', { workspace: fixture.workspace, note, person_name: 'New Person' }),
    )
  const refused = <N extends keyof Commands>(
    s: TestTransaction,
    who: Name,
    name: N,
    args: Commands[N]['args'],
  ) => as(s, who, () => s.failure(name, args))
  const mayNotEnter = async (
    s: TestTransaction,
    who: Name,
    which: ('join' | 'request')[] = ['join', 'request'],
  ) => {
    const { workspace } = fixture
    if (which.includes('join'))
      expect(await refused(s, who, 'join_workspace', { workspace, person_name: 'X' }), who).toBe('not_found')
    if (which.includes('request'))
      expect(await refused(s, who, 'request_to_join', { workspace, person_name: 'X' }), who).toBe('not_found')
  }
  const decide = (s: TestTransaction, who: Name, decision: 'approve' | 'decline', id: Uuid) =>
    as(s, who, () => s.call(`${decision}_join_request`, { id }))
  const actions = (s: TestTransaction) =>
    s.rows<{ action: string; target: Record<string, unknown>; actor_id: Uuid }>(
      `select action, target, actor_id from public.audit_log
       where workspace_id = $1 and recorded_at > now() order by recorded_at`,
      [fixture.workspace],
    )
  const hook = (s: TestTransaction, email: string | null) =>
    s.value<Record<string, unknown>>('select public.before_user_created($1)', [
      JSON.stringify({ user: { email, user_metadata: {} } }),
    ])
  const channelsOf = (s: TestTransaction, profile: Uuid) =>
    s.value<string[]>(
      `select coalesce(array_agg(c.name order by c.name), '{}') from public.channel_members m
       join public.channels c on c.id = m.channel_id where m.profile_id = $1`,
      [profile],
    )

  it('lists domains for admins too, and records each change', () =>
    rolledBack(async (s) => {
      expect((await list(s, 'join', ' @Harbour.Example ')).domains).toEqual([
        { domain: 'harbour.example', admission: 'join' },
      ])
      expect((await list(s, 'request')).domains).toEqual([
        { domain: 'harbour.example', admission: 'request' },
      ])
      await list(s, 'request')
      expect((await settings(s, 'cem')).domains).toHaveLength(1)
      const domain = 'harbour.example'
      expect((await list(s, null)).domains).toEqual([])
      await options(s, { open_requests: true })
      expect((await actions(s)).map(({ action, target }) => [action, target])).toEqual([
        ['domain.added', { domain, admission: 'join' }],
        ['domain.changed', { domain, from: 'join', to: 'request' }],
        ['domain.removed', { domain }],
        ['workspace.options_changed', { open_requests: { from: false, to: true } }],
      ])
    }))

  it('refuses public mail providers, what is no domain, and more than 20', () =>
    rolledBack(async (s) => {
      const { workspace } = fixture
      const tried = (domain: string) =>
        refused(s, 'ann', 'set_joining_domain', { workspace, domain, admission: 'request' })
      for (const domain of ['gmail.com', 'GMAIL.com', 'yahoo.co.uk', 'outlook.de', 'web.de', 'proton.me'])
        expect(await tried(domain), domain).toBe('public_mail_domain')
      for (const domain of [
        '',
        'harbour',
        'a b.example',
        'x@y.example',
        '-a.example',
        '.example',
        'a..example',
      ])
        expect(await tried(domain), domain).toBe('workspace_domains_form')
      for (let i = 0; i < LIMITS.joiningDomains; i++) await list(s, 'join', `office${i}.example`)
      expect(await tried('one-more.example')).toBe('too_many_domains')
      expect((await list(s, 'request', 'office3.example')).domains).toHaveLength(LIMITS.joiningDomains)
    }))

  it('admits sign-ups of listed domains, or of everyone with an address if requests are open', () =>
    rolledBack(async (s) => {
      const admitted = async (email: string | null) => !('error' in (await hook(s, email)))
      expect(await admitted('new@harbour.example')).toBe(false)
      await list(s, 'request')
      expect(await admitted('New@Harbour.example')).toBe(true)
      for (const email of ['new@sub.harbour.example', 'new@harbour.example.org', 'harbour.example', null])
        expect(await admitted(email), String(email)).toBe(false)
      await options(s, { open_requests: true })
      expect(await admitted('new@anywhere.example')).toBe(true)
      expect(await admitted(null)).toBe(false)
      const invited = await s.value<object>('select public.before_user_created($1)', [
        JSON.stringify({ user: { email: 'new@harbour.example', user_metadata: { invited_by: 'Mallory' } } }),
      ])
      expect(invited).toHaveProperty('error')
    }))

  it('lets people of a domain join at once, and the next call returns the same', () =>
    rolledBack(async (s) => {
      await mayNotEnter(s, 'omar')
      expect((await joinable(s, 'omar')).workspaces).toEqual([])
      await list(s, 'join')
      expect(await joinable(s, 'omar')).toEqual({
        profile_id: null,
        name: null,
        is_set_up: true,
        workspaces: [{ id: fixture.workspace, name: 'Harbour Street', admission: 'join', request: null }],
      })
      await mayNotEnter(s, 'omar', ['request'])
      const joined = await join(s, 'omar')
      expect(joined.workspace.id).toBe(fixture.workspace)
      expect(joined.channel_id).toBe(fixture.lobby)
      expect(await channelsOf(s, joined.profile.id)).toEqual(['lobby'])
      expect((await join(s, 'omar')).profile.id).toBe(joined.profile.id)
      const start = await as(s, 'omar', () => s.call('bootstrap', {}))
      expect([start.me?.role, start.me?.profile.name]).toEqual(['member', 'New Person'])
      expect((await joinable(s, 'omar')).workspaces).toEqual([])
      expect((await actions(s)).filter(({ action }) => action.startsWith('member.'))).toEqual([
        {
          action: 'member.added',
          actor_id: joined.profile.id,
          target: { profile_id: joined.profile.id, role: 'member' },
        },
      ])
    }))

  it('reports that no workspace exists yet', () =>
    rolledBack(async (s) => {
      await s.rows('delete from public.workspaces')
      expect(await joinable(s, 'omar')).toMatchObject({ is_set_up: false, workspaces: [] })
    }))

  it('counts only a confirmed address, of a person and in their own session', () =>
    rolledBack(async (s) => {
      await list(s, 'join')
      const attempt = () =>
        refused(s, 'omar', 'join_workspace', { workspace: fixture.workspace, person_name: 'Omar' })
      const set = (sql: string) =>
        s.rows(`update auth.users set ${sql} where id = $1`, [fixture.account.omar])
      await set('email_confirmed_at = null')
      expect(await attempt()).toBe('email_address_missing')
      expect(await refused(s, 'omar', 'list_joinable_workspaces', {})).toBe('email_address_missing')
      await set(`email_confirmed_at = now(), email = 'omar@elsewhere.example'`)
      expect(await attempt()).toBe('not_found')
      await set(`email = null`)
      expect(await attempt()).toBe('email_address_missing')
      await set(`email = 'Omar@HARBOUR.example'`)
      await s.rows('delete from auth.sessions where user_id = $1', [fixture.account.omar])
      expect(await attempt()).toBe('session_ended')
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        fixture.account.omar,
      ])
      expect((await join(s, 'omar')).workspace.id).toBe(fixture.workspace)
    }))

  it('never lets former members in at once: they ask, and deactivated ones cannot even ask', () =>
    rolledBack(async (s) => {
      await list(s, 'join')
      await options(s, { open_requests: true })
      // Deactivated, and a guest whose access has expired: an admin reactivates them, or not.
      for (const who of ['dee', 'max'] as const) {
        await mayNotEnter(s, who)
        expect((await joinable(s, who)).workspaces, who).toEqual([])
      }
      // Nor with another account: by the same mailbox, or by the address that their account no longer has.
      await as(s, 'ann', () =>
        s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.bea }),
      )
      await s.rows('set constraints all immediate')
      const address = (account: Uuid, email: string) =>
        s.rows('update auth.users set email = $2 where id = $1', [account, email])
      await address(fixture.account.omar, 'bea+2@harbour.example')
      await mayNotEnter(s, 'omar')
      await address(fixture.account.bea, 'bea@elsewhere.example')
      await address(fixture.account.omar, 'bea@harbour.example')
      await mayNotEnter(s, 'omar')
      await as(s, 'ann', () =>
        s.call('remove_person', { workspace: fixture.workspace, person: fixture.profile.bea }),
      )
      await mayNotEnter(s, 'omar', ['join'])
      await request(s, 'omar')
      expect((await settings(s)).requests).toMatchObject([{ email: 'bea@harbour.example', is_former: true }])
      const [waiting] = (await settings(s)).requests
      await as(s, 'omar', () => s.call('withdraw_join_request', { id: waiting!.id }))
      await as(s, 'ann', () =>
        s.call('remove_person', { workspace: fixture.workspace, person: fixture.profile.eli }),
      )
      await s.rows('set constraints all immediate')
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        fixture.account.eli,
      ])
      await mayNotEnter(s, 'eli', ['join'])
      expect((await joinable(s, 'eli')).workspaces.map(({ admission }) => admission)).toEqual(['request'])
      const { id } = await request(s, 'eli')
      expect((await settings(s)).requests).toEqual([
        expect.objectContaining({ id, name: 'eli Example', email: 'eli@harbour.example', is_former: true }),
      ])
      await decide(s, 'cem', 'approve', id)
      expect(
        await s.rows('select role, state, ended from public.workspace_members where profile_id = $1', [
          fixture.profile.eli,
        ]),
      ).toEqual([{ role: 'member', state: 'active', ended: null }])
    }))

  it('no address that a member has had admits a second account at once, whenever the membership ends', () =>
    rolledBack(async (s) => {
      await list(s, 'join')
      const address = (account: Uuid, email: string) =>
        s.rows('update auth.users set email = $2 where id = $1', [account, email])
      const end = (command: 'deactivate_member' | 'remove_person', person: Uuid) =>
        as(s, 'ann', () => s.call(command, { workspace: fixture.workspace, person }))
      const admission = async () => (await joinable(s, 'omar')).workspaces.map((w) => w.admission)
      // The premise: this address joins at once.
      expect(await admission()).toEqual(['join'])
      await address(fixture.account.cem, 'cem.second@harbour.example')
      await address(fixture.account.cem, 'cem.third@harbour.example')
      // While Cem is a member: an account with an earlier address, the present one with a tag.
      for (const email of [
        'cem@harbour.example',
        'CEM.second@harbour.example',
        'cem.third+b@harbour.example',
      ]) {
        await address(fixture.account.omar, email)
        expect(await admission(), email).toEqual(['request'])
        await mayNotEnter(s, 'omar', ['join'])
      }
      await end('remove_person', fixture.profile.cem)
      // An address that the account of a former member has had since then.
      await address(fixture.account.cem, 'cem.fourth@harbour.example')
      await address(fixture.account.cem, 'cem@elsewhere.example')
      for (const email of ['cem@harbour.example', 'cem.fourth@harbour.example']) {
        await address(fixture.account.omar, email)
        expect(await admission(), email).toEqual(['request'])
        await mayNotEnter(s, 'omar', ['join'])
      }
      await address(fixture.account.bea, 'bea@elsewhere.example')
      await end('deactivate_member', fixture.profile.bea)
      await address(fixture.account.omar, 'bea@harbour.example')
      await mayNotEnter(s, 'omar')
      // The addresses of an account that was deleted, until the person is erased.
      await s.rows('delete from auth.users where id = $1', [fixture.account.eli])
      await address(fixture.account.omar, 'eli@harbour.example')
      expect(await admission()).toEqual(['request'])
      await as(s, 'ann', () =>
        s.call('erase_person', { workspace: fixture.workspace, person: fixture.profile.eli }),
      )
      expect(await admission()).toEqual(['join'])
      expect(
        await s.rows('select from public.member_addresses where profile_id = $1', [fixture.profile.eli]),
      ).toEqual([])
    }))

  it('has the definition of an address of the auth service, for both spellings of a domain', () =>
    rolledBack(async (s) => {
      const texts = [
        ' Ann@Example.COM',
        'jo@müller.example',
        'jo@MÜLLER.example',
        'jo@mu\u0308ller.example',
        'jo@straße.example',
        'jo@bücher.müller.example',
        'jo@例え。テスト',
        'jo@пример.рф',
        'jo@xn--mller-kva.example',
        "o'hara+tag@mail.example",
        'otto@coop',
        'otto@münchen',
        'jörg@example.com',
        'ann@@example.com',
        'ann@example..com',
        'ann@-example.com',
        'ann@ü/x.example',
        'ann@ü\u202e.example',
        `ann@${'ü'.repeat(64)}.example`,
        'ann',
        '',
      ]
      for (const text of texts)
        expect(await s.value('select app.email_address($1)', [text]), text).toBe(
          isEmailAddress(text) ? normalizeEmailAddress(text) : null,
        )
      const { workspace } = fixture
      const invite = (emails: string[]) =>
        as(s, 'ann', () => s.call('invite_by_mail', { workspace, emails, role: 'member', channels: [] }))
      // Both spellings are one invitation, for the account that the auth service creates.
      expect(await invite(['jo@müller.example', 'Jo@xn--mller-kva.example'])).toEqual({
        invited: 1,
        members: [],
      })
      expect(await hook(s, 'jo@xn--mller-kva.example')).toEqual({})
      expect(await hook(s, 'jo@müller.example')).toEqual({})
      expect(await hook(s, 'jo@muller.example')).toHaveProperty('error')
      const invited = { workspace, role: 'member' as const, channels: [] }
      for (const email of ['otto@coop', 'jörg@example.com', 'ann', 'a b@example.com'])
        expect(await refused(s, 'ann', 'create_invitation', { ...invited, email }), email).toBe(
          'bad_invitation',
        )
      expect((await list(s, 'join', '@Grün.example')).domains).toEqual([
        { domain: 'xn--grn-ioa.example', admission: 'join' },
      ])
      await s.rows('update auth.users set email = $2 where id = $1', [
        fixture.account.omar,
        'omar@xn--grn-ioa.example',
      ])
      expect((await joinable(s, 'omar')).workspaces.map(({ admission }) => admission)).toEqual(['join'])
      expect((await list(s, null, 'grün.example')).domains).toEqual([])
      const { token } = await as(s, 'ann', () => s.call('create_invitation', invited))
      const signUp = (email: string) => refused(s, 'omar', 'request_sign_up', { token, email })
      for (const email of ['otto@coop', 'jörg@example.com', ''])
        expect(await signUp(email)).toBe('email_address_invalid')
    }))

  it('shows a workspace to nobody without a matching address, unless requests are open', () =>
    rolledBack(async (s) => {
      await list(s, 'join', 'other.example')
      await mayNotEnter(s, 'omar')
      expect((await joinable(s, 'omar')).workspaces).toEqual([])
      const nowhere = randomUUID()
      expect(await refused(s, 'omar', 'join_workspace', { workspace: nowhere })).toBe('not_found')
      await options(s, { open_requests: true })
      expect((await joinable(s, 'omar')).workspaces.map(({ admission }) => admission)).toEqual(['request'])
      await mayNotEnter(s, 'omar', ['join'])
      const { id } = await request(s, 'omar')
      // An applicant sees nothing but the name, and is seen by those who decide alone.
      for (const table of ['workspaces', 'channels', 'messages', 'workspace_members', 'channel_members'])
        expect(await as(s, 'omar', () => s.value(`select count(*)::int from ${table}`)), table).toBe(0)
      const { profile_id } = await joinable(s, 'omar')
      for (const who of ['ann', 'bea', 'gus'] as const)
        expect(
          await as(s, who, () => s.value('select count(*)::int from profiles where id = $1', [profile_id])),
          who,
        ).toBe(0)
      expect((await settings(s)).requests.map((one) => one.id)).toEqual([id])
    }))

  it('a request waits with its note, can be changed and withdrawn, and leaves nothing', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      await mayNotEnter(s, 'omar', ['join'])
      const { workspace } = fixture
      const long = 'x'.repeat(LIMITS.joinNoteCharacters + 1)
      expect(
        await refused(s, 'omar', 'request_to_join', { workspace, note: long, person_name: 'Omar' }),
      ).toBe('join_requests_note_length')
      expect(await refused(s, 'omar', 'request_to_join', { workspace })).toBe('profiles_name_length')
      const { id } = await request(s, 'omar')
      expect((await request(s, 'omar', 'I water them well')).id).toBe(id)
      expect((await joinable(s, 'omar')).workspaces[0]?.request).toMatchObject({
        id,
        state: 'waiting',
        note: 'I water them well',
        may_request_at: null,
      })
      // The request outlives the listing of the domain.
      await list(s, null)
      expect((await joinable(s, 'omar')).workspaces).toMatchObject([{ admission: null, request: { id } }])
      for (const who of ['ann', 'zoe'] as const)
        expect(await refused(s, who, 'withdraw_join_request', { id }), who).toBe('not_found')
      await as(s, 'omar', () => s.call('withdraw_join_request', { id }))
      expect((await settings(s)).requests).toEqual([])
      expect(
        await s.value('select count(*)::int from public.profiles where user_id = $1', [fixture.account.omar]),
      ).toBe(0)
    }))

  it('is decided once, by those who manage the workspace', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      const { id } = await request(s, 'omar')
      for (const who of ['bea', 'gus', 'zoe', 'omar'] as const)
        for (const decision of ['approve_join_request', 'decline_join_request'] as const)
          expect(await refused(s, who, decision, { id }), who).toBe('not_found')
      expect(await decide(s, 'cem', 'approve', id)).toEqual({ id, state: 'approved' })
      expect(await decide(s, 'ann', 'approve', id)).toEqual({ id, state: 'approved' })
      expect(await refused(s, 'ann', 'decline_join_request', { id })).toBe('join_request_closed')
      expect(await refused(s, 'omar', 'withdraw_join_request', { id })).toBe('join_request_closed')
      const start = await as(s, 'omar', () => s.call('bootstrap', {}))
      expect([start.me?.role, start.workspace?.id]).toEqual(['member', fixture.workspace])
      const profile = start.me!.profile.id
      const recorded = (await actions(s)).filter(({ action }) => /^(join_request|member)\./.test(action))
      expect(recorded).toEqual([
        { action: 'join_request.approved', actor_id: fixture.profile.cem, target: { profile_id: profile } },
        {
          action: 'member.added',
          actor_id: fixture.profile.cem,
          target: { profile_id: profile, role: 'member' },
        },
      ])
    }))

  it('after a refusal the person waits 30 days', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      const { id } = await request(s, 'omar')
      await decide(s, 'ann', 'decline', id)
      expect(await refused(s, 'cem', 'approve_join_request', { id })).toBe('join_request_closed')
      const { workspace } = fixture
      expect(await refused(s, 'omar', 'request_to_join', { workspace })).toBe('join_request_declined')
      const [shown] = (await joinable(s, 'omar')).workspaces
      expect(shown?.request).toMatchObject({ state: 'declined', note: '' })
      expect(Date.parse(shown!.request!.may_request_at!) - Date.now()).toBeGreaterThan(29 * 86_400_000)
      const daysPass = () =>
        s.rows(
          `update public.join_requests set decided_at = now() - interval '30 days 1 minute' where id = $1`,
          [id],
        )
      await daysPass()
      expect((await joinable(s, 'omar')).workspaces[0]?.request).toBeNull()
      expect((await request(s, 'omar')).state).toBe('waiting')
      await decide(s, 'ann', 'decline', id)
      await daysPass()
      await s.rows('select app.delete_old_join_requests()')
      expect(await s.value('select count(*)::int from public.join_requests')).toBe(0)
      expect(
        await s.value('select count(*)::int from public.profiles where user_id = $1', [fixture.account.omar]),
      ).toBe(0)
    }))

  it('a request ends with the address that it was made with, and with the account', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      const { id } = await request(s, 'omar')
      await s.rows(`update auth.users set email = 'omar@elsewhere.example' where id = $1`, [
        fixture.account.omar,
      ])
      expect((await settings(s)).requests).toEqual([])
      expect(await refused(s, 'ann', 'approve_join_request', { id })).toBe('not_found')
      await s.rows(`update auth.users set email = 'omar@harbour.example' where id = $1`, [
        fixture.account.omar,
      ])
      const next = await request(s, 'omar')
      await s.rows(`update auth.users set banned_until = 'infinity' where id = $1`, [fixture.account.omar])
      expect((await settings(s)).requests).toEqual([])
      expect(await refused(s, 'ann', 'approve_join_request', { id: next.id })).toBe('join_request_closed')
      const profile = await s.value<Uuid>('select id from public.profiles where user_id = $1', [
        fixture.account.omar,
      ])
      await s.rows('delete from auth.users where id = $1', [fixture.account.omar])
      expect(await s.value('select count(*)::int from public.join_requests')).toBe(0)
      expect(await s.value('select count(*)::int from public.profiles where id = $1', [profile])).toBe(0)
    }))

  it('an invitation ends the request, and keeps the name of who has one', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      await request(s, 'zoe')
      const { token } = await as(s, 'ann', () =>
        s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [] }),
      )
      await as(s, 'zoe', () => s.call('accept_invitation', { token, person_name: 'Zoe' }))
      expect((await settings(s)).requests).toEqual([])
    }))

  it('bounds the requests of a person and of a workspace', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      await request(s, 'zoe')
      expect((await joinable(s, 'zoe')).name).toBe('Zoe')
      await s.rows(
        `with w as (insert into public.workspaces (name) select 'Other ' || n from generate_series(1, 5) n returning id),
           d as (insert into public.workspace_domains (workspace_id, domain, admission)
             select w.id, 'harbour.example', 'request' from w)
         select set_config('test.others', array_agg(id)::text, true) from w`,
      )
      const others = await s.value<Uuid[]>(`select current_setting('test.others')::uuid[]`)
      const next = (workspace: Uuid) => ({ workspace, person_name: 'Zoe' })
      for (const other of others.slice(0, 4)) await as(s, 'zoe', () => s.call('request_to_join', next(other)))
      expect(await refused(s, 'zoe', 'request_to_join', next(others[4]!))).toBe('too_many_join_requests')
      await s.rows(
        `with p as (insert into public.profiles (name) select 'Person ' || n from generate_series(1, 99) n returning id)
         insert into public.join_requests (workspace_id, profile_id, email) select $1, id, 'x@harbour.example' from p`,
        [fixture.workspace],
      )
      expect(await refused(s, 'omar', 'request_to_join', next(fixture.workspace))).toBe('join_requests_full')
      // A changed note is no further request.
      expect((await request(s, 'zoe', 'Please')).state).toBe('waiting')
    }))

  it('newcomers start in the default channels, or in the oldest public one; guests only where they are invited', () =>
    rolledBack(async (s) => {
      const { workspace, side, lobby, closed } = fixture
      const invite = async (role: 'member' | 'guest', channels: Uuid[]) =>
        (await as(s, 'bea', () => s.call('create_invitation', { workspace, role, channels }))).token
      await as(s, 'ann', () => s.call('set_workspace_options', { workspace, invitations_by: 'members' }))
      expect((await options(s, { default_channels: [side, lobby, side] })).default_channels).toEqual([
        lobby,
        side,
      ])
      await list(s, 'join')
      expect(await channelsOf(s, (await join(s, 'omar')).profile.id)).toEqual(['building-works', 'lobby'])
      const token = await invite('member', [])
      const zoe = await as(s, 'zoe', () => s.call('accept_invitation', { token, person_name: 'Zoe' }))
      expect(zoe.channel_id).toBe(lobby)
      expect(await channelsOf(s, zoe.profile.id)).toEqual(['building-works', 'lobby'])
      // Archived, private and deleted channels leave the list.
      await as(s, 'bea', () => s.call('archive_channel', { channel: side, on: true }))
      expect((await settings(s)).default_channels).toEqual([lobby])
      await as(s, 'ann', () => s.call('update_channel', { channel: lobby, kind: 'private' }))
      expect((await settings(s)).default_channels).toEqual([])
      await as(s, 'bea', () => s.call('archive_channel', { channel: side, on: false }))
      expect((await settings(s)).default_channels).toEqual([])
      await options(s, { default_channels: [side] })
      await s.rows('delete from public.channels where id = $1', [side])
      expect((await settings(s)).default_channels).toEqual([])
      for (const channel of [closed, lobby, randomUUID()])
        expect(
          await refused(s, 'ann', 'set_joining_options', { workspace, default_channels: [channel] }),
        ).toBe('not_found')
      expect(
        await refused(s, 'ann', 'set_joining_options', {
          workspace,
          default_channels: Array.from({ length: LIMITS.defaultChannels + 1 }, () => randomUUID()),
        }),
      ).toBe('too_many_default_channels')
    }))

  it('guests of an invitation start in its channels alone', () =>
    rolledBack(async (s) => {
      const { workspace, side, lobby } = fixture
      await options(s, { default_channels: [lobby] })
      const { token } = await as(s, 'ann', () =>
        s.call('create_invitation', { workspace, role: 'guest', channels: [side] }),
      )
      const guest = await as(s, 'omar', () => s.call('accept_invitation', { token, person_name: 'Omar' }))
      expect(await channelsOf(s, guest.profile.id)).toEqual(['building-works'])
      const named = await as(s, 'ann', () =>
        s.call('create_invitation', { workspace, role: 'member', channels: [side] }),
      )
      const zoe = await as(s, 'zoe', () =>
        s.call('accept_invitation', { token: named.token, person_name: 'Zoe' }),
      )
      expect(await channelsOf(s, zoe.profile.id)).toEqual(['building-works'])
    }))

  it('notifies those who decide and the person who asks, and nobody else', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      await s.rows('set constraints all immediate')
      const topics = async (work: () => Promise<unknown>) => {
        await s.rows('delete from realtime.messages')
        await work()
        await s.rows('set constraints all immediate')
        const rows = await s.rows<{ topic: string }>(
          `select distinct topic from realtime.messages where event = $1`,
          ['join_requests'],
        )
        return rows.map(({ topic }) => topic).toSorted()
      }
      let id = ''
      let person: Uuid | null = null
      const requested = await topics(async () => {
        id = (await request(s, 'omar')).id
        person = (await joinable(s, 'omar')).profile_id
      })
      const expected = [fixture.profile.ann, fixture.profile.cem, person].map((one) => `user:${one}`)
      expect(requested).toEqual(expected.toSorted())
      expect(await as(s, 'omar', () => s.value('select app.can_subscribe($1)', [`user:${person}`]))).toBe(
        true,
      )
      const workspaceEvents = () =>
        s.value(`select count(*)::int from realtime.messages where event = 'workspace' and topic = $1`, [
          `user:${person}`,
        ])
      expect(await workspaceEvents()).toBe(0)
      expect(await topics(() => decide(s, 'ann', 'approve', id))).toEqual(expected.toSorted())
      expect(await workspaceEvents()).toBe(1)
    }))

  it('erasing a person erases their requests', () =>
    rolledBack(async (s) => {
      await list(s, 'request')
      const { id } = await request(s, 'omar')
      await decide(s, 'ann', 'approve', id)
      const { me } = await as(s, 'omar', () => s.call('bootstrap', {}))
      await as(s, 'omar', () => s.call('leave_workspace', { workspace: fixture.workspace }))
      await as(s, 'ann', () =>
        s.call('erase_person', { workspace: fixture.workspace, person: me!.profile.id }),
      )
      expect(await s.value(`select count(*)::int from public.join_requests where email like 'omar%'`)).toBe(0)
    }))
})
