import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heard, joined } from './listening.ts'
import { rawSocket } from './rawSocket.ts'
import { startRealtimeHome, type RealtimeHome } from './realtimeHome.ts'

let home: RealtimeHome

beforeAll(async () => {
  home = await startRealtimeHome()
})
afterAll(() => home.close())

describe('a reader who does not read', () => {
  it('is dropped with a reason, others hear everything', async () => {
    const [stalled, reader] = [await rawSocket(home), await rawSocket(home)]
    await stalled.join('realtime:flood')
    await reader.join('realtime:flood')
    const before = home.service.stats().dropped
    const line = (stalled.socket as unknown as { _socket: Socket })._socket
    line.pause()
    let sent = 0
    while (home.service.stats().dropped === before) {
      await home.sql(
        `select realtime.send(jsonb_build_object('n', n, 'x', repeat('x', 100000)), 'n', 'flood', false)
         from generate_series(1, 10) n`,
      )
      sent += 10
    }
    await home.sql(`select realtime.send('{}', 'last', 'flood', false)`)
    await reader.find((frame) => frame.broadcast?.event === 'last')
    expect(reader.frames.filter((frame) => frame.broadcast)).toHaveLength(sent + 1)
    line.resume()
    expect(await stalled.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('Too slow') })
    reader.socket.close()
  })
})

describe('a broken line', () => {
  it('leaves nothing behind', async () => {
    const raw = await rawSocket(home)
    await raw.join('realtime:gone')
    expect(home.service.stats().topics).toBe(1)
    raw.socket.terminate()
    await expect.poll(() => home.service.stats()).toMatchObject({ sockets: 0, topics: 0 })
  })

  it('half a handshake and half a frame are no harm', async () => {
    const { port } = new URL(home.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET /realtime/v1/websocket?apikey=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n')
    socket.destroy()
    const raw = await rawSocket(home)
    const line = (raw.socket as unknown as { _socket: Socket })._socket
    // A masked binary frame that announces 2^62 bytes.
    line.write(Buffer.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
    expect((await raw.closed).code).toBe(1009)
  })
})

describe('a shutdown', () => {
  it('says goodbye, so that clients come back, and takes nobody on', async () => {
    const other = await startRealtimeHome()
    const raw = await rawSocket(other)
    await raw.join('realtime:last')
    await other.service.close()
    expect(await raw.closed).toEqual({ code: 1012, reason: 'Restarting' })
    await expect(rawSocket(other)).rejects.toThrow('503')
    await other.close()
  })
})

describe('PostgreSQL', () => {
  it('may restart: sockets stay, broadcasts and evictions go on, nothing is missed or doubled', async () => {
    const bea = await home.person()
    await home.sql('insert into public.members (room, user_id) values ($1, $2)', ['storm', bea.id])
    const channel = (await home.client(bea.token)).channel('storm', { config: { private: true } })
    const events: string[] = []
    channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    const before = heard(channel, 'before')
    const after = heard(channel, 'after')
    await joined(channel)
    const say = (event: string): Promise<unknown> =>
      home.sql(`select realtime.send('{}', $1, 'storm', true)`, [event])
    await say('before')
    await before
    await home.restartPostgres()
    await expect
      .poll(
        () =>
          say('after').then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    await after
    expect(events).toEqual(['before', 'after'])
    expect(channel.state).toBe('joined')

    const closed = new Promise((resolve) => channel.on('system', {}, resolve))
    await home.service.ready()
    await home.sql(`delete from public.members where room = 'storm'`)
    expect(await closed).toMatchObject({ status: 'error' })
  })

  it('keeps one slot of ours, and it is read', async () => {
    const { rows } = await home.sql('select slot_name, active from pg_replication_slots')
    expect(rows).toEqual([{ slot_name: expect.stringContaining('linnet_realtime_'), active: true }])
  })
})
