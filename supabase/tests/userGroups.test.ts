/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserGroup } from '../../wire/userGroups.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('groups on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const create = async (s: TestTransaction, name: string, people: Name[]): Promise<UserGroup> =>
    (
      await s.call('create_group', {
        id: randomUUID(),
        workspace: fixture.workspace,
        name,
        people: people.map((who) => fixture.profile[who]),
      })
    ).group
  const send = async (s: TestTransaction, body: string, channel = fixture.lobby, root?: string) => {
    const id = randomUUID()
    await s.call('send_message', { id, channel, body, ...(root ? { thread_root: root } : {}) })
    return id
  }
  /** Runs statements as others within one transaction that is rolled back. */
  const as = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    const account = fixture.account[who]
    const claims = { role: 'authenticated', sub: account, session_id: account }
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify(claims)],
    )
    return work()
  }
  const asService = (s: TestTransaction) => s.rows('reset role')
  const counts = async (s: TestTransaction, who: Name, channel = fixture.lobby) => {
    const start = await as(s, who, () => s.call('bootstrap', { workspace: fixture.workspace }))
    const entry = start.channels.find((one) => one.channel.id === channel)
    return entry?.counts ?? null
  }
  const decisions = async (s: TestTransaction, message: string): Promise<Record<string, string>> => {
    await asService(s)
    const rows = await s.rows<{ profile_id: string; decision: string }>(
      'select * from app.notification_recipients($1)',
      [message],
    )
    const nameOf = (id: string) => Object.entries(fixture.profile).find(([, one]) => one === id)?.[0] ?? id
    return Object.fromEntries(rows.map((row) => [nameOf(row.profile_id), row.decision]))
  }

  it('is managed by owners and admins, by members if the workspace allows it, never by guests', async () => {
    const attempt = (who: Name) =>
      fixture
        .rolledBackAs(who, (s) => create(s, 'Gardeners', [who]).then(() => 'created'))
        .catch((error: Error) => error.message)
    expect(await attempt('ann')).toBe('created')
    expect(await attempt('bea')).toBe('not_allowed')
    const options = (groups_by: 'admins' | 'members') =>
      fixture.committedAs('ann', (s) =>
        s.call('set_workspace_options', { workspace: fixture.workspace, groups_by }),
      )
    expect((await options('members')).groups_by).toBe('members')
    expect(await attempt('bea')).toBe('created')
    expect(await attempt('gus')).toBe('not_allowed')
    expect((await options('admins')).groups_by).toBeUndefined()
  })

  it('has a name that no other group, active member or special mention has', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', [])
      const refused = (name: string) =>
        s.failure('create_group', { id: randomUUID(), workspace: fixture.workspace, name })
      for (const name of ['gardeners', ' GARDENERS ', 'bea example', 'Channel', 'here', 'everyone'])
        expect(await refused(name), name).toBe('group_name_taken')
      for (const name of ['', 'x', '@crew', 'a<b', 'two\nlines', 'x'.repeat(41)])
        expect(await refused(name), name).toBe('user_groups_name_form')
      // An archived group keeps its name, which earlier messages show.
      await s.call('change_group', { id: group.id, is_archived: true })
      expect(await refused('Gardeners')).toBe('group_name_taken')
      // A former member's name is free.
      expect((await create(s, 'dee example', [])).name).toBe('dee example')
    })
  })

  it('is created once, however often the request is repeated', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const args = { id: randomUUID(), workspace: fixture.workspace, name: 'Gardeners' }
      const first = await s.call('create_group', args)
      expect((await s.call('create_group', args)).group).toEqual(first.group)
      expect(await s.value('select count(*)::int from public.user_groups')).toBe(1)
    })
  })

  it('counts as a mention for its members, and for nobody else', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea', 'gus', 'ann'])
      const before = { bea: await counts(s, 'bea'), cem: await counts(s, 'cem'), gus: await counts(s, 'gus') }
      const id = await as(s, 'ann', () => send(s, `<@&${group.id}> Water please`))
      expect(
        await s.rows('select kind, profile_id, group_id from public.mentions where message_id = $1', [id]),
      ).toEqual([{ kind: 'group', profile_id: null, group_id: group.id }])
      expect((await counts(s, 'bea'))!.mentions - before.bea!.mentions).toBe(1)
      expect((await counts(s, 'gus'))!.mentions - before.gus!.mentions).toBe(1)
      expect((await counts(s, 'cem'))!.mentions - before.cem!.mentions).toBe(0)
      expect((await counts(s, 'cem'))!.unread - before.cem!.unread).toBe(1)
      // A group, the person and the channel in one text count once.
      await as(s, 'ann', () => send(s, `<@&${group.id}> <@${fixture.profile.bea}> <!channel>`))
      expect((await counts(s, 'bea'))!.mentions - before.bea!.mentions).toBe(2)
      const recounted = await as(s, 'bea', () => s.call('recount_unread', { workspace: fixture.workspace }))
      const lobby = recounted.channels.find((one) => one.channel_id === fixture.lobby)
      expect(lobby!.mentions).toBe((await counts(s, 'bea'))!.mentions)
    })
  })

  it('notifies its members who are members of the channel, as a mention of the channel does', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['ann', 'bea', 'gus', 'eli'])
      const plain = await as(s, 'ann', () => send(s, 'Water please'))
      expect(await decisions(s, plain)).toEqual({})
      const id = await as(s, 'ann', () => send(s, `<@&${group.id}> Water please`))
      expect(await decisions(s, id)).toEqual({ bea: 'mail', gus: 'mail', eli: 'mail' })
      // Ann and Eli cannot read the private channel, Cem is in no group.
      const secret = await as(s, 'bea', () => send(s, `<@&${group.id}> Water please`, fixture.closed))
      expect(await decisions(s, secret)).toEqual({})
      const fromCem = await as(s, 'cem', () => send(s, `<@&${group.id}> Water please`, fixture.closed))
      expect(await decisions(s, fromCem)).toEqual({ bea: 'mail' })
      for (const who of ['ann', 'gus', 'eli'] as const) {
        const activity = await as(s, who, () =>
          s.call('activity', { workspace: fixture.workspace, filter: 'mentions' }),
        )
        const channels = activity.entries.map((entry) => entry.message.channel_id)
        expect(channels, who).not.toContain(fixture.closed)
      }
    })
  })

  it('names no message in the cursor of an activity whose reader cannot read it', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['ann', 'bea'])
      const ids: string[] = []
      await as(s, 'cem', async () => {
        for (let i = 0; i < 22; i++) ids.push(await send(s, `<@&${group.id}> Water please`, fixture.closed))
      })
      const cursor = async (who: Name) =>
        (
          await as(s, who, () =>
            s.call('activity', { workspace: fixture.workspace, filter: 'mentions', limit: 1 }),
          )
        ).before ?? ''
      expect(ids).toContain((await cursor('bea')).slice(-36))
      expect(ids).not.toContain((await cursor('ann')).slice(-36))
    })
  })

  it('is in the activity of its members once', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea'])
      const other = await create(s, 'Waterers', ['bea'])
      const id = await as(s, 'ann', () => send(s, `<@&${group.id}> <@&${other.id}> Water please`))
      const both = await as(s, 'ann', () => send(s, `<@&${group.id}> <!channel> Water please`))
      const entriesOf = async (who: Name) =>
        (
          await as(s, who, () => s.call('activity', { workspace: fixture.workspace, filter: 'mentions' }))
        ).entries
          .map((entry) => entry.message.id)
          .filter((one) => one === id || one === both)
      expect((await entriesOf('bea')).toSorted()).toEqual([id, both].toSorted())
      expect(await entriesOf('cem')).toEqual([both])
    })
  })

  it('follows the text: an edit adds and removes its mention, deletion removes it', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea'])
      const id = await as(s, 'ann', () => send(s, 'Water please'))
      const edit = (body: string) => s.call('edit_message', { id, body, edit: randomUUID() })
      const rows = () => s.rows<{ id: string }>('select id from public.mentions where message_id = $1', [id])
      await edit(`<@&${group.id}> Water please`)
      const [row] = await rows()
      expect(row).toBeDefined()
      // Another edit keeps the row, with its place in the activity.
      await edit(`<@&${group.id}> Water, please`)
      expect(await rows()).toEqual([row])
      await edit('Never mind')
      expect(await rows()).toEqual([])
      await edit(`<@&${group.id}> After all`)
      await s.call('delete_message', { id })
      expect(await rows()).toEqual([])
    })
  })

  it('is not mentioned once it is archived, nor from another workspace', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea'])
      await s.call('change_group', { id: group.id, is_archived: true })
      const id = await send(s, `<@&${group.id}> Water please`)
      expect(await s.rows('select from public.mentions where message_id = $1', [id])).toEqual([])
      await s.call('change_group', { id: group.id, is_archived: false })
      const again = await send(s, `<@&${group.id}> Water please`)
      expect(await s.rows('select from public.mentions where message_id = $1', [again])).toHaveLength(1)
      const far = await as(s, 'zoe', async () => {
        const channel = randomUUID()
        const workspace = await s.value<string>('select id from public.workspaces')
        await s.call('create_channel', { id: channel, workspace, kind: 'public', name: 'quay' })
        return send(s, `<@&${group.id}> Hello`, channel)
      })
      await asService(s)
      expect(await s.rows('select from public.mentions where message_id = $1', [far])).toEqual([])
    })
  })

  it('shows a guest only groups with somebody in their channels, and only those people', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      // Everyone of the fixture is in the lobby with Gus: Eli leaves it.
      await as(s, 'eli', () => s.call('leave_channel', { channel: fixture.lobby }))
      await as(s, 'ann', async () => {
        await create(s, 'Gardeners', ['bea', 'eli'])
        await create(s, 'Night shift', ['eli'])
        await create(s, 'Nobody', [])
      })
      const visible = (who: Name) =>
        as(s, who, async () => ({
          groups: (await s.rows<{ name: string }>('select name from public.user_groups order by name')).map(
            ({ name }) => name,
          ),
          people: await s.value<number>('select count(*)::int from public.user_group_members'),
        }))
      expect(await visible('cem')).toEqual({ groups: ['Gardeners', 'Night shift', 'Nobody'], people: 3 })
      expect(await visible('gus')).toEqual({ groups: ['Gardeners'], people: 1 })
      for (const who of ['omar', 'zoe', 'dee', 'max'] as const)
        expect(await visible(who), who).toEqual({ groups: [], people: 0 })
      await asService(s)
      const idOf = (name: string) =>
        s.value<string>('select id from public.user_groups where name = $1', [name])
      const [night, gardeners] = [await idOf('Night shift'), await idOf('Gardeners')]
      // The one that Gus cannot see is not mentioned by him either, and its existence is not confirmed.
      const id = await as(s, 'gus', () => send(s, `<@&${night}> <@&${gardeners}> Hello`))
      await asService(s)
      expect(await s.rows('select group_id from public.mentions where message_id = $1', [id])).toEqual([
        { group_id: gardeners },
      ])
      // His device shows the name of only one of them.
      const text = `select app.push_text($1, m) as text from public.messages m where m.id = $2`
      const byBea = await as(s, 'bea', () => send(s, `<@&${night}> <@&${gardeners}> Hello`))
      await asService(s)
      expect(await s.value(text, [fixture.profile.gus, byBea])).toBe('@… @Gardeners Hello')
      expect(await s.value(text, [fixture.profile.cem, byBea])).toBe('@Night shift @Gardeners Hello')
    })
  })

  it('is found by its mentions, and those of one’s groups by mentions:me', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea'])
      const id = await as(s, 'ann', () => send(s, `<@&${group.id}> Water please`))
      const found = (who: Name, filters: object) =>
        as(s, who, async () =>
          (
            await s.call('search_messages', { workspace: fixture.workspace, query: 'water', filters })
          ).hits.map(({ message }) => message.id),
        )
      expect(await found('cem', { mentions: [group.id] })).toEqual([id])
      expect(await found('cem', { mentions: [randomUUID()] })).toEqual([])
      expect(await found('bea', { mentions_me: true })).toEqual([id])
      expect(await found('cem', { mentions_me: true })).toEqual([])
      expect(await found('cem', { mentions: [fixture.profile.bea] })).toEqual([])
    })
  })

  it('ends with the membership of its people, and comes back with reactivation', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', ['bea', 'cem'])
      await s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem })
      const id = await send(s, `<@&${group.id}> Water please`)
      expect(await decisions(s, id)).toEqual({ bea: 'mail' })
      expect(
        await s.value('select count(*)::int from public.user_group_members where profile_id = $1', [
          fixture.profile.cem,
        ]),
      ).toBe(1)
    })
  })

  it('sends its new state to clients by the version of the workspace, and records who changed what', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const created = await s.call('create_group', {
        id: randomUUID(),
        workspace: fixture.workspace,
        name: 'Gardeners',
        people: [fixture.profile.bea],
      })
      const { id } = created.group
      const changed = await s.call('change_group_members', {
        id,
        add: [fixture.profile.cem],
        remove: [fixture.profile.bea],
      })
      expect(changed.workspace.groups_version).not.toBe(created.workspace.groups_version)
      await s.call('change_group', { id, name: 'Florists', description: 'Orchids', is_archived: true })
      const log = await s.call('list_audit_log', { workspace: fixture.workspace })
      const actions = log.entries.map((entry) => entry.action).filter((action) => action.startsWith('group.'))
      expect(actions.toReversed()).toEqual([
        'group.created',
        'group.members_added',
        'group.members_removed',
        'group.members_added',
        'group.renamed',
        'group.described',
        'group.archived',
      ])
      // The version of the workspace is no option of it.
      const options = log.entries.filter(({ action }) => action === 'workspace.options_changed')
      expect(options.map(({ target }) => Object.keys(target))).not.toContainEqual(['groups_version'])
    })
  })

  it('has quotas: 90 people at once, 50 groups of a person, 200 of a workspace', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const group = await create(s, 'Gardeners', [])
      const many = Array.from({ length: 91 }, () => randomUUID())
      expect(await s.failure('change_group_members', { id: group.id, add: many })).toBe('too_many')
      expect(await s.failure('change_group_members', { id: group.id, add: [fixture.profile.zoe] })).toBe(
        'not_found',
      )
      await asService(s)
      await s.rows(
        `insert into public.user_groups (id, workspace_id, name, created_by)
         select gen_random_uuid(), $1, 'Group ' || n, $2 from generate_series(1, 199) n`,
        [fixture.workspace, fixture.profile.ann],
      )
      await s.rows(
        `insert into public.user_group_members (group_id, workspace_id, profile_id)
         select g.id, g.workspace_id, $1 from public.user_groups g where g.name like 'Group %' limit 50`,
        [fixture.profile.bea],
      )
      await as(s, 'ann', async () => {
        expect(await s.failure('change_group_members', { id: group.id, add: [fixture.profile.bea] })).toBe(
          'too_many_groups_of_person',
        )
        expect(
          await s.failure('create_group', {
            id: randomUUID(),
            workspace: fixture.workspace,
            name: 'One more',
          }),
        ).toBe('too_many_groups')
      })
    })
  })
})
