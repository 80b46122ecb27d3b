import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { callerKey } from '../../budgets/callerKey.ts'
import type { Caller } from '../../../wire/claims.ts'
import {
  MalformedFrame,
  parseClientFrame,
  renderBroadcast,
  renderFrame,
  type Broadcast,
  type ClientFrame,
  type JsonFrame,
  type Ref,
  type Version,
} from '../../../wire/realtime.ts'
import type { Channel } from './channel.ts'
import { receiveEvent } from './channelEvents.ts'
import type { RealtimeContext } from '../context.ts'
import type { Sink } from '../hub.ts'
import { createByteAccount } from './createByteAccount.ts'
import type { FrameSource } from './createFrameScheduler.ts'
import { joinChannel } from './joinChannel.ts'
import { subTopic, wireTopic } from './subTopic.ts'
import { wsFrame } from './wsFrame.ts'

/** A reader with more than this unsent is dropped: what waits for it waits in our memory. */
const maxUnsentBytes = 1024 * 1024
/** How long the peer may take to read and answer our goodbye. */
const closeTimeoutMs = 5_000
/** Frames that may wait while the policies of their topic are asked: of a topic, and bytes of a connection. */
const maxWaitingFrames = 1_000
const maxWaitingBytes = 4 * 1024 * 1024
/** Frames of a connection that may wait for their turn before it is read no further. */
const maxReceivedFrames = 64
/** What a frame that waits takes beside its bytes. */
const frameOverheadBytes = 64
/** Joins of one connection: far more than any client needs, since each is asked of the database. */
const maxJoinsPerMinute = 1_000

/** What goes on in one topic of the connection; frames behind a slow one wait in order. */
interface Slot {
  channel: Channel | null
  busy: boolean
  waiting: { frame: ClientFrame; size: number }[]
}

export interface ConnectionOptions {
  webSocket: WebSocket
  /** The socket beneath, which prepared frames are written to. */
  socket: Socket
  version: Version
  apiCaller: Caller
  onClose: (connection: Connection) => void
  onDropped: () => void
}

/** One client's socket: reads its frames, routes them by topic, and writes to it within bounds. */
export class Connection implements Sink, FrameSource {
  readonly version: Version
  readonly apiCaller: Caller
  closed = false
  readonly whenClosed: Promise<void>
  /** When anything was heard last, by the clock that never jumps (ms). */
  receivedAt = performance.now()
  readonly openedAt = performance.now()
  /** Whether it has ever joined a topic. */
  hasJoined = false
  /** What its frames and bytes are counted under: its network, and the person that it last joined as. */
  callerKey: string
  /** When the first token of its topics ends. */
  nextExpiry = Infinity
  readonly #context: RealtimeContext
  readonly #o: ConnectionOptions
  readonly #slots = new Map<string, Slot>()
  #ending = false
  #waitingBytes = 0
  /** Frames that wait for their turn, in order. */
  #received: { data: Buffer; isBinary: boolean }[] = []
  #receivedBytes = 0
  /** Of a frame that has begun to arrive, and of the frames that ended in the chunk that is being read. */
  #unfinishedBytes = 0
  #finishedBytes = 0
  #hasEnded = false
  readonly #buffered: ReturnType<typeof createByteAccount>
  /** Persons that it has joined as, whose places it holds. */
  readonly #persons = new Set<string>()
  #joins = { count: 0, until: 0 }

  constructor(context: RealtimeContext, o: ConnectionOptions) {
    this.#context = context
    this.#o = o
    this.version = o.version
    this.apiCaller = o.apiCaller
    this.callerKey = callerKey(o.apiCaller)
    this.#buffered = createByteAccount(context.buffered)
    o.webSocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    o.webSocket.on('ping', (data) => this.#replyToPing(data))
    o.webSocket.on('pong', (data) => {
      this.receivedAt = performance.now()
      this.#finishedBytes += wireBytes(data.length)
    })
    // After the library, which has read the chunk by then.
    o.socket.on('data', (chunk: Buffer) => this.#countReceived(chunk.length))
    o.socket.on('drain', () => this.#count())
    // A broken frame or line also closes it; without a listener its error would end the process.
    o.webSocket.on('error', () => {})
    this.whenClosed = new Promise((resolve) => {
      o.webSocket.on('close', () => {
        this.#hasEnded = true
        // What the client sent before it left is handled in its turn.
        if (this.#ending || this.#received.length === 0) this.#dispose()
        resolve()
      })
    })
  }

  /** Topics joined or being joined. */
  get topicCount(): number {
    return this.#slots.size
  }

  /** Counts a join; false where there have been too many. */
  countJoin(): boolean {
    const now = performance.now()
    if (now > this.#joins.until) this.#joins = { count: 0, until: now + 60_000 }
    return ++this.#joins.count <= maxJoinsPerMinute
  }

  /** Counts it as a connection of a person; false where that person has too many. */
  joinAs(caller: string): boolean {
    if (caller === callerKey(this.apiCaller) || this.#persons.has(caller)) return true
    if (!this.#context.personConnections.take(caller)) return false
    this.#persons.add(caller)
    return true
  }

  *channels(): Generator<Channel> {
    for (const { channel } of this.#slots.values()) if (channel) yield channel
  }

  /** Writes whole websocket frames, past the library, which would frame the same bytes for each socket. */
  write(frames: Buffer): void {
    if (this.closed || this.#ending) return
    const { socket } = this.#o
    if (socket.writableLength > maxUnsentBytes) return this.#drop()
    socket.write(frames)
    if (socket.writableLength > 0) this.#count()
  }

  send(frame: JsonFrame): void {
    this.write(wsFrame(renderFrame(this.version, frame)))
  }

  sendBroadcast(name: string, broadcast: Broadcast): void {
    const data = renderBroadcast(this.version, wireTopic(name), broadcast)
    if (data !== null) this.write(wsFrame(data))
  }

  reply(to: ClientFrame, status: 'ok' | 'error', response: unknown): void {
    const { joinRef, ref, topic } = to
    this.send({ joinRef, ref, topic, event: 'phx_reply', payload: { status, response } })
  }

  scheduleExpiry(at: number): void {
    this.nextExpiry = Math.min(this.nextExpiry, at)
  }

  removeChannel(channel: Channel): void {
    const topic = wireTopic(channel.name)
    const slot = this.#slots.get(topic)
    if (slot?.channel !== channel) return
    slot.channel = null
    if (!slot.busy) this.#slots.delete(topic)
  }

  ping(): void {
    if (!this.closed) this.#o.webSocket.ping()
  }

  /** Says goodbye; the peer answers or the line is cut after a while. */
  end(code: number, reason: string): void {
    // Nothing may follow a close frame.
    this.#ending = true
    this.#o.webSocket.close(code, reason)
    // It waits behind what was not read yet; whoever reads on within this time learns the reason.
    setTimeout(() => this.terminate(), closeTimeoutMs).unref()
  }

  terminate(): void {
    this.#o.webSocket.terminate()
  }

  #drop(): void {
    this.#o.onDropped()
    this.end(1013, 'Too slow: more than 1 MB was waiting')
    this.#disposeChannels()
  }

  /** Whoever asks without reading the answers would fill our memory with them. */
  #replyToPing(data: Buffer): void {
    this.receivedAt = performance.now()
    this.#finishedBytes += wireBytes(data.length)
    if (this.closed || this.#ending) return
    if (this.#o.socket.writableLength > maxUnsentBytes) this.#drop()
    else this.#o.webSocket.pong(data)
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.receivedAt = performance.now()
    this.#finishedBytes += wireBytes(data.length)
    if (this.#ending || this.closed) return
    if (data.length > this.#maxFrameBytes()) return this.#cutOff(1009, 'Too large before a topic is joined')
    this.#received.push({ data, isBinary })
    this.#receivedBytes += data.length + frameOverheadBytes
    if (this.#received.length === 1) this.#context.frameScheduler.add(this)
    if (this.#received.length === maxReceivedFrames) this.#o.webSocket.pause()
  }

  handleNext(): boolean {
    const next = this.#received.shift()
    if (!next) return false
    const { data, isBinary } = next
    this.#receivedBytes -= data.length + frameOverheadBytes
    if (!this.closed && !this.#ending) {
      this.#logErrors(() => this.#route(parseClientFrame(this.version, data, isBinary), data.length))
    }
    this.#count()
    if (this.#received.length > 0) return true
    if (this.#hasEnded) this.#dispose()
    else if (this.#o.webSocket.isPaused) this.#o.webSocket.resume()
    return false
  }

  /** While a first join is under way, the client may rely on it. */
  #maxFrameBytes(): number {
    const { maxJoinBytes } = this.#context.settings
    return this.hasJoined || this.#slots.size > 0 || this.#received.length > 0 ? Infinity : maxJoinBytes
  }

  /** Of a frame that is not finished, the library has all bytes in memory. */
  #countReceived(length: number): void {
    const unfinished = this.#unfinishedBytes + length - this.#finishedBytes
    this.#unfinishedBytes = Math.max(0, this.#finishedBytes > 0 ? Math.min(unfinished, length) : unfinished)
    this.#finishedBytes = 0
    this.#count()
  }

  /** Bounds what is buffered for this connection, and in the budget that all share. */
  #count(): void {
    if (this.closed || this.#ending) return
    if (this.#unfinishedBytes > this.#maxFrameBytes() + maxHeaderBytes) {
      return this.#cutOff(1009, 'Too large before a topic is joined')
    }
    const received = this.#unfinishedBytes + this.#receivedBytes + this.#waitingBytes
    const unsent = this.#o.socket.writableLength
    if (this.#buffered.set(this.callerKey, received + unsent)) return
    if (unsent > received) this.#o.onDropped()
    this.#cutOff(1013, 'Too much is buffered for this caller')
  }

  /** Ends it at once, so that its memory is released: the reason arrives only where the peer reads without delay. */
  #cutOff(code: number, reason: string): void {
    this.end(code, reason)
    this.terminate()
  }

  /** A frame that fails ends neither those that come after it nor the process. */
  #logErrors(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      // The hosted service notes a malformed frame and goes on; so does the client.
      if (error instanceof MalformedFrame) return
      this.#context.log.error('realtime frame failed', { reason: (error as Error).message })
    }
  }

  #route(frame: ClientFrame, size: number): void {
    const { topic, event } = frame
    if (topic === 'phoenix' && event === 'heartbeat') return this.#replyWithoutJoin(frame, 'ok', {})
    const slot = this.#slots.get(topic)
    if (slot?.busy) {
      this.#waitingBytes += size
      if (slot.waiting.length >= maxWaitingFrames || this.#waitingBytes > maxWaitingBytes) {
        return this.end(1008, 'Too many frames wait for one topic')
      }
      slot.waiting.push({ frame, size })
      return
    }
    this.#handle(slot, frame, size)
  }

  #handle(slot: Slot | undefined, frame: ClientFrame, size: number): void {
    const { topic, event } = frame
    if (event === 'phx_join' && !frame.broadcast) return this.#join(slot, frame)
    if (slot?.channel) {
      const { joinRef } = slot.channel
      // Its own topic has ended already, and a close was said of it.
      if (event === 'phx_leave' && isStale(frame, joinRef)) return
      // Some clients name another join, or none: what they say belongs to the one there is, as do its answers.
      frame.joinRef = joinRef
      const done = receiveEvent(this.#context, slot.channel, frame, size)
      if (done) this.#blockTopic(topic, slot, done)
      return
    }
    if (event === 'phx_leave') this.reply(frame, 'ok', {})
    else this.#replyWithoutJoin(frame, 'error', { reason: 'unmatched topic' })
  }

  /** Answers what belongs to no join; Phoenix names none then. */
  #replyWithoutJoin(to: ClientFrame, status: 'ok' | 'error', response: unknown): void {
    this.reply({ ...to, joinRef: null }, status, response)
  }

  #join(slot: Slot | undefined, frame: JsonFrame): void {
    const name = subTopic(frame.topic)
    if (name === null) return this.#replyWithoutJoin(frame, 'error', { reason: 'unmatched topic' })
    // A second join of one topic takes the place of the first.
    slot?.channel?.close()
    const newSlot: Slot = { channel: null, busy: false, waiting: [] }
    this.#slots.set(frame.topic, newSlot)
    const joining = joinChannel(this.#context, this, name, frame).then((channel) => {
      if (!channel || channel.closed) return
      newSlot.channel = channel
      this.hasJoined = true
      this.callerKey = callerKey(channel.caller)
      this.scheduleExpiry(channel.expiresAt)
    })
    this.#blockTopic(frame.topic, newSlot, joining)
  }

  /** Holds back the topic's frames until `done`, then goes on with them. */
  #blockTopic(topic: string, slot: Slot, done: Promise<void>): void {
    slot.busy = true
    void done
      .catch((error: Error) => this.#context.log.error('realtime frame failed', { reason: error.message }))
      .then(() => {
        slot.busy = false
        while (!slot.busy && slot.waiting.length > 0 && !this.closed && !this.#ending) {
          const { frame, size } = slot.waiting.shift()!
          this.#waitingBytes -= size
          const current = this.#slots.get(topic)
          this.#logErrors(() => {
            // A join among them has made another slot: what waits behind it goes there.
            if (current && current !== slot) this.#route(frame, size)
            else this.#handle(slot, frame, size)
          })
        }
        if (!slot.busy && !slot.channel && this.#slots.get(topic) === slot) this.#slots.delete(topic)
        this.#count()
      })
  }

  #disposeChannels(): void {
    for (const channel of this.channels()) channel.dispose()
  }

  #dispose(): void {
    if (this.closed) return
    this.closed = true
    this.#disposeChannels()
    this.#slots.clear()
    this.#received = []
    this.#buffered.set(this.callerKey, 0)
    for (const person of this.#persons) this.#context.personConnections.release(person)
    this.#o.onClose(this)
  }
}

/** The longest head of a frame of a client. */
const maxHeaderBytes = 14

/** What a frame of a client took on the wire (RFC 6455, 5.2). */
function wireBytes(length: number): number {
  return length + (length < 126 ? 6 : length < 65_536 ? 8 : maxHeaderBytes)
}

/** Does it name an earlier join of the topic? */
function isStale(frame: ClientFrame, joinRef: Ref): boolean {
  return frame.joinRef !== null && joinRef !== null && `${frame.joinRef}` !== `${joinRef}`
}
