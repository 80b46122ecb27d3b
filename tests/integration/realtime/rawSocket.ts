import { WebSocket } from 'ws'
import {
  parseServerFrame,
  renderClientFrame,
  type JsonFrame,
  type ServerFrame,
} from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'
import type { TestRealtime } from './startRealtime.ts'

/** A socket without a client library, which can send invalid frames and records each frame. */
export interface RawSocket {
  socket: WebSocket
  frames: ServerFrame[]
  send(frame: Partial<JsonFrame> & { topic: string; event: string }): void
  /** The first matching frame, received or future. */
  find(fits: (frame: ServerFrame) => boolean): Promise<ServerFrame>
  /** The reply to that ref. */
  reply(ref: string): Promise<{ status: string; response: unknown }>
  /** Resolves once the server has read all earlier frames. */
  sendHeartbeat(): Promise<void>
  /** Joins a topic and waits for the reply. */
  join(topic: string, payload?: unknown): Promise<{ status: string; response: unknown }>
  closed: Promise<{ code: number; reason: string }>
}

let refs = 0

export async function rawSocket(
  realtime: Pick<TestRealtime, 'url' | 'anonKey'>,
  version: Version = '2.0.0',
  vsn = version,
): Promise<RawSocket> {
  const socket = new WebSocket(
    `${realtime.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${realtime.anonKey}&vsn=${vsn}`,
  )
  socket.binaryType = 'nodebuffer'
  const frames: ServerFrame[] = []
  let seekers: ((frame: ServerFrame) => void)[] = []
  socket.on('message', (data: Buffer, isBinary) => {
    const frame = parseServerFrame(version, isBinary ? data : data.toString())
    frames.push(frame)
    for (const seek of seekers) seek(frame)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('error', reject)
  })
  const raw: RawSocket = {
    socket,
    frames,
    closed,
    send: (frame) =>
      socket.send(renderClientFrame(version, { joinRef: null, ref: null, payload: {}, ...frame })),
    find: (fits) =>
      new Promise((resolve) => {
        const found = frames.find(fits)
        if (found) return resolve(found)
        const seek = (frame: ServerFrame): void => {
          if (!fits(frame)) return
          seekers = seekers.filter((other) => other !== seek)
          resolve(frame)
        }
        seekers.push(seek)
      }),
    async reply(ref) {
      const frame = await raw.find(
        (frame) => !frame.broadcast && frame.event === 'phx_reply' && frame.ref === ref,
      )
      return (frame as JsonFrame).payload as { status: string; response: unknown }
    },
    async sendHeartbeat() {
      const ref = `beat ${++refs}`
      raw.send({ ref, topic: 'phoenix', event: 'heartbeat' })
      await raw.reply(ref)
    },
    join(topic, payload = {}) {
      const ref = `${++refs}`
      raw.send({ joinRef: ref, ref, topic, event: 'phx_join', payload })
      return raw.reply(ref)
    },
  }
  return raw
}
