import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { callerKey } from '../../budgets/callerKey.ts'
import type { CallerWork } from '../../budgets/createFairScheduler.ts'
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
} from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'
import type { Channel } from './channel.ts'
import { receiveEvent } from './channelEvents.ts'
import type { RealtimeContext } from '../context.ts'
import { createByteAccount } from './createByteAccount.ts'
import { joinChannel, type JoiningConnection } from './joinChannel.ts'
import { subTopic, wireTopic } from './subTopic.ts'
import { wsFrame } from './wsFrame.ts'

/** The maximum number of unsent bytes, which are buffered in memory. A connection with more is closed. */
const maxUnsentBytes = 1024 * 1024
/** Milliseconds that the peer may take to respond to a close frame. */
const closeTimeoutMs = 5_000
/**
 * The maximum of frames that wait while policies of their topic are checked: their number for each topic, and their
 * bytes for each connection.
 */
const maxWaitingFrames = 1_000
const maxWaitingBytes = 4 * 1024 * 1024
/** The number of received frames that may wait before reading is paused. */
const maxReceivedFrames = 64
/** The memory of a waiting frame besides its bytes. */
const frameOverheadBytes = 64
/** Frames that a connection may send each second before its frames yield to new connections and requests. */
const maxPromptFrames = 4
/**
 * The maximum number of joins of one connection in a minute, far more than any client needs. Each costs a database
 * query.
 */
const maxJoinsPerMinute = 1_000

/** The state of one topic of the connection. Frames behind a slow one wait in order. */
interface Slot {
  channel: Channel | null
  busy: boolean
  waiting: { frame: ClientFrame; size: number }[]
}

export interface ConnectionOptions {
  webSocket: WebSocket
  /** The underlying socket, to which rendered frames are written. */
  socket: Socket
  version: Version
  apiCaller: Caller
  onClose: (connection: Connection) => void
  onDropped: () => void
}

/**
 * The socket of one client. It reads frames, routes them by topic, and writes frames with a limit of buffered bytes.
 */
export class Connection implements JoiningConnection, CallerWork {
  readonly version: Version
  readonly apiCaller: Caller
  closed = false
  readonly whenClosed: Promise<void>
  /** The time of the last received frame, on the monotonic clock (ms). */
  receivedAt = performance.now()
  readonly openedAt = performance.now()
  /** Whether it has ever joined a topic. */
  hasJoined = false
  /** The caller for which its frames and bytes are counted: its network, or the user that it last joined as. */
  callerKey: string
  /** The time at which the first token of its topics expires. */
  nextExpiry = Infinity
  readonly #context: RealtimeContext
  readonly #o: ConnectionOptions
  readonly #slots = new Map<string, Slot>()
  #ending = false
  #waitingBytes = 0
  /** Frames that wait to be handled, in order. */
  #received: { data: Buffer; isBinary: boolean }[] = []
  #receivedBytes = 0
  /** Bytes of an incomplete frame, and of the frames that ended in the chunk that is being read. */
  #unfinishedBytes = 0
  #finishedBytes = 0
  #hasEnded = false
  readonly #buffered: ReturnType<typeof createByteAccount>
  /** Users that it has joined as, and for which it is counted. */
  readonly #persons = new Set<string>()
  #joins = { count: 0, until: 0 }
  #frames = { count: 0, until: 0 }

  constructor(context: RealtimeContext, o: ConnectionOptions) {
    this.#context = context
    this.#o = o
    this.version = o.version
    this.apiCaller = o.apiCaller
    this.callerKey = callerKey(o.apiCaller)
    this.#buffered = createByteAccount(context.bufferedBytes)
    o.webSocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    o.webSocket.on('ping', (data) => this.#replyToPing(data))
    o.webSocket.on('pong', (data) => {
      this.receivedAt = performance.now()
      this.#finishedBytes += wireBytes(data.length)
    })
    // After the listener of the library, which has parsed the chunk by then.
    o.socket.on('data', (chunk: Buffer) => this.#countReceived(chunk.length))
    o.socket.on('drain', () => this.#count())
    // An invalid frame or a broken connection also closes it; without a listener, its error would end the process.
    o.webSocket.on('error', () => {})
    this.whenClosed = new Promise((resolve) => {
      o.webSocket.on('close', () => {
        this.#hasEnded = true
        // Frames that the client sent before it closed are still handled.
        if (this.#ending || this.#received.length === 0) this.#dispose()
        resolve()
      })
    })
  }

  get topicCount(): number {
    return this.#slots.size
  }

  countJoin(): boolean {
    const now = performance.now()
    if (now > this.#joins.until) this.#joins = { count: 0, until: now + 60_000 }
    return ++this.#joins.count <= maxJoinsPerMinute
  }

  joinAs(caller: string): boolean {
    if (caller === callerKey(this.apiCaller) || this.#persons.has(caller)) return true
    if (!this.#context.personConnections.take(caller)) return false
    this.#persons.add(caller)
    return true
  }

  *channels(): Generator<Channel> {
    for (const { channel } of this.#slots.values()) if (channel) yield channel
  }

  /** Writes complete WebSocket frames directly. The library would render the same bytes for each socket. */
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

  /** Sends a close frame. Terminates the connection if the peer does not respond in time. */
  end(code: number, reason: string): void {
    // No frame may follow a close frame.
    this.#ending = true
    this.#o.webSocket.close(code, reason)
    // The close frame follows unsent bytes; a peer that reads them within this time receives the reason.
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

  /**
   * Replies to a ping. The number of replies is bounded, since pongs for a peer that does not read are buffered in
   * memory.
   */
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
    if (this.#received.length === 1) this.#context.scheduler.add(this)
    if (this.#received.length === maxReceivedFrames) this.#o.webSocket.pause()
  }

  /**
   * Whether its frames yield to other work. After a restart each client joins 30 topics. Clients that are still
   * connecting or fetching changes would otherwise wait for all of these joins.
   */
  canYield(): boolean {
    const now = performance.now()
    if (now > this.#frames.until) this.#frames = { count: 0, until: now + 1_000 }
    return ++this.#frames.count > maxPromptFrames
  }

  /** Handles the next frame. Returns whether another one waits. */
  runNext(): boolean {
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

  /** Returns the maximum size of a frame, which is larger after the first join. */
  #maxFrameBytes(): number {
    const { maxJoinBytes } = this.#context.settings
    return this.hasJoined || this.#slots.size > 0 || this.#received.length > 0 ? Infinity : maxJoinBytes
  }

  /** Counts bytes of an incomplete frame, which the library buffers. */
  #countReceived(length: number): void {
    const unfinished = this.#unfinishedBytes + length - this.#finishedBytes
    this.#unfinishedBytes = Math.max(0, this.#finishedBytes > 0 ? Math.min(unfinished, length) : unfinished)
    this.#finishedBytes = 0
    this.#count()
  }

  /**
   * Limits the bytes that are buffered for this connection, and the bytes of all connections in the shared budget.
   */
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

  /** Terminates the connection at once to release memory. The reason arrives only if the peer reads without delay. */
  #cutOff(code: number, reason: string): void {
    this.end(code, reason)
    this.terminate()
  }

  /** Logs errors of a frame, so that they end neither the processing of later frames nor the process. */
  #logErrors(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      // As in the hosted service, a malformed frame is ignored.
      if (error instanceof MalformedFrame) return
      this.#context.log.error('realtime.frame_failed', { reason: (error as Error).message })
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
      // The topic of that join was closed already, with a message.
      if (event === 'phx_leave' && isStale(frame, joinRef)) return
      // Some clients send another join_ref, or none: the frame and its reply belong to the current join.
      frame.joinRef = joinRef
      const done = receiveEvent(this.#context, slot.channel, frame, size)
      if (done) this.#blockTopic(topic, slot, done)
      return
    }
    if (event === 'phx_leave') this.reply(frame, 'ok', {})
    else this.#replyWithoutJoin(frame, 'error', { reason: 'unmatched topic' })
  }

  /** Replies to a frame outside of a join; as in Phoenix, without join_ref. */
  #replyWithoutJoin(to: ClientFrame, status: 'ok' | 'error', response: unknown): void {
    this.reply({ ...to, joinRef: null }, status, response)
  }

  #join(slot: Slot | undefined, frame: JsonFrame): void {
    const name = subTopic(frame.topic)
    if (name === null) return this.#replyWithoutJoin(frame, 'error', { reason: 'unmatched topic' })
    // A second join of a topic replaces the first.
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

  /** Queues the topic's frames until `done`, then handles them. */
  #blockTopic(topic: string, slot: Slot, done: Promise<void>): void {
    slot.busy = true
    void done
      .catch((error: Error) => this.#context.log.error('realtime.frame_failed', { reason: error.message }))
      .then(() => {
        slot.busy = false
        while (!slot.busy && slot.waiting.length > 0 && !this.closed && !this.#ending) {
          const { frame, size } = slot.waiting.shift()!
          this.#waitingBytes -= size
          const current = this.#slots.get(topic)
          this.#logErrors(() => {
            // A join among them has created another slot, which later frames belong to.
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

/** Maximum header of a client frame. */
const maxHeaderBytes = 14

/** Size of a client frame on the wire (RFC 6455, 5.2). */
function wireBytes(length: number): number {
  return length + (length < 126 ? 6 : length < 65_536 ? 8 : maxHeaderBytes)
}

/** Whether a frame belongs to an earlier join of the topic. */
function isStale(frame: ClientFrame, joinRef: Ref): boolean {
  return frame.joinRef !== null && joinRef !== null && `${frame.joinRef}` !== `${joinRef}`
}
