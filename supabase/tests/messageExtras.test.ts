/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChannelPage, Message, MessageExtras } from '../../wire/messages.ts'
import { pollKey } from '../../app/data/messages/reactionKeys.ts'
import { taskKey } from '../../app/data/messages/taskKey.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('what messages carry on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const lunch = { options: ['Soup', ' Salad '], multiple: false, anonymous: false, closes_at: null }

  const send = (s: TestTransaction, extras: unknown, body = 'Where do we eat?', channel = fixture.lobby) =>
    s.call('send_message', { id: randomUUID(), channel, body, extras: extras as MessageExtras })
  const refuse = (s: TestTransaction, extras: unknown, body = 'x', channel = fixture.lobby) =>
    s.failure('send_message', { id: randomUUID(), channel, body, extras: extras as MessageExtras })
  const sendAs = async (who: Name, extras: unknown, body?: string, channel?: string): Promise<Message> => {
    let message: Message | undefined
    await fixture.committedAs(who, async (s) => ({ message } = await send(s, extras, body, channel)))
    return message as Message
  }
  const vote = (s: TestTransaction, message: string, option: number, on = true) =>
    s.call('react', { message, emoji: pollKey(option), on })
  const countsOf = (message: Message) => message.reactions.map((one) => [one.emoji, one.count, one.mine])

  it('stores a poll normalised, finds it by its options, and erases it with its message', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const { message } = await send(s, { poll: lunch })
      expect(message.extras).toEqual({ poll: { ...lunch, options: ['Soup', 'Salad'] } })
      const search = { workspace: fixture.workspace, query: 'salad' }
      expect((await s.call('search_messages', search)).hits.map((hit) => hit.message.id)).toEqual([
        message.id,
      ])
      await s.call('edit_message', { id: message.id, body: 'And where now?' })
      expect((await s.call('search_messages', search)).hits).toHaveLength(1)
      await vote(s, message.id, 0)
      const deleted = await s.call('delete_message', { id: message.id })
      expect(deleted.message).toMatchObject({ body: '', extras: null, reactions: [] })
      expect((await s.call('search_messages', search)).hits).toEqual([])
    })
  })

  it('refuses extras of unknown kinds and polls that nobody could answer', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (const extras of [
        [],
        'poll',
        { poll: 1 },
        { unknown: {} },
        { 'x y': {} },
        { poll: { ...lunch, big: 'x'.repeat(17_000) } },
      ]) {
        expect(
          await refuse(s, JSON.stringify(extras) === '"poll"' ? 'poll' : extras),
          JSON.stringify(extras).slice(0, 60),
        ).toBe('bad_extra')
      }
      for (const change of [
        { options: ['one'] },
        { options: ['same', 'SAME '] },
        { options: ['', 'x'] },
        { options: ['a', 1] },
        { options: Array.from({ length: 21 }, String) },
        { options: ['x'.repeat(201), 'y'] },
        { multiple: 'yes' },
        { anonymous: null },
        { closes_at: 'soon' },
      ]) {
        expect(await refuse(s, { poll: { ...lunch, ...change } }), JSON.stringify(change)).toBe('bad_poll')
      }
      for (const closes_at of ['2020-01-01T00:00:00Z', '2200-01-01T00:00:00Z'])
        expect(await refuse(s, { poll: { ...lunch, closes_at } })).toBe('poll_closes_in_the_past')
      expect(await refuse(s, { poll: lunch }, ' ')).toBe('messages_not_empty')
      expect((await send(s, null)).message.extras).toBeNull()
      expect((await send(s, {})).message.extras).toBeNull()
    })
  })

  it('sends a message once, whatever became of what it quotes', async () => {
    const quoted = await sendAs('ann', null, 'Original')
    const args = {
      id: randomUUID(),
      channel: fixture.lobby,
      body: 'Look',
      extras: { quote: { message_id: quoted.id } },
    }
    await fixture.committedAs('bea', (s) => s.call('send_message', args))
    await fixture.committedAs('ann', (s) => s.call('delete_message', { id: quoted.id }))
    await fixture.rolledBackAs('bea', async (s) => {
      expect((await s.call('send_message', args)).message.id).toBe(args.id)
      expect(await s.failure('send_message', { ...args, id: randomUUID() })).toBe('message_deleted')
      const [tombstone] = (await s.call('messages_by_ids', { ids: [quoted.id] })).messages
      expect(tombstone).toMatchObject({ body: '', deleted_at: expect.any(String) as unknown })
    })
  })

  it('counts one vote of a person in a poll with a single choice, and several in another', async () => {
    const single = await sendAs('ann', { poll: lunch })
    const several = await sendAs('ann', { poll: { ...lunch, multiple: true } })
    await fixture.rolledBackAs('bea', async (s) => {
      await vote(s, single.id, 0)
      expect(countsOf((await vote(s, single.id, 1)).message)).toEqual([['poll:1', 1, true]])
      expect(countsOf((await vote(s, single.id, 1, false)).message)).toEqual([])
      await vote(s, several.id, 0)
      expect(countsOf((await vote(s, several.id, 1)).message)).toEqual([
        ['poll:0', 1, true],
        ['poll:1', 1, true],
      ])
      for (const key of ['poll:2', 'poll:01', 'poll:', 'poll:x', 'poll:-1'])
        expect(await s.failure('react', { message: single.id, emoji: key, on: true }), key).toBe('bad_emoji')
      expect(await s.failure('react', { message: fixture.messages.fresh, emoji: 'poll:0', on: true })).toBe(
        'bad_emoji',
      )
    })
    const replaced = await collectBroadcasts(fixture, 'bea', async (s) => {
      await vote(s, single.id, 0)
      await vote(s, single.id, 1)
    })
    const reactions = replaced.map((one) => (one.payload as { reaction?: object }).reaction)
    expect(reactions).toMatchObject([
      { emoji: 'poll:0', on: true, count: 1 },
      { emoji: 'poll:0', on: false, count: 0 },
      { emoji: 'poll:1', on: true, count: 1 },
    ])
  })

  it('shows nobody who voted in an anonymous poll', async () => {
    const poll = await sendAs('ann', { poll: { ...lunch, anonymous: true } })
    const broadcasts = await collectBroadcasts(fixture, 'bea', (s) => vote(s, poll.id, 0))
    expect(broadcasts.map((one) => one.event)).toEqual(['rev'])
    expect(JSON.stringify(broadcasts)).not.toContain(fixture.profile.bea)
    const rows = 'select profile_id from public.reactions where message_id = $1'
    await fixture.rolledBackAs('ann', async (s) => {
      const { messages }: ChannelPage = await s.call('channel_page', { channel: fixture.lobby })
      const shown = messages.find((one) => one.id === poll.id)
      expect(shown?.reactions).toEqual([{ emoji: 'poll:0', count: 1, people: [], mine: false }])
      expect(await s.rows(rows, [poll.id])).toEqual([])
      await s.call('react', { message: poll.id, emoji: '👍', on: true })
      expect(await s.rows(rows, [poll.id])).toEqual([{ profile_id: fixture.profile.ann }])
    })
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.rows(rows, [poll.id])).toEqual([{ profile_id: fixture.profile.bea }])
    })
  })

  it('ends a poll for its author and those who manage the channel, and takes no votes afterwards', async () => {
    const poll = await sendAs('bea', { poll: lunch })
    await fixture.rolledBackAs('cem', async (s) => {
      expect(await s.failure('close_poll', { message: poll.id })).toBe('not_allowed')
      expect(await s.failure('close_poll', { message: fixture.messages.fresh })).toBe('not_a_poll')
    })
    await fixture.rolledBackAs('ann', (s) => s.call('close_poll', { message: poll.id }))
    const broadcasts = await collectBroadcasts(fixture, 'bea', (s) =>
      s.call('close_poll', { message: poll.id }),
    )
    expect(broadcasts.map((one) => one.event)).toEqual(['message'])
    const copies = (s: TestTransaction) =>
      s.value<number>(`select count(*)::int from realtime.messages where payload::text like '%Salad%'`)
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.failure('react', { message: poll.id, emoji: 'poll:0', on: true })).toBe('poll_closed')
      const again = await s.call('close_poll', { message: poll.id })
      expect(again.message.rev).toBe((broadcasts[0]!.payload as { rev: number }).rev)
    })
    const before = await fixture.service(copies)
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: poll.id }))
    expect(await fixture.service(copies)).toBe(before - 1)
  })

  it('lets every member tick and untick the tasks of a message', async () => {
    const message = await sendAs('ann', null, 'Before Friday\n- [ ] order paint')
    const key = taskKey('0 order paint')
    await fixture.rolledBackAs('bea', async (s) => {
      await s.call('react', { message: message.id, emoji: key, on: true })
      const plain = { message: fixture.messages.fresh, emoji: key, on: true }
      expect(await s.failure('react', plain)).toBe('bad_emoji')
      expect(await s.failure('react', { ...plain, message: message.id, emoji: 'task:1' })).toBe('bad_emoji')
    })
    await fixture.committedAs('bea', (s) => s.call('react', { message: message.id, emoji: key, on: true }))
    const broadcasts = await collectBroadcasts(fixture, 'cem', (s) =>
      s.call('react', { message: message.id, emoji: key, on: false }),
    )
    expect(broadcasts).toMatchObject([
      { event: 'changed', payload: { reaction: { emoji: key, count: 0, on: false } } },
    ])
  })

  it('never shows the text of a quoted or forwarded message to those who may not read it', async () => {
    // Bea reads the private channel, Ann and Gus do not.
    const forwards = await Promise.all([
      sendAs('bea', { quote: { message_id: fixture.messages.secret } }, 'Look'),
      sendAs('bea', { forward: { message_id: fixture.messages.secret } }, ''),
    ])
    const [secret] = await fixture.rolledBackAs('bea', async (s) => {
      return (await s.call('messages_by_ids', { ids: [fixture.messages.secret] })).messages
    })
    expect(secret?.body).not.toBe('')
    for (const who of ['ann', 'gus'] as const) {
      await fixture.rolledBackAs(who, async (s) => {
        const { messages } = await s.call('channel_page', { channel: fixture.lobby })
        const shown = messages.filter((one) => forwards.some(({ id }) => id === one.id))
        expect(shown, who).toHaveLength(2)
        expect(JSON.stringify(shown)).not.toContain(secret?.body)
        expect(JSON.stringify(shown)).not.toContain(fixture.closed)
        expect(
          (await s.call('messages_by_ids', { ids: [fixture.messages.secret, randomUUID()] })).messages,
        ).toEqual([])
        expect(await refuse(s, { quote: { message_id: fixture.messages.secret } })).toBe('not_found')
        // A bare forward stands for its original.
        expect(await refuse(s, { forward: { message_id: forwards[1].id } })).toBe('not_found')
      })
    }
    await fixture.rolledBackAs('gus', async (s) => {
      expect(await refuse(s, { quote: { message_id: fixture.messages.old } })).toBe('not_found')
      expect((await s.call('messages_by_ids', { ids: [fixture.messages.old] })).messages).toEqual([])
      expect(await refuse(s, { quote: { message_id: 'nothing' } })).toBe('bad_extra')
      expect(await refuse(s, { quote: {} })).toBe('not_found')
    })
    await fixture.rolledBackAs('cem', async (s) => {
      const { message } = await send(s, { forward: { message_id: forwards[1].id } }, '')
      expect(message.extras).toEqual({ forward: { message_id: fixture.messages.secret } })
      expect(
        await s.failure('messages_by_ids', { ids: Array.from({ length: 51 }, () => randomUUID()) }),
      ).toBe('too_many')
    })
    expect(
      await fixture.rolledBackAs('omar', (s) =>
        s.failure('messages_by_ids', { ids: [fixture.messages.fresh] }),
      ),
    ).toBe('not_found')
  })

  it('takes the waveform of a voice recording only with its recording', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const voice = { duration_ms: 1200, waveform: [0, 50, 100] }
      expect(await refuse(s, { voice })).toBe('bad_extra')
    })
  })
})
