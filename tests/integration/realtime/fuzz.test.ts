import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { parseServerFrame, type ServerFrame } from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'
import { testSeed } from '../../support/random.ts'
import { fuzzFrames, fuzzLines } from './fuzzFrames.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

const count = Number(process.env['LINNET_FUZZ_FRAMES'] ?? 10_000)
const sockets = 16

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let realtime: TestRealtime
let bea: Person
let gus: Person
const logged = vi.spyOn(console, 'error').mockImplementation(() => {})

beforeAll(async () => {
  realtime = await startRealtime()
  bea = await realtime.person()
  gus = await realtime.person()
  await realtime.sql(
    `insert into public.members (room, user_id, speaks, shows) values ('calm', $1, true, true)`,
    [bea.id],
  )
})
afterAll(async () => {
  await realtime.close()
  logged.mockRestore()
})

/** A socket that sends any frames and reconnects when the server closes it. */
class Attacker {
  readonly version: Version
  /** Replies by status, to show that its frames get behind the parser. */
  readonly replies: Record<string, number> = {}
  #socket: WebSocket | null = null
  #refs = 0

  constructor(version: Version) {
    this.version = version
  }

  async #open(): Promise<WebSocket> {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket
    const address = realtime.url.replace('http', 'ws')
    const socket = new WebSocket(
      `${address}/realtime/v1/websocket?apikey=${realtime.anonKey}&vsn=${this.version}`,
    )
    socket.binaryType = 'nodebuffer'
    socket.on('error', () => {})
    socket.on('message', (data: Buffer, isBinary) => {
      const frame = parseServerFrame(this.version, isBinary ? data : data.toString())
      if (frame.broadcast || frame.event !== 'phx_reply') return
      const { status } = frame.payload as { status: string }
      this.replies[status] = (this.replies[status] ?? 0) + 1
    })
    await new Promise((resolve) => socket.once('open', resolve))
    return (this.#socket = socket)
  }

  /** Sends them all and waits until the server has read them. */
  async sendFrames(frames: ReturnType<typeof fuzzFrames>): Promise<void> {
    const socket = await this.#open()
    for (const { data, isBinary } of frames) socket.send(data, { binary: isBinary })
    const ref = `end ${this.#refs++}`
    const done = new Promise<void>((resolve, reject) => {
      const closed = (code: number, reason: Buffer): void => {
        // 1008: more joins in a minute than allowed. 1009: a long frame arrived before the response to a join, as happens
        // on a socket that was opened again. Any other close is a fault.
        if (code === 1008 || String(reason) === 'Too large before a topic is joined') resolve()
        else reject(new Error(`thrown out: ${code} ${reason}`))
      }
      const onMessage = (data: Buffer, isBinary: boolean): void => {
        const frame = parseServerFrame(this.version, isBinary ? data : data.toString())
        if (frame.broadcast || frame.ref !== ref) return
        socket.off('message', onMessage)
        socket.off('close', closed)
        resolve()
      }
      socket.once('close', closed)
      socket.on('message', onMessage)
    })
    const [topic, event] = ['phoenix', 'heartbeat']
    socket.send(
      this.version === '1.0.0'
        ? JSON.stringify({ topic, event, payload: {}, ref })
        : JSON.stringify([null, ref, topic, event, {}]),
    )
    await done
  }

  close(): void {
    this.#socket?.terminate()
  }
}

function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Those who must not be touched, each with a word of their own to show that they hear at all. */
async function witnesses(): Promise<{ sockets: RawSocket[]; received(): Promise<ServerFrame[]> }> {
  const raws: RawSocket[] = []
  for (const version of ['1.0.0', '2.0.0'] as const) {
    const [inPrivate, inPublic] = [await rawSocket(realtime, version), await rawSocket(realtime, version)]
    const presence = { enabled: true, key: 'bea' }
    const joined = [
      await inPrivate.join('realtime:calm', { config: { private: true, presence }, access_token: bea.token }),
      await inPublic.join('realtime:quiet', { config: { presence } }),
    ]
    for (const reply of joined) expect(reply).toMatchObject({ status: 'ok' })
    await inPrivate.sendHeartbeat()
    await inPublic.sendHeartbeat()
    raws.push(inPrivate, inPublic)
  }
  for (const { frames } of raws) frames.length = 0
  return {
    sockets: raws,
    async received() {
      await realtime.sql(
        `select realtime.send('{}', 'over', 'calm', true), realtime.send('{}', 'over', 'quiet', false)`,
      )
      const isLast = (frame: ServerFrame): boolean =>
        (frame.broadcast ?? (frame.payload as { event?: unknown })).event === 'over'
      await Promise.all(raws.map((raw) => raw.find(isLast)))
      return raws.flatMap((raw) => raw.frames.filter((frame) => !isLast(frame)))
    },
  }
}

it(`${count} random frames close no other socket, are not delivered and leave no state (seed ${testSeed})`, async () => {
  const { sockets: listeners, received } = await witnesses()
  const attackers = Array.from({ length: sockets }, (_, at) => new Attacker(at % 2 === 0 ? '2.0.0' : '1.0.0'))
  const rounds = 10
  const heaps: number[] = []
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      attackers.map((attacker, at) =>
        attacker.sendFrames(
          fuzzFrames({
            version: attacker.version,
            token: gus.token,
            count: Math.ceil(count / sockets / rounds),
            seed: testSeed + round * sockets + at,
          }),
        ),
      ),
    )
    heaps.push(heap())
  }
  const replies = (status: string): number =>
    attackers.reduce((sum, attacker) => sum + (attacker.replies[status] ?? 0), 0)
  expect(Math.min(replies('ok'), replies('error'))).toBeGreaterThan(count / 40)
  for (const attacker of attackers) attacker.close()
  await expect.poll(() => realtime.service.stats().sockets).toBe(listeners.length)
  expect(await received()).toEqual([])
  expect(realtime.service.stats().topics).toBe(2)
  expect(logged.mock.calls).toEqual([])
  expect(heaps.at(-1)! - heaps[2]!, `heap after each round: ${heaps.join()}`).toBeLessThan(16 * 2 ** 20)
  for (const { socket } of listeners) socket.terminate()
})

/** Completes the handshake, sends the bytes and disconnects. */
async function disturb(bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(realtime.url)
  const line = connect(Number(port), hostname)
  line.on('error', () => {})
  const gone = new Promise((resolve) => line.once('close', resolve))
  line.write(
    [
      `GET /realtime/v1/websocket?apikey=${realtime.anonKey}&vsn=2.0.0 HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  )
  const [greeting] = (await once(line, 'data')) as [Buffer]
  expect(greeting.toString()).toMatch(/^HTTP\/1.1 101 /)
  line.resume()
  line.end(bytes)
  await gone
}

it(`connections that violate the WebSocket protocol close no other socket (seed ${testSeed})`, async () => {
  const { sockets: listeners, received } = await witnesses()
  const lines = fuzzLines(400, testSeed)
  for (let at = 0; at < lines.length; at += 40) await Promise.all(lines.slice(at, at + 40).map(disturb))
  await expect.poll(() => realtime.service.stats().sockets).toBe(listeners.length)
  expect(await received()).toEqual([])
  expect(logged.mock.calls).toEqual([])
  for (const { socket } of listeners) socket.terminate()
})
