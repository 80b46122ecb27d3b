import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonFrame } from '../../../wire/realtime.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime
let ann: Person
let bad: Record<'empty' | 'malformed' | 'forged' | 'expired' | 'roleless', string>

beforeAll(async () => {
  realtime = await startRealtime()
  ann = await realtime.person()
  await realtime.sql(`insert into public.members (room, user_id) values ('hall', $1)`, [ann.id])
  const [head, claims] = ann.token.split('.')
  bad = {
    empty: '',
    malformed: 'no token',
    forged: `${head}.${claims}.${Buffer.alloc(32).toString('base64url')}`,
    expired: await realtime.tokenOf(ann, { expiresIn: -60 }),
    roleless: await realtime.tokenOf(ann, { role: '' }),
  }
})
afterAll(() => realtime.close())

const over = /^(InvalidJWTToken: )?Token has expired \d+ seconds ago$/
const config = { private: true }

/** The server frames of a topic, by event, without replies. */
async function eventsReceived(raw: RawSocket): Promise<[event: string, message: unknown][]> {
  await raw.sendHeartbeat()
  return raw.frames
    .map((frame) => frame as JsonFrame)
    .filter(({ event }) => event !== 'phx_reply')
    .map(({ event, payload }) => [event, (payload as { message?: unknown }).message])
}

describe.each(['1.0.0', '2.0.0'] as const)('version %s', (version) => {
  it.each([
    ['empty', 'MalformedJWT: The token provided is not a valid JWT'],
    ['malformed', 'MalformedJWT: The token provided is not a valid JWT'],
    ['forged', 'JwtSignatureError: Failed to validate JWT signature'],
    ['expired', expect.stringMatching(over)],
    ['roleless', 'InvalidJWTToken: Fields `role` and `exp` are required in JWT'],
  ] as const)(
    'a join with a token that is %s is refused with the reason, also for public topics',
    async (fault, reason) => {
      const raw = await rawSocket(realtime, version)
      for (const payload of [{ access_token: bad[fault] }, { user_token: bad[fault] }]) {
        expect(await raw.join('realtime:hall', payload)).toEqual({ status: 'error', response: { reason } })
        expect(await raw.join('realtime:hall', { config, ...payload })).toMatchObject({
          response: { reason },
        })
      }
      expect(realtime.service.stats().topics).toBe(0)
      raw.socket.close()
    },
  )

  it('a join without a token has the role of the key', async () => {
    const raw = await rawSocket(realtime, version)
    for (const token of [null, undefined, 7, {}, [], 'sb_publishable_key'])
      expect(await raw.join('realtime:hall', { access_token: token })).toMatchObject({ status: 'ok' })
    expect(await raw.join('realtime:hall', { config, access_token: 'sb_publishable_key' })).toMatchObject({
      response: { reason: 'Unauthorized: You do not have permissions to read from this Channel topic: hall' },
    })
    expect(await raw.join('realtime:hall', { config, user_token: ann.token })).toMatchObject({ status: 'ok' })
    raw.socket.close()
  })

  it.each([
    ['empty', 'The token provided is not a valid JWT'],
    ['malformed', 'The token provided is not a valid JWT'],
    ['forged', 'Failed to validate JWT signature'],
    ['expired', expect.stringMatching(over)],
    ['roleless', 'Fields `role` and `exp` are required in JWT'],
  ] as const)('a renewal that is %s closes its topic and no other', async (fault, message) => {
    const raw = await rawSocket(realtime, version)
    await raw.join('realtime:other', { access_token: ann.token })
    for (const isPrivate of [true, false]) {
      await raw.join('realtime:hall', { config: { private: isPrivate }, access_token: ann.token })
      raw.frames.length = 0
      raw.send({ topic: 'realtime:hall', event: 'access_token', payload: { access_token: bad[fault] } })
      await raw.find((frame) => (frame as JsonFrame).event === 'phx_close')
      expect(raw.frames.map(({ topic }) => topic)).toEqual(['realtime:hall', 'realtime:hall'])
      expect(await eventsReceived(raw)).toEqual([
        ['system', message],
        ['phx_close', undefined],
      ])
    }
    expect(realtime.service.stats().topics).toBe(1)
    raw.socket.terminate()
    await expect.poll(() => realtime.service.stats().topics).toBe(0)
  })

  it('an empty or unchanged renewal is ignored', async () => {
    const raw = await rawSocket(realtime, version)
    await raw.join('realtime:hall', { config, access_token: ann.token })
    const nothing = [{}, { access_token: null }, { access_token: 7 }, { access_token: 'sb_secret_key' }]
    const renewals = [null, 7, [], 'x', ...nothing, { access_token: ann.token }]
    for (const payload of renewals) raw.send({ topic: 'realtime:hall', event: 'access_token', payload })
    const other = { access_token: await realtime.tokenOf(ann, { expiresIn: 7_200 }) }
    raw.send({ topic: 'realtime:hall', event: 'access_token', payload: other })
    // Frames of a topic keep their order: once this is answered all of them were.
    raw.send({ topic: 'realtime:hall', event: 'presence', ref: 'after' })
    await raw.reply('after')
    expect(await eventsReceived(raw)).toEqual([])
    raw.socket.close()
  })

  it('a renewal with the token of a user without permission closes the topic', async () => {
    const [raw, gus] = [await rawSocket(realtime, version), await realtime.person()]
    await raw.join('realtime:hall', { config, access_token: ann.token })
    const payload = { access_token: gus.token }
    raw.send({ topic: 'realtime:hall', event: 'access_token', payload })
    await raw.find((frame) => (frame as JsonFrame).event === 'phx_close')
    expect(await eventsReceived(raw)).toEqual([
      ['system', expect.stringMatching(/permissions? to read from this Channel topic: hall$/)],
      ['phx_close', undefined],
    ])
    raw.socket.close()
  })
})
