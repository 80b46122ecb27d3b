import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { renderJson, type Ref } from '../../../wire/realtime.ts'
import type { Hub, Subscriber } from '../../realtime/hub.ts'
import { appendMetas, renderDiffs, renderMetas, type PresenceChange } from './presenceDiff.ts'
import { wireTopic } from '../../realtime/sockets/subTopic.ts'
import { wsFrame } from '../../realtime/sockets/wsFrame.ts'

/** What presence uses of a joined topic of one connection. */
export interface Member extends Subscriber {
  /** Key of the topic, which differs for public and private topics of one name. */
  readonly key: string
  /** Name of the topic, without `realtime:`. */
  readonly name: string
  readonly joinRef: Ref
}

/** What a member tracks, as JSON texts, and its ref. */
interface TrackedPresence {
  key: string
  meta: string
  ref: string
}

/** A topic with tracked members, or with changes that are not sent yet. */
interface TopicState {
  name: string
  tracked: Map<Member, TrackedPresence>
  /** Number of devices by presence key. */
  devices: Map<string, number>
  /** The payload of `presence_state`, if cached. */
  state: string | null
  /** Changes that are not sent yet, in order. */
  changes: PresenceChange[]
  /** Members that joined since the last flush, with the number of changes that the state sent to them contained. */
  newcomers: Map<Member, number>
  timer: NodeJS.Timeout | null
  /** The earliest time of the next diff, on the monotonic clock (ms). */
  quietUntil: number
}

/** How long changes are batched: in a quiet topic, and at most. */
const batchDelayMs = { min: 20, max: 1_500 }
/** Number of changes whose frame newcomers share. */
const newcomerChunk = 128

export interface Presence {
  /** Tracks `payload` under a presence key, in place of the member's previous one. */
  track(member: Member, presenceKey: string, payload: Record<string, unknown>): void
  /** Whether `payload` equals the member's current one. */
  isTracked(member: Member, payload: Record<string, unknown>): boolean
  untrack(member: Member): void
  /** Sends the current state to a member that has just joined. Later changes follow as diffs. */
  sendState(member: Member): void
  /** Removes a member that leaves the topic. */
  leave(member: Member): void
  stats(): { members: number }
  close(): void
}

/**
 * Presence as in Phoenix: members that join receive the state, then diffs. Nothing is stored, so that no stale presence
 * survives a crash.
 *
 * Phoenix sends each change of its own node at once, so that a thousand joins cause a million messages. Here changes
 * are batched for a time that grows with the topic: in a busy one each subscriber gets at most one diff in as many
 * milliseconds as there are subscribers (Phoenix batches those of other nodes, for 1.5 s at most).
 * @param deliveries counts diffs that bypass the hub
 */
export function createPresence(hub: Hub, deliveries: { add(count: number): void }): Presence {
  const topics = new Map<string, TopicState>()
  // Clients identify metas by ref, also after a server restart: no two processes may use the same refs.
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
    for (const payload of renderDiffs(changes))
      hub.publish(key, topic.name, { kind: 'event', event: 'presence_diff', payload }, except)
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

  /** Adds a device. If it is the first of its key, the cached state is extended, so that many joins do not render it anew. */
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
    track(member, presenceKey, payload) {
      const topic = getTopic(member)
      const before = topic.tracked.get(member)
      const ref = `${refPrefix}${(++refs).toString(36)}`
      const meta = JSON.stringify({ ...payload, phx_ref: ref, phx_ref_prev: before?.ref })
      const key = before?.key ?? JSON.stringify(presenceKey)
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
 * Sends to newcomers the changes that their state did not contain. The changes after the next full chunk are the same
 * for all of them and rendered once, since many members join one after the other.
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
