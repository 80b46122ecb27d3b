import { renderBroadcast, renderJson, type Broadcast, type Version } from '../../wire/realtime.ts'
import type { Logger } from '../logging/logger.ts'
import type { Extension } from './authorization/authorizer.ts'
import { wireTopic } from './sockets/subTopic.ts'
import { wsFrame } from './sockets/wsFrame.ts'

/** Where frames go. `write` takes whole websocket frames, in order. */
export interface Sink {
  readonly version: Version
  write(frames: Buffer): void
}

/** A joined topic of one connection. */
export interface Subscriber {
  readonly sink: Sink
  /** What it may read here: it may have joined for presence alone. */
  readonly reads: Record<Extension, boolean | null>
  /** Ids that replay has sent already. */
  readonly replayed: ReadonlySet<string> | null
}

/** What is told: a broadcast, a client's payload (JSON) passed on as it came, or a diff of presence (JSON). */
export type Message =
  | { kind: 'broadcast'; broadcast: Broadcast }
  | { kind: 'event'; payload: string }
  | { kind: 'presence'; diff: string }

/** Who is passed over, if anyone. */
type Except = Subscriber | ReadonlySet<Subscriber> | null

/** Messages of one topic that follow each other directly, told in one write to each listener. */
interface Batch {
  key: string
  /** Who may read this may hear it. */
  extension: Extension
  name: string
  except: Except
  messages: Message[]
  bytes: number
}

/** A run ends here, so that a socket's unsent bytes are looked at often enough. */
const maxBatchBytes = 64 * 1024

export interface Hub {
  join(key: string, subscriber: Subscriber): void
  leave(key: string, subscriber: Subscriber): void
  has(key: string): boolean
  /** How many listen. */
  size(key: string): number
  /**
   * Tells all who listen to `key`, in the order of calls, once the current task ends: messages that
   * arrive together leave together. `message` may view a buffer that lives until then.
   */
  publish(key: string, name: string, message: Message, except?: Except): void
  stats(): { topics: number; deliveries: number }
}

/** @param o.onDelivered is told how many deliveries a topic has had, after each flush */
export function createHub(o: {
  onDelivered: (key: string, deliveries: number, extension: Extension) => void
  log: Logger
}): Hub {
  const topics = new Map<string, Set<Subscriber>>()
  let batches: Batch[] = []
  let deliveries = 0

  const flush = (): void => {
    const pending = batches
    batches = []
    for (const batch of pending) {
      try {
        const delivered = deliver(batch, topics.get(batch.key) ?? new Set())
        deliveries += delivered
        if (delivered > 0) o.onDelivered(batch.key, delivered, batch.extension)
      } catch (error) {
        // Nobody waits for this task: an error that escaped it would end the process.
        o.log.error('realtime message not told', { topic: batch.name, reason: (error as Error).message })
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
      const extension = message.kind === 'presence' ? 'presence' : 'broadcast'
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
    stats: () => ({ topics: topics.size, deliveries }),
  }
}

/** About how many bytes it has. */
function sizeOf(message: Message): number {
  if (message.kind === 'broadcast') return message.broadcast.body.length
  return message.kind === 'presence' ? message.diff.length : message.payload.length
}

function render(version: Version, name: string, message: Message): Buffer | null {
  const frame = { joinRef: null, ref: null, topic: wireTopic(name) }
  switch (message.kind) {
    case 'broadcast': {
      const data = renderBroadcast(version, frame.topic, message.broadcast)
      return data === null ? null : wsFrame(data)
    }
    case 'presence':
      return wsFrame(renderJson(version, { ...frame, event: 'presence_diff' }, message.diff))
    case 'event':
      return wsFrame(renderJson(version, { ...frame, event: 'broadcast' }, message.payload))
  }
}

/** Frames of a run, made when the first listener of their version needs them. */
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

/** To one who had a replay: all but what it held already. */
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
