/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** Founding, inviting, entering channels, and being put out. */
describe.each(testDatabases)('entering on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const invitation = (who: Name, args: object) =>
    fixture.rolledBackAs(who, (s) =>
      s.failure('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [fixture.lobby],
        ...args,
      }),
    )
  const invite = (args: object = {}) =>
    fixture.committedAs('ann', (s) =>
      s.call('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [fixture.lobby],
        ...args,
      }),
    )
  const hook = (user: object): Promise<object> =>
    fixture.service((s) => s.value('select public.before_user_created($1)', [JSON.stringify({ user })]))

  it('is founded once, by the bearer of the newest token', async () => {
    const founding = { token: 'set-up', workspace_name: 'Mine', channel_name: 'all', person_name: 'Omar' }
    expect(await fixture.rolledBackAs('omar', (s) => s.failure('found_workspace', founding))).toBe(
      'already_founded',
    )
    expect(await fixture.service((s) => s.value(`select public.register_setup_token()`))).toEqual({
      founded: true,
    })
    expect(
      (
        await fixture.rolledBackAs('ann', (s) =>
          s.refusal((t) => t.rows('select public.register_setup_token()')),
        )
      ).code,
    ).toBe('42501')
    await fixture.service(async (s) => {
      await s.rows('delete from public.workspaces')
      await s.rows('delete from public.profiles')
      await s.rows(`select public.register_setup_token('first')`)
      await s.rows(`select public.register_setup_token('second')`)
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.omar, session_id: fixture.account.omar })],
      )
      expect(await s.failure('found_workspace', { ...founding, token: 'first' })).toBe('bad_token')
      expect(await s.failure('found_workspace', { ...founding, token: 'second', channel_name: ' ' })).toBe(
        'channels_name_length',
      )
      const { workspace } = await s.call('found_workspace', { ...founding, token: 'second' })
      expect((await s.call('bootstrap', {})).me?.role).toBe('owner')
      expect(workspace.name).toBe('Mine')
      await s.rows('reset role')
      expect(await s.value(`select count(*)::int from public.settings where key = 'setup_token'`)).toBe(0)
    })
  })

  it('an invitation has valid limits, and opens a channel to a guest', async () => {
    expect(await invitation('ann', { role: 'guest', channels: [] })).toBe('guest_needs_channel')
    for (const args of [{ role: 'owner' }, { hours: 0 }, { max_uses: 0 }, { email: 'no address' }]) {
      expect(await invitation('ann', args)).toBe('bad_invitation')
    }
  })

  it('shows an invitation to the bearer of its token, also before sign-in, and stores only its hash', async () => {
    const { token, id } = await invite({ email: ' Omar@Harbour.Example ' })
    const shown = await fixture.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))
    expect(shown).toMatchObject({
      workspace_name: 'Harbour Street',
      invited_by: 'Ann Okafor',
      channels: ['lobby'],
      is_member: false,
    })
    expect(await fixture.rolledBackAs('anon', (s) => s.failure('view_invitation', { token: 'x' }))).toBe(
      'invitation_invalid',
    )
    await fixture.service(async (s) => {
      expect(
        await s.value('select count(*)::int from public.invitations i where i::text like $1', [`%${token}%`]),
      ).toBe(0)
    })
    expect(
      await fixture.rolledBackAs('zoe', (s) => s.failure('accept_invitation', { token, person_name: 'Zoe' })),
    ).toBe('invitation_other_email')
    expect(await fixture.rolledBackAs('bea', (s) => s.failure('revoke_invitation', { id }))).toBe('not_found')
    await fixture.rolledBackAs('omar', async (s) => {
      expect(await s.failure('accept_invitation', { token, person_name: ' ' })).toBe('profiles_name_length')
      const first = await s.call('accept_invitation', { token, person_name: 'Omar' })
      expect(first.channel_id).toBe(fixture.lobby)
      expect(await s.call('accept_invitation', { token, person_name: 'Other' })).toEqual(first)
      expect((await s.call('bootstrap', {})).channels[0]!.counts).toEqual({ unread: 0, mentions: 0 })
      expect((await s.call('view_invitation', { token })).is_member).toBe(true)
    })
    await fixture.service(
      (s) => s.rows('update public.invitations set uses = max_uses where id = $1', [id]),
      true,
    )
    for (const outsider of ['anon', 'omar'] as const)
      expect(await fixture.rolledBackAs(outsider, (s) => s.failure('view_invitation', { token }))).toBe(
        'invitation_used',
      )
    // Members can open the link again that they joined with.
    for (const member of ['bea', 'gus'] as const)
      expect(
        (await fixture.rolledBackAs(member, (s) => s.call('view_invitation', { token }))).is_member,
      ).toBe(true)
    await fixture.committedAs('ann', (s) => s.call('revoke_invitation', { id }))
    expect(
      await fixture.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token, person_name: 'Omar' }),
      ),
    ).toBe('invitation_revoked')
    const old = await invite()
    await fixture.service(
      (s) => s.rows(`update public.invitations set expires_at = now() where id = $1`, [old.id]),
      true,
    )
    expect(
      await fixture.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token: old.token, person_name: 'Omar' }),
      ),
    ).toBe('invitation_expired')
  })

  it('a deactivated member can return only by a newer invitation', async () => {
    const link = await invite()
    expect(
      await fixture.rolledBackAs('dee', (s) =>
        s.failure('accept_invitation', { token: link.token, person_name: 'Dee' }),
      ),
    ).toBe('not_allowed')
    const letter = await invite({ email: 'dee@harbour.example' })
    await fixture.rolledBackAs('dee', async (s) => {
      await s.call('accept_invitation', { token: letter.token, person_name: 'Dee' })
      expect((await s.call('bootstrap', {})).me?.role).toBe('member')
    })
  })

  it('a returning member joins the channels of the invitation, not their former channels', async () => {
    const letter = await invite({ email: 'cem@harbour.example', role: 'guest' })
    await fixture.service(async (s) => {
      const reads = () =>
        s.rows<{ channel_id: string; floor: boolean }>(
          'select channel_id, history_from_seq > 1 as floor from app.my_readable_channels() order by channel_id',
        )
      const become = (who: Name) =>
        s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: fixture.account[who], session_id: fixture.account[who] })],
        )
      await become('cem')
      expect((await reads()).map((row) => row.channel_id)).toContain(fixture.closed)
      await become('ann')
      await s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem })
      await s.rows('reset role')
      await s.rows(`update public.invitations set created_at = now() + interval '1 s' where id = $1`, [
        letter.id,
      ])
      await become('cem')
      expect(await reads()).toEqual([])
      await s.call('accept_invitation', { token: letter.token, person_name: 'Cem' })
      expect(await reads()).toEqual([{ channel_id: fixture.lobby, floor: true }])
    })
  })

  it('an invitation from before a removal does not readmit a person to the channel', async () => {
    const room = randomUUID()
    await fixture.committedAs('ann', (s) =>
      s.call('create_channel', { id: room, workspace: fixture.workspace, kind: 'private', name: 'attic' }),
    )
    const link = await invite({ channels: [room] })
    const letter = await invite({ channels: [room], email: 'bea@harbour.example' })
    const tries = (who: Name, token: string) =>
      fixture.rolledBackAs(who, async (s) => {
        const { channel_id } = await s.call('accept_invitation', { token, person_name: 'Again' })
        const { channels } = await s.call('bootstrap', {})
        return [channel_id, channels.some((entry) => entry.channel.id === room)]
      })
    expect(await tries('bea', link.token)).toEqual([room, true])
    expect(await tries('bea', letter.token)).toEqual([room, true])
    await fixture.committedAs('bea', (s) =>
      s.call('accept_invitation', { token: link.token, person_name: 'Bea Example' }),
    )
    await fixture.committedAs('ann', (s) =>
      s.call('remove_member', { channel: room, person: fixture.profile.bea }),
    )
    expect(await tries('bea', link.token)).toEqual([null, false])
    expect(await tries('bea', letter.token)).toEqual([null, false])
    expect(await tries('bea', (await invite({ channels: [room] })).token)).toEqual([null, false])
    expect(await tries('cem', link.token)).toEqual([room, true])
    const since = await invite({ channels: [room], email: 'bea@harbour.example' })
    expect(await tries('bea', since.token)).toEqual([room, true])
    await fixture.committedAs('ann', (s) =>
      s.call('add_members', { channel: room, people: [fixture.profile.bea] }),
    )
    expect(await tries('bea', link.token)).toEqual([room, true])
  })

  it('an invitation ends with the membership of its author', async () => {
    const { id, token } = await invite()
    const sees = () => fixture.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.sid,
      ])
      await s.rows('update public.invitations set invited_by = $2 where id = $1', [id, fixture.profile.sid])
    }, true)
    expect(await sees()).toMatchObject({ role: 'member' })
    await fixture.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.sid }),
    )
    const ended = 'invitation_revoked'
    expect(await fixture.rolledBackAs('anon', (s) => s.failure('view_invitation', { token }))).toBe(ended)
    expect(
      await fixture.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token, person_name: 'Sid again' }),
      ),
    ).toBe(ended)
  })

  it('ends an invitation with the account of its author, and with the role that may grant what it grants', async () => {
    const { id, token } = await invite()
    const admin = await invite({ role: 'admin' })
    await fixture.committedAs('omar', (s) =>
      s.call('request_sign_up', { token, email: 'joining@harbour.example' }),
    )
    const state = (s: TestTransaction, used: string) =>
      s.call('view_invitation', { token: used }).then(() => 'valid')
    const mayJoin = async (s: TestTransaction) =>
      !(
        'error' in
        (await s.value<object>('select public.before_user_created($1)', [
          { user: { email: 'joining@harbour.example' } },
        ]))
      )
    for (const ending of [
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
      'update auth.users set deleted_at = now() where id = $1',
      'delete from auth.users where id = $1',
    ]) {
      await fixture.service(async (s) => {
        await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ])
        await s.rows('update public.invitations set invited_by = $1 where id = any ($2)', [
          fixture.profile.cem,
          [id, admin.id],
        ])
        expect(await state(s, token), ending).toBe('valid')
        expect(await mayJoin(s), ending).toBe(true)
        // Written as an owner, who is an admin now.
        expect(await s.failure('view_invitation', { token: admin.token }), ending).toBe('invitation_revoked')
        await s.rows(ending, [fixture.account.cem])
        expect(await s.failure('view_invitation', { token }), ending).toBe('invitation_revoked')
        expect(await mayJoin(s), ending).toBe(false)
      })
    }
  })

  it('opens no channel by an invitation whose author has left it', async () => {
    const channel = randomUUID()
    await fixture.committedAs('ann', async (s) => {
      const name = 'left by its author'
      await s.call('create_channel', { id: channel, workspace: fixture.workspace, kind: 'private', name })
      await s.call('add_members', { channel, people: [fixture.profile.bea] })
    })
    const { token } = await invite({ channels: [channel, fixture.lobby] })
    const opened = async () => ({
      named: (await fixture.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))).channels
        .length,
      entered: await fixture.rolledBackAs('cem', async (s) => {
        await s.call('accept_invitation', { token, person_name: 'Cem' })
        return (await s.call('bootstrap', {})).channels.some((entry) => entry.channel.id === channel)
      }),
    })
    expect(await opened()).toEqual({ named: 2, entered: true })
    await fixture.committedAs('ann', (s) => s.call('leave_channel', { channel }))
    expect(await opened()).toEqual({ named: 1, entered: false })
  })

  it('counts a member who enters a channel by an invitation as one use, once', async () => {
    const channel = randomUUID()
    await fixture.committedAs('ann', (s) =>
      s.call('create_channel', {
        id: channel,
        workspace: fixture.workspace,
        kind: 'private',
        name: 'for one',
      }),
    )
    const { id, token } = await invite({ channels: [channel], max_uses: 1 })
    const accept = (who: Name) =>
      fixture.committedAs(who, (s) => s.call('accept_invitation', { token, person_name: who }))
    await accept('bea')
    await accept('bea')
    await accept('cem')
    await fixture.service(async (s) => {
      expect(await s.value('select uses from public.invitations where id = $1', [id])).toBe(1)
      expect(
        await s.value(
          'select count(*)::int from public.channel_members where channel_id = $1 and profile_id = any ($2)',
          [channel, [fixture.profile.bea, fixture.profile.cem]],
        ),
      ).toBe(1)
    })
  })

  it('invited people can create an account, and everyone before a workspace exists', async () => {
    const { token } = await invite()
    await invite({ email: 'new@harbour.example' })
    expect(await hook({ email: 'NEW@harbour.example' })).toEqual({})
    await fixture.committedAs('omar', (s) =>
      s.call('request_sign_up', { token, email: ' Linked@harbour.example ' }),
    )
    expect(await hook({ email: 'linked@harbour.example' })).toEqual({})
    // A token in the metadata, where every access token would carry it, permits nothing.
    expect(await hook({ email: 'any@harbour.example', user_metadata: { invitation: token } })).toMatchObject({
      error: { http_code: 403 },
    })
    for (const user of [
      { email: 'any@harbour.example' },
      { email: 'any@harbour.example', user_metadata: { invitation: 'x' } },
      {},
    ]) {
      expect(await hook(user)).toMatchObject({ error: { http_code: 403 } })
    }
    await fixture.service(async (s) => {
      await s.rows('delete from public.workspaces')
      expect(await s.value('select public.before_user_created($1)', ['{}'])).toEqual({})
    })
    expect(
      (
        await fixture.rolledBackAs('ann', (s) =>
          s.refusal((t) => t.rows(`select public.before_user_created('{}')`)),
        )
      ).code,
    ).toBe('42501')
  })

  it('permits sign-ups only by a valid invitation, for an hour, and for 100 addresses', async () => {
    const { id, token } = await invite()
    const { token: mailed } = await invite({ email: 'named@harbour.example' })
    const request = (args: { token: string; email: string }) =>
      fixture.rolledBackAs('anon', (s) => s.failure('request_sign_up', args))
    expect(await request({ token: 'guessed', email: 'any@harbour.example' })).toBe('invitation_invalid')
    expect(await request({ token, email: 'no address' })).toBe('email_address_invalid')
    expect(await request({ token: mailed, email: 'any@harbour.example' })).toBe('invitation_other_email')
    await fixture.service(async (s) => {
      const admitted = async (email: string) =>
        !('error' in (await s.value<object>('select public.before_user_created($1)', [{ user: { email } }])))
      for (let number = 1; number <= 101; number++) {
        await s.call('request_sign_up', { token, email: `person${number}@harbour.example` })
      }
      const count = 'select count(*)::int from public.sign_up_requests where invitation_id = $1'
      expect(await s.value(count, [id])).toBe(100)
      expect(await admitted('person101@harbour.example')).toBe(true)
      await s.rows(`update public.sign_up_requests set requested_at = now() - interval '61 minutes'`)
      expect(await admitted('person101@harbour.example')).toBe(false)
      await s.call('request_sign_up', { token, email: 'last@harbour.example' })
      expect(await s.value(count, [id])).toBe(1)
      await s.rows('update public.invitations set revoked_at = now() where id = $1', [id])
      expect(await admitted('last@harbour.example')).toBe(false)
      expect(await s.failure('request_sign_up', { token, email: 'last@harbour.example' })).toBe(
        'invitation_revoked',
      )
    })
  })

  it('admits nobody with a language that the templates of mails cannot compare', async () => {
    await invite({ email: 'named@harbour.example' })
    await fixture.service(async (s) => {
      const decide = (language: unknown) =>
        s.value<object>('select public.before_user_created($1)', [
          { user: { email: 'named@harbour.example', user_metadata: { language } } },
        ])
      for (const language of ['de', null]) expect(await decide(language)).toEqual({})
      for (const language of [7, ['de']])
        expect(await decide(language)).toMatchObject({ error: { http_code: 400 } })
    })
  })

  it('admits nobody by an address alone where nobody confirms addresses', async () => {
    const { token } = await invite()
    const { token: mailed } = await invite({ email: 'named@harbour.example' })
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.workspace_domains (workspace_id, domain, admission) values ($1, 'domain.example', 'join')`,
        [fixture.workspace],
      )
      const decide = (email: string, event: object) =>
        s.value<object>('select public.before_user_created($1)', [{ user: { email }, ...event }])
      const admitted = async (email: string, event: object) => !('error' in (await decide(email, event)))
      for (const email of ['named@harbour.example', 'any@domain.example']) {
        expect(await admitted(email, {})).toBe(true)
        expect(await admitted(email, { confirms_email: false })).toBe(false)
      }
      await s.call('request_sign_up', { token: mailed, email: 'named@harbour.example' })
      await s.call('request_sign_up', { token, email: 'any@domain.example' })
      for (const email of ['named@harbour.example', 'any@domain.example'])
        expect(await admitted(email, { confirms_email: false })).toBe(true)
      // An account that an import created, and that nobody has used.
      await s.rows('update auth.users set email = $2, last_sign_in_at = null where id = $1', [
        fixture.account.bea,
        'any@domain.example',
      ])
      const unused = () => decide('any@domain.example', { confirms_email: false })
      expect(await unused()).toEqual({ error: { http_code: 403, message: 'account_needs_code' } })
      // Nobody else learns of the account.
      await s.rows(`delete from public.sign_up_requests where email = 'any@domain.example'`)
      expect(await unused()).toEqual(await decide('nobody@other.example', { confirms_email: false }))
    })
  })

  it('accepts an unconfirmed address only with the invitation with which it signed up', async () => {
    const { token } = await invite()
    const { token: other } = await invite()
    const sql = (text: string) =>
      fixture.service((s) => s.rows<{ email: string }>(text, [fixture.account.omar]), true)
    await sql('update auth.users set email_confirmed_at = null where id = $1')
    const [{ email }] = (await sql('select email from auth.users where id = $1')) as [{ email: string }]
    const accept = (shown: string, permitted: string) =>
      fixture.rolledBackAs('omar', async (s) => {
        await s.call('request_sign_up', { token: permitted, email })
        return s.call('accept_invitation', { token: shown, person_name: 'Omar' })
      })
    await expect(accept(other, token)).rejects.toThrow('invitation_other_email')
    expect(await accept(token, token)).toMatchObject({ channel_id: fixture.lobby })
    await sql('update auth.users set email_confirmed_at = now() where id = $1')
  })

  it('refuses an account whose invitation mail would name another inviter or workspace', async () => {
    const { token } = await invite()
    await invite({ email: 'named@harbour.example' })
    const names = { invited_by: 'Ann Okafor', workspace_name: 'Harbour Street' }
    const callHook = (user_metadata: object, email = 'named@harbour.example') =>
      hook({ email, user_metadata })
    expect(await callHook(names)).toEqual({})
    await fixture.committedAs('omar', (s) =>
      s.call('request_sign_up', { token, email: 'any@harbour.example' }),
    )
    expect(await callHook(names, 'any@harbour.example')).toEqual({})
    for (const forged of [
      { ...names, invited_by: 'Your bank' },
      { ...names, workspace_name: 'Win a prize' },
      { ...names, invited_by: { toString: 'Ann Okafor' } },
    ]) {
      expect(await callHook(forged), JSON.stringify(forged)).toMatchObject({ error: { http_code: 403 } })
      expect(await callHook(forged, 'any@harbour.example')).toMatchObject({
        error: { http_code: 403 },
      })
    }
    await fixture.service(async (s) => {
      await s.rows('delete from public.workspaces')
      const event = JSON.stringify({ user: { email: 'any@harbour.example', user_metadata: names } })
      expect(await s.value('select public.before_user_created($1)', [event])).toMatchObject({
        error: { http_code: 403 },
      })
    })
  })

  it('only owners and admins can rename their workspace', async () => {
    const args = { workspace: fixture.workspace, name: ' Harbour Street 7 ' }
    for (const who of ['bea', 'gus'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.failure('rename_workspace', args)), who).toBe(
        'not_allowed',
      )
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.failure('rename_workspace', args)), who).toBe(
        'not_found',
      )
    await fixture.rolledBackAs('ann', async (s) => {
      for (const name of ['  ', 'a'.repeat(81), 'two\nlines', '\u202egnihsihp'])
        expect(await s.failure('rename_workspace', { ...args, name }), name).toBe('workspaces_name_length')
      expect(await s.call('rename_workspace', args)).toEqual({
        id: fixture.workspace,
        name: 'Harbour Street 7',
        rev: 1,
      })
      expect((await s.call('bootstrap', {})).workspace?.name).toBe('Harbour Street 7')
    })
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      expect((await s.call('rename_workspace', args)).name).toBe('Harbour Street 7')
    })
  })

  it('makes a channel once, with one name', async () => {
    const args = { id: randomUUID(), workspace: fixture.workspace, kind: 'private' as const, name: 'Ärzte' }
    const made = await fixture.committedAs('bea', (s) => s.call('create_channel', args))
    expect(made).toMatchObject({
      member: true,
      channel_role: 'admin',
      counters: { last_seq: 1, rev: 2, meta_rev: 2 },
    })
    expect(await fixture.committedAs('bea', (s) => s.call('create_channel', args))).toEqual(made)
    expect(await fixture.rolledBackAs('cem', (s) => s.failure('create_channel', args))).toBe('conflict')
    const again = { ...args, id: randomUUID(), name: ' äRZTE ' }
    expect(await fixture.rolledBackAs('bea', (s) => s.failure('create_channel', again))).toBe(
      'channels_name_unique',
    )
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('create_channel', { ...again, name: 'x'.repeat(81) }),
      ),
    ).toBe('channels_name_length')
    expect(
      await fixture.rolledBackAs('gus', (s) => s.failure('create_channel', { ...again, name: 'mine' })),
    ).toBe('not_allowed')
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const) {
      expect(
        await fixture.rolledBackAs(who, (s) => s.failure('create_channel', { ...again, name: 'mine' })),
        who,
      ).toBe('not_found')
    }
  })

  it('full members can join public channels, guests cannot, and members can add others and leave', async () => {
    expect(
      await fixture.rolledBackAs('gus', (s) => s.failure('join_channel', { channel: fixture.side })),
    ).toBe('not_found')
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('add_members', { channel: fixture.side, people: [fixture.profile.ann] }),
      ),
    ).toBe('not_a_member')
    await fixture.rolledBackAs('cem', async (s) => {
      const entry = await s.call('join_channel', { channel: fixture.side })
      expect(entry).toMatchObject({ member: true, counts: { unread: 0 } })
      expect(await s.call('join_channel', { channel: fixture.side })).toEqual(entry)
      const added = await s.call('add_members', {
        channel: fixture.side,
        people: [fixture.profile.ann, fixture.profile.bea],
      })
      expect(added.people).toEqual([fixture.profile.ann])
      expect(await s.failure('add_members', { channel: fixture.side, people: [fixture.profile.dee] })).toBe(
        'not_found',
      )
      expect(await s.failure('add_members', { channel: fixture.side, people: [fixture.profile.zoe] })).toBe(
        'not_found',
      )
      expect(await s.failure('remove_member', { channel: fixture.side, person: fixture.profile.ann })).toBe(
        'not_allowed',
      )
      await s.call('leave_channel', { channel: fixture.side })
      const { channels } = await s.call('browse_channels', { workspace: fixture.workspace })
      expect(channels.find((c) => c.channel.id === fixture.side)).toMatchObject({ member: false, members: 2 })
    })
    const guests = await fixture.rolledBackAs('gus', (s) =>
      s.call('browse_channels', { workspace: fixture.workspace }),
    )
    expect(guests.channels.map((c) => c.channel.id)).toEqual([fixture.lobby])
  })

  it('the channel browser has the time of the latest message of each channel, for its readers only', async () => {
    const listed = async (who: 'bea' | 'gus', id: string) => {
      const { channels } = await fixture.rolledBackAs(who, (s) =>
        s.call('browse_channels', { workspace: fixture.workspace }),
      )
      return channels.find((entry) => entry.channel.id === id)
    }
    await fixture.rolledBackAs('bea', async (s) => {
      const entry = await s.call('create_channel', {
        id: randomUUID(),
        workspace: fixture.workspace,
        kind: 'public',
        name: 'quiet',
      })
      const browse = async () => {
        const { channels } = await s.call('browse_channels', { workspace: fixture.workspace })
        return channels.find(({ channel }) => channel.id === entry.channel.id)
      }
      expect((await browse())?.last_message_at).toBe(entry.last_message_at)
      const sent = await s.call('send_message', {
        id: randomUUID(),
        channel: entry.channel.id,
        body: 'First',
      })
      const at = (await browse())?.last_message_at
      expect(Date.parse(at ?? '')).toBe(Date.parse(sent.message.created_at))
    })
    expect(await listed('bea', fixture.side)).toHaveProperty('last_message_at')
    expect(await listed('gus', fixture.side)).toBe(undefined)
    expect(await listed('gus', fixture.lobby)).toMatchObject({ member: true })
  })

  it('those who manage a channel change its name and posting, any member its topic, guests nothing', async () => {
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('update_channel', { channel: fixture.lobby, name: 'x' }),
      ),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('gus', (s) =>
        s.failure('update_channel', { channel: fixture.lobby, topic: 'x' }),
      ),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('update_channel', { channel: fixture.direct, name: 'x' }),
      ),
    ).toBe('not_allowed')
    await fixture.rolledBackAs('cem', async (s) => {
      const before = await s.call('update_channel', { channel: fixture.lobby })
      const after = await s.call('update_channel', { channel: fixture.lobby, topic: ' Hello ' })
      expect(after.channel.topic).toBe('Hello')
      expect(after.counters.rev).toBe(before.counters.rev + 2)
      expect(after.counters.meta_rev).toBe(before.counters.rev + 1)
    })
  })

  it('opens one conversation for the same people, and hides it until its first message', async () => {
    const [ann, bea] = [fixture.profile.ann, fixture.profile.bea]
    await fixture.rolledBackAs('bea', async (s) => {
      const entry = await s.call('open_direct', { workspace: fixture.workspace, people: [ann] })
      expect(entry.channel).toMatchObject({
        id: fixture.direct,
        kind: 'direct',
        people: [ann, bea].toSorted(),
      })
      const group = await s.call('open_direct', {
        workspace: fixture.workspace,
        people: [ann, fixture.profile.cem],
      })
      expect(group.channel.kind).toBe('group')
      const same = await s.call('open_direct', {
        workspace: fixture.workspace,
        people: [fixture.profile.cem, ann, bea],
      })
      expect(same.channel.id).toBe(group.channel.id)
      expect(
        (await s.call('open_direct', { workspace: fixture.workspace, people: [] })).channel.people,
      ).toEqual([bea])
      for (const person of [fixture.profile.dee, fixture.profile.zoe, randomUUID()]) {
        expect(await s.failure('open_direct', { workspace: fixture.workspace, people: [person] })).toBe(
          'not_found',
        )
      }
      expect(
        await s.failure('open_direct', {
          workspace: fixture.workspace,
          people: Array.from({ length: 12 }, () => randomUUID()),
        }),
      ).toBe('direct_too_many')
      await s.call('leave_channel', { channel: fixture.direct })
      const shown = async () =>
        (await s.call('bootstrap', {})).channels.some((c) => c.channel.id === fixture.direct)
      expect(await shown()).toBe(false)
      await s.call('send_message', { id: randomUUID(), channel: fixture.direct, body: 'Still there?' })
      expect(await shown()).toBe(true)
    })
  })

  it('shows a guest only people with whom they share a channel', async () => {
    const una = await fixture.service(async (s) => {
      const id = await s.value<string>(`insert into public.profiles (name) values ('Una') returning id`)
      await s.rows(`insert into public.workspace_members values ($1, $2, 'member')`, [fixture.workspace, id])
      return id
    }, true)
    const message = fixture.messages.fresh
    const args = { workspace: fixture.workspace, people: [una] }
    await fixture.rolledBackAs('bea', async (s) => {
      expect((await s.call('who_can_read', { message })).people).toContain(una)
      expect((await s.call('open_direct', args)).channel.people).toContain(una)
    })
    await fixture.rolledBackAs('gus', async (s) => {
      expect((await s.call('who_can_read', { message })).people).not.toContain(una)
      expect(await s.failure('open_direct', args)).toBe('not_found')
      const { members } = await s.call('bootstrap', {})
      expect(members.map((member) => member.profile.id)).not.toContain(una)
    })
  })

  it('rights end at once: by an admin, by expiry, by signing out, by losing the account', async () => {
    expect(
      await fixture.rolledBackAs('bea', (s) =>
        s.failure('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
      ),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.zoe }),
      ),
    ).toBe('not_found')
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.ann }),
      ),
    ).toBe('not_allowed')
    const sees = (who: Name) =>
      fixture.rolledBackAs(who, (s) => s.value<number>('select count(*)::int from public.messages'))
    expect(await sees('cem')).toBeGreaterThan(0)
    await fixture.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
    )
    expect(await sees('cem')).toBe(0)

    expect(await sees('gus')).toBeGreaterThan(0)
    await fixture.service(
      (s) =>
        s.rows(`update public.channel_members set expires_at = now() where profile_id = $1`, [
          fixture.profile.gus,
        ]),
      true,
    )
    expect(await sees('gus')).toBe(0)
    // The first beat ends the place of Max, who is a day late; the next one Gus's membership.
    await fixture.committedAs('bea', (s) =>
      s.call('heartbeat', { workspace: fixture.workspace, state: 'active' }),
    )
    await fixture.committedAs('bea', (s) =>
      s.call('heartbeat', { workspace: fixture.workspace, state: 'active' }),
    )
    expect(
      await fixture.service((s) =>
        s.value(`select count(*)::int from public.channel_members where profile_id = $1`, [
          fixture.profile.gus,
        ]),
      ),
    ).toBe(0)

    expect(await sees('eli')).toBeGreaterThan(0)
    await fixture.service((s) => s.rows('delete from auth.users where id = $1', [fixture.account.eli]), true)
    expect(await sees('eli')).toBe(0)
    const { members } = await fixture.rolledBackAs('bea', (s) => s.call('bootstrap', {}))
    expect(members.find((m) => m.profile.id === fixture.profile.eli)?.profile.name).toBe('eli Example')
    expect(members.find((m) => m.profile.id === fixture.profile.cem)?.state).toBe('deactivated')
    expect(
      await fixture.service((s) =>
        s.value(`select user_id from public.profiles where id = $1`, [fixture.profile.eli]),
      ),
    ).toBeNull()
  })

  it('an owner can remove the name of a former member, and their messages stay', async () => {
    const { workspace, profile } = fixture
    const erase = { workspace, person: profile.dee }
    await fixture.rolledBackAs('bea', async (s) =>
      expect(await s.failure('erase_person', erase)).toBe('not_allowed'),
    )
    await fixture.rolledBackAs('ann', async (s) => {
      for (const person of [profile.bea, profile.ann]) {
        expect(await s.failure('erase_person', { workspace, person })).toBe('not_allowed')
      }
      expect(await s.failure('erase_person', { workspace, person: profile.zoe })).toBe('not_found')
      const nobody = { name: '', avatar: null, status_text: null }
      expect(await s.call('erase_person', erase)).toMatchObject({ profile: nobody, state: 'deactivated' })
      const { members } = await s.call('bootstrap', {})
      expect(members.find((one) => one.profile.id === profile.dee)?.profile).toMatchObject(nobody)
    })
    // An account that is gone takes its status along, and leaves the name to its messages until it is asked for.
    await fixture.service(async (s) => {
      await s.rows(
        `update public.profiles set status_text = 'At sea', presence = 'away', title = 'Nurse', pronouns = 'she/her', time_zone = 'UTC' where id = $1`,
        [profile.bea],
      )
      await s.rows('update public.profiles set user_id = null where id = $1', [profile.bea])
      const card =
        'select name, status_text, presence, title, time_zone, pronouns from public.profiles where id = $1'
      expect(await s.rows(card, [profile.bea])).toEqual([
        {
          name: 'bea Example',
          status_text: null,
          presence: 'auto',
          title: null,
          time_zone: null,
          pronouns: null,
        },
      ])
      await s.rows(
        `select set_config('request.jwt.claims', jsonb_build_object('sub', $1::text, 'session_id', $1::text)::text, true)`,
        [fixture.account.ann],
      )
      await s.call('erase_person', { workspace, person: profile.bea })
      expect(await s.value('select name from public.profiles where id = $1', [profile.bea])).toBe(
        'Former member',
      )
      const { messages } = await s.call('channel_page', { channel: fixture.lobby })
      expect(messages.find((one) => one.id === fixture.messages.old)).toMatchObject({
        author_id: profile.bea,
        body: expect.stringContaining('Orchids'),
      })
    })
  })
})
