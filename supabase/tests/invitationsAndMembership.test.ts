/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { openWorld, type Name, type TestTransaction, type World } from './support/world.ts'

/** Founding, inviting, entering channels, and being put out. */
describe.each(testDatabases)('entering on $name', ({ open }) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(await open())
  })
  afterAll(() => world.stop())

  const invitation = (who: Name, args: object) =>
    world.rolledBackAs(who, (s) =>
      s.failure('create_invitation', {
        workspace: world.workspace,
        role: 'member',
        channels: [world.lobby],
        ...args,
      }),
    )
  const invite = (args: object = {}) =>
    world.committedAs('ann', (s) =>
      s.call('create_invitation', {
        workspace: world.workspace,
        role: 'member',
        channels: [world.lobby],
        ...args,
      }),
    )
  const hook = (user: object): Promise<object> =>
    world.service((s) => s.value('select public.before_user_created($1)', [JSON.stringify({ user })]))

  it('is founded once, by the bearer of the newest token', async () => {
    const founding = { token: 'set-up', workspace_name: 'Mine', channel_name: 'all', person_name: 'Omar' }
    expect(await world.rolledBackAs('omar', (s) => s.failure('found_workspace', founding))).toBe(
      'already_founded',
    )
    expect(await world.service((s) => s.value(`select public.register_setup_token()`))).toEqual({
      founded: true,
    })
    expect(
      (
        await world.rolledBackAs('ann', (s) =>
          s.refusal((t) => t.rows('select public.register_setup_token()')),
        )
      ).code,
    ).toBe('42501')
    await world.service(async (s) => {
      await s.rows('truncate public.workspaces, public.profiles cascade')
      await s.rows(`select public.register_setup_token('first')`)
      await s.rows(`select public.register_setup_token('second')`)
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: world.account.omar, session_id: world.account.omar })],
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

  it('only owners and admins can invite, and only to channels that they can read', async () => {
    for (const who of ['bea', 'gus'] as const) expect(await invitation(who, {}), who).toBe('not_allowed')
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const)
      expect(await invitation(who, {}), who).toBe('not_found')
    expect(await invitation('ann', { channels: [world.closed] })).toBe('not_found')
    expect(await invitation('ann', { channels: [world.direct] })).toBe('not_found')
    expect(await invitation('ann', { channels: [randomUUID()] })).toBe('not_found')
    expect(await invitation('ann', { role: 'guest', channels: [] })).toBe('guest_needs_channel')
    for (const args of [{ role: 'owner' }, { hours: 0 }, { max_uses: 0 }, { email: 'no address' }]) {
      expect(await invitation('ann', args)).toBe('bad_invitation')
    }
  })

  it('shows an invitation to the bearer of its token, also before sign-in, and stores only its hash', async () => {
    const { token, id } = await invite({ email: ' Omar@Harbour.Example ' })
    const shown = await world.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))
    expect(shown).toMatchObject({
      workspace_name: 'Harbour Street',
      invited_by: 'Ann Okafor',
      channels: ['lobby'],
    })
    expect(await world.rolledBackAs('anon', (s) => s.failure('view_invitation', { token: 'x' }))).toBe(
      'invitation_invalid',
    )
    await world.service(async (s) => {
      expect(
        await s.value('select count(*)::int from public.invitations i where i::text like $1', [`%${token}%`]),
      ).toBe(0)
    })
    expect(
      await world.rolledBackAs('zoe', (s) => s.failure('accept_invitation', { token, person_name: 'Zoe' })),
    ).toBe('invitation_other_email')
    expect(await world.rolledBackAs('bea', (s) => s.failure('revoke_invitation', { id }))).toBe('not_found')
    await world.rolledBackAs('omar', async (s) => {
      expect(await s.failure('accept_invitation', { token, person_name: ' ' })).toBe('profiles_name_length')
      const first = await s.call('accept_invitation', { token, person_name: 'Omar' })
      expect(first.channel_id).toBe(world.lobby)
      expect(await s.call('accept_invitation', { token, person_name: 'Other' })).toEqual(first)
      expect((await s.call('bootstrap', {})).channels[0]!.counts).toEqual({ unread: 0, mentions: 0 })
      expect(await s.failure('view_invitation', { token })).toBe('invitation_used')
    })
    await world.committedAs('ann', (s) => s.call('revoke_invitation', { id }))
    expect(
      await world.rolledBackAs('omar', (s) => s.failure('accept_invitation', { token, person_name: 'Omar' })),
    ).toBe('invitation_revoked')
    const old = await invite()
    await world.service(
      (s) => s.rows(`update public.invitations set expires_at = now() where id = $1`, [old.id]),
      true,
    )
    expect(
      await world.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token: old.token, person_name: 'Omar' }),
      ),
    ).toBe('invitation_expired')
  })

  it('a deactivated member can return only by a newer invitation', async () => {
    const link = await invite()
    expect(
      await world.rolledBackAs('dee', (s) =>
        s.failure('accept_invitation', { token: link.token, person_name: 'Dee' }),
      ),
    ).toBe('not_allowed')
    const letter = await invite({ email: 'dee@harbour.example' })
    await world.rolledBackAs('dee', async (s) => {
      await s.call('accept_invitation', { token: letter.token, person_name: 'Dee' })
      expect((await s.call('bootstrap', {})).me?.role).toBe('member')
    })
  })

  it('a returning member joins the channels of the invitation, not their former channels', async () => {
    const letter = await invite({ email: 'cem@harbour.example', role: 'guest' })
    await world.service(async (s) => {
      const reads = () =>
        s.rows<{ channel_id: string; floor: boolean }>(
          'select channel_id, history_from_seq > 1 as floor from app.my_readable_channels() order by channel_id',
        )
      const become = (who: Name) =>
        s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: world.account[who], session_id: world.account[who] })],
        )
      await become('cem')
      expect((await reads()).map((row) => row.channel_id)).toContain(world.closed)
      await become('ann')
      await s.call('deactivate_member', { workspace: world.workspace, person: world.profile.cem })
      await s.rows('reset role')
      await s.rows(`update public.invitations set created_at = now() + interval '1 s' where id = $1`, [
        letter.id,
      ])
      await become('cem')
      expect(await reads()).toEqual([])
      await s.call('accept_invitation', { token: letter.token, person_name: 'Cem' })
      expect(await reads()).toEqual([{ channel_id: world.lobby, floor: true }])
    })
  })

  it('an invitation from before a removal does not readmit a person to the channel', async () => {
    const room = randomUUID()
    await world.committedAs('ann', (s) =>
      s.call('create_channel', { id: room, workspace: world.workspace, kind: 'private', name: 'attic' }),
    )
    const link = await invite({ channels: [room] })
    const letter = await invite({ channels: [room], email: 'bea@harbour.example' })
    const tries = (who: Name, token: string) =>
      world.rolledBackAs(who, async (s) => {
        const { channel_id } = await s.call('accept_invitation', { token, person_name: 'Again' })
        const { channels } = await s.call('bootstrap', {})
        return [channel_id, channels.some((entry) => entry.channel.id === room)]
      })
    expect(await tries('bea', link.token)).toEqual([room, true])
    expect(await tries('bea', letter.token)).toEqual([room, true])
    await world.committedAs('bea', (s) =>
      s.call('accept_invitation', { token: link.token, person_name: 'Bea Example' }),
    )
    await world.committedAs('ann', (s) =>
      s.call('remove_member', { channel: room, person: world.profile.bea }),
    )
    expect(await tries('bea', link.token)).toEqual([null, false])
    expect(await tries('bea', letter.token)).toEqual([null, false])
    expect(await tries('bea', (await invite({ channels: [room] })).token)).toEqual([null, false])
    expect(await tries('cem', link.token)).toEqual([room, true])
    const since = await invite({ channels: [room], email: 'bea@harbour.example' })
    expect(await tries('bea', since.token)).toEqual([room, true])
    await world.committedAs('ann', (s) =>
      s.call('add_members', { channel: room, people: [world.profile.bea] }),
    )
    expect(await tries('bea', link.token)).toEqual([room, true])
  })

  it('an invitation ends with the membership of its author', async () => {
    const { id, token } = await invite()
    const sees = () => world.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))
    await world.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        world.profile.sid,
      ])
      await s.rows('update public.invitations set invited_by = $2 where id = $1', [id, world.profile.sid])
    }, true)
    expect(await sees()).toMatchObject({ role: 'member' })
    await world.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: world.workspace, person: world.profile.sid }),
    )
    const ended = 'invitation_revoked'
    expect(await world.rolledBackAs('anon', (s) => s.failure('view_invitation', { token }))).toBe(ended)
    expect(
      await world.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token, person_name: 'Sid again' }),
      ),
    ).toBe(ended)
  })

  it('ends an invitation with the account of its author, and with the role that may grant what it grants', async () => {
    const { id, token } = await invite()
    const admin = await invite({ role: 'admin' })
    await world.committedAs('omar', (s) =>
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
      await world.service(async (s) => {
        await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          world.profile.cem,
        ])
        await s.rows('update public.invitations set invited_by = $1 where id = any ($2)', [
          world.profile.cem,
          [id, admin.id],
        ])
        expect(await state(s, token), ending).toBe('valid')
        expect(await mayJoin(s), ending).toBe(true)
        // Written as an owner, who is an admin now.
        expect(await s.failure('view_invitation', { token: admin.token }), ending).toBe('invitation_revoked')
        await s.rows(ending, [world.account.cem])
        expect(await s.failure('view_invitation', { token }), ending).toBe('invitation_revoked')
        expect(await mayJoin(s), ending).toBe(false)
      })
    }
  })

  it('opens no channel by an invitation whose author has left it', async () => {
    const channel = randomUUID()
    await world.committedAs('ann', async (s) => {
      const name = 'left by its author'
      await s.call('create_channel', { id: channel, workspace: world.workspace, kind: 'private', name })
      await s.call('add_members', { channel, people: [world.profile.bea] })
    })
    const { token } = await invite({ channels: [channel, world.lobby] })
    const opened = async () => ({
      named: (await world.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))).channels.length,
      entered: await world.rolledBackAs('cem', async (s) => {
        await s.call('accept_invitation', { token, person_name: 'Cem' })
        return (await s.call('bootstrap', {})).channels.some((entry) => entry.channel.id === channel)
      }),
    })
    expect(await opened()).toEqual({ named: 2, entered: true })
    await world.committedAs('ann', (s) => s.call('leave_channel', { channel }))
    expect(await opened()).toEqual({ named: 1, entered: false })
  })

  it('counts a member who enters a channel by an invitation as one use, once', async () => {
    const channel = randomUUID()
    await world.committedAs('ann', (s) =>
      s.call('create_channel', { id: channel, workspace: world.workspace, kind: 'private', name: 'for one' }),
    )
    const { id, token } = await invite({ channels: [channel], max_uses: 1 })
    const accept = (who: Name) =>
      world.committedAs(who, (s) => s.call('accept_invitation', { token, person_name: who }))
    await accept('bea')
    await accept('bea')
    await accept('cem')
    await world.service(async (s) => {
      expect(await s.value('select uses from public.invitations where id = $1', [id])).toBe(1)
      expect(
        await s.value(
          'select count(*)::int from public.channel_members where channel_id = $1 and profile_id = any ($2)',
          [channel, [world.profile.bea, world.profile.cem]],
        ),
      ).toBe(1)
    })
  })

  it('invited people can create an account, and everyone before a workspace exists', async () => {
    const { token } = await invite()
    await invite({ email: 'new@harbour.example' })
    expect(await hook({ email: 'NEW@harbour.example' })).toEqual({})
    await world.committedAs('omar', (s) =>
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
    await world.service(async (s) => {
      await s.rows('truncate public.workspaces cascade')
      expect(await s.value('select public.before_user_created($1)', ['{}'])).toEqual({})
    })
    expect(
      (
        await world.rolledBackAs('ann', (s) =>
          s.refusal((t) => t.rows(`select public.before_user_created('{}')`)),
        )
      ).code,
    ).toBe('42501')
  })

  it('permits sign-ups only by a valid invitation, for an hour, and for 100 addresses', async () => {
    const { id, token } = await invite()
    const { token: mailed } = await invite({ email: 'named@harbour.example' })
    const request = (args: { token: string; email: string }) =>
      world.rolledBackAs('anon', (s) => s.failure('request_sign_up', args))
    expect(await request({ token: 'guessed', email: 'any@harbour.example' })).toBe('invitation_invalid')
    expect(await request({ token, email: 'no address' })).toBe('email_address_invalid')
    expect(await request({ token: mailed, email: 'any@harbour.example' })).toBe('invitation_other_email')
    await world.service(async (s) => {
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

  it('refuses an account whose invitation mail would name another inviter or workspace', async () => {
    const { token } = await invite()
    await invite({ email: 'named@harbour.example' })
    const names = { invited_by: 'Ann Okafor', workspace_name: 'Harbour Street' }
    const callHook = (user_metadata: object, email = 'named@harbour.example') =>
      hook({ email, user_metadata })
    expect(await callHook(names)).toEqual({})
    await world.committedAs('omar', (s) => s.call('request_sign_up', { token, email: 'any@harbour.example' }))
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
    await world.service(async (s) => {
      await s.rows('truncate public.workspaces cascade')
      const event = JSON.stringify({ user: { email: 'any@harbour.example', user_metadata: names } })
      expect(await s.value('select public.before_user_created($1)', [event])).toMatchObject({
        error: { http_code: 403 },
      })
    })
  })

  it('only owners and admins can rename their workspace', async () => {
    const args = { workspace: world.workspace, name: ' Harbour Street 7 ' }
    for (const who of ['bea', 'gus'] as const)
      expect(await world.rolledBackAs(who, (s) => s.failure('rename_workspace', args)), who).toBe(
        'not_allowed',
      )
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const)
      expect(await world.rolledBackAs(who, (s) => s.failure('rename_workspace', args)), who).toBe('not_found')
    await world.rolledBackAs('ann', async (s) => {
      for (const name of ['  ', 'a'.repeat(81), 'two\nlines', '\u202egnihsihp'])
        expect(await s.failure('rename_workspace', { ...args, name }), name).toBe('workspaces_name_length')
      expect(await s.call('rename_workspace', args)).toEqual({
        id: world.workspace,
        name: 'Harbour Street 7',
      })
      expect((await s.call('bootstrap', {})).workspace?.name).toBe('Harbour Street 7')
    })
    await world.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        world.profile.bea,
      ])
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: world.account.bea, session_id: world.account.bea })],
      )
      expect((await s.call('rename_workspace', args)).name).toBe('Harbour Street 7')
    })
  })

  it('makes a channel once, with one name', async () => {
    const args = { id: randomUUID(), workspace: world.workspace, kind: 'private' as const, name: 'Ärzte' }
    const made = await world.committedAs('bea', (s) => s.call('create_channel', args))
    expect(made).toMatchObject({
      member: true,
      channel_role: 'admin',
      counters: { last_seq: 1, rev: 2, meta_rev: 2 },
    })
    expect(await world.committedAs('bea', (s) => s.call('create_channel', args))).toEqual(made)
    expect(await world.rolledBackAs('cem', (s) => s.failure('create_channel', args))).toBe('conflict')
    const again = { ...args, id: randomUUID(), name: ' äRZTE ' }
    expect(await world.rolledBackAs('bea', (s) => s.failure('create_channel', again))).toBe(
      'channels_name_unique',
    )
    expect(
      await world.rolledBackAs('cem', (s) => s.failure('create_channel', { ...again, name: 'x'.repeat(81) })),
    ).toBe('channels_name_length')
    expect(
      await world.rolledBackAs('gus', (s) => s.failure('create_channel', { ...again, name: 'mine' })),
    ).toBe('not_allowed')
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const) {
      expect(
        await world.rolledBackAs(who, (s) => s.failure('create_channel', { ...again, name: 'mine' })),
        who,
      ).toBe('not_found')
    }
  })

  it('full members can join public channels, guests cannot, and members can add others and leave', async () => {
    expect(await world.rolledBackAs('gus', (s) => s.failure('join_channel', { channel: world.side }))).toBe(
      'not_found',
    )
    expect(
      await world.rolledBackAs('cem', (s) =>
        s.failure('add_members', { channel: world.side, people: [world.profile.ann] }),
      ),
    ).toBe('not_a_member')
    await world.rolledBackAs('cem', async (s) => {
      const entry = await s.call('join_channel', { channel: world.side })
      expect(entry).toMatchObject({ member: true, counts: { unread: 0 } })
      expect(await s.call('join_channel', { channel: world.side })).toEqual(entry)
      const added = await s.call('add_members', {
        channel: world.side,
        people: [world.profile.ann, world.profile.bea],
      })
      expect(added.people).toEqual([world.profile.ann])
      expect(await s.failure('add_members', { channel: world.side, people: [world.profile.dee] })).toBe(
        'not_found',
      )
      expect(await s.failure('add_members', { channel: world.side, people: [world.profile.zoe] })).toBe(
        'not_found',
      )
      expect(await s.failure('remove_member', { channel: world.side, person: world.profile.ann })).toBe(
        'not_allowed',
      )
      await s.call('leave_channel', { channel: world.side })
      const { channels } = await s.call('browse_channels', { workspace: world.workspace })
      expect(channels.find((c) => c.channel.id === world.side)).toMatchObject({ member: false, members: 2 })
    })
    const guests = await world.rolledBackAs('gus', (s) =>
      s.call('browse_channels', { workspace: world.workspace }),
    )
    expect(guests.channels.map((c) => c.channel.id)).toEqual([world.lobby])
  })

  it('those who manage a channel change its name and posting, any member its topic, guests nothing', async () => {
    expect(
      await world.rolledBackAs('cem', (s) =>
        s.failure('update_channel', { channel: world.lobby, name: 'x' }),
      ),
    ).toBe('not_allowed')
    expect(
      await world.rolledBackAs('gus', (s) =>
        s.failure('update_channel', { channel: world.lobby, topic: 'x' }),
      ),
    ).toBe('not_allowed')
    expect(
      await world.rolledBackAs('ann', (s) =>
        s.failure('update_channel', { channel: world.direct, name: 'x' }),
      ),
    ).toBe('not_allowed')
    await world.rolledBackAs('cem', async (s) => {
      const before = await s.call('update_channel', { channel: world.lobby })
      const after = await s.call('update_channel', { channel: world.lobby, topic: ' Hello ' })
      expect(after.channel.topic).toBe('Hello')
      expect(after.counters.rev).toBe(before.counters.rev + 2)
      expect(after.counters.meta_rev).toBe(after.counters.rev)
    })
  })

  it('opens one conversation for the same people, and hides it until its first message', async () => {
    const [ann, bea] = [world.profile.ann, world.profile.bea]
    await world.rolledBackAs('bea', async (s) => {
      const entry = await s.call('open_direct', { workspace: world.workspace, people: [ann] })
      expect(entry.channel).toMatchObject({ id: world.direct, kind: 'direct', people: [ann, bea].toSorted() })
      const group = await s.call('open_direct', {
        workspace: world.workspace,
        people: [ann, world.profile.cem],
      })
      expect(group.channel.kind).toBe('group')
      const same = await s.call('open_direct', {
        workspace: world.workspace,
        people: [world.profile.cem, ann, bea],
      })
      expect(same.channel.id).toBe(group.channel.id)
      expect(
        (await s.call('open_direct', { workspace: world.workspace, people: [] })).channel.people,
      ).toEqual([bea])
      for (const person of [world.profile.dee, world.profile.zoe, randomUUID()]) {
        expect(await s.failure('open_direct', { workspace: world.workspace, people: [person] })).toBe(
          'not_found',
        )
      }
      expect(
        await s.failure('open_direct', {
          workspace: world.workspace,
          people: Array.from({ length: 12 }, () => randomUUID()),
        }),
      ).toBe('direct_too_many')
      await s.call('leave_channel', { channel: world.direct })
      const shown = async () =>
        (await s.call('bootstrap', {})).channels.some((c) => c.channel.id === world.direct)
      expect(await shown()).toBe(false)
      await s.call('send_message', { id: randomUUID(), channel: world.direct, body: 'Still there?' })
      expect(await shown()).toBe(true)
    })
  })

  it('shows a guest only people with whom they share a channel', async () => {
    const una = await world.service(async (s) => {
      const id = await s.value<string>(`insert into public.profiles (name) values ('Una') returning id`)
      await s.rows(`insert into public.workspace_members values ($1, $2, 'member')`, [world.workspace, id])
      return id
    }, true)
    const message = world.messages.fresh
    const args = { workspace: world.workspace, people: [una] }
    await world.rolledBackAs('bea', async (s) => {
      expect((await s.call('who_can_read', { message })).people).toContain(una)
      expect((await s.call('open_direct', args)).channel.people).toContain(una)
    })
    await world.rolledBackAs('gus', async (s) => {
      expect((await s.call('who_can_read', { message })).people).not.toContain(una)
      expect(await s.failure('open_direct', args)).toBe('not_found')
      const { members } = await s.call('bootstrap', {})
      expect(members.map((member) => member.profile.id)).not.toContain(una)
    })
  })

  it('rights end at once: by an admin, by expiry, by signing out, by losing the account', async () => {
    expect(
      await world.rolledBackAs('bea', (s) =>
        s.failure('deactivate_member', { workspace: world.workspace, person: world.profile.cem }),
      ),
    ).toBe('not_allowed')
    expect(
      await world.rolledBackAs('ann', (s) =>
        s.failure('deactivate_member', { workspace: world.workspace, person: world.profile.zoe }),
      ),
    ).toBe('not_found')
    expect(
      await world.rolledBackAs('ann', (s) =>
        s.failure('deactivate_member', { workspace: world.workspace, person: world.profile.ann }),
      ),
    ).toBe('not_allowed')
    const sees = (who: Name) =>
      world.rolledBackAs(who, (s) => s.value<number>('select count(*)::int from public.messages'))
    expect(await sees('cem')).toBeGreaterThan(0)
    await world.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: world.workspace, person: world.profile.cem }),
    )
    expect(await sees('cem')).toBe(0)

    expect(await sees('gus')).toBeGreaterThan(0)
    await world.service(
      (s) =>
        s.rows(`update public.channel_members set expires_at = now() where profile_id = $1`, [
          world.profile.gus,
        ]),
      true,
    )
    expect(await sees('gus')).toBe(0)
    // The first beat ends the place of Max, who is a day late; the next one Gus's membership.
    await world.committedAs('bea', (s) =>
      s.call('heartbeat', { workspace: world.workspace, state: 'active' }),
    )
    await world.committedAs('bea', (s) =>
      s.call('heartbeat', { workspace: world.workspace, state: 'active' }),
    )
    expect(
      await world.service((s) =>
        s.value(`select count(*)::int from public.channel_members where profile_id = $1`, [
          world.profile.gus,
        ]),
      ),
    ).toBe(0)

    expect(await sees('eli')).toBeGreaterThan(0)
    await world.service((s) => s.rows('delete from auth.users where id = $1', [world.account.eli]), true)
    expect(await sees('eli')).toBe(0)
    const { members } = await world.rolledBackAs('bea', (s) => s.call('bootstrap', {}))
    expect(members.find((m) => m.profile.id === world.profile.eli)?.profile.name).toBe('eli Example')
    expect(members.find((m) => m.profile.id === world.profile.cem)?.state).toBe('deactivated')
    expect(
      await world.service((s) =>
        s.value(`select user_id from public.profiles where id = $1`, [world.profile.eli]),
      ),
    ).toBeNull()
  })

  it('an owner can remove the name of a former member, and their messages stay', async () => {
    const { workspace, profile } = world
    const erase = { workspace, person: profile.dee }
    await world.rolledBackAs('bea', async (s) =>
      expect(await s.failure('erase_person', erase)).toBe('not_allowed'),
    )
    await world.rolledBackAs('ann', async (s) => {
      for (const person of [profile.bea, profile.ann]) {
        expect(await s.failure('erase_person', { workspace, person })).toBe('not_allowed')
      }
      expect(await s.failure('erase_person', { workspace, person: profile.zoe })).toBe('not_found')
      const nobody = { name: 'Deleted user', avatar: null, status_text: null }
      expect(await s.call('erase_person', erase)).toMatchObject({ profile: nobody, state: 'deactivated' })
      const { members } = await s.call('bootstrap', {})
      expect(members.find((one) => one.profile.id === profile.dee)?.profile).toMatchObject(nobody)
    })
    // An account that is gone takes its status along, and leaves the name to its messages until it is asked for.
    await world.service(async (s) => {
      await s.rows(`update public.profiles set status_text = 'At sea', presence = 'away' where id = $1`, [
        profile.bea,
      ])
      await s.rows('update public.profiles set user_id = null where id = $1', [profile.bea])
      const card = 'select name, status_text, presence from public.profiles where id = $1'
      expect(await s.rows(card, [profile.bea])).toEqual([
        { name: 'bea Example', status_text: null, presence: 'auto' },
      ])
      await s.rows(
        `select set_config('request.jwt.claims', jsonb_build_object('sub', $1::text, 'session_id', $1::text)::text, true)`,
        [world.account.ann],
      )
      await s.call('erase_person', { workspace, person: profile.bea })
      expect(await s.value('select name from public.profiles where id = $1', [profile.bea])).toBe(
        'Deleted user',
      )
      const { messages } = await s.call('channel_page', { channel: world.lobby })
      expect(messages.find((one) => one.id === world.messages.old)).toMatchObject({
        author_id: profile.bea,
        body: expect.stringContaining('Orchids'),
      })
    })
  })
})
