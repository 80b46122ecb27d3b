import type { Bootstrap, ChannelEntry, Heartbeat, Section, ThreadState } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import {
  withChannelEntry,
  replaceAfterRestore,
  withEpoch,
  withoutChannel,
  withState,
} from './channelEntries.ts'
import { hasLeftChannel, isRolledBack } from './requestSnapshot.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import { raiseCounters, createChannelRows } from './channelRows.ts'
import type { ChannelRows, State } from './state.ts'
import { markUnlistedStale, filterThreads, mergeUnreadThreads } from './threadStates.ts'

/** Sections in displayed order. */
export function byPosition(sections: readonly Section[]): readonly Section[] {
  return [...sections].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

/** Everything anew: what is absent and was held when the request was sent has ended. */
export function applyBootstrap(state: State, response: Bootstrap, snapshot: RequestSnapshot): State {
  const same =
    state.workspace?.id === response.workspace?.id &&
    (state.me?.profile.id ?? null) === (response.me?.profile.id ?? null)
  const entries = new Map(response.channels.map((entry) => [entry.channel.id, entry]))
  const channels = new Map<Uuid, ChannelRows>()
  for (const [id, rows] of same ? state.channels : []) {
    // Public channels opened without joining are not in the answer, nor those that came while it was made.
    if (entries.has(id) || !hasLeftChannel(snapshot, rows)) channels.set(id, rows)
  }
  const base: State = {
    ...state,
    me: response.me,
    workspace: response.workspace,
    workspaces: response.workspaces,
    members: new Map(response.members.map((member) => [member.profile.id, member])),
    sections: byPosition(response.sections),
    peopleCounters: response.people_counters,
    maxTopics: response.topics,
    source: 'live',
    presence: same ? state.presence : new Map(),
    channels,
  }
  const retained = filterThreads(base, (channelId) => channels.has(channelId))
  const all = response.channels.reduce((one, entry) => withChannelEntry(one, entry, snapshot), retained)
  const counted = mergeUnreadThreads(
    all,
    response.threads,
    snapshot,
    (id) => entries.get(id)?.counters.rev ?? 0,
  )
  return markUnlistedStale(counted, new Set(response.threads.map((one) => one.root_id)), snapshot)
}

/** Where everything stands: numbers, counts, and who is here. */
export function applyHeartbeat(state: State, heartbeat: Heartbeat, snapshot: RequestSnapshot): State {
  const presence = new Map(heartbeat.people.map((person) => [person.profile_id, person.state]))
  const listed = new Map(heartbeat.channels.map((one) => [one.channel_id, one.counters.rev]))
  const { peopleCounters } = state
  const epoch = Math.max(peopleCounters?.epoch ?? 0, heartbeat.people_counters?.epoch ?? 0)
  let next: State = { ...state, presence, peopleCounters: peopleCounters && { ...peopleCounters, epoch } }
  for (const id of state.channels.keys()) {
    const rows = state.channels.get(id)
    if (rows && hasLeftChannel(snapshot, rows) && !listed.has(id)) next = withoutChannel(next, id)
  }
  const channels = new Map(next.channels)
  for (const one of heartbeat.channels) {
    const rows = channels.get(one.channel_id)
    if (!rows) continue
    const before = snapshot.channels.get(one.channel_id)
    if (isRolledBack(snapshot, one.channel_id, one.counters)) {
      next = filterThreads(next, (channelId) => channelId !== one.channel_id)
      const { counters, counts, state: own } = one
      channels.set(one.channel_id, replaceAfterRestore(rows, { ...rows.entry, counters, counts, state: own }))
      continue
    }
    const stated = withState(rows, one.state, one.counts, one.counters.rev, before?.readVersion)
    // `meta_rev` moves with the entry alone, else the entry that brings it would look old.
    channels.set(
      one.channel_id,
      raiseCounters(withEpoch(stated, one.counters.epoch), one.counters.rev, one.counters.last_seq),
    )
  }
  return mergeUnreadThreads({ ...next, channels }, heartbeat.threads, snapshot, (id) => listed.get(id) ?? 0)
}

/**
 * What was found to be wrong, as the server has it: entries whole, words to be fetched again, places in the
 * threads `roots` as given, or none.
 */
export function applyCorrections(
  state: State,
  corrections: {
    entries: readonly ChannelEntry[]
    removedChannelIds: readonly Uuid[]
    threads: readonly ThreadState[]
    roots: ReadonlySet<Uuid>
  },
): State {
  const left = corrections.removedChannelIds.reduce(withoutChannel, state)
  const channels = new Map(left.channels)
  for (const entry of corrections.entries) {
    const rows = channels.get(entry.channel.id)
    channels.set(entry.channel.id, rows ? replaceAfterRestore(rows, entry) : createChannelRows(entry))
  }
  const entries = { ...left, channels }
  if (corrections.roots.size === 0) return entries
  const threads = new Map(entries.threads)
  for (const root of corrections.roots) threads.delete(root)
  for (const one of corrections.threads) if (corrections.roots.has(one.root_id)) threads.set(one.root_id, one)
  return { ...entries, threads }
}
