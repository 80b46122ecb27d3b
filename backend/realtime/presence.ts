import type { Channel } from './channel.ts'
import type { Hub } from './hub.ts'

type Meta = Record<string, unknown> & { phx_ref: string }
/** By presence key, the devices under it, as Phoenix has it. */
type PresenceState = Record<string, { metas: Meta[] }>

/** Changes of a topic that wait to be told together, so that many who come at once make one message. */
interface Diff {
  name: string
  joins: [string, Meta][]
  leaves: [string, Meta][]
}

const diffDelayMs = 20

export interface Presence {
  /** Shows `payload` under the channel's key, in place of what it showed before. */
  track(channel: Channel, payload: Record<string, unknown>): void
  untrack(channel: Channel): void
  sendState(channel: Channel): void
  close(): void
}

function toState(entries: Iterable<[string, Meta]>): PresenceState {
  const byKey = new Map<string, { metas: Meta[] }>()
  for (const [key, meta] of entries) {
    const there = byKey.get(key)
    if (there) there.metas.push(meta)
    else byKey.set(key, { metas: [meta] })
  }
  // Own properties whatever their name is: a key may be called __proto__.
  return Object.fromEntries(byKey)
}

/** Who is where, as Phoenix presence tells it: a state to those who come, then what changed. */
export function createPresence(hub: Hub): Presence {
  const tracked = new Map<string, Map<Channel, Meta>>()
  const diffs = new Map<string, Diff>()
  let refs = 0
  let timer: NodeJS.Timeout | null = null

  const flush = (): void => {
    timer = null
    for (const [key, { name, joins, leaves }] of diffs) {
      const payload = { joins: toState(joins), leaves: toState(leaves) }
      hub.publish(key, name, { kind: 'event', event: 'presence_diff', payload })
    }
    diffs.clear()
  }

  const diffOf = ({ key, name }: Channel): Diff => {
    timer ??= setTimeout(flush, diffDelayMs)
    let diff = diffs.get(key)
    if (!diff) diffs.set(key, (diff = { name, joins: [], leaves: [] }))
    return diff
  }

  return {
    track(channel, payload) {
      const there = tracked.get(channel.key) ?? new Map<Channel, Meta>()
      tracked.set(channel.key, there)
      const before = there.get(channel)
      const meta: Meta = { ...payload, phx_ref: `L${(++refs).toString(36)}` }
      if (before) meta['phx_ref_prev'] = before.phx_ref
      there.set(channel, meta)
      const diff = diffOf(channel)
      if (before) diff.leaves.push([channel.presenceKey, before])
      diff.joins.push([channel.presenceKey, meta])
    },
    untrack(channel) {
      const there = tracked.get(channel.key)
      const meta = there?.get(channel)
      if (!there || !meta) return
      there.delete(channel)
      if (there.size === 0) tracked.delete(channel.key)
      diffOf(channel).leaves.push([channel.presenceKey, meta])
    },
    sendState(channel) {
      if (!channel.reads.presence) return
      const there = tracked.get(channel.key) ?? new Map<Channel, Meta>()
      channel.push('presence_state', toState([...there].map(([who, meta]) => [who.presenceKey, meta])))
    },
    close() {
      if (timer) clearTimeout(timer)
    },
  }
}
