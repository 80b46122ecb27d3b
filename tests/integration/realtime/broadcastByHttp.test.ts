import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { received, joined } from './channelEvents.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let bea: Person
let omar: Person

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  omar = await realtime.person()
  await realtime.sql(
    `insert into public.members (room, user_id, speaks) values ('garden', $1, true), ('shed', $1, true)`,
    [bea.id],
  )
  await realtime.sql(`
    create function app.stumble() returns boolean language plpgsql
      as $$ begin raise exception 'the words of the policy'; end $$;
    create function app.doze() returns boolean language plpgsql as $$ begin perform pg_sleep(60); return true; end $$;
    create policy "stumbling" on realtime.messages for insert to authenticated
      with check (case (select realtime.topic()) when 'broken' then app.stumble() when 'asleep' then app.doze() else false end)`)
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }

function post(
  path: string,
  body: unknown,
  o: { token?: string; type?: string | null } = {},
): Promise<Response> {
  const isBytes = body instanceof Uint8Array
  return fetch(`${realtime.url}/realtime/v1${path}`, {
    method: 'POST',
    headers: {
      apikey: realtime.anonKey,
      ...(o.type === null ? {} : { 'content-type': o.type ?? 'application/json' }),
      ...(o.token ? { authorization: `Bearer ${o.token}` } : {}),
    },
    body: isBytes ? new Blob([body as never]) : typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function postBroadcast(path: string, body: unknown, o: { token?: string; type?: string | null } = {}) {
  const response = await post(path, body, o)
  const text = await response.text()
  return [response.status, text === '' ? null : (JSON.parse(text) as unknown)]
}

const batch = (...messages: object[]): object => ({ messages })

describe('many messages', () => {
  it('are delivered to subscribers, to private topics only with permission', async () => {
    const listener = (await realtime.client(bea.token)).channel('garden', privately)
    const square = (await realtime.client()).channel('square')
    const events: string[] = []
    listener.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    const last = received(listener, 'fromBea')
    const open = received(square, 'open')
    await Promise.all([joined(listener), joined(square)])
    const message = (event: string) =>
      batch(
        { topic: 'garden', event, payload: { event }, private: true },
        { topic: 'nowhere', event, payload: {}, private: true },
      )
    expect(await postBroadcast('/api/broadcast', message('fromOmar'), { token: omar.token })).toEqual([
      202,
      null,
    ])
    expect(await postBroadcast('/api/broadcast', message('fromAnon'))).toEqual([202, null])
    expect(
      await postBroadcast(
        '/api/broadcast',
        batch(
          { topic: 'square', event: 'open', payload: { n: 1 } },
          { topic: 'garden', event: 'fromBea', payload: { n: 2 }, private: 'true', id: 'mine' },
        ),
        { token: bea.token },
      ),
    ).toEqual([202, null])
    expect((await open).payload).toEqual({ n: 1 })
    expect(await last).toMatchObject({ payload: { n: 2 }, meta: { id: 'mine' } })
    expect(events).toEqual(['fromBea'])
  })

  it('of the service role are delivered to private topics, whatever the policies', async () => {
    const listener = (await realtime.client(bea.token)).channel('shed', privately)
    const next = received(listener, 'served')
    await joined(listener)
    const token = await realtime.tokenOf(omar, { role: 'service_role' })
    const message = { topic: 'shed', event: 'served', payload: {}, private: true }
    expect(await postBroadcast('/api/broadcast', batch(message), { token })).toEqual([202, null])
    await next
  })

  it.each([
    ['no messages', {}, { messages: ["can't be blank"] }],
    ['none at all', { messages: [] }, { messages: ["can't be blank"] }],
    ['something else than a list', { messages: 'hello' }, { messages: ['is invalid'] }],
    ['a list of something else', { messages: ['hello'] }, { messages: ['is invalid'] }],
    ['an empty body', '', { messages: ["can't be blank"] }],
    [
      'one bad message among good ones',
      batch(
        { topic: 't', event: 'e', payload: {} },
        { topic: ' ', event: 3, payload: [1], private: 'maybe' },
      ),
      {
        messages: [
          {},
          {
            topic: ["can't be blank"],
            event: ['is invalid'],
            payload: ['is invalid'],
            private: ['is invalid'],
          },
        ],
      },
    ],
    [
      'a payload that is too large',
      batch({ topic: 't', event: 'e', payload: { x: 'x'.repeat(3_100_000) } }),
      { messages: [{ payload: ['Payload size exceeds tenant limit'] }] },
    ],
    [
      'a payload nobody could write again',
      `{"messages":[{"topic":"t","event":"e","payload":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`,
      { messages: [{ payload: ['is invalid'] }] },
    ],
    [
      'more than a request may hold',
      { messages: Array.from({ length: 1_001 }, () => ({ topic: 't', event: 'e', payload: {} })) },
      { messages: ['are too many'] },
    ],
  ])('%s: 422, each field named', async (_, body, errors) => {
    expect(await postBroadcast('/api/broadcast', body)).toEqual([422, { errors }])
  })

  it('refuses invalid JSON, and a body above the limit', async () => {
    expect(await postBroadcast('/api/broadcast', '{')).toEqual([400, { message: 'Bad Request' }])
    expect(await postBroadcast('/api/broadcast', new Uint8Array([0x22, 0xff, 0x22]))).toEqual([
      400,
      { message: 'Bad Request' },
    ])
    expect((await post('/api/broadcast', 'x'.repeat(8_100_000))).status).toBe(413)
  })
})

describe('one message', () => {
  it('through the official client: JSON, bytes, names in any script', async () => {
    const listener = (await realtime.client(bea.token)).channel('garden', privately)
    const [json, bytes] = [received(listener, 'größer ✓'), received(listener, 'bytes')]
    await joined(listener)
    const speaker = (await realtime.client(bea.token)).channel('garden', privately)
    expect(await speaker.httpSend('größer ✓', { n: 1 })).toEqual({ success: true })
    expect(await speaker.httpSend('bytes', new Uint8Array([0, 255, 7]))).toEqual({ success: true })
    expect((await json).payload).toEqual({ n: 1 })
    expect([...new Uint8Array((await bytes).payload as never)]).toEqual([0, 255, 7])
    const omars = (await realtime.client(omar.token)).channel('garden', privately)
    await expect(omars.httpSend('forged', {})).rejects.toThrow('Unauthorized')
  })

  it('is received on version 1.0.0 too, and not by the public topic of that name', async () => {
    const old = await rawSocket(realtime, '1.0.0')
    const access_token = bea.token
    await old.join('realtime:garden', { config: { private: true }, access_token })
    const eavesdropper = await rawSocket(realtime)
    await eavesdropper.join('realtime:garden', {})
    const path = '/api/broadcast/garden/events'
    expect(await postBroadcast(`${path}/hello?private=true`, '[1]', { token: bea.token })).toEqual([
      202,
      null,
    ])
    expect(await postBroadcast(`${path}/open`, '{}')).toEqual([202, null])
    const frame = await old.find((found) => !found.broadcast && found.event === 'broadcast')
    // What is no object comes inside one, as on the hosted service.
    expect(frame).toMatchObject({ payload: { event: 'hello', payload: { _json: [1] }, type: 'broadcast' } })
    const open = await eavesdropper.find((found) => found.broadcast !== undefined)
    expect(open.broadcast?.event).toBe('open')
    expect(eavesdropper.frames.filter((found) => found.broadcast)).toHaveLength(1)
    old.socket.terminate()
    eavesdropper.socket.terminate()
  })

  it.each([
    ['a caller who may not speak', '?private=true', '{}', 'omar', 403, { message: 'Unauthorized' }],
    ['no account', '?private=true', '{}', null, 403, { message: 'Unauthorized' }],
    ['a bad token', '', '{}', 'x.y.z', 401, { message: 'Unauthorized' }],
    ['no JSON', '', '{', null, 400, { message: 'Bad Request' }],
    [
      'too much',
      '',
      JSON.stringify('x'.repeat(3_001_000)),
      null,
      422,
      { errors: { payload: ['Payload size exceeds tenant limit'] } },
    ],
    [
      'to be stored in public',
      '?persist=true',
      '{}',
      null,
      422,
      { errors: { persist: ['can only be used on private channels'] } },
    ],
  ])('%s is refused', async (_, query, body, who, status, response) => {
    const token = who === 'omar' ? { token: omar.token } : who === null ? {} : { token: who }
    expect(await postBroadcast(`/api/broadcast/garden/events/e${query}`, body, token)).toEqual([
      status,
      response,
    ])
  })

  it('refuses other media types, accepts JSON without a type, and has no other path', async () => {
    expect(await postBroadcast('/api/broadcast/t/events/e', 'x', { type: 'text/plain' })).toEqual([
      415,
      { error: 'Unsupported Media Type. Use application/json or application/octet-stream' },
    ])
    expect(
      (await post('/api/broadcast/t/events/e', new TextEncoder().encode('{}'), { type: null })).status,
    ).toBe(202)
    expect((await post('/api/broadcast/t/events', {})).status).toBe(404)
    expect((await post('/api/elsewhere', {})).status).toBe(404)
  })

  it.each([
    ['broken', 'RLS policy error'],
    ['asleep', 'Query canceled'],
  ])('on the topic "%s" gets a response that does not reveal its policy', async (topic, message) => {
    const path = `/api/broadcast/${topic}/events/e?private=true`
    expect(await postBroadcast(path, '{}', { token: bea.token })).toEqual([422, { message }])
  })

  it('of a caller whose session has ended is refused where the policies require a session', async () => {
    const ann = await realtime.person()
    const rooms = ['garden', 'session:garden']
    await realtime.sql(
      'insert into public.members (room, user_id, speaks) select unnest($1::text[]), $2, true',
      [rooms, ann.id],
    )
    const send = () =>
      Promise.all(
        rooms.map((room) =>
          postBroadcast(`/api/broadcast/${room}/events/e?private=true`, '{}', { token: ann.token }),
        ),
      )
    expect(await send()).toEqual([
      [202, null],
      [202, null],
    ])
    await realtime.sql('delete from auth.sessions where id = $1', [ann.sessionId])
    expect(await send()).toEqual([
      [202, null],
      [403, { message: 'Unauthorized' }],
    ])
  })
})
