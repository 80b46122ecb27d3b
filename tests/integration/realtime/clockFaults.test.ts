import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ended, received, joined } from './channelEvents.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

const hour = 3_600_000
const perSecond = 5

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime({ max_events_per_second: perSecond })
})
afterAll(() => realtime?.close())

/** Only the wall clock is faked; the monotonic clock of the timers is real. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

const jump = (ms: number): void => void vi.setSystemTime(Date.now() + ms)

const privately = { config: { private: true } }

async function listener(expiresIn: number): ReturnType<typeof follow> {
  const bea = await realtime.person({ expiresIn })
  await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', ['clock', bea.id])
  return follow(bea.token)
}

async function follow(
  token: string,
): Promise<{ expectEvent: () => Promise<void>; gone: Promise<string>; token: string }> {
  const channel = (await realtime.client(token)).channel('clock', privately)
  const gone = ended(channel)
  await joined(channel)
  let eventCount = 0
  return {
    token,
    gone,
    /** Sends an event, which arrives unless the topic ends first. */
    async expectEvent() {
      const event = `word ${++eventCount} ${token.slice(-6)}`
      const next = received(channel, event)
      await realtime.sql(`select realtime.send('{}', $1, 'clock', true)`, [event])
      expect(await Promise.race([next, gone])).toMatchObject({ event })
    },
  }
}

describe('a clock that is set forward an hour', () => {
  it('closes topics whose token has expired by it, and no others', async () => {
    const [short, long] = [await listener(1_800), await listener(7_200)]
    await Promise.all([short.expectEvent(), long.expectEvent()])
    jump(hour)
    expect(await short.gone).toMatch(/^Token has expired 1[78]\d\d seconds ago$/)
    await long.expectEvent()
    await expect(follow(short.token)).rejects.toThrow('InvalidJWTToken')
    await follow(long.token)
  })
})

describe('a clock that is set back an hour', () => {
  it('closes no topic: a token issued in the future remains valid', async () => {
    const there = await listener(1_800)
    jump(-hour)
    await there.expectEvent()
    await (await follow(there.token)).expectEvent()
    // And no clock that was put right again does.
    jump(hour)
    await there.expectEvent()
  })
})

describe('a clock that is set to another day', () => {
  it('causes maintenance of partitions, of which one may be missing', async () => {
    const { rows } = await realtime.serviceSql<{ name: string }>(
      `select 'messages_' || to_char((now() at time zone 'UTC')::date + 3, 'YYYY_MM_DD') as name`,
    )
    const [{ name }] = rows as [{ name: string }]
    const isThere = async (): Promise<unknown> =>
      (await realtime.sql(`select to_regclass('realtime.' || $1) is not null as there`, [name])).rows[0]
    await realtime.serviceSql(`drop table realtime.${name}`)
    expect(await isThere()).toEqual({ there: false })
    jump(48 * hour)
    await expect.poll(isThere).toEqual({ there: true })
  })
})

describe('a clock that is set by an hour or by days, forward and back', () => {
  // The last test, since it uses up the limit of messages for a minute.
  it('closes no socket and resets no limit', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:loud')
    const postEvent = (): Promise<Response> =>
      fetch(`${realtime.url}/realtime/v1/api/broadcast`, {
        method: 'POST',
        headers: { apikey: realtime.anonKey, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ topic: 'elsewhere', event: 'e', payload: {} }] }),
      })
    expect((await postEvent()).status).toBe(202)
    for (let at = 0; at < 60 * perSecond; at++) {
      raw.send({ topic: 'realtime:loud', event: 'broadcast', payload: { event: 'e', payload: {} } })
    }
    const pulse = async (ref: string): Promise<unknown> => {
      raw.send({ topic: 'phoenix', event: 'heartbeat', ref })
      return raw.reply(ref)
    }
    await pulse('before')
    expect((await postEvent()).status).toBe(429)
    const sockets = realtime.service.stats().sockets
    for (const hours of [1, -1, 48, -48, -48]) {
      jump(hours * hour)
      expect((await postEvent()).status).toBe(429)
      expect(await pulse(`after ${hours}`)).toMatchObject({ status: 'ok' })
      expect(realtime.service.stats()).toMatchObject({ sockets })
    }
  })
})
