import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { parseServerFrame, renderClientFrame, type ServerFrame } from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'
import type { JoinTranscript } from './compareTranscripts.ts'
import type { Ledger, Line } from './ledger.ts'

export interface ReaderOptions {
  url: string
  anonKey: string
  token: string
  version: Version
  topics: string[]
  read: Ledger['read']
  /** Delay before reconnecting, in ms; `tries` counts from 1 since the last connection. */
  comeBackAfterMs: (tries: number) => number
  /** False: relies on broadcasts only, to show that this is not sufficient. */
  fills?: boolean
}

/** One reader's copy of a topic. */
interface Followed {
  transcript: Line[]
  joinRef: string
  hearing: JoinTranscript | null
  /** Lines received while the table is read; null if it is not being read. */
  buffer: Line[] | null
}

const pauseMs = 100

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Follows topics as an application should: join, buffer, read the table, apply, drain; and reconnects. */
export class LedgerReader {
  readonly hearings: JoinTranscript[] = []
  /** Refused joins and topics closed by the server, by reason. */
  readonly refusals: string[] = []
  /** When it was connected, on the monotonic clock (ms). */
  readonly connectedAt: number[] = []
  readonly #o: ReaderOptions
  readonly #followed = new Map<string, Followed>()
  #socket: WebSocket | null = null
  #ended = false
  #tries = 0
  #refs = 0

  constructor(o: ReaderOptions) {
    this.#o = o
    for (const topic of o.topics) {
      this.#followed.set(topic, { transcript: [], joinRef: '', hearing: null, buffer: null })
    }
    this.#connect()
  }

  get topics(): string[] {
    return this.#o.topics
  }

  transcript(topic: string): Line[] {
    return this.#followed.get(topic)!.transcript
  }

  /** Whether it has joined and read everything. */
  isLive(topic: string): boolean {
    const followed = this.#followed.get(topic)!
    return followed.hearing !== null && followed.buffer === null
  }

  get connects(): number {
    return this.connectedAt.length
  }

  /** Whether it is subscribed to all of its topics. */
  has(text: string): boolean {
    return this.#o.topics.every(
      (topic) => this.isLive(topic) && this.transcript(topic).findLast((line) => line.text === text),
    )
  }

  /** The local port of its socket, while it is open. */
  get port(): number | undefined {
    return this.#line?.localPort
  }

  get #line(): Socket | undefined {
    return (this.#socket as unknown as { _socket?: Socket } | null)?._socket ?? undefined
  }

  destroy(): void {
    this.#socket?.terminate()
  }

  leave(): void {
    this.#socket?.close(1000)
  }

  /** Breaks the connection within a frame: the header of a masked text of 100 bytes, and 4 of them. */
  breakOff(): void {
    this.#line?.write(Buffer.from([0x81, 0x80 | 100, 1, 2, 3, 4, 5, 6, 7, 8]), () => this.destroy())
  }

  /** Stops permanently; lines received until now count. */
  end(): void {
    this.#ended = true
    for (const { hearing } of this.#followed.values()) if (hearing) hearing.lasts = true
    this.destroy()
  }

  #connect(): void {
    if (this.#ended) return
    const { url, anonKey, version } = this.#o
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=${version}`,
      { perMessageDeflate: false },
    )
    this.#socket = socket
    socket.binaryType = 'nodebuffer'
    socket.on('open', () => {
      this.connectedAt.push(performance.now())
      this.#tries = 0
      for (const topic of this.#o.topics) this.#join(topic)
    })
    socket.on('message', (data: Buffer, isBinary) => {
      this.#receiveFrame(parseServerFrame(version, isBinary ? data : data.toString()))
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      for (const followed of this.#followed.values()) followed.hearing = null
      const after = this.#o.comeBackAfterMs(++this.#tries)
      if (after === 0) setImmediate(() => this.#connect())
      else setTimeout(() => this.#connect(), after)
    })
  }

  #join(topic: string): void {
    const followed = this.#followed.get(topic)!
    const ref = `${++this.#refs}`
    followed.joinRef = ref
    const payload = { config: { private: true }, access_token: this.#o.token }
    this.#socket!.send(
      renderClientFrame(this.#o.version, {
        joinRef: ref,
        ref,
        topic: `realtime:${topic}`,
        event: 'phx_join',
        payload,
      }),
    )
  }

  #receiveFrame(frame: ServerFrame): void {
    const topic = frame.topic.slice('realtime:'.length)
    const followed = this.#followed.get(topic)
    if (!followed) return
    if (frame.broadcast)
      return this.#receiveLine(topic, JSON.parse(Buffer.from(frame.broadcast.body).toString()) as Line)
    const payload = frame.payload as Record<string, unknown>
    switch (frame.event) {
      case 'broadcast':
        return this.#receiveLine(topic, payload['payload'] as Line)
      case 'phx_reply':
        if (frame.ref !== followed.joinRef) return
        return payload['status'] === 'ok' ? this.#joined(topic) : this.#refused(topic, payload['response'])
      case 'system':
        if (payload['status'] === 'error') this.#refused(topic, payload['message'])
    }
  }

  #refused(topic: string, why: unknown): void {
    this.refusals.push(JSON.stringify(why))
    this.#followed.get(topic)!.hearing = null
    const socket = this.#socket
    setTimeout(() => {
      if (socket === this.#socket && socket?.readyState === WebSocket.OPEN) this.#join(topic)
    }, pauseMs)
  }

  #joined(topic: string): void {
    const followed = this.#followed.get(topic)!
    const hearing: JoinTranscript = { topic, readTo: null, received: [], lasts: false }
    this.hearings.push(hearing)
    followed.hearing = hearing
    if (this.#o.fills !== false) void this.#fill(topic, hearing)
  }

  #receiveLine(topic: string, line: Line): void {
    const followed = this.#followed.get(topic)!
    // A broadcast must not follow the close of its join.
    if (!followed.hearing)
      return void this.refusals.push(`received ${line.rev} of ${topic} outside of a join`)
    followed.hearing.received.push(line.rev)
    if (followed.buffer) followed.buffer.push(line)
    else this.#apply(topic, line)
  }

  #apply(topic: string, line: Line): void {
    const followed = this.#followed.get(topic)!
    const last = followed.transcript.at(-1)?.rev ?? 0
    if (line.rev === last + 1 || this.#o.fills === false) followed.transcript.push(line)
    else if (line.rev > last) void this.#fill(topic, followed.hearing)
  }

  /** Reads missing lines while received ones are buffered; again if it has reconnected meanwhile. */
  async #fill(topic: string, hearing: JoinTranscript | null): Promise<void> {
    const followed = this.#followed.get(topic)!
    followed.buffer = []
    const mine = followed.buffer
    for (;;) {
      const after = followed.transcript.at(-1)?.rev ?? 0
      const lines = await this.#o.read(topic, after).catch(() => null)
      if (this.#ended || followed.buffer !== mine) return
      if (lines) {
        followed.transcript.push(...lines)
        break
      }
      await pause(pauseMs)
      if (this.#ended || followed.buffer !== mine) return
    }
    if (hearing) hearing.readTo ??= followed.transcript.at(-1)?.rev ?? 0
    followed.buffer = null
    for (const line of mine) {
      if (followed.buffer) (followed.buffer as Line[]).push(line)
      else this.#apply(topic, line)
    }
  }
}
