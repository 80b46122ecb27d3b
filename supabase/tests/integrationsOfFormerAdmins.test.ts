/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Cem, an admin, has created a bot with a token, two webhooks and a command; Ann owns the workspace. */
describe.each(testDatabases)('what former admins leave on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  let token: string
  let incoming: Uuid
  let outgoing: Uuid
  let command: Uuid

  const setRole = (role: 'admin' | 'member') =>
    fixture.committedAs('ann', (s) =>
      s.call('set_member_role', { workspace: fixture.workspace, person: fixture.profile.cem, role }),
    )
  const tasks = (who: Name = 'ann') =>
    fixture.rolledBackAs(who, (s) => s.call('admin_tasks', { workspace: fixture.workspace }))
  const listed = () =>
    fixture.rolledBackAs('ann', async (s) => {
      const webhooks = await s.call('list_webhooks', { bot })
      const { bots } = await s.call('list_bots', { workspace: fixture.workspace })
      const { commands } = await s.call('list_bot_commands', { bot })
      const [only] = bots
      return {
        bot: only?.unmanaged,
        token: only?.token?.is_unmanaged,
        incoming: webhooks.incoming.map((webhook) => webhook.is_unmanaged),
        outgoing: webhooks.outgoing.map((webhook) => webhook.is_unmanaged),
        commands: commands.map((one) => one.is_unmanaged),
      }
    })
  const personDetails = () =>
    fixture.rolledBackAs('ann', async (s) => {
      const { people } = await s.call('list_people', { workspace: fixture.workspace })
      const details = await s.call('person_details', {
        workspace: fixture.workspace,
        person: fixture.profile.cem,
      })
      const row = people.find(({ profile }) => profile.id === fixture.profile.cem)
      return [row?.integrations, details.integrations]
    })

  beforeAll(async () => {
    fixture = await openFixture(await open())
    await setRole('admin')
    await fixture.committedAs('cem', async (s) => {
      const { workspace, lobby, closed } = fixture
      await s.call('create_bot', { id: bot, workspace, name: 'Harbour bell', channels: [lobby, closed] })
      await s.call('create_bot_token', { bot, days: 366 })
      const made = await s.call('create_incoming_webhook', { bot, channel: lobby })
      incoming = made.webhook.id
      token = made.token
      const relay = { bot, channel: lobby, url: 'https://relay.example/' }
      outgoing = (await s.call('create_outgoing_webhook', relay)).webhook.id
      const ring = { bot, name: 'ring', description: 'Rings', url: 'https://ring.example/' }
      command = (await s.call('create_bot_command', ring)).command.id
      // In a channel that Ann cannot read.
      await s.call('create_incoming_webhook', { bot, channel: closed })
    })
  })
  afterAll(() => fixture.stop())

  it('are no task while their creator manages the workspace', async () => {
    expect((await tasks()).integrations).toBe(0)
    expect(await personDetails()).toEqual([5, 5])
    expect(await listed()).toEqual({
      bot: 0,
      token: false,
      incoming: [false],
      outgoing: [false],
      commands: [false],
    })
  })

  it('are marked and a task for admins when the creator is demoted or removed, and go on', async () => {
    const broadcasts = await collectBroadcasts(fixture, 'ann', (s) =>
      s.call('set_member_role', {
        workspace: fixture.workspace,
        person: fixture.profile.cem,
        role: 'member',
      }),
    )
    expect(broadcasts.filter(({ event }) => event === 'integrations').map(({ topic }) => topic)).toEqual([
      `user:${fixture.profile.ann}`,
    ])
    expect((await tasks()).integrations).toBe(5)
    expect(await listed()).toEqual({
      bot: 5,
      token: true,
      incoming: [true],
      outgoing: [true],
      commands: [true],
    })
    await setRole('admin')
    expect((await tasks()).integrations).toBe(0)
    for (const end of ['deactivate_member', 'remove_person'] as const)
      await fixture.rolledBackAs('ann', async (s) => {
        const { workspace, profile } = fixture
        await s.call(end, { workspace, person: profile.cem })
        expect((await s.call('admin_tasks', { workspace })).integrations, end).toBe(5)
        await s.rows('reset role')
        const posted = await s.value('select public.post_by_webhook($1, $2)', [token, 'Still here'])
        expect(posted).toHaveProperty('message_id')
      })
  })

  it('are no task any more once an admin has replaced, kept or ended each', async () => {
    await setRole('member')
    await fixture.rolledBackAs('ann', async (s) => {
      const count = async () => (await s.call('admin_tasks', { workspace: fixture.workspace })).integrations
      expect((await s.call('renew_incoming_webhook', { webhook: incoming })).webhook.is_unmanaged).toBe(false)
      expect((await s.call('keep_outgoing_webhook', { webhook: outgoing })).is_unmanaged).toBe(false)
      const ring = { command, name: 'ring', description: 'Rings', url: 'https://ring.example/' }
      expect((await s.call('update_bot_command', { ...ring, enabled: false })).is_unmanaged).toBe(true)
      expect((await s.call('keep_bot_command', { command })).is_unmanaged).toBe(false)
      expect(await count()).toBe(2)
      await s.call('end_bot_token', { bot })
      expect(await count()).toBe(1)
    })
    await fixture.rolledBackAs('ann', async (s) => {
      // Ann chooses where the command is sent from now on.
      const ring = { command, name: 'ring', description: 'Rings', url: 'https://ann.example/' }
      expect((await s.call('update_bot_command', ring)).is_unmanaged).toBe(false)
    })
    await setRole('admin')
  })

  it('can be ended at once by somebody above the creator, also in channels that they cannot read', async () => {
    const { workspace, profile } = fixture
    expect(
      await fixture.rolledBackAs('bea', (s) =>
        s.failure('end_integrations', { workspace, person: profile.cem }),
      ),
    ).toBe('not_allowed')
    expect(
      await fixture.rolledBackAs('cem', (s) =>
        s.failure('end_integrations', { workspace, person: profile.ann }),
      ),
    ).toBe('not_allowed')
    await fixture.rolledBackAs('ann', async (s) => {
      await s.call('remove_person', { workspace, person: profile.cem })
      expect(await s.call('end_integrations', { workspace, person: profile.cem })).toEqual({
        profile_id: profile.cem,
        ended: 5,
      })
      expect((await s.call('admin_tasks', { workspace })).integrations).toBe(0)
      expect((await s.call('end_integrations', { workspace, person: profile.cem })).ended).toBe(0)
      const { bots } = await s.call('list_bots', { workspace })
      expect(bots).toMatchObject([{ id: bot, token: null, unmanaged: 0 }])
      await s.rows('reset role')
      const error = await s.refusal((t) => t.rows('select public.post_by_webhook($1, $2)', [token, 'x']))
      expect(error.message).toBe('not_found')
    })
  })

  it('include the token of a deleted account', async () => {
    await fixture.service(async (s) => {
      await s.rows('delete from auth.users where id = $1', [fixture.account.cem])
      expect(
        await s.value('select app.is_unmanaged_integration($1, $2)', [
          fixture.workspace,
          fixture.profile.cem,
        ]),
      ).toBe(true)
      expect(await s.value('select app.is_unmanaged_integration($1, null)', [fixture.workspace])).toBe(true)
    })
  })
})
