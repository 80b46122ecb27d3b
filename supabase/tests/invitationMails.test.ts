import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Invitation } from '../../wire/invitations.ts'
import { renderInvitation } from '../functions/notification-mail/renderInvitation.ts'
import type { ClaimedInvitation, MailResult } from '../functions/notification-mail/sendMails.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('invitations by mail on $name', ({ open }) => {
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
  const args = (emails: string[]) => ({
    workspace: fixture.workspace,
    emails,
    role: 'member' as const,
    channels: [fixture.lobby],
  })
  const invite = (s: TestTransaction, emails: string[], who: Name = 'ann') =>
    as(s, who, () => s.call('invite_by_mail', args(emails)))
  const claim = async (s: TestTransaction): Promise<ClaimedInvitation[]> =>
    (await s.value<{ mails: ClaimedInvitation[] }>('select public.claim_invitations()')).mails
  const begin = async (s: TestTransaction, { job, attempt }: ClaimedInvitation): Promise<boolean> =>
    (await s.value<{ permitted: boolean }>('select public.begin_invitation($1, $2)', [job, attempt]))
      .permitted
  const finish = (s: TestTransaction, mail: ClaimedInvitation, outcome: MailResult['outcome']) =>
    s.value('select public.finish_invitations($1)', [
      JSON.stringify([{ job: mail.job, attempt: mail.attempt, outcome, problem: null }]),
    ])
  const list = async (s: TestTransaction, who: Name = 'ann'): Promise<Invitation[]> =>
    (await as(s, who, () => s.call('list_invitations', { workspace: fixture.workspace, limit: 100 })))
      .invitations
  const pending = async (s: TestTransaction, email: string) =>
    (await list(s)).filter((one) => one.email === email)
  const leaseEnds = (s: TestTransaction) =>
    s.rows(`update public.jobs set run_at = now() where kind = 'invitation'`)
  const rolledBack = (work: (s: TestTransaction) => Promise<void>) => fixture.service(work)

  it('invites 60 people at once, and sends each a token of their own that is stored as a hash only', () =>
    rolledBack(async (s) => {
      const emails = Array.from({ length: 60 }, (_, n) => `pupil${n}@school.example`)
      expect(await invite(s, [...emails, ' PUPIL0@school.example '])).toEqual({ invited: 60, members: [] })
      const tokens = new Map<string, string>()
      for (let mails = await claim(s); mails.length > 0; mails = await claim(s)) {
        for (const mail of mails) {
          expect(mail).toMatchObject({ invited_by: 'Ann Okafor', language: 'en', attempt: 1 })
          expect(await begin(s, mail)).toBe(true)
          await finish(s, mail, 'accepted')
          tokens.set(mail.to, mail.token)
        }
      }
      expect([...tokens.keys()].toSorted()).toEqual(emails.toSorted())
      expect(new Set(tokens.values()).size).toBe(60)
      const listed = (await list(s)).filter(({ email }) => email?.endsWith('@school.example'))
      expect(listed.map(({ mail }) => mail)).toEqual(Array.from({ length: 60 }, () => 'sent'))
      const [token] = tokens.values()
      const stored = await s.value<number>(
        `select count(*)::int from public.invitations i where to_jsonb(i)::text like '%' || $1 || '%'`,
        [token],
      )
      expect(stored).toBe(0)
      expect(await s.value<{ role: string }>('select public.view_invitation($1)', [token])).toMatchObject({
        role: 'member',
      })
    }))

  it('the end of a call has another one made while invitations are due', () =>
    rolledBack(async (s) => {
      await invite(s, ['una@school.example', 'ute@school.example'])
      const callsAfterEnd = async () => {
        await s.rows('delete from supabase_functions.invocations')
        await s.rows(`select public.finish_mails('[]', true)`)
        return s.rows('select function_name from supabase_functions.invocations')
      }
      expect(await callsAfterEnd()).toEqual([{ function_name: 'notification-mail' }])
      for (const mail of await claim(s)) await finish(s, mail, 'accepted')
      expect(await callsAfterEnd()).toEqual([])
    }))

  it('invites no active member, and lists their addresses for those who manage the workspace', () =>
    rolledBack(async (s) => {
      const [bea] = await s.rows<{ email: string }>('select email from auth.users where id = $1', [
        fixture.account.bea,
      ])
      const emails = [bea!.email.toUpperCase(), 'una@school.example']
      expect(await invite(s, emails)).toEqual({ invited: 1, members: [bea!.email] })
      expect(await pending(s, bea!.email)).toEqual([])
      expect(await invite(s, [bea!.email])).toEqual({ invited: 0, members: [bea!.email] })
      await s.rows(`update public.workspaces set invitations_by = 'members' where id = $1`, [
        fixture.workspace,
      ])
      const [ann] = await s.rows<{ email: string }>('select email from auth.users where id = $1', [
        fixture.account.ann,
      ])
      expect(await invite(s, [ann!.email], 'bea')).toEqual({ invited: 1, members: [] })
    }))

  it('lets an admin invite nobody as an admin', async () => {
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('invite_by_mail', { ...args(['una@school.example']), role: 'admin' }),
      ),
    ).toBe('not_allowed')
  })

  it('accepts up to 100 addresses, and none that is no address', async () => {
    const failure = (emails: string[]) =>
      fixture.rolledBackAs('ann', (s) => s.failure('invite_by_mail', args(emails)))
    for (const emails of [[], ['una'], Array.from({ length: 101 }, (_, n) => `p${n}@school.example`)]) {
      expect(await failure(emails)).toBe('bad_invitation')
    }
  })

  it('limits mails of a workspace in a day, and to one address', () =>
    rolledBack(async (s) => {
      for (let n = 0; n < 5; n++) await invite(s, ['una@school.example'])
      await become(s, 'ann')
      expect(await s.failure('invite_by_mail', args(['una@school.example']))).toBe('too_many_invitations')
      await become(s, 'postgres')
      await s.rows(`update public.settings set value = '6' where key = 'invitation_mails_per_day'`)
      await invite(s, ['eli@school.example'])
      await become(s, 'ann')
      expect(await s.failure('invite_by_mail', args(['cleo@school.example']))).toBe('too_many_invitations')
    }))

  it('sends an invitation again with a new link, also an expired one; the previous link ends', () =>
    rolledBack(async (s) => {
      await invite(s, ['una@school.example'])
      const [first] = await claim(s)
      await begin(s, first!)
      await finish(s, first!, 'accepted')
      await s.rows(`update public.invitations set expires_at = now() where email = 'una@school.example'`)
      const [expired] = await pending(s, 'una@school.example')
      await as(s, 'cem', () => s.call('resend_invitation', { id: expired!.id }))
      const listed = await pending(s, 'una@school.example')
      expect(listed).toHaveLength(1)
      expect(listed[0]).toMatchObject({
        mail: 'queued',
        invited_by: fixture.profile.cem,
        channels: [fixture.lobby],
      })
      expect(Date.parse(listed[0]!.expires_at)).toBeGreaterThan(Date.now())
      const [second] = await claim(s)
      expect(second!.token).not.toBe(first!.token)
      await become(s, 'ann')
      expect(await s.failure('view_invitation', { token: first!.token })).toBe('invitation_revoked')
      expect(await s.call('view_invitation', { token: second!.token })).toMatchObject({ role: 'member' })
    }))

  it('does not let those who may not create it send an invitation again', () =>
    rolledBack(async (s) => {
      await as(s, 'ann', () => s.call('invite_by_mail', { ...args(['una@school.example']), role: 'admin' }))
      const [{ id }] = (await pending(s, 'una@school.example')) as [Invitation]
      await become(s, 'cem')
      expect(await s.failure('resend_invitation', { id })).toBe('not_allowed')
    }))

  it('sends nothing once the invitation is revoked or its author may no longer invite', () =>
    rolledBack(async (s) => {
      await invite(s, ['una@school.example', 'eli@school.example'], 'cem')
      const [una] = await pending(s, 'una@school.example')
      const claimed = await claim(s)
      await as(s, 'ann', () => s.call('revoke_invitation', { id: una!.id }))
      expect(
        await begin(
          s,
          claimed.find(({ to }) => to.startsWith('una'))!,
        ),
      ).toBe(false)
      await s.rows(`update public.workspace_members set role = 'member' where profile_id = $1`, [
        fixture.profile.cem,
      ])
      expect(
        await begin(
          s,
          claimed.find(({ to }) => to.startsWith('eli'))!,
        ),
      ).toBe(false)
      await leaseEnds(s)
      expect(await claim(s)).toEqual([])
      expect(await pending(s, 'eli@school.example')).toMatchObject([{ mail: 'failed', suspended: true }])
    }))

  it('repeats what failed with another token, and not what may have arrived', () =>
    rolledBack(async (s) => {
      await invite(s, ['una@school.example'])
      const [first] = await claim(s)
      expect(await claim(s)).toEqual([])
      await begin(s, first!)
      await finish(s, first!, 'failed')
      await leaseEnds(s)
      const [second] = await claim(s)
      expect(second!.token).not.toBe(first!.token)
      expect(await begin(s, first!)).toBe(false)
      expect(await begin(s, second!)).toBe(true)
      // The function is killed here.
      await leaseEnds(s)
      expect(await claim(s)).toEqual([])
      expect(await pending(s, 'una@school.example')).toMatchObject([{ mail: 'sent' }])
    }))

  it('shows addresses that were refused, and invitations that no mail server sends', () =>
    rolledBack(async (s) => {
      await invite(s, ['una@school.example'])
      const [mail] = await claim(s)
      await begin(s, mail!)
      await finish(s, mail!, 'rejected')
      expect(await pending(s, 'una@school.example')).toMatchObject([{ mail: 'rejected' }])
      await invite(s, ['eli@school.example'])
      await s.value('select public.report_no_mail_server()')
      expect(await pending(s, 'eli@school.example')).toMatchObject([{ mail: 'failed' }])
      expect(await claim(s)).toEqual([])
    }))

  it('lets a guest join from a time on, and nobody sign up or join by the invitation before', () =>
    rolledBack(async (s) => {
      const { workspace, lobby } = fixture
      const starts_at = new Date(Date.now() + 86_400_000).toISOString()
      const args = { workspace, channels: [lobby], hours: 24, starts_at }
      const { token, expires_at } = await as(s, 'ann', async () => {
        expect(await s.failure('create_invitation', { ...args, role: 'member' })).toBe('bad_invitation')
        const later = new Date(Date.now() + 400 * 86_400_000).toISOString()
        expect(await s.failure('create_invitation', { ...args, role: 'guest', starts_at: later })).toBe(
          'bad_invitation',
        )
        return s.call('create_invitation', { ...args, role: 'guest' })
      })
      expect(Date.parse(expires_at) - Date.parse(starts_at)).toBe(86_400_000)
      await become(s, 'omar')
      expect(Date.parse((await s.call('view_invitation', { token })).starts_at!)).toBe(Date.parse(starts_at))
      expect(await s.failure('accept_invitation', { token, person_name: 'Omar' })).toBe(
        'invitation_not_started',
      )
      expect(await s.failure('request_sign_up', { token, email: 'new@elsewhere.example' })).toBe(
        'invitation_not_started',
      )
      await become(s, 'postgres')
      await s.rows('update public.invitations set starts_at = now() where starts_at is not null')
      await become(s, 'omar')
      expect((await s.call('view_invitation', { token })).starts_at).toBeNull()
      await s.call('accept_invitation', { token, person_name: 'Omar' })
    }))

  it('lets nobody create an account for an invited address before that time, and stores no time that has passed', () =>
    rolledBack(async (s) => {
      const { workspace, lobby } = fixture
      const args = { workspace, channels: [lobby], role: 'guest' as const, email: 'later@elsewhere.example' }
      const starts_at = new Date(Date.now() + 86_400_000).toISOString()
      await as(s, 'ann', () => s.call('create_invitation', { ...args, starts_at }))
      await become(s, 'postgres')
      const admits = async () => {
        const event = { user: { email: 'later@elsewhere.example' } }
        return !('error' in (await s.value<object>('select public.before_user_created($1)', [event])))
      }
      expect(await admits()).toBe(false)
      await s.rows('update public.invitations set starts_at = now() where starts_at is not null')
      expect(await admits()).toBe(true)
      const { id } = await as(s, 'ann', () =>
        s.call('create_invitation', { ...args, starts_at: '-infinity' }),
      )
      await become(s, 'postgres')
      expect(await s.value('select starts_at from public.invitations where id = $1', [id])).toBeNull()
    }))

  it('mails the time from which a guest can join', () =>
    rolledBack(async (s) => {
      const starts_at = new Date(Date.now() + 86_400_000).toISOString()
      await as(s, 'ann', () =>
        s.call('invite_by_mail', {
          workspace: fixture.workspace,
          emails: ['later@elsewhere.example'],
          role: 'guest',
          channels: [fixture.lobby],
          starts_at,
        }),
      )
      await become(s, 'postgres')
      const mail = (await claim(s)).find(({ to }) => to === 'later@elsewhere.example')!
      expect(Date.parse(mail.starts_at!)).toBe(Date.parse(starts_at))
      expect(renderInvitation(mail, { url: 'https://chat.example', code: null }).plain).toContain(
        'You can join from',
      )
    }))

  it('ends the access of a guest as many days after joining as the invitation states', () =>
    rolledBack(async (s) => {
      const { token } = await as(s, 'ann', () =>
        s.call('create_invitation', {
          workspace: fixture.workspace,
          role: 'guest',
          channels: [fixture.lobby],
          access_days: 7,
        }),
      )
      await become(s, 'omar')
      expect(await s.call('view_invitation', { token })).toMatchObject({ access_days: 7 })
      await s.call('accept_invitation', { token, person_name: 'Omar' })
      const isReadable = () =>
        s.value<boolean>('select exists (select from public.channels where id = $1)', [fixture.lobby])
      expect(await isReadable()).toBe(true)
      await become(s, 'postgres')
      const days = await s.value<number>(
        `select extract(day from m.expires_at - now())::int from public.workspace_members m
         join public.profiles p on p.id = m.profile_id where p.user_id = $1 and m.workspace_id = $2`,
        [fixture.account.omar, fixture.workspace],
      )
      expect(days).toBe(7)
      await s.rows(
        `update public.workspace_members m set expires_at = now() from public.profiles p
         where p.id = m.profile_id and p.user_id = $1 and m.workspace_id = $2`,
        [fixture.account.omar, fixture.workspace],
      )
      await become(s, 'omar')
      expect(await isReadable()).toBe(false)
    }))

  it('is in the language of the workspace, else in that of the installation', () =>
    rolledBack(async (s) => {
      const languages = async (email: string) => {
        await as(s, 'ann', () =>
          s.call('invite_by_mail', {
            workspace: fixture.workspace,
            emails: [email],
            role: 'member',
            channels: [],
          }),
        )
        return (await claim(s)).map(({ language }) => language)
      }
      expect(await languages('una@school.example')).toEqual(['en'])
      await as(s, 'ann', () =>
        s.call('set_workspace_language', { workspace: fixture.workspace, language: 'de' }),
      )
      expect(await languages('uwe@school.example')).toEqual(['de'])
      const { token } = await as(s, 'ann', () =>
        s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [] }),
      )
      expect(await as(s, 'omar', () => s.call('view_invitation', { token }))).toMatchObject({
        language: 'de',
      })
      // Mails of unread messages: what the person has chosen comes first.
      const mailed = (who: Name) =>
        s.value('select app.mail_language($1, $2)', [fixture.workspace, fixture.profile[who]])
      await s.rows(
        `insert into public.notification_preferences (workspace_id, profile_id, mail_language) values ($1, $2, 'en')`,
        [fixture.workspace, fixture.profile.bea],
      )
      expect([await mailed('bea'), await mailed('cem')]).toEqual(['en', 'de'])
      await as(s, 'ann', () =>
        s.call('set_workspace_language', { workspace: fixture.workspace, language: null }),
      )
      expect(await mailed('cem')).toBe('en')
    }))

  it('lets only the access of guests end', async () => {
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('create_invitation', {
          workspace: fixture.workspace,
          role: 'member',
          channels: [],
          access_days: 7,
        }),
      ),
    ).toBe('bad_invitation')
  })
})
