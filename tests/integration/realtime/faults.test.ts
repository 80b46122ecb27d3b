import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { received, joined } from './channelEvents.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(() => realtime.close())

describe('a reader who does not read', () => {
  it('is dropped with a reason, others receive all messages', async () => {
    const [stalled, reader] = [await rawSocket(realtime), await rawSocket(realtime)]
    await stalled.join('realtime:flood')
    await reader.join('realtime:flood')
    const before = realtime.service.stats().dropped
    const line = (stalled.socket as unknown as { _socket: Socket })._socket
    line.pause()
    let sent = 0
    while (realtime.service.stats().dropped === before) {
      await realtime.sql(
        `select realtime.send(jsonb_build_object('n', n, 'x', repeat('x', 100000)), 'n', 'flood', false)
         from generate_series(1, 10) n`,
      )
      sent += 10
    }
    await realtime.sql(`select realtime.send('{}', 'last', 'flood', false)`)
    await reader.find((frame) => frame.broadcast?.event === 'last')
    expect(reader.frames.filter((frame) => frame.broadcast)).toHaveLength(sent + 1)
    line.resume()
    expect(await stalled.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('Too slow') })
    reader.socket.close()
  })
})

describe('a broken connection', () => {
  it('leaves no state', async () => {
    const raw = await rawSocket(realtime)
    await raw.join('realtime:gone')
    expect(realtime.service.stats().topics).toBe(1)
    raw.socket.terminate()
    await expect.poll(() => realtime.service.stats()).toMatchObject({ sockets: 0, topics: 0 })
  })

  it('half a handshake and half a frame are no harm', async () => {
    const { port } = new URL(realtime.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET /realtime/v1/websocket?apikey=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n')
    socket.destroy()
    const raw = await rawSocket(realtime)
    const line = (raw.socket as unknown as { _socket: Socket })._socket
    // A masked binary frame that announces 2^62 bytes.
    line.write(Buffer.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
    expect((await raw.closed).code).toBe(1009)
  })
})

describe('a shutdown', () => {
  it('closes connections so that clients reconnect, and accepts no new ones', async () => {
    const other = await startRealtime()
    const raw = await rawSocket(other)
    await raw.join('realtime:last')
    await other.service.close()
    expect(await raw.closed).toEqual({ code: 1012, reason: 'Restarting' })
    await expect(rawSocket(other)).rejects.toThrow('503')
    await other.close()
  })
})

describe('PostgreSQL', () => {
  it('may restart: sockets stay open, broadcasts and rechecks continue, nothing is missed or repeated', async () => {
    const bea = await realtime.person()
    await realtime.sql('insert into public.members (room, user_id) values ($1, $2)', ['storm', bea.id])
    const channel = (await realtime.client(bea.token)).channel('storm', { config: { private: true } })
    const events: string[] = []
    channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    const before = received(channel, 'before')
    const after = received(channel, 'after')
    await joined(channel)
    const sendEvent = (event: string): Promise<unknown> =>
      realtime.sql(`select realtime.send('{}', $1, 'storm', true)`, [event])
    await sendEvent('before')
    await before
    await realtime.restartPostgres()
    await expect
      .poll(() =>
        sendEvent('after').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await after
    expect(events).toEqual(['before', 'after'])
    expect(channel.state).toBe('joined')

    const closed = new Promise((resolve) => channel.on('system', {}, resolve))
    await realtime.service.ready()
    await realtime.sql(`delete from public.members where room = 'storm'`)
    expect(await closed).toMatchObject({ status: 'error' })
  })

  it('has one replication slot, which is active', async () => {
    const { rows } = await realtime.sql('select slot_name, active from pg_replication_slots')
    expect(rows).toEqual([{ slot_name: expect.stringContaining('linnet_realtime_'), active: true }])
  })
})
