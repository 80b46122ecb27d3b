import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../../wire/realtime.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

const lineOf = (socket: WebSocket): Socket => (socket as unknown as { _socket: Socket })._socket

describe('a reader who does not read, among many who do', () => {
  let realtime: TestRealtime
  beforeAll(async () => {
    realtime = await startRealtime()
  })
  afterAll(() => realtime?.close())

  const readers = 50
  const unsentLimit = 1024 * 1024
  const flood = 'x'.repeat(100_000)

  const sendBroadcast = (speaker: RawSocket, room: string, event: string, payload: unknown): void =>
    speaker.send({
      topic: `realtime:${room}`,
      event: 'broadcast',
      payload: { type: 'broadcast', event, payload },
    })

  const eventOf = (frame: ServerFrame): string | null =>
    !frame.broadcast && frame.event === 'broadcast' ? (frame.payload as { event: string }).event : null

  /** Sends `count` messages, each after all have received the previous one; returns the sorted durations in ms. */
  async function chat(
    o: { speaker: RawSocket; others: RawSocket[]; name: string; count: number },
    before: () => void,
  ): Promise<number[]> {
    const took: number[] = []
    for (let at = 0; at < o.count; at++) {
      const event = `${o.name} ${at}`
      before()
      const sentAtMs = performance.now()
      const received = o.others.map((other) => other.find((frame) => eventOf(frame) === event))
      sendBroadcast(o.speaker, 'chat', event, {})
      await Promise.all(received)
      took.push(performance.now() - sentAtMs)
    }
    return took.toSorted((a, b) => a - b)
  }

  it('is dropped with a reason at 1 MB unsent; the others receive each message once, in order', async () => {
    const open = (): Promise<RawSocket> => rawSocket(realtime)
    const [speaker, stalled] = await Promise.all([open(), open()])
    const others = await Promise.all(Array.from({ length: readers }, open))
    await Promise.all(
      [speaker, stalled, ...others].map(async (one) => {
        expect(await one.join('realtime:chat')).toMatchObject({ status: 'ok' })
      }),
    )
    await Promise.all([speaker, stalled].map((one) => one.join('realtime:flood')))
    const sendFlood = (): void => sendBroadcast(speaker, 'flood', 'flood', { flood })
    const calm = await chat({ speaker, others, name: 'calm', count: 200 }, sendFlood)

    const port = lineOf(stalled.socket).localPort
    const served = [...realtime.lines].find((line) => line.remotePort === port)!
    lineOf(stalled.socket).pause()
    let maxUnsent = 0
    const stormy = await chat({ speaker, others, name: 'stormy', count: 200 }, () => {
      maxUnsent = Math.max(maxUnsent, served.writableLength)
      // The server waits a few seconds for a dropped connection to read the reason.
      if (realtime.service.stats().dropped > 0) lineOf(stalled.socket).resume()
      sendFlood()
    })
    const p99 = (took: number[]): string => took[Math.floor(took.length * 0.99)]!.toFixed(1)
    console.info(
      `p99 until all ${readers} had received: ${p99(calm)} ms while all read, ${p99(stormy)} ms beside one who did not; ` +
        `${maxUnsent} bytes unsent at most`,
    )
    expect(realtime.service.stats().dropped).toBe(1)
    expect(maxUnsent).toBeGreaterThan(unsentLimit / 2)
    expect(maxUnsent).toBeLessThan(unsentLimit + 2 * flood.length)
    const words = ['calm', 'stormy'].flatMap((name) =>
      Array.from({ length: 200 }, (_, at) => `${name} ${at}`),
    )
    for (const other of others) {
      expect(other.frames.map(eventOf).filter((event) => event !== null)).toEqual(words)
    }
    expect(await stalled.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('Too slow') })
  })
})

describe('a half-open socket', () => {
  let realtime: TestRealtime
  beforeEach(async () => {
    // Only the clock and intervals by which the service checks its sockets are faked.
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    realtime = await startRealtime()
  })
  afterEach(async () => {
    await realtime?.close()
    vi.useRealTimers()
  })

  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) vi.advanceTimersByTime(1_000)
  }

  it('is detected within 45 s, and a responsive one is kept', async () => {
    const [quiet, gone] = [await rawSocket(realtime), await rawSocket(realtime)]
    await quiet.join('realtime:quiet')
    await gone.join('realtime:gone')
    // Its TCP connection remains open, but no frame is read or answered.
    lineOf(gone.socket).pause()
    const pinged = new Promise((resolve) => quiet.socket.once('ping', resolve))
    pass(30)
    await pinged
    expect(realtime.service.stats()).toMatchObject({ sockets: 2, topics: 2 })
    // The server has read all frames before this reply, including the pong.
    quiet.send({ topic: 'phoenix', event: 'heartbeat', ref: 'pulse' })
    await quiet.reply('pulse')
    pass(15)
    await expect.poll(() => realtime.service.stats()).toMatchObject({ sockets: 1, topics: 1 })
    expect(quiet.socket.readyState).toBe(quiet.socket.OPEN)
    lineOf(gone.socket).resume()
    await gone.closed
  })
})

describe('a service that ends', () => {
  it('while joins wait for policies: closes connections and leaves no state', async () => {
    const realtime = await startRealtime({}, { quiet: true })
    const bea = await realtime.person()
    const sockets = await Promise.all(Array.from({ length: 8 }, () => rawSocket(realtime)))
    await realtime.connections(1).transaction(async (client) => {
      await client.query('lock table public.doors in access exclusive mode')
      for (const [at, { send }] of sockets.entries()) {
        const payload = { config: { private: true }, access_token: bea.token }
        send({ topic: `realtime:door-${at}`, event: 'phx_join', ref: '1', joinRef: '1', payload })
      }
      const waits = async (): Promise<unknown> =>
        (await realtime.sql(`select from pg_locks where relation = 'public.doors'::regclass and not granted`))
          .rowCount
      await expect.poll(waits).toBeGreaterThan(0)
      const closing = realtime.service.close()
      for (const { closed } of sockets) expect(await closed).toEqual({ code: 1012, reason: 'Restarting' })
      await closing
    })
    expect(realtime.service.stats()).toMatchObject({ sockets: 0, topics: 0 })
    for (const { frames } of sockets) expect(frames).toEqual([])
    await realtime.close()
  })

  it('while PostgreSQL is unavailable', async () => {
    const realtime = await startRealtime({}, { quiet: true })
    const raw = await rawSocket(realtime)
    await raw.join('realtime:here')
    const away = realtime.restartPostgres()
    await expect.poll(() => realtime.service.stats().replicating).toBe(false)
    await realtime.service.close()
    expect(await raw.closed).toEqual({ code: 1012, reason: 'Restarting' })
    await away
    await realtime.close()
  })
})
