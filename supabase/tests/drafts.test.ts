import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Draft } from '../../wire/messages.ts'
import { userTopic } from '../../wire/events.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('drafts on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  interface Save {
    id?: string
    channel?: string
    thread_root?: string | null
    quote?: string | null
    base?: string[]
  }
  const argsOf = (body: string, { id = randomUUID(), channel = fixture.lobby, ...rest }: Save = {}) => ({
    id,
    channel,
    body,
    ...rest,
  })
  const save = (s: TestTransaction, body: string, rest?: Save) => s.call('save_draft', argsOf(body, rest))
  const send = (s: TestTransaction, body: string, drafts: string[], id: string = randomUUID()) =>
    s.call('send_message', { id, channel: fixture.lobby, body, drafts })
  const draftsOf = async (s: TestTransaction): Promise<Draft[]> =>
    (await s.call('bootstrap', {})).own.drafts ?? []
  const textsOf = async (s: TestTransaction) => (await draftsOf(s)).map((one) => one.body)

  it('are stored for a channel and for a thread, with a quote, and only their author sees them', async () => {
    const root = fixture.messages.fresh
    let mine: Draft[] = []
    await fixture.committedAs('bea', async (s) => {
      await save(s, 'for the channel')
      await save(s, '', { thread_root: root, quote: root })
      mine = await draftsOf(s)
    })
    expect(
      mine.map((one) => [one.id, one.channel_id, one.thread_root, one.body, one.quote]).toSorted(),
    ).toEqual(
      [
        [fixture.lobby, fixture.lobby, null, 'for the channel', null],
        [root, fixture.lobby, root, '', root],
      ].toSorted(),
    )
    const count = (s: TestTransaction) => s.rows('select id from public.drafts')
    expect(await fixture.rolledBackAs('bea', count)).toHaveLength(2)
    for (const who of ['ann', 'gus', 'omar'] satisfies Name[]) {
      expect(await fixture.rolledBackAs(who, count)).toEqual([])
      expect(await fixture.rolledBackAs(who, draftsOf)).toEqual([])
    }
    await fixture.service((s) => s.rows('delete from public.drafts'), true)
  })

  it('are sent to the author’s devices only', async () => {
    const events = await collectBroadcasts(fixture, 'gus', (s) => save(s, 'hello'))
    expect(events.map(({ topic, event }) => [topic, event])).toEqual([
      [userTopic(fixture.profile.gus), 'draft'],
    ])
    const [draft] = await fixture.rolledBackAs('gus', draftsOf)
    expect(events[0]?.payload).toEqual({ ...draft, workspace_id: fixture.workspace })
  })

  it('that are long are fetched: their broadcasts, which are stored, have their number only', async () => {
    const [short, long] = ['é'.repeat(2_000), 'é'.repeat(2_001)]
    const id = randomUUID()
    const { digests: stored, own: before } = await fixture.rolledBackAs('gus', (s) => s.call('bootstrap', {}))
    const base = before.drafts?.map((one) => one.change_id) ?? []
    const events = await collectBroadcasts(fixture, 'gus', async (s) => {
      await save(s, short, { id, base })
      await save(s, long, { base: [id] })
    })
    const { own } = await fixture.rolledBackAs('gus', (s) =>
      s.call('heartbeat', { workspace: fixture.workspace, state: 'active', stored }),
    )
    expect(own?.drafts).toMatchObject([{ id: fixture.lobby, body: long }])
    expect(events).toMatchObject([
      { topic: userTopic(fixture.profile.gus), event: 'draft', payload: { body: short } },
      {
        topic: userTopic(fixture.profile.gus),
        event: 'own_row',
        payload: {
          kind: 'drafts',
          id: fixture.lobby,
          rev: own!.drafts![0]!.rev,
          workspace_id: fixture.workspace,
        },
      },
    ])
    expect(JSON.stringify(events[1])).not.toContain('é')
  })

  it('are not overwritten by a device that does not know the last change', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const [first, second] = [randomUUID(), randomUUID()]
      expect(await save(s, 'one', { id: first })).toMatchObject({
        applied: true,
        draft: { change_id: first },
      })
      expect(await save(s, 'two', { id: second, base: [first] })).toMatchObject({ applied: true })
      expect(await save(s, 'late', { base: [first] })).toMatchObject({
        applied: false,
        draft: { body: 'two' },
      })
      expect(await save(s, 'unaware')).toMatchObject({ applied: false, draft: { body: 'two' } })
      expect(await textsOf(s)).toEqual(['two'])
    })
  })

  it('are saved once by a repeated request, and stay as they are if nothing differs', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const id = randomUUID()
      const first = await save(s, 'one', { id })
      expect(await save(s, 'one', { id })).toEqual(first)
      expect(await save(s, 'one')).toEqual(first)
    })
  })

  it('are emptied with the message, once, and are not stored again by an earlier save that arrives late', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const [change, message] = [randomUUID(), randomUUID()]
      await save(s, 'hello', { id: change })
      await send(s, 'hello', [change], message)
      expect(await draftsOf(s)).toMatchObject([{ body: '', quote: null, change_id: message }])
      expect(await save(s, 'hello', { id: change })).toMatchObject({ applied: false, draft: { body: '' } })
      // The next draft names the message that it follows; the repeated message does not empty it.
      await save(s, 'next', { base: [message] })
      await send(s, 'hello', [change], message)
      expect(await textsOf(s)).toEqual(['next'])
    })
  })

  it('whose first save arrives after the message stay empty', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const change = randomUUID()
      await send(s, 'hello', [change])
      expect(await save(s, 'hello', { id: change })).toMatchObject({ applied: false })
      expect(await textsOf(s)).toEqual([''])
    })
  })

  it('that another device has changed since stay when the message is sent', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const change = randomUUID()
      await save(s, 'hello', { id: change })
      await save(s, 'hello there', { base: [change] })
      await send(s, 'hello', [change])
      expect(await textsOf(s)).toEqual(['hello there'])
    })
  })

  it('of a message that is refused stay', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const change = randomUUID()
      await save(s, 'hello', { id: change })
      const call = { id: randomUUID(), channel: fixture.lobby, body: ' ', drafts: [change] }
      expect(await s.failure('send_message', call)).toBe('messages_not_empty')
      expect(await textsOf(s)).toEqual(['hello'])
    })
  })

  it('are bounded in number and length, also those that were emptied', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      expect((await s.refusal((t) => save(t, 'x'.repeat(20_001)))).constraint).toBe('drafts_body_length')
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows(
        `with made as (
           insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, 1000 + n, 1000 + n, 1000 + n, $2, 'x', now() from generate_series(1, 250) n
           returning id)
         insert into public.drafts (profile_id, id, channel_id, thread_root, body, change_id)
         select $2, id, $1, id, case when row_number() over () <= 100 then 'x' else '' end, id from made`,
        [fixture.lobby, fixture.profile.bea],
      )
      await s.rows(`select set_config('role', 'authenticated', true)`)
      expect(await s.failure('save_draft', argsOf('one too many'))).toBe('drafts_at_most_hundred')
      const full = (await draftsOf(s)).find((one) => one.body !== '')!
      await save(s, '', { thread_root: full.id, base: [full.change_id] })
      await save(s, 'now it fits')
      const texts = await textsOf(s)
      expect(texts.filter((text) => text === '')).toHaveLength(100)
      expect(texts.filter((text) => text !== '')).toHaveLength(100)
    })
  })
})
