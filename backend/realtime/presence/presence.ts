import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { renderJson, type Ref } from '../../../wire/realtime.ts'
import type { Hub, Subscriber } from '../hub.ts'
import { appendMetas, renderDiffs, renderMetas, type PresenceChange } from './presenceDiff.ts'
import { wireTopic } from '../sockets/subTopic.ts'
import { wsFrame } from '../sockets/wsFrame.ts'

/** A joined topic of one connection, as presence sees it. */
export interface Member extends Subscriber {
  /** Of the topic: public and private ones apart. */
  readonly key: string
  /** Of the topic, without `realtime:`. */
  readonly name: string
  readonly joinRef: Ref
  readonly presenceKey: string
}

/** What a member shows, as JSON texts; and the ref in it. */
interface TrackedPresence {
  key: string
  meta: string
  ref: string
}

/** A topic in which somebody shows himself, or did a moment ago. */
interface TopicState {
  name: string
  tracked: Map<Member, TrackedPresence>
  /** How many devices each key has. */
  devices: Map<string, number>
  /** All of that as a payload, where it is at hand. */
  state: string | null
  /** Not told yet, in their order. */
  changes: PresenceChange[]
  /** Who came since then, and how many of the changes the state that he was sent held already. */
  newcomers: Map<Member, number>
  timer: NodeJS.Timeout | null
  /** Until then it waits with the next diff, by the clock that never jumps (ms). */
  quietUntil: number
}

/** How long changes wait for each other: in a quiet room, and at most. */
const batchDelayMs = { min: 20, max: 1_500 }
/** Changes. */
const newcomerChunk = 128

export interface Presence {
  /** Shows `payload` under the member's key, in place of what it showed before. */
  track(member: Member, payload: Record<string, unknown>): void
  /** Whether `payload` is what the member shows already. */
  isTracked(member: Member, payload: Record<string, unknown>): boolean
  untrack(member: Member): void
  /** To one who has just joined: who is there now. What has changed since follows as diffs. */
  sendState(member: Member): void
  /** Forgets one who leaves the topic. */
  leave(member: Member): void
  stats(): { members: number }
  close(): void
}

/**
 * Who is where, as Phoenix presence tells it: a state to those who come, then what changed. Nothing of it is
 * stored, so that nothing stale outlives a crash.
 *
 * Phoenix tells each change of its own node at once, so that a thousand who come send a million messages.
 * Here changes gather for a moment, which grows with the room: in a busy one nobody gets more than one diff in
 * as many milliseconds as there are listeners (as Phoenix gathers those of other nodes, 1.5 s at most).
 * @param deliveries is told of diffs that went past the hub
 */
export function createPresence(hub: Hub, deliveries: { add(count: number): void }): Presence {
  const topics = new Map<string, TopicState>()
  // A client takes the same ref for the same meta, also after our restart: no two processes share any.
  const refPrefix = randomBytes(6).toString('base64url')
  let refs = 0
  let members = 0

  const flush = (key: string, topic: TopicState): void => {
    const { changes, newcomers } = topic
    topic.timer = null
    topic.changes = []
    topic.newcomers = new Map()
    topic.quietUntil = performance.now() + Math.min(hub.size(key), batchDelayMs.max)
    if (topic.tracked.size === 0) topics.delete(key)
    const except = newcomers.size > 0 ? new Set(newcomers.keys()) : null
    for (const diff of renderDiffs(changes)) hub.publish(key, topic.name, { kind: 'presence', diff }, except)
    deliveries.add(sendToNewcomers(topic.name, changes, newcomers))
  }

  const addChange = (member: Member, change: PresenceChange): void => {
    const topic = getTopic(member)
    topic.changes.push(change)
    if (topic.timer) return
    const wait = Math.max(batchDelayMs.min, topic.quietUntil - performance.now())
    topic.timer = setTimeout(() => flush(member.key, topic), wait)
  }

  const getTopic = ({ key, name }: Member): TopicState => {
    let topic = topics.get(key)
    if (!topic) {
      topic = {
        name,
        tracked: new Map(),
        devices: new Map(),
        state: null,
        changes: [],
        newcomers: new Map(),
        timer: null,
        quietUntil: 0,
      }
      topics.set(key, topic)
    }
    return topic
  }

  /** One more device. Crowds come by those who are the first of their key: the state grows by them alone. */
  const add = (topic: TopicState, key: string, meta: string): void => {
    const others = topic.devices.get(key) ?? 0
    topic.devices.set(key, others + 1)
    members += 1
    if (topic.state === null || others > 0) topic.state = null
    else topic.state = appendMetas(topic.state, renderMetas([[key, meta]]))
  }

  const untrack = (member: Member): void => {
    const topic = topics.get(member.key)
    const before = topic?.tracked.get(member)
    if (!topic || !before) return
    topic.tracked.delete(member)
    topic.state = null
    const left = topic.devices.get(before.key)! - 1
    if (left === 0) topic.devices.delete(before.key)
    else topic.devices.set(before.key, left)
    members -= 1
    addChange(member, { key: before.key, joins: null, leaves: before.meta })
  }

  return {
    track(member, payload) {
      const topic = getTopic(member)
      const before = topic.tracked.get(member)
      const ref = `${refPrefix}${(++refs).toString(36)}`
      const meta = JSON.stringify({ ...payload, phx_ref: ref, phx_ref_prev: before?.ref })
      const key = before?.key ?? JSON.stringify(member.presenceKey)
      topic.tracked.set(member, { key, meta, ref })
      if (before) topic.state = null
      else add(topic, key, meta)
      addChange(member, { key, joins: meta, leaves: before?.meta ?? null })
    },
    isTracked(member, payload) {
      const before = topics.get(member.key)?.tracked.get(member)
      return (
        before !== undefined && isDeepStrictEqual(withoutRefs(JSON.parse(before.meta)), withoutRefs(payload))
      )
    },
    untrack,
    sendState(member) {
      const topic = topics.get(member.key)
      if (topic)
        topic.state ??= renderMetas(Array.from(topic.tracked.values(), ({ key, meta }) => [key, meta]))
      const frame = { joinRef: member.joinRef, ref: null, topic: wireTopic(member.name) }
      const { sink } = member
      const state = renderJson(sink.version, { ...frame, event: 'presence_state' }, topic?.state ?? '{}')
      sink.write(wsFrame(state))
      if (topic && topic.changes.length > 0) topic.newcomers.set(member, topic.changes.length)
    },
    leave(member) {
      untrack(member)
      topics.get(member.key)?.newcomers.delete(member)
    },
    stats: () => ({ members }),
    close() {
      for (const { timer } of topics.values()) if (timer) clearTimeout(timer)
      topics.clear()
    },
  }
}

function withoutRefs(meta: Record<string, unknown>): Record<string, unknown> {
  const { phx_ref: _ref, phx_ref_prev: _before, ...payload } = meta
  return payload
}

/**
 * To those who came in between: what their state did not hold, or they would see it twice. What follows the
 * next whole chunk is the same for all of them and made once, since a crowd comes one by one.
 */
function sendToNewcomers(
  name: string,
  changes: readonly PresenceChange[],
  newcomers: ReadonlyMap<Member, number>,
): number {
  let sent = 0
  const rendered = new Map<string, { data: Buffer; diffs: number }>()
  const send = ({ sink }: Member, from: number, to: number): void => {
    const id = `${sink.version} ${from}`
    let ready = rendered.get(id)
    if (!ready) {
      const frame = { joinRef: null, ref: null, topic: wireTopic(name), event: 'presence_diff' }
      const diffs = renderDiffs(changes.slice(from, to))
      const data = Buffer.concat(diffs.map((diff) => wsFrame(renderJson(sink.version, frame, diff))))
      rendered.set(id, (ready = { data, diffs: diffs.length }))
    }
    sink.write(ready.data)
    sent += ready.diffs
  }
  for (const [member, known] of newcomers) {
    for (let from = known; from < changes.length;) {
      const to = (Math.floor(from / newcomerChunk) + 1) * newcomerChunk
      send(member, from, to)
      from = to
    }
  }
  return sent
}
