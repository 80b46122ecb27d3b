import { renderBroadcast, renderJson, type Broadcast } from '../../wire/realtime.ts'
import { type Version } from '../../wire/payloadText.ts'
import type { Logger } from '../logging/logger.ts'
import type { Extension } from './authorization/checkPolicies.ts'
import { wireTopic } from './sockets/subTopic.ts'
import { wsFrame } from './sockets/wsFrame.ts'

/** The destination of frames. `write` accepts complete WebSocket frames, in order. */
export interface Sink {
  readonly version: Version
  write(frames: Buffer): void
}

/** A joined topic of one connection. */
export interface Subscriber {
  readonly sink: Sink
  /** Which kinds of events it may read. It may have joined for presence only. */
  readonly reads: Record<Extension, boolean | null>
  /** The IDs of messages that a replay has sent already. */
  readonly replayed: ReadonlySet<string> | null
}

/** A broadcast, or the payload (JSON) of an event that is forwarded unchanged. */
export type Message =
  | { kind: 'broadcast'; broadcast: Broadcast }
  | { kind: 'event'; event: 'broadcast' | 'presence_diff'; payload: string }

/** Subscribers that do not receive the message. */
type Except = Subscriber | ReadonlySet<Subscriber> | null

/** Consecutive messages of one topic, delivered in one write to each subscriber. */
interface Batch {
  key: string
  /** Subscribers that may read this receive the batch. */
  extension: Extension
  name: string
  except: Except
  messages: Message[]
  bytes: number
}

/** The maximum size of a batch. It is bounded so that unsent bytes of a socket are checked often enough. */
const maxBatchBytes = 64 * 1024

export interface Hub {
  join(key: string, subscriber: Subscriber): void
  leave(key: string, subscriber: Subscriber): void
  has(key: string): boolean
  /** Returns the number of subscribers. */
  size(key: string): number
  /**
   * Delivers a message to all subscribers of `key`, in the order of calls. The delivery follows the current task, so
   * that messages that arrive together are sent together. `message` may reference a buffer that is valid until then.
   */
  publish(key: string, name: string, message: Message, except?: Except): void
  /** Delivers everything that was published, before the subscribers change. */
  flush(): void
  stats(): { topics: number; deliveries: number }
}

/** Creates the hub, which stores the subscribers of each topic and delivers messages to them. */
export function createHub(log: Pick<Logger, 'error'>): Hub {
  const topics = new Map<string, Set<Subscriber>>()
  let batches: Batch[] = []
  let deliveries = 0

  const flush = (): void => {
    const pending = batches
    batches = []
    for (const batch of pending) {
      try {
        deliveries += deliver(batch, topics.get(batch.key) ?? new Set())
      } catch (error) {
        // Nothing awaits this task: an uncaught error would end the process.
        log.error('realtime.delivery_failed', { topic: batch.name, reason: (error as Error).message })
      }
    }
  }

  return {
    join(key, subscriber) {
      const subscribers = topics.get(key)
      if (subscribers) subscribers.add(subscriber)
      else topics.set(key, new Set([subscriber]))
    },
    leave(key, subscriber) {
      const subscribers = topics.get(key)
      subscribers?.delete(subscriber)
      if (subscribers?.size === 0) topics.delete(key)
    },
    has: (key) => topics.has(key),
    size: (key) => topics.get(key)?.size ?? 0,
    publish(key, name, message, except = null) {
      if (!topics.has(key)) return
      const isPresence = message.kind === 'event' && message.event === 'presence_diff'
      const extension = isPresence ? 'presence' : 'broadcast'
      const size = sizeOf(message)
      const last = batches.at(-1)
      const joins = last?.key === key && last.except === except && last.extension === extension
      if (last && joins && last.bytes + size < maxBatchBytes) {
        last.messages.push(message)
        last.bytes += size
        return
      }
      if (batches.length === 0) queueMicrotask(flush)
      batches.push({ key, extension, name, except, messages: [message], bytes: size })
    },
    flush,
    stats: () => ({ topics: topics.size, deliveries }),
  }
}

/** Returns the approximate size in bytes. */
function sizeOf(message: Message): number {
  return message.kind === 'broadcast' ? message.broadcast.body.length : message.payload.length
}

function render(version: Version, name: string, message: Message): Buffer | null {
  const frame = { joinRef: null, ref: null, topic: wireTopic(name) }
  if (message.kind === 'event')
    return wsFrame(renderJson(version, { ...frame, event: message.event }, message.payload))
  const data = renderBroadcast(version, frame.topic, message.broadcast)
  return data === null ? null : wsFrame(data)
}

/**
 * Renders the frames of a batch for a version of the protocol. Called when the first subscriber of that version needs
 * them.
 */
function renderBatch(
  batch: Batch,
  version: Version,
): { frames: (Buffer | null)[]; all: Buffer; count: number } {
  const frames = batch.messages.map((message) => render(version, batch.name, message))
  const sendable = frames.filter((frame) => frame !== null)
  return {
    frames,
    all: sendable.length === 1 ? sendable[0]! : Buffer.concat(sendable),
    count: sendable.length,
  }
}

function deliver(batch: Batch, subscribers: Set<Subscriber>): number {
  const prepared: Partial<Record<Version, ReturnType<typeof renderBatch>>> = {}
  const excluded = batch.except instanceof Set ? batch.except : null
  let delivered = 0
  for (const subscriber of subscribers) {
    if (subscriber.reads[batch.extension] !== true || subscriber === batch.except) continue
    if (excluded?.has(subscriber)) continue
    const { version } = subscriber.sink
    const ready = (prepared[version] ??= renderBatch(batch, version))
    if (ready.count === 0) continue
    if (subscriber.replayed) {
      delivered += deliverNotReplayed(batch, ready.frames, subscriber, subscriber.replayed)
      continue
    }
    subscriber.sink.write(ready.all)
    delivered += ready.count
  }
  return delivered
}

/** Delivers to a subscriber after a replay. It leaves out messages that the replay contained. */
function deliverNotReplayed(
  batch: Batch,
  frames: (Buffer | null)[],
  subscriber: Subscriber,
  replayed: ReadonlySet<string>,
): number {
  let delivered = 0
  batch.messages.forEach((message, at) => {
    const id = message.kind === 'broadcast' ? message.broadcast.meta?.['id'] : undefined
    const frame = frames[at]
    if (!frame || (typeof id === 'string' && replayed.has(id))) return
    subscriber.sink.write(frame)
    delivered += 1
  })
  return delivered
}
