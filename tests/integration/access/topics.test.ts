/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPasswords } from '../../../backend/postgres/server/passwords.ts'
import type { JsonFrame, ServerFrame } from '../../../wire/realtime.ts'
import { userTopic, channelTopic } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { adminOf, bring, call, signInAgain } from '../../support/people.ts'
import { rawSocket, type RawSocket } from '../realtime/rawSocket.ts'
import { request, forge, openAccessFixture, postFile, tokenOf, type AccessFixture } from './accessFixture.ts'

let fixture: AccessFixture
const open: RawSocket[] = []
beforeAll(async () => {
  fixture = await openAccessFixture()
})
afterAll(async () => {
  for (const { socket } of open) socket.terminate()
  await fixture?.backend.stop()
})

async function connect(): Promise<RawSocket> {
  const { url, publishableKey } = fixture.backend
  const socket = await rawSocket({ url, anonKey: publishableKey })
  open.push(socket)
  return socket
}

/** Joins with a token; returns the response without the topic. */
async function join(
  socket: RawSocket,
  topic: string,
  token: string | null,
  config: object = {},
): Promise<string> {
  const { status, response } = await socket.join(`realtime:${topic}`, {
    config: { private: true, ...config },
    ...(token !== null && { access_token: token }),
  })
  const { reason } = response as { reason?: string }
  return status === 'ok' ? 'joined' : String(reason).replaceAll(topic, '…')
}

async function epochOf(channel: Uuid): Promise<number> {
  const { data } = await fixture.admin
    .from('channel_counters')
    .select('epoch')
    .eq('channel_id', channel)
    .single()
  return Number(data!['epoch'])
}

/** Runs a statement as the superuser, for whom no event trigger protects the platform. */
async function sql(text: string): Promise<void> {
  const { dbUrl, dataDir } = fixture.backend
  const { supabase_admin: password } = loadPasswords(dataDir, false)
  const asSuperuser = dbUrl.replace(/\/\/[^@]*@/, `//supabase_admin:${password}@`)
  const db = new Client(`${asSuperuser}&options=-c%20event_triggers%3Doff`)
  await db.connect()
  await db.query(text)
  await db.end()
}

const texts = (frames: ServerFrame[]): string =>
  frames
    .map((frame) =>
      frame.broadcast
        ? `"${frame.broadcast.event}" ${frame.broadcast.body.toString()}`
        : JSON.stringify(frame),
    )
    .join('\n')

const includesText = (frame: ServerFrame, text: string): boolean => texts([frame]).includes(text)

/** Waits until everything sent to a topic before has been processed, since frames of a topic keep their order. */
async function settled(socket: RawSocket, topic: string): Promise<void> {
  const ref = randomUUID()
  socket.send({ topic: `realtime:${topic}`, event: 'phx_leave', ref })
  await socket.reply(ref)
}

const refused = 'Unauthorized: You do not have permissions to read from this Channel topic: …'

test('readers can join a channel at its present epoch, everybody their own topic, and nothing else', async () => {
  const { tokens, partners, annex, profiles, backend } = fixture
  await sql(`select app.increment_channel_epoch('${partners}')`)
  const now = await epochOf(partners)
  expect(now).toBeGreaterThan(1)
  const socket = await connect()
  expect(await join(socket, channelTopic(partners, now), tokens.bea)).toBe('joined')
  expect(await join(socket, userTopic(profiles.bea), tokens.bea)).toBe('joined')
  expect(await join(socket, channelTopic(annex, await epochOf(annex)), tokens.gus)).toBe('joined')
  const never = [
    ...[
      now - 1,
      now + 1,
      0,
      -1,
      `0${now}`,
      '9'.repeat(30),
      `${now}.0`,
      ` ${now}`,
      `${now} `,
      `${now}:1`,
      `${now}\n`,
      '*',
    ].map((epoch) => `channel:${partners}:${epoch}`),
    ...[profiles.ann, partners, '*', `${profiles.bea}:1`, profiles.bea.toUpperCase(), `${profiles.bea} `].map(
      (id) => `user:${id}`,
    ),
    `channel:${partners}`,
    `channel:${partners.toUpperCase()}:${now}`,
    `channel:*:${now}`,
    `channel:%:${now}`,
    `CHANNEL:${partners}:${now}`,
    ` channel:${partners}:${now}`,
    `x:channel:${partners}:${now}`,
    `realtime:channel:${partners}:${now}`,
    '*',
    '%',
    'public:messages',
    'realtime:*',
    'system',
    'phoenix',
  ]
  for (const topic of never) expect(await join(socket, topic, tokens.bea), topic).toBe(refused)

  const past = Math.floor(Date.now() / 1000) - 3600
  const outsiders = Object.entries({
    ...Object.fromEntries(
      (['ann', 'gus', 'omar', 'eli', 'dee', 'max', 'sid'] as const).map((who) => [who, tokens[who]]),
    ),
    anon: null,
    'the public key': backend.publishableKey,
    otherSession: await forge(tokens.bea, { session_id: partners }, backend.jwtSecret),
    expired: await forge(tokens.bea, { exp: past }, backend.jwtSecret),
    forged: await forge(tokens.bea, {}, 'x'.repeat(64)),
  })
  for (const [who, token] of outsiders) {
    const other = await connect()
    const responses = async (topic: string): Promise<string> =>
      (await join(other, topic, token)).replace(/\d+ seconds/, 'some seconds')
    const response = await responses(channelTopic(partners, now))
    expect(response, who).not.toBe('joined')
    expect(await responses(channelTopic(randomUUID(), now)), who).toBe(response)
    expect(await join(other, userTopic(profiles.bea), token), who).not.toBe('joined')
  }
  // Public topics are refused.
  const plain = await connect()
  expect(await join(plain, channelTopic(partners, now), tokens.bea, { private: false })).toMatch(
    /^PrivateOnly/,
  )
  expect(await join(plain, 'anything', null, { private: false })).toMatch(/^PrivateOnly/)
})

test('messages that a client sends to a topic are not delivered, by WebSocket or by HTTP', async () => {
  const { tokens, annex, profiles, people } = fixture
  const topic = channelTopic(annex, await epochOf(annex))
  const [witness, attacker] = [await connect(), await connect()]
  const presence = { presence: { key: 'x', enabled: true }, broadcast: { ack: true, self: true } }
  expect(await join(witness, topic, tokens.ann, presence)).toBe('joined')
  expect(await join(attacker, topic, tokens.bea, presence)).toBe('joined')
  const forged = { channel_id: annex, profile_id: profiles.ann, thread_root: null, mark: 'forged' }
  for (const event of ['typing', 'message', 'epoch', 'meta']) {
    attacker.send({
      topic: `realtime:${topic}`,
      event: 'broadcast',
      payload: { type: 'broadcast', event, payload: forged },
    })
  }
  attacker.send({
    topic: `realtime:${topic}`,
    event: 'presence',
    payload: { type: 'presence', event: 'track', payload: forged },
  })
  await settled(attacker, topic)
  for (const token of [tokens.bea, tokens.omar, null]) {
    const batch = await request(fixture, '/realtime/v1/api/broadcast', token, {
      method: 'POST',
      body: JSON.stringify({
        messages: [
          { topic, event: 'message', payload: forged, private: true },
          { topic, event: 'message', payload: forged, private: false },
          { topic: userTopic(profiles.ann), event: 'workspace', payload: forged, private: true },
        ],
      }),
    })
    expect(batch.status).toBe(202)
    const one = await request(
      fixture,
      `/realtime/v1/api/broadcast/${encodeURIComponent(topic)}/events/typing?private=true`,
      token,
      { method: 'POST', body: JSON.stringify(forged) },
    )
    expect(one.status).toBe(403)
  }
  // Typing is a command whose sender is always the caller; others are refused.
  expect((await people.omar.rpc('typing', { channel: annex })).error?.message).toBe('not_found')
  expect((await people.bea.rpc('typing', { channel: annex, profile_id: profiles.ann })).error?.code).toBe(
    'PGRST202',
  )
  await call(people.bea, 'typing', { channel: annex })
  const typed = await witness.find((frame) => includesText(frame, '"typing"'))
  expect(texts([typed])).toContain(profiles.bea)
  expect(texts(witness.frames)).not.toContain('forged')
})

test('a replay has only what the subscriber may read: no earlier epochs, no deleted messages', async () => {
  const { tokens, annex, people } = fixture
  const topic = channelTopic(annex, await epochOf(annex))
  const [edited, deleted, kept] = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of [edited, deleted, kept]) {
    await call(people.bea, 'send_message', { id, channel: annex, body: `Once ${id}` })
  }
  await call(people.bea, 'edit_message', { id: edited, body: 'Changed' })
  await call(people.bea, 'delete_message', { id: deleted })
  const replay = { broadcast: { replay: { since: 0, limit: 25 } } }
  const [gus, omar] = [await connect(), await connect()]
  expect(await join(gus, topic, tokens.gus, replay)).toBe('joined')
  expect(await join(omar, topic, tokens.omar, replay)).toBe(refused)
  await settled(gus, topic)
  const received = texts(gus.frames)
  expect(received).toContain(`Once ${kept}`)
  for (const text of [`Once ${edited}`, `Once ${deleted}`, 'first words', fixture.messages.early]) {
    expect(received, text).not.toContain(text)
  }
})

test('after leaving, removal, demotion, deactivation, sign-out or deletion, access and subscriptions end at once', async () => {
  const { backend, people, workspace, admin } = fixture
  const ends: Record<
    string,
    (id: Uuid, account: Uuid, room: Uuid, client: SupabaseClient) => Promise<unknown>
  > = {
    closed: (_, __, channel) => call(people.ann, 'update_channel', { channel, kind: 'private' }),
    removed: (person, _, channel) => call(people.ann, 'remove_member', { channel, person }),
    removedFromWorkspace: (person) => call(people.ann, 'remove_person', { workspace, person }),
    left: (_, __, ___, client) => call(client, 'leave_workspace', { workspace }),
    // Members read public channels without being in them, guests don't.
    demoted: (person) => call(people.ann, 'set_member_role', { workspace, person, role: 'guest' }),
    restricted: (person) =>
      call(people.ann, 'set_guest_access', {
        workspace,
        person,
        channels: [fixture.lobby],
        expires_at: null,
      }),
    deactivated: (person) => call(people.ann, 'deactivate_member', { workspace, person }),
    signedOut: async () => (await signInAgain(backend, 'signedOut')).auth.signOut({ scope: 'global' }),
    barred: (_, account) => adminOf(backend).auth.admin.updateUserById(account, { ban_duration: '1h' }),
    deleted: (_, account) => adminOf(backend).auth.admin.deleteUser(account),
    late: async (person) =>
      admin
        .from('workspace_members')
        .update({ expires_at: new Date(Date.now() - 1000).toISOString() })
        .eq('profile_id', person),
  }
  for (const [how, end] of Object.entries(ends)) {
    const room = randomUUID()
    const isOpen = how === 'closed' || how === 'demoted'
    const kind = isOpen ? 'public' : 'private'
    await call(people.ann, 'create_channel', { id: room, workspace, kind, name: `room of ${how}` })
    const role = how === 'late' || how === 'restricted' ? 'guest' : 'member'
    const person = await bring(backend, people.ann, { workspace, channels: [room], name: how, role })
    const me = (await call(person, 'bootstrap', {})).me!.profile.id
    // A non-member can still read a public channel.
    if (isOpen) await call(person, 'leave_channel', { channel: room })
    const token = await tokenOf(person)
    const topic = channelTopic(room, await epochOf(room))
    const [subscriber, observer] = [await connect(), await connect()]
    expect(await join(subscriber, topic, token), how).toBe('joined')
    expect(await join(observer, topic, await tokenOf(people.ann)), how).toBe('joined')
    const path = await postFile(people.ann, { channel: room, message: randomUUID(), body: `Before ${how}` })
    const seen = async (): Promise<[number, boolean, boolean]> => {
      const rows = await request(fixture, `/rest/v1/messages?select=id&channel_id=eq.${room}`, token)
      const file = await request(fixture, `/storage/v1/object/files/${path}`, token)
      const page = await request(fixture, '/rest/v1/rpc/channel_page', token, {
        method: 'POST',
        body: JSON.stringify({ channel: room }),
      })
      return [((await rows.json()) as unknown[]).length, file.ok, page.ok]
    }
    await subscriber.find((frame) => includesText(frame, `Before ${how}`))
    expect(await seen(), how).toEqual([expect.any(Number), true, true])

    const account = (await person.auth.getUser()).data.user!.id
    const closed = subscriber.find(
      (frame) =>
        !frame.broadcast && (frame as JsonFrame).event === 'phx_close' && frame.topic === `realtime:${topic}`,
    )
    await end(me, account, room, person)
    expect(await seen(), how).toEqual([0, false, false])
    // The server ends the remaining subscriptions; how soon is not tested, as the machine may be busy.
    await closed
    expect(await join(subscriber, topic, token), how).not.toBe('joined')
    expect(await join(subscriber, channelTopic(room, await epochOf(room)), token), how).not.toBe('joined')
    expect(
      await join(observer, channelTopic(room, await epochOf(room)), await tokenOf(people.ann)),
      how,
    ).toBe('joined')
    await call(people.ann, 'send_message', { id: randomUUID(), channel: room, body: `After ${how}` })
    await observer.find((frame) => includesText(frame, `After ${how}`))
    const ref = randomUUID()
    subscriber.send({ topic: 'phoenix', event: 'heartbeat', ref })
    await subscriber.reply(ref)
    expect(texts(subscriber.frames), how).not.toContain(`After ${how}`)
  }
})

/** Subscribes a person to a topic with the official client. */
async function subscribe(client: SupabaseClient, topic: string) {
  const channel = client.channel(topic, { config: { private: true } })
  const [statuses, events]: [string[], { event: string; payload: Record<string, unknown> }[]] = [[], []]
  channel.on('broadcast', { event: '*' }, ({ event, payload }) => events.push({ event, payload }))
  await client.realtime.setAuth(await tokenOf(client))
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      statuses.push(status)
      if (status === 'SUBSCRIBED') resolve()
      else reject(error ?? new Error(status))
    })
  })
  const bodies = () =>
    events.flatMap(({ event, payload }) =>
      event === 'message' ? [(payload['message'] as { body: string }).body] : [],
    )
  return { statuses, events, bodies }
}

/** Sends a heartbeat of the realtime client and waits for the reply. */
function heartbeat({ realtime }: SupabaseClient): Promise<void> {
  return new Promise((resolve) => {
    realtime.onHeartbeat((status) => status === 'ok' && resolve())
    void realtime.sendHeartbeat()
  })
}

const ENDS: Record<string, (id: { channel: Uuid; person: Uuid; workspace: Uuid }) => Promise<unknown>> = {
  'a removed member': ({ channel, person }) => call(fixture.people.ann, 'remove_member', { channel, person }),
  'a former member of the workspace': ({ workspace, person }) =>
    call(fixture.people.ann, 'remove_person', { workspace, person }),
  'a member of the workspace, once the channel is private': ({ channel }) =>
    call(fixture.people.ann, 'update_channel', { channel, kind: 'private', name: `Closed ${channel}` }),
}

/** Creates a channel to which a new person and Bea are subscribed. */
async function openChannel(how: string) {
  const { people, workspace } = fixture
  const channel = randomUUID()
  const kind = how.includes('private') ? 'public' : 'private'
  const name = `room ${channel.slice(0, 8)}`
  await call(people.ann, 'create_channel', { id: channel, workspace, kind, name })
  await call(people.ann, 'add_members', { channel, people: [fixture.profiles.bea] })
  const client = await bring(fixture.backend, people.ann, {
    workspace,
    channels: [channel],
    name: `person-${channel.slice(0, 8)}`,
    role: 'member',
  })
  const person = (await call(client, 'bootstrap', {})).me!.profile.id
  if (kind === 'public') await call(client, 'leave_channel', { channel })
  const topic = channelTopic(channel, await epochOf(channel))
  const [gone, stays] = [await subscribe(client, topic), await subscribe(people.bea, topic)]
  await call(people.ann, 'send_message', { id: randomUUID(), channel, body: 'Before' })
  await expect.poll(() => [gone.bodies().at(-1), stays.bodies().at(-1)]).toEqual(['Before', 'Before'])
  return { client, channel, person, topic, gone, stays }
}

test.each(Object.keys(ENDS))(
  '%s receives nothing more, and the other members stay joined and miss nothing',
  async (how) => {
    const { people, workspace } = fixture
    const { client, channel, person, topic, gone, stays } = await openChannel(how)
    await ENDS[how]!({ channel, person, workspace })
    await call(people.ann, 'send_message', { id: randomUUID(), channel, body: 'After' })
    await expect.poll(() => stays.bodies().at(-1)).toBe('After')
    expect(stays.statuses).toEqual(['SUBSCRIBED'])
    const revs = stays.events.flatMap(({ event, payload }) =>
      event === 'rev' ? [] : [Number(payload['rev'])],
    )
    const before = revs.indexOf(
      Number(
        stays.events.find(({ payload }) => JSON.stringify(payload).includes('"Before"'))!.payload['rev'],
      ),
    )
    // The numbers since the message before continue without a gap.
    const since = [...new Set(revs.slice(before))]
    expect(since).toEqual(since.map((_, at) => since[0]! + at))
    expect(channelTopic(channel, await epochOf(channel))).toBe(topic)
    await expect.poll(() => gone.statuses).toContain('CLOSED')
    // The reply to a heartbeat follows everything that was written to the socket before.
    await heartbeat(client)
    expect(gone.bodies().at(-1)).not.toBe('After')
    expect(JSON.stringify(gone.events)).not.toContain('Closed')
  },
)

test.each(Object.keys(ENDS))(
  'on a server that cannot end subscriptions, the channel of %s moves to a new topic',
  async (how) => {
    const { people, workspace } = fixture
    await sql('alter function realtime.end_subscriptions(text, uuid[]) rename to hidden_end_subscriptions')
    try {
      const { channel, person, topic, gone, stays } = await openChannel(how)
      await ENDS[how]!({ channel, person, workspace })
      await expect.poll(() => stays.events.at(-1)?.event).toBe('epoch')
      const moved = channelTopic(channel, Number(stays.events.at(-1)!.payload['epoch']))
      expect(moved).not.toBe(topic)
      const again = await subscribe(people.bea, moved)
      await call(people.ann, 'send_message', { id: randomUUID(), channel, body: 'After' })
      await expect.poll(() => again.bodies()).toEqual(expect.arrayContaining(['After']))
      expect(gone.bodies()).not.toContain('After')
      expect(stays.bodies()).not.toContain('After')
      expect(JSON.stringify([gone.events, stays.events])).not.toContain('Closed')
    } finally {
      await sql('alter function realtime.hidden_end_subscriptions(text, uuid[]) rename to end_subscriptions')
    }
  },
)
