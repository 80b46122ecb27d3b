import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RealtimeClient, type RealtimeChannel } from '@supabase/supabase-js'
import { WebSocket } from 'ws'
import type { JsonFrame } from '../../../wire/realtime.ts'
import type { Version } from '../../../wire/payloadText.ts'
import { ended, joined } from './channelEvents.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime({ max_payload_size_in_kb: 10 })
  await realtime.sql(`
    create policy "all hear in halls" on realtime.messages for select to authenticated
      using (extension = 'broadcast' and (select realtime.topic()) like 'hall:%');
    create policy "all see in halls with windows" on realtime.messages for select to authenticated
      using (extension = 'presence' and (select realtime.topic()) like 'hall:windows:%');
    create policy "all are seen in halls with lamps" on realtime.messages for insert to authenticated
      with check (extension = 'presence' and (select realtime.topic()) like 'hall:%lamps');
  `)
})
afterAll(() => realtime.close())

type State = Record<string, { metas: Record<string, unknown>[] }>
type Diff = { joins: State; leaves: State }

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const done = { status: 'ok', response: {} }
const refused = { status: 'error', response: {} }
const meta = (fields: object): object => ({ phx_ref: expect.any(String), ...fields })

let topics = 0
const newTopic = (prefix = 'porch'): string => `${prefix}:${++topics}`

describe('through the client library', () => {
  const clients: RealtimeClient[] = []
  afterAll(() => clients.map((client) => client.disconnect()))

  const open = async (
    topic: string,
    o: { key?: string; watches?: boolean } = {},
  ): Promise<{
    channel: RealtimeChannel
    events: string[]
    until(fits: () => boolean): Promise<void>
    lines: WebSocket[]
    cut(): void
  }> => {
    const lines: WebSocket[] = []
    class Line extends WebSocket {
      constructor(address: string) {
        super(address)
        lines.push(this)
      }
    }
    const client = new RealtimeClient(`${realtime.url.replace('http', 'ws')}/realtime/v1`, {
      params: { apikey: realtime.anonKey },
      transport: Line as never,
      reconnectAfterMs: () => 10,
    })
    clients.push(client)
    const channel = client.channel(topic, o.key ? { config: { presence: { key: o.key } } } : undefined)
    const events: string[] = []
    let wake = (): void => {}
    if (o.watches !== false) {
      channel.on('presence', { event: 'join' }, ({ key }) => events.push(`+${key}`))
      channel.on('presence', { event: 'leave' }, ({ key }) => events.push(`-${key}`))
      channel.on('presence', { event: 'sync' }, () => wake())
    }
    await joined(channel)
    const until = async (fits: () => boolean): Promise<void> => {
      while (!fits()) await new Promise<void>((resolve) => (wake = resolve))
    }
    return { channel, events, until, lines, cut: () => lines[0]!.terminate() }
  }
  const shown = ({ channel }: { channel: RealtimeChannel }): Record<string, unknown[]> =>
    Object.fromEntries(
      Object.entries(channel.presenceState<{ on: string }>()).map(([key, metas]) => [
        key,
        metas.map(({ on }) => on),
      ]),
    )

  it('clients see joins, updates and leaves, per device', async () => {
    const topic = newTopic()
    const ann = await open(topic, { key: 'ann' })
    expect(await ann.channel.track({ on: 'phone' })).toBe('ok')
    await ann.until(() => 'ann' in shown(ann))
    const desk = await open(topic, { key: 'ann' })
    await desk.until(() => 'ann' in shown(desk))
    expect([shown(desk), desk.events]).toEqual([{ ann: ['phone'] }, ['+ann']])

    await desk.channel.track({ on: 'desk' })
    const bea = await open(topic, { key: 'bea' })
    await bea.channel.track({ on: 'tablet' })
    for (const each of [ann, desk, bea]) {
      await each.until(() => shown(each)['ann']?.length === 2 && 'bea' in shown(each))
      expect(shown(each)).toEqual({ ann: ['phone', 'desk'], bea: ['tablet'] })
    }
    await desk.channel.track({ on: 'sofa' })
    await ann.until(() => shown(ann)['ann']!.includes('sofa'))
    expect(shown(ann)['ann']).toEqual(['phone', 'sofa'])

    expect(await desk.channel.untrack()).toBe('ok')
    await bea.until(() => shown(bea)['ann']!.length === 1)
    await ann.channel.unsubscribe()
    await bea.until(() => !('ann' in shown(bea)))
    expect(shown(bea)).toEqual({ bea: ['tablet'] })
  })

  it('a client that does not subscribe receives nothing, and is visible nevertheless', async () => {
    const topic = newTopic()
    const watcher = await open(topic, { key: 'watcher' })
    const passer = await open(topic, { key: 'passer', watches: false })
    expect(await passer.channel.track({ on: 'foot' })).toBe('ok')
    await watcher.until(() => 'passer' in shown(watcher))
    expect(shown(passer)).toEqual({})
  })

  it('a client without a key gets a unique one', async () => {
    const topic = newTopic()
    const [one, two] = [await open(topic), await open(topic)]
    await one.channel.track({ on: 'one' })
    await two.channel.track({ on: 'two' })
    await one.until(() => Object.keys(shown(one)).length === 2)
    for (const key of Object.keys(shown(one))) expect(key).toMatch(uuid)
  })

  it('a client that reconnects sees present members, and none that left meanwhile', async () => {
    const topic = newTopic()
    const [stays, leaves, away] = [
      await open(topic, { key: 'stays' }),
      await open(topic, { key: 'leaves' }),
      await open(topic, { key: 'away' }),
    ]
    for (const each of [stays, leaves, away]) await each.channel.track({ on: 'here' })
    await away.until(() => Object.keys(shown(away)).length === 3)
    // The library joins again by itself, on a new line.
    away.cut()
    await leaves.channel.unsubscribe()
    await away.until(() => !('leaves' in shown(away)))
    expect(Object.keys(shown(away))).toContain('stays')
    expect(away.lines).toHaveLength(2)
  })
})

describe.each(['1.0.0', '2.0.0'] as const)('on version %s', (version: Version) => {
  const sockets: RawSocket[] = []
  afterAll(() => sockets.forEach(({ socket }) => socket.terminate()))

  const enter = async (
    topic: string,
    config: object = {},
    person?: Person,
  ): Promise<
    RawSocket & { payload<T>(event: string): Promise<T>; call(call: unknown): Promise<unknown> }
  > => {
    const raw = await rawSocket(realtime, version)
    sockets.push(raw)
    const response = await raw.join(`realtime:${topic}`, {
      config: { presence: { key: 'me', enabled: true }, private: person !== undefined, ...config },
      ...(person && { access_token: person.token }),
    })
    expect(response.status).toBe('ok')
    let refs = 0
    return {
      ...raw,
      /** The next event of that name, which is then forgotten. */
      async payload<T>(event: string) {
        const frame = (await raw.find((frame) => !frame.broadcast && frame.event === event)) as JsonFrame
        raw.frames.splice(raw.frames.indexOf(frame), 1)
        return frame.payload as T
      },
      call(payload) {
        const ref = `call ${++refs}`
        raw.send({ topic: `realtime:${topic}`, event: 'presence', ref, payload })
        return raw.reply(ref)
      },
    }
  }
  const track = (payload: unknown): object => ({ type: 'presence', event: 'track', payload })
  const untrack = { type: 'presence', event: 'untrack' }
  const seen = ({ frames }: RawSocket): number =>
    frames.filter((frame) => !frame.broadcast && frame.event.startsWith('presence_')).length

  it('a state comes first, then diffs with joins and leaves', async () => {
    const topic = newTopic()
    const me = await enter(topic)
    expect(await me.payload('presence_state')).toEqual({})
    expect(await me.call({ ...track({ mood: 'calm' }), event: 'TRACK' })).toEqual(done)
    const joined = await me.payload<Diff>('presence_diff')
    expect(joined).toEqual({ joins: { me: { metas: [meta({ mood: 'calm' })] } }, leaves: {} })
    // Already present: acknowledged, and not broadcast.
    expect(await me.call(track({ mood: 'calm' }))).toEqual(done)
    expect(await me.call(track({ mood: 'glad' }))).toEqual(done)
    const updated = await me.payload<Diff>('presence_diff')
    const before = joined.joins['me']!.metas[0]!
    expect(updated).toEqual({
      joins: { me: { metas: [meta({ mood: 'glad', phx_ref_prev: before['phx_ref'] })] } },
      leaves: { me: { metas: [before] } },
    })
    expect(await me.call(untrack)).toEqual(done)
    expect(await me.payload('presence_diff')).toEqual({ joins: {}, leaves: updated.joins })
  })

  it('a state contains all members, which are not sent again', async () => {
    const topic = newTopic()
    const first = await enter(topic, { presence: { key: '__proto__', enabled: true } })
    expect(await first.call(track({ mood: 'calm' }))).toEqual(done)
    const second = await enter(topic)
    const state = await second.payload<State>('presence_state')
    expect(Object.entries(state)).toEqual([['__proto__', { metas: [meta({ mood: 'calm' })] }]])
    expect(await second.call(track({}))).toEqual(done)
    // The first that comes is its own, not the one that the state held.
    expect(await second.payload('presence_diff')).toEqual({
      joins: { me: { metas: [meta({})] } },
      leaves: {},
    })
  })

  it.each(['a broken line', 'a leave', 'another join'])(
    'a member that leaves by %s is removed',
    async (way) => {
      const topic = newTopic()
      const [stays, goes] = [
        await enter(topic),
        await enter(topic, { presence: { key: 'goes', enabled: true } }),
      ]
      await goes.call(track({}))
      expect(Object.keys((await stays.payload<Diff>('presence_diff')).joins)).toEqual(['goes'])
      if (way === 'a broken line') goes.socket.terminate()
      else if (way === 'a leave') goes.send({ topic: `realtime:${topic}`, event: 'phx_leave', ref: 'leave' })
      else await goes.join(`realtime:${topic}`)
      expect(await stays.payload('presence_diff')).toEqual({
        joins: {},
        leaves: { goes: { metas: [meta({})] } },
      })
      const late = await enter(topic)
      expect(await late.payload('presence_state')).toEqual({})
    },
  )

  it('a client that joined without presence gets no state, and is in it from its first track', async () => {
    const topic = newTopic()
    const me = await enter(topic, { presence: { key: 'me', enabled: false } })
    expect(await me.call(track({}))).toEqual(done)
    expect(await me.payload('presence_diff')).toMatchObject({ joins: { me: {} } })
    expect(seen(me)).toBe(0)
  })

  it('invalid calls get a reply, and change nothing', async () => {
    const me = await enter(newTopic())
    expect(await me.call({ type: 'presence' })).toEqual(done)
    expect(await me.call(track([1]))).toEqual({
      status: 'error',
      response: { reason: 'Presence track payload must be a map' },
    })
    expect(await me.call({ type: 'presence', event: 'dance' })).toEqual(refused)
    expect(await me.call(untrack)).toEqual(done)
    expect(await me.call(track({ last: true }))).toEqual(done)
    expect(await me.payload('presence_diff')).toMatchObject({ joins: { me: { metas: [{ last: true }] } } })
  })

  it('six calls within the window close the topic, and nothing else', async () => {
    const topic = newTopic()
    const me = await enter(topic)
    for (let mood = 0; mood < 5; mood++) expect(await me.call(track({ mood }))).toEqual(done)
    void me.call(track({ mood: 5 }))
    expect(await me.payload('system')).toMatchObject({
      status: 'error',
      message: 'Client presence rate limit exceeded',
    })
    await me.payload('phx_close')
    expect((await me.join(`realtime:${topic}`)).status).toBe('ok')
  })

  it('a payload above the limit closes the topic', async () => {
    const me = await enter(newTopic())
    void me.call(track({ long: 'x'.repeat(11_000) }))
    expect(await me.payload('system')).toMatchObject({ message: 'Track message size exceeded' })
    await me.payload('phx_close')
  })

  it('in private topics, reading and tracking are separate permissions', async () => {
    const person = await realtime.person()
    const [windows, lamps, both] = [newTopic('hall:windows'), newTopic('hall'), newTopic('hall:windows')]
    const dark = await enter(windows, {}, person)
    expect(await dark.payload('presence_state')).toEqual({})
    expect(await dark.call(track({}))).toEqual(refused)

    const blind = await enter(`${lamps}:lamps`, {}, person)
    expect(await blind.call(track({}))).toEqual(done)

    const listener = await enter(`${both}:lamps`, {}, person)
    expect(await listener.payload('presence_state')).toEqual({})
    const silent = await enter(`${both}:lamps`, { presence: { enabled: false, key: 'silent' } }, person)
    expect(await silent.call(track({}))).toEqual(done)
    expect(await listener.payload('presence_diff')).toMatchObject({ joins: { silent: {} } })
    // A message to the others would have been sent before this reply.
    for (const each of [dark, blind]) await each.sendHeartbeat()
    expect([seen(dark), seen(blind)]).toEqual([0, 0])
  })

  it('a public topic of the same name contains no member of the private one', async () => {
    const person = await realtime.person()
    const topic = `${newTopic('hall:windows')}:lamps`
    const inside = await enter(topic, {}, person)
    await inside.call(track({ secret: true }))
    await inside.payload('presence_diff')
    const outside = await enter(topic)
    expect(await outside.payload('presence_state')).toEqual({})
  })
})

it('a revoked read permission closes the topic', async () => {
  const person = await realtime.person()
  const room = newTopic('room')
  await realtime.sql('insert into members (room, user_id, shows) values ($1, $2, true)', [room, person.id])
  const client = await realtime.client(person.token)
  const channel = client.channel(room, { config: { private: true, presence: { enabled: true } } })
  const over = ended(channel)
  await joined(channel)
  expect(await channel.track({})).toBe('ok')
  await realtime.sql('update members set shows = false where room = $1', [room])
  expect(await over).toMatch(/no longer have permission to read/)
})
