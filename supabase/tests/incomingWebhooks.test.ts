import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IncomingWebhook, IncomingWebhookToken } from '../../wire/bots.ts'
import type { MessageExtras } from '../../wire/messages.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { Webhook } from '../functions/_shared/composeMessage.ts'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

describe.each(testDatabases)('incoming webhooks on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  let made: IncomingWebhookToken
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const { workspace, lobby } = fixture
    made = await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'CI', channels: [lobby] })
      return s.call('create_incoming_webhook', { bot, channel: lobby })
    })
  })
  afterAll(() => fixture.stop())

  const post = (s: TestTransaction, token: string, body: string) =>
    s.value<{ message_id: Uuid }>('select public.post_by_webhook($1, $2)', [token, body])
  const refused = (token: string, o: { before?: string; values?: unknown[]; body?: string } = {}) =>
    fixture.service(async (s) => {
      if (o.before) await s.rows(o.before, o.values ?? [])
      return (await s.refusal((t) => post(t, token, o.body ?? 'Hello'))).message
    })

  it('posts into its channel as its bot, with search terms and mentions', async () => {
    const body = `Build failed, <@${fixture.profile.bea}>`
    const { message_id: id } = await fixture.service((s) => post(s, made.token, body), true)
    expect(id).toMatch(/^.{14}7/)
    const [message] = await fixture.service((s) =>
      s.rows(
        'select author_id, channel_id, body, seq is not null as numbered from public.messages where id = $1',
        [id],
      ),
    )
    expect(message).toEqual({ author_id: bot, channel_id: fixture.lobby, body, numbered: true })
    const { hits } = await fixture.rolledBackAs('bea', (s) =>
      s.call('search_messages', { workspace: fixture.workspace, query: 'build failed' }),
    )
    expect(hits.map((hit) => hit.message.id)).toContain(id)
    const mentioned = await fixture.service((s) =>
      s.rows('select profile_id from public.mentions where message_id = $1', [id]),
    )
    expect(mentioned).toEqual([{ profile_id: fixture.profile.bea }])
  })

  const cards = { start: 5, items: [{ color: 'red', title: 'Disk full' }] }
  const sender = { name: 'CI', end: 3 }
  const postWithExtras = (s: TestTransaction, extras: unknown) =>
    s.value<{ message_id: Uuid }>('select public.post_by_webhook($1, $2, $3)', [
      made.token,
      'Alert\n\n> **Disk full**',
      extras,
    ])

  it('stores the cards of a message, and removes them when its text is changed', async () => {
    const { message_id: id } = await fixture.service((s) => postWithExtras(s, { cards, sender }), true)
    const { messages } = await fixture.rolledBackAs('bea', (s) =>
      s.call('channel_page', { channel: fixture.lobby }),
    )
    expect(messages.find((one) => one.id === id)).toMatchObject({
      body: 'Alert\n\n> **Disk full**',
      extras: { cards, sender, webhook: made.webhook.id },
    })
    // Bea in place of a program with the bot's account.
    await fixture.service(
      (s) => s.rows('update public.messages set author_id = $2 where id = $1', [id, fixture.profile.bea]),
      true,
    )
    const edited = await fixture.committedAs('bea', (s) => s.call('edit_message', { id, body: 'Solved' }))
    expect(edited.message).toMatchObject({
      body: 'Solved',
      extras: { webhook: made.webhook.id },
    })
  })

  it.each([
    {},
    [],
    { cards: [] },
    { cards: { start: 0, items: [] } },
    { cards: { start: 0, items: ['x'] } },
    { cards: { start: 0, items: Array.from({ length: 21 }, () => ({ text: 'x' })) } },
    { cards: { start: -1, items: [{}] } },
    { cards: { start: 0.5, items: [{}] } },
    { cards: { start: 'x', items: [{}] } },
    { cards, poll: {} },
    { sender: { name: '\u200B', end: 1 } },
    { sender: { name: 'x'.repeat(81), end: 1 } },
    { sender: { name: 'CI' } },
    { sender: 'CI' },
    { icon: 'x' },
    { icon: {} },
    { webhook: randomUUID() },
    { cards: { start: 0, items: [{ text: 'x'.repeat(16_000) }] } },
  ])('refuses other extras, case %#', async (extras) => {
    const error = await fixture.service((s) => s.refusal((t) => postWithExtras(t, JSON.stringify(extras))))
    expect(error.message).toBe('bad_extra')
  })

  it('accepts cards and senders of webhooks only', async () => {
    const message = {
      id: randomUUID(),
      channel: fixture.lobby,
      body: 'x',
      extras: { cards } as MessageExtras,
    }
    const named = { ...message, extras: { sender } }
    for (const one of [message, named])
      expect(await fixture.rolledBackAs('bea', (s) => s.failure('send_message', one))).toBe('bad_extra')
  })

  it('stores a hash of the secret only, and lists webhooks without it', async () => {
    const rows = await fixture.service((s) => s.rows('select * from public.incoming_webhooks'))
    expect(JSON.stringify(rows)).not.toContain(made.token)
    const listed = await fixture.rolledBackAs('ann', (s) => s.call('list_webhooks', { bot }))
    expect(listed.incoming).toEqual([
      expect.objectContaining({
        id: made.webhook.id,
        channel_id: fixture.lobby,
        created_by: fixture.profile.ann,
      }),
    ])
    expect(JSON.stringify(listed)).not.toMatch(/hash|token/)
  })

  it('posts nothing without the right, of the channel as it is now', async () => {
    expect(await refused('guessed')).toBe('not_found')
    expect(await refused(made.token, { body: ' ' })).toBe('messages_not_empty')
    expect(await refused(made.token, { body: 'x'.repeat(20_001) })).toBe('messages_body_length')
    const channel = [fixture.lobby]
    const change = (set: string) => ({
      before: `update public.channels set ${set} where id = $1`,
      values: channel,
    })
    expect(await refused(made.token, change('archived_at = now()'))).toBe('archived')
    expect(await refused(made.token, change(`posting = 'admins'`))).toBe('posting_admins')
    const removed = { before: 'delete from public.channel_members where profile_id = $1', values: [bot] }
    expect(await refused(made.token, removed)).toBe('not_a_member')
    const ended = {
      before: `update public.workspace_members set state = 'deactivated' where profile_id = $1`,
      values: [bot],
    }
    expect(await refused(made.token, ended)).toBe('not_found')
  })

  it('posts 60 messages at once, then one a second', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `update public.settings set value = jsonb_set(value, '{webhook,per_minute}', '1') where key = 'rate_limits'`,
      )
      await s.rows('delete from public.rate_limits where user_id = $1', [made.webhook.id])
      for (let i = 0; i < 60; i++) await read(s)
      expect((await s.refusal((t) => read(t))).message).toBe('rate_limited')
    })
  })

  const update = (s: TestTransaction, change: Partial<IncomingWebhook>) =>
    s.call('update_incoming_webhook', {
      webhook: made.webhook.id,
      name: null,
      emoji: null,
      notifies_everyone: false,
      ...change,
    })
  const read = (s: TestTransaction, body: string | null = null) =>
    s.value<Webhook>('select public.read_webhook($1, $2)', [made.token, body])

  it('has a name and an emoji, which admins set', async () => {
    await fixture.committedAs('ann', async (s) => {
      expect(await update(s, { name: ' Grafana ', emoji: '📈' })).toMatchObject({
        name: 'Grafana',
        emoji: '📈',
      })
      const { incoming } = await s.call('list_webhooks', { bot })
      expect(incoming).toMatchObject([{ name: 'Grafana', emoji: '📈', notifies_everyone: false }])
    })
    expect(await fixture.service((s) => read(s))).toEqual({
      name: 'Grafana',
      emoji: '📈',
      notifies_everyone: false,
      people: [],
    })
    const id = await fixture.service(async (s) => (await postWithExtras(s, { icon: '📈' })).message_id, true)
    const [message] = await fixture.service((s) =>
      s.rows('select extras from public.messages where id = $1', [id]),
    )
    expect(message).toEqual({ extras: { icon: '📈', webhook: made.webhook.id } })
    const failure = (change: Partial<IncomingWebhook>) =>
      fixture.rolledBackAs('ann', async (s) => (await s.refusal(() => update(s, change))).message)
    expect(await failure({ name: 'x'.repeat(81) })).toBe('incoming_webhooks_name_length')
    expect(await failure({ emoji: 'x' })).toBe('bad_emoji')
    await fixture.committedAs('ann', (s) => update(s, { name: ' ' }))
    expect(await fixture.service((s) => read(s))).toMatchObject({ name: null, emoji: null })
  })

  it('notifies everyone only if an admin has allowed it', async () => {
    expect(await refused(made.token, { body: 'Ebb <!here>' })).toBe('mention_everyone_not_allowed')
    expect(await refused(made.token, { body: '`<!channel>`' })).toBe('mention_everyone_not_allowed')
    await fixture.service((s) => post(s, made.token, 'Ebb \\<!here>'))
    await fixture.committedAs('ann', (s) => update(s, { notifies_everyone: true }))
    const { message_id: id } = await fixture.service((s) => post(s, made.token, 'Ebb <!here>'), true)
    const mentions = await fixture.service((s) =>
      s.rows('select kind from public.mentions where message_id = $1', [id]),
    )
    expect(mentions).toEqual([{ kind: 'here' }])
  })

  it('notifies everyone as far as the workspace allows the person who created it', async () => {
    const notifies = (rule: string, before = '') =>
      fixture.service(async (s) => {
        await s.rows('update public.incoming_webhooks set notifies_everyone = true where id = $1', [
          made.webhook.id,
        ])
        await s.rows('update public.workspaces set mention_everyone_by = $2 where id = $1', [
          fixture.workspace,
          rule,
        ])
        if (before) await s.rows(before, [made.webhook.id, fixture.profile.bea])
        const { notifies_everyone } = await read(s)
        const error = notifies_everyone ? null : await s.refusal((t) => post(t, made.token, '<!here>'))
        if (notifies_everyone) await post(s, made.token, '<!here>')
        expect(error?.message ?? 'mention_everyone_not_allowed').toBe('mention_everyone_not_allowed')
        return notifies_everyone
      })
    // Ann is the owner, and Bea a member.
    const byBea = 'update public.incoming_webhooks set created_by = $2 where id = $1'
    const byNobody = 'update public.incoming_webhooks set created_by = nullif($2::uuid, $2) where id = $1'
    expect(await notifies('admins')).toBe(true)
    expect(await notifies('members', byBea)).toBe(true)
    expect(await notifies('admins', byBea)).toBe(false)
    expect(await notifies('members', byNobody)).toBe(false)
    expect(await notifies('everyone', byNobody)).toBe(true)
  })

  it('finds readers of its channel by their whole names, and nobody by a name that two people have', async () => {
    const people = (body: string | null, before = '') =>
      fixture.service(async (s) => {
        if (before) await s.rows(before, [fixture.profile.bea])
        return (await read(s, body)).people.map(({ id }) => id)
      })
    const name = await fixture.service((s) =>
      s.value<string>('select name from public.profiles where id = $1', [fixture.profile.bea]),
    )
    expect(await people(`Ebb @${name.toUpperCase()}`)).toEqual([fixture.profile.bea])
    expect(await people(`Ebb ${name}`)).toEqual([])
    expect(await people(null)).toEqual([])
    const namesake = `update public.profiles set name = (select name from public.profiles where id = $1)
      where id = '${fixture.profile.ann}'`
    expect(await people(`Ebb @${name}`, namesake)).toEqual([])
    const omar = await fixture.service((s) =>
      s.value<string>('select name from public.profiles where id = $1', [fixture.profile.omar]),
    )
    expect(await people(`Ebb @${omar}`)).toEqual([])
  })

  describe('messages that follow another', () => {
    type Place = { thread?: Uuid; event?: string; isEnd?: boolean }
    const send = async (s: TestTransaction, body: string, { thread, event, isEnd }: Place = {}) => {
      const { message_id } = await s.value<{ message_id: Uuid }>(
        'select public.post_by_webhook($1, $2, null, $3, $4, $5)',
        [made.token, body, thread ?? null, event ?? null, isEnd ?? false],
      )
      return message_id
    }
    const replace = (s: TestTransaction, id: Uuid, body: string, extras: object | null = null) =>
      s.value<{ message_id: Uuid }>('select public.replace_by_webhook($1, $2, $3, $4)', [
        made.token,
        id,
        body,
        extras && JSON.stringify(extras),
      ])
    const stored = async (s: TestTransaction, id: Uuid) => {
      const [message] = await s.rows(
        'select body, extras, thread_root, edited_at is not null as edited from public.messages where id = $1',
        [id],
      )
      return message
    }
    const own = () => ({ webhook: made.webhook.id })

    it('reply in the thread of a message of the webhook, also by a reply', async () => {
      await fixture.service(async (s) => {
        const root = await send(s, 'Ebb')
        const reply = await send(s, 'Still ebb', { thread: root })
        const second = await send(s, 'Flood', { thread: reply })
        expect(await stored(s, reply)).toMatchObject({ thread_root: root })
        expect(await stored(s, second)).toMatchObject({ thread_root: root })
      })
    })

    it('replace the text and the cards, and store the former text', async () => {
      await fixture.service(async (s) => {
        const id = (await postWithExtras(s, { cards, sender, icon: '🚨' })).message_id
        await replace(s, id, 'Solved', { icon: '✅' })
        expect(await stored(s, id)).toEqual({
          body: 'Solved',
          extras: { ...own(), icon: '✅' },
          thread_root: null,
          edited: true,
        })
        const revisions = () =>
          s.rows('select body from public.message_revisions where message_id = $1', [id])
        expect(await revisions()).toEqual([{ body: 'Alert\n\n> **Disk full**' }])
        // Another colour of the same text.
        await replace(s, id, 'Solved', { cards })
        expect(await stored(s, id)).toMatchObject({ body: 'Solved', extras: { cards } })
        expect(await revisions()).toHaveLength(1)
        await s.rows('update public.incoming_webhooks set notifies_everyone = false where id = $1', [
          made.webhook.id,
        ])
        expect((await s.refusal((t) => replace(t, id, '<!here>'))).message).toBe(
          'mention_everyone_not_allowed',
        )
        expect((await s.refusal((t) => replace(t, id, ' '))).message).toBe('messages_not_empty')
      })
    })

    it('fail alike for messages that the webhook has not posted', async () => {
      const { lobby } = fixture
      const [theirs, other] = [randomUUID(), randomUUID()]
      await fixture.committedAs('bea', (s) =>
        s.call('send_message', { id: theirs, channel: lobby, body: 'x' }),
      )
      const { token, webhook } = await fixture.committedAs('ann', (s) =>
        s.call('create_incoming_webhook', { bot, channel: lobby }),
      )
      await fixture.service(async (s) => {
        const sibling = (await post(s, token, 'Of the same bot')).message_id
        const deleted = await send(s, 'Gone')
        await s.rows('select app.erase_message(m, null) from public.messages m where m.id = $1', [deleted])
        for (const id of [theirs, sibling, deleted, other]) {
          for (const attempt of [
            (t: TestTransaction) => replace(t, id, 'Mine'),
            (t: TestTransaction) => send(t, 'Reply', { thread: id }),
          ])
            expect((await s.refusal(attempt)).message).toBe('not_found')
        }
        const moved = await send(s, 'In another channel')
        await s.rows('update public.incoming_webhooks set channel_id = $2 where id = $1', [
          made.webhook.id,
          fixture.side,
        ])
        expect((await s.refusal((t) => replace(t, moved, 'Mine'))).message).toBe('not_found')
      })
      await fixture.committedAs('ann', (t) => t.call('delete_incoming_webhook', { webhook: webhook.id }))
    })

    it('are not changed once the bot has left the channel, or the channel is archived', async () => {
      const failure = (change: string, value: Uuid) =>
        fixture.service(async (s) => {
          const id = await send(s, 'Ebb')
          await s.rows(change, [value])
          return (await s.refusal((t) => replace(t, id, 'Flood'))).message
        })
      expect(await failure('delete from public.channel_members where profile_id = $1', bot)).toBe('not_found')
      expect(
        await failure('update public.channels set archived_at = now() where id = $1', fixture.lobby),
      ).toBe('archived')
    })

    it('of the end of an event replace the last message about it, unless it is far above', async () => {
      await fixture.service(async (s) => {
        const first = await send(s, 'Firing', { event: 'disk' })
        const last = await send(s, 'Firing again', { event: 'disk' })
        const pump = await send(s, 'Firing pump', { event: 'pump' })
        expect(new Set([first, last, pump]).size).toBe(3)
        expect(await send(s, 'Resolved', { event: 'disk', isEnd: true })).toBe(last)
        expect(await stored(s, last)).toMatchObject({ body: 'Resolved', edited: true })
        expect(await stored(s, first)).toMatchObject({ body: 'Firing', edited: false })
        const unknown = await send(s, 'Resolved', { event: 'door', isEnd: true })
        expect(await stored(s, unknown)).toMatchObject({ body: 'Resolved', edited: false })
        await s.rows('update public.channel_counters set last_seq = last_seq + 200 where channel_id = $1', [
          fixture.lobby,
        ])
        expect(await send(s, 'Resolved', { event: 'pump', isEnd: true })).not.toBe(pump)
      })
    })
  })

  it('is renewed and ended: the former address stops working', async () => {
    const { workspace, lobby } = fixture
    const other = randomUUID()
    const first = await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: other, workspace, name: 'CI', channels: [lobby] })
      return s.call('create_incoming_webhook', { bot: other, channel: lobby })
    })
    const second = await fixture.committedAs('ann', (s) =>
      s.call('renew_incoming_webhook', { webhook: first.webhook.id }),
    )
    expect(await refused(first.token)).toBe('not_found')
    await fixture.service((s) => post(s, second.token, 'Hello'))
    await fixture.committedAs('ann', (s) => s.call('delete_incoming_webhook', { webhook: first.webhook.id }))
    expect(await refused(second.token)).toBe('not_found')
  })

  it('is created for the bot’s channels that the manager can read, and 20 at most', async () => {
    const failure = (args: { bot: Uuid; channel: Uuid }) =>
      fixture.rolledBackAs('ann', (s) => s.failure('create_incoming_webhook', args))
    expect(await failure({ bot, channel: fixture.side })).toBe('bot_not_in_channel')
    expect(await failure({ bot, channel: fixture.closed })).toBe('not_found')
    await fixture.rolledBackAs('ann', async (s) => {
      for (let i = 1; i < 20; i++) await s.call('create_incoming_webhook', { bot, channel: fixture.lobby })
      expect(await s.failure('create_incoming_webhook', { bot, channel: fixture.lobby })).toBe(
        'too_many_webhooks',
      )
    })
  })

  it.each([...names, 'anon'] as const)(
    '%s cannot post by the command itself',
    async (name: Name | 'anon') => {
      const error = await fixture.rolledBackAs(name, (s) => s.refusal((t) => post(t, made.token, 'Hello')))
      expect(error.code).toBe('42501')
    },
  )
})
