import { renderBroadcast, renderJson, type Broadcast, type Version } from '../../wire/realtime.ts'
import type { Logger } from '../logging/logger.ts'
import type { Extension } from './authorization/authoriser.ts'
import { wireTopic } from './sockets/subTopic.ts'
import { wsFrame } from './sockets/wsFrame.ts'

/** Where frames go. `write` takes whole websocket frames, in order. */
export interface Sink {
  readonly version: Version
  write(frames: Buffer): void
}

/** A joined topic of one connection. */
export interface Listener {
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
type Except = Listener | ReadonlySet<Listener> | null

/** Messages of one topic that follow each other directly, told in one write to each listener. */
interface Run {
  key: string
  /** Who may read this may hear it. */
  extension: Extension
  name: string
  except: Except
  messages: Message[]
  bytes: number
}

/** A run ends here, so that a socket's unsent bytes are looked at often enough. */
const longestRun = 64 * 1024

export interface Hub {
  join(key: string, listener: Listener): void
  leave(key: string, listener: Listener): void
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
  const topics = new Map<string, Set<Listener>>()
  let runs: Run[] = []
  let deliveries = 0

  const flush = (): void => {
    const batch = runs
    runs = []
    for (const run of batch) {
      try {
        const told = tell(run, topics.get(run.key) ?? new Set())
        deliveries += told
        if (told > 0) o.onDelivered(run.key, told, run.extension)
      } catch (error) {
        // Nobody waits for this task: an error that escaped it would end the process.
        o.log.error('realtime message not told', { topic: run.name, reason: (error as Error).message })
      }
    }
  }

  return {
    join(key, listener) {
      const there = topics.get(key)
      if (there) there.add(listener)
      else topics.set(key, new Set([listener]))
    },
    leave(key, listener) {
      const there = topics.get(key)
      there?.delete(listener)
      if (there?.size === 0) topics.delete(key)
    },
    has: (key) => topics.has(key),
    size: (key) => topics.get(key)?.size ?? 0,
    publish(key, name, message, except = null) {
      if (!topics.has(key)) return
      const extension = message.kind === 'presence' ? 'presence' : 'broadcast'
      const size = sizeOf(message)
      const last = runs.at(-1)
      const joins = last?.key === key && last.except === except && last.extension === extension
      if (last && joins && last.bytes + size < longestRun) {
        last.messages.push(message)
        last.bytes += size
        return
      }
      if (runs.length === 0) queueMicrotask(flush)
      runs.push({ key, extension, name, except, messages: [message], bytes: size })
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
function prepare(run: Run, version: Version): { frames: (Buffer | null)[]; all: Buffer; count: number } {
  const frames = run.messages.map((message) => render(version, run.name, message))
  const sendable = frames.filter((frame) => frame !== null)
  return {
    frames,
    all: sendable.length === 1 ? sendable[0]! : Buffer.concat(sendable),
    count: sendable.length,
  }
}

function tell(run: Run, listeners: Set<Listener>): number {
  const prepared: Partial<Record<Version, ReturnType<typeof prepare>>> = {}
  const several = run.except instanceof Set ? run.except : null
  let told = 0
  for (const listener of listeners) {
    if (listener.reads[run.extension] !== true || listener === run.except) continue
    if (several?.has(listener)) continue
    const { version } = listener.sink
    const ready = (prepared[version] ??= prepare(run, version))
    if (ready.count === 0) continue
    if (listener.replayed) {
      told += tellRest(run, ready.frames, listener, listener.replayed)
      continue
    }
    listener.sink.write(ready.all)
    told += ready.count
  }
  return told
}

/** To one who had a replay: all but what it held already. */
function tellRest(
  run: Run,
  frames: (Buffer | null)[],
  listener: Listener,
  held: ReadonlySet<string>,
): number {
  let told = 0
  run.messages.forEach((message, at) => {
    const id = message.kind === 'broadcast' ? message.broadcast.meta?.['id'] : undefined
    const frame = frames[at]
    if (!frame || (typeof id === 'string' && held.has(id))) return
    listener.sink.write(frame)
    told += 1
  })
  return told
}
