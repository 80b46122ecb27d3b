import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { renderJson, type Ref } from '../../../wire/realtime.ts'
import type { Hub, Listener } from '../hub.ts'
import { appendMetas, renderDiffs, renderMetas, type PresenceChange } from './presenceDiff.ts'
import { wireTopic } from '../sockets/subTopic.ts'
import { wsFrame } from '../sockets/wsFrame.ts'

/** A joined topic of one connection, as presence sees it. */
export interface Member extends Listener {
  /** Of the topic: public and private ones apart. */
  readonly key: string
  /** Of the topic, without `realtime:`. */
  readonly name: string
  readonly joinRef: Ref
  readonly presenceKey: string
}

/** What a member shows, as JSON texts; and the ref in it. */
interface Shown {
  key: string
  meta: string
  ref: string
}

/** A topic in which somebody shows himself, or did a moment ago. */
interface Room {
  name: string
  shown: Map<Member, Shown>
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
const gatherMs = { least: 20, most: 1_500 }
/** Changes. */
const chunk = 128

export interface Presence {
  /** Shows `payload` under the member's key, in place of what it showed before. */
  track(member: Member, payload: Record<string, unknown>): void
  /** Whether `payload` is what the member shows already. */
  shows(member: Member, payload: Record<string, unknown>): boolean
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
 * @param told is told of diffs that went past the hub
 */
export function createPresence(hub: Hub, told: { add(count: number): void }): Presence {
  const rooms = new Map<string, Room>()
  // A client takes the same ref for the same meta, also after our restart: no two processes share any.
  const refPrefix = randomBytes(6).toString('base64url')
  let refs = 0
  let members = 0

  const flush = (key: string, room: Room): void => {
    const { changes, newcomers } = room
    room.timer = null
    room.changes = []
    room.newcomers = new Map()
    room.quietUntil = performance.now() + Math.min(hub.size(key), gatherMs.most)
    if (room.shown.size === 0) rooms.delete(key)
    const except = newcomers.size > 0 ? new Set(newcomers.keys()) : null
    for (const diff of renderDiffs(changes)) hub.publish(key, room.name, { kind: 'presence', diff }, except)
    told.add(tellNewcomers(room.name, changes, newcomers))
  }

  const note = (member: Member, change: PresenceChange): void => {
    const room = roomOf(member)
    room.changes.push(change)
    if (room.timer) return
    const wait = Math.max(gatherMs.least, room.quietUntil - performance.now())
    room.timer = setTimeout(() => flush(member.key, room), wait)
  }

  const roomOf = ({ key, name }: Member): Room => {
    let room = rooms.get(key)
    if (!room) {
      room = {
        name,
        shown: new Map(),
        devices: new Map(),
        state: null,
        changes: [],
        newcomers: new Map(),
        timer: null,
        quietUntil: 0,
      }
      rooms.set(key, room)
    }
    return room
  }

  /** One more device. Crowds come by those who are the first of their key: the state grows by them alone. */
  const add = (room: Room, key: string, meta: string): void => {
    const others = room.devices.get(key) ?? 0
    room.devices.set(key, others + 1)
    members += 1
    if (room.state === null || others > 0) room.state = null
    else room.state = appendMetas(room.state, renderMetas([[key, meta]]))
  }

  const untrack = (member: Member): void => {
    const room = rooms.get(member.key)
    const before = room?.shown.get(member)
    if (!room || !before) return
    room.shown.delete(member)
    room.state = null
    const left = room.devices.get(before.key)! - 1
    if (left === 0) room.devices.delete(before.key)
    else room.devices.set(before.key, left)
    members -= 1
    note(member, { key: before.key, joins: null, leaves: before.meta })
  }

  return {
    track(member, payload) {
      const room = roomOf(member)
      const before = room.shown.get(member)
      const ref = `${refPrefix}${(++refs).toString(36)}`
      const meta = JSON.stringify({ ...payload, phx_ref: ref, phx_ref_prev: before?.ref })
      const key = before?.key ?? JSON.stringify(member.presenceKey)
      room.shown.set(member, { key, meta, ref })
      if (before) room.state = null
      else add(room, key, meta)
      note(member, { key, joins: meta, leaves: before?.meta ?? null })
    },
    shows(member, payload) {
      const before = rooms.get(member.key)?.shown.get(member)
      return (
        before !== undefined && isDeepStrictEqual(withoutRefs(JSON.parse(before.meta)), withoutRefs(payload))
      )
    },
    untrack,
    sendState(member) {
      const room = rooms.get(member.key)
      if (room) room.state ??= renderMetas(Array.from(room.shown.values(), ({ key, meta }) => [key, meta]))
      const frame = { joinRef: member.joinRef, ref: null, topic: wireTopic(member.name) }
      const { sink } = member
      const state = renderJson(sink.version, { ...frame, event: 'presence_state' }, room?.state ?? '{}')
      sink.write(wsFrame(state))
      if (room && room.changes.length > 0) room.newcomers.set(member, room.changes.length)
    },
    leave(member) {
      untrack(member)
      rooms.get(member.key)?.newcomers.delete(member)
    },
    stats: () => ({ members }),
    close() {
      for (const { timer } of rooms.values()) if (timer) clearTimeout(timer)
      rooms.clear()
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
function tellNewcomers(
  name: string,
  changes: readonly PresenceChange[],
  newcomers: ReadonlyMap<Member, number>,
): number {
  let told = 0
  const made = new Map<string, { data: Buffer; diffs: number }>()
  const tell = ({ sink }: Member, from: number, to: number): void => {
    const id = `${sink.version} ${from}`
    let ready = made.get(id)
    if (!ready) {
      const frame = { joinRef: null, ref: null, topic: wireTopic(name), event: 'presence_diff' }
      const diffs = renderDiffs(changes.slice(from, to))
      const data = Buffer.concat(diffs.map((diff) => wsFrame(renderJson(sink.version, frame, diff))))
      made.set(id, (ready = { data, diffs: diffs.length }))
    }
    sink.write(ready.data)
    told += ready.diffs
  }
  for (const [member, held] of newcomers) {
    for (let from = held; from < changes.length;) {
      const to = (Math.floor(from / chunk) + 1) * chunk
      tell(member, from, to)
      from = to
    }
  }
  return told
}
