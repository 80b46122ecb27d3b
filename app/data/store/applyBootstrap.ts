import type { Beat, Bootstrap, ChannelEntry, Section, ThreadState, Uuid } from '../../../wire/linnet.ts'
import { entered, restarted, withEpoch, withoutChannel, withState } from './channelEntries.ts'
import { hasEnded, knowsLess } from './requestSnapshot.ts'
import type { Known } from './requestSnapshot.ts'
import { heard, rowsOf } from './channelRows.ts'
import type { ChannelRows, State } from './state.ts'
import { doubtUnlisted, keepThreads, withUnreadThreads } from './threadStates.ts'

/** Sections as they are shown. */
export function byPosition(sections: readonly Section[]): readonly Section[] {
  return [...sections].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

/** Everything anew: what is absent and was held when it was asked has ended. */
export function bootstrapped(state: State, answer: Bootstrap, known: Known): State {
  const same =
    state.workspace?.id === answer.workspace?.id &&
    (state.me?.profile.id ?? null) === (answer.me?.profile.id ?? null)
  const given = new Map(answer.channels.map((entry) => [entry.channel.id, entry]))
  const channels = new Map<Uuid, ChannelRows>()
  for (const [id, rows] of same ? state.channels : []) {
    // Public channels opened without joining are not in the answer, nor those that came while it was made.
    if (given.has(id) || !hasEnded(known, rows)) channels.set(id, rows)
  }
  const base: State = {
    ...state,
    me: answer.me,
    workspace: answer.workspace,
    workspaces: answer.workspaces,
    members: new Map(answer.members.map((member) => [member.profile.id, member])),
    sections: byPosition(answer.sections),
    people: answer.people_counters,
    topics: answer.topics,
    source: 'live',
    presence: same ? state.presence : new Map(),
    channels,
  }
  const kept = keepThreads(base, (channelId) => channels.has(channelId))
  const all = answer.channels.reduce((one, entry) => entered(one, entry, known), kept)
  const counted = withUnreadThreads(all, answer.threads, known, (id) => given.get(id)?.counters.rev ?? 0)
  return doubtUnlisted(counted, new Set(answer.threads.map((one) => one.root_id)), known)
}

/** Where everything stands: numbers, counts, and who is here. */
export function beatGiven(state: State, beat: Beat, known: Known): State {
  const presence = new Map(beat.people.map((person) => [person.profile_id, person.state]))
  const told = new Map(beat.channels.map((one) => [one.channel_id, one.counters.rev]))
  const { people } = state
  const epoch = Math.max(people?.epoch ?? 0, beat.people_counters?.epoch ?? 0)
  let next: State = { ...state, presence, people: people && { ...people, epoch } }
  for (const id of state.channels.keys()) {
    const rows = state.channels.get(id)
    if (rows && hasEnded(known, rows) && !told.has(id)) next = withoutChannel(next, id)
  }
  const channels = new Map(next.channels)
  for (const one of beat.channels) {
    const rows = channels.get(one.channel_id)
    if (!rows) continue
    const then = known.channels.get(one.channel_id)
    if (knowsLess(known, one.channel_id, one.counters)) {
      next = keepThreads(next, (channelId) => channelId !== one.channel_id)
      const { counters, counts, state: own } = one
      channels.set(one.channel_id, restarted(rows, { ...rows.entry, counters, counts, state: own }))
      continue
    }
    const stated = withState(rows, one.state, one.counts, one.counters.rev, then?.read)
    // `meta_rev` moves with the entry alone, else the entry that brings it would look old.
    channels.set(
      one.channel_id,
      heard(withEpoch(stated, one.counters.epoch), one.counters.rev, one.counters.last_seq),
    )
  }
  return withUnreadThreads({ ...next, channels }, beat.threads, known, (id) => told.get(id) ?? 0)
}

/**
 * What was found to be wrong, as the home has it: entries whole, words to be asked for anew, places in the
 * threads `roots` as given, or none.
 */
export function corrected(
  state: State,
  found: {
    entries: readonly ChannelEntry[]
    gone: readonly Uuid[]
    threads: readonly ThreadState[]
    roots: ReadonlySet<Uuid>
  },
): State {
  const left = found.gone.reduce(withoutChannel, state)
  const channels = new Map(left.channels)
  for (const entry of found.entries) {
    const rows = channels.get(entry.channel.id)
    channels.set(entry.channel.id, rows ? restarted(rows, entry) : rowsOf(entry))
  }
  const entries = { ...left, channels }
  if (found.roots.size === 0) return entries
  const threads = new Map(entries.threads)
  for (const root of found.roots) threads.delete(root)
  for (const one of found.threads) if (found.roots.has(one.root_id)) threads.set(one.root_id, one)
  return { ...entries, threads }
}
