import type {
  Beat,
  Bootstrap,
  ChannelEntry,
  ChannelEvent,
  ChannelState,
  Member,
  Message,
  UnreadCounts,
  UserEvent,
  Uuid,
} from '../../../wire/linnet.ts'
import type { Known, SyncEvent } from './events.ts'
import { heard, putMessages, putPage, putThread, reached, reachedAll, rowsOf, trimRows } from './rows.ts'
import type { ReactionHint } from './rows.ts'
import { countNew, countPoke } from './counts.ts'
import { floorOf } from './state.ts'
import type { ChannelRows, State } from './state.ts'

/**
 * The one way in which rows change. Pure; any order, loss or doubling of events ends, after the changes
 * that `isBehind` asks for, in what a fresh fetch would show.
 */
export function apply(state: State, event: SyncEvent): State {
  switch (event.type) {
    case 'restored':
      // A cache that is read late must not cover what the server has said meanwhile.
      return state.source === 'live' ? state : { ...event.state, source: 'cached' }
    case 'bootstrapped':
      return bootstrapped(state, event.answer, event.known)
    case 'entryGiven':
      return withEntry(state, event.entry)
    case 'channelGone':
      return withoutChannel(state, event.channelId)
    case 'pageGiven':
      return change(state, event.page.channel_id, (rows) => putPage(rows, event.page, event.asked))
    case 'threadGiven':
      return change(state, event.page.channel_id, (rows) => putThread(rows, event.page, event.asked))
    case 'channelReset':
      return change(state, event.entry.channel.id, (rows) => {
        // What the reset says stands, even if it is less: the home may have been restored from a copy.
        const known = rows.entry.state
        const own = known.read_version > event.entry.state.read_version ? known : event.entry.state
        const anew = rowsOf({ ...event.entry, state: own })
        return event.page ? putPage(anew, event.page, event.asked) : anew
      })
    case 'changesGiven': {
      const { changes, after } = event
      const entered = changes.entry ? withEntry(state, changes.entry) : state
      return change(entered, changes.channel_id, (rows) => {
        const told = heard(withEpoch(rows, changes.epoch), changes.rev, highestSeq(changes.messages))
        const counted = changes.messages.reduce(
          (one, message) => latest(countNew(rows, one, message, mine(state)), message.created_at),
          told,
        )
        return reachedAll(putMessages(counted, changes.messages, true, mine(state)), after, changes.rev)
      })
    }
    case 'rowGiven':
      return change(state, event.message.channel_id, (rows) => take(state, rows, event.message, true))
    case 'channelTold':
      return channelTold(state, event.event)
    case 'userTold':
      return userTold(state, event.event)
    case 'beatGiven':
      return beatGiven(state, event.beat, event.known)
    case 'readGiven':
      return change(state, event.answer.channel_id, (rows) =>
        withState(rows, event.answer.state, event.answer.counts, null, event.known),
      )
    case 'trimmed':
      return change(state, event.channelId, (rows) => trimRows(rows, event.around, event.keep, event.threads))
  }
}

function mine(state: State): Uuid | null {
  return state.me?.profile.id ?? null
}

function highestSeq(messages: readonly Message[]): number {
  return messages.reduce((highest, message) => Math.max(highest, message.seq ?? 0), 0)
}

function change(state: State, channelId: Uuid, how: (rows: ChannelRows) => ChannelRows): State {
  const rows = state.channels.get(channelId)
  if (!rows) return state
  const changed = how(rows)
  if (changed === rows) return state
  return { ...state, channels: new Map(state.channels).set(channelId, changed) }
}

function withoutChannel(state: State, channelId: Uuid): State {
  if (!state.channels.has(channelId)) return state
  const channels = new Map(state.channels)
  channels.delete(channelId)
  return { ...state, channels }
}

/** One message with its own rev, by an answer (`fetched`) or a broadcast. */
function take(
  state: State,
  rows: ChannelRows,
  message: Message,
  fetched: boolean,
  hint?: ReactionHint,
): ChannelRows {
  const told = heard(rows, message.rev, message.seq ?? 0)
  const counted = latest(countNew(rows, told, message, mine(state)), message.created_at)
  return reached(putMessages(counted, [message], fetched, mine(state), hint), message.rev)
}

function channelTold(state: State, { event, payload }: ChannelEvent): State {
  return change(state, payload.channel_id, (rows) => {
    switch (event) {
      case 'message':
        // Lower or equal is known already: a doubled or late broadcast.
        if (payload.rev <= rows.rev) return rows
        return take(state, rows, payload.message, false, payload.reaction)
      case 'rev':
        return heard(rows, payload.rev)
      case 'meta': {
        if (payload.rev <= rows.entry.counters.meta_rev) return rows
        const counters = { ...rows.entry.counters, meta_rev: payload.rev }
        const entry = { ...rows.entry, channel: payload.channel ?? rows.entry.channel, counters }
        const told = refloored(heard({ ...rows, entry }, payload.rev), rows.entry)
        // Without the channel itself the entry has to be asked for.
        return payload.channel ? reached(told, payload.rev) : told
      }
      case 'epoch':
        return heard(withEpoch(rows, payload.epoch), payload.rev)
      case 'typing':
        return rows
    }
  })
}

function userTold(state: State, { event, payload }: UserEvent): State {
  switch (event) {
    case 'membership':
      return payload.entry ? withEntry(state, payload.entry) : withoutChannel(state, payload.channel_id)
    case 'state':
      return change(state, payload.channel_id, (rows) => withState(rows, payload.state, payload.counts, null))
    case 'poke':
      return change(state, payload.channel_id, (rows) => {
        const told = heard(rows, payload.rev, payload.seq ?? 0)
        return countPoke(rows, told, payload)
      })
    case 'member':
      if (payload.workspace_id !== state.workspace?.id) return state
      return withMember(state, payload.member)
    case 'workspace':
      return state
  }
}

function withMember(state: State, member: Member): State {
  const members = new Map(state.members).set(member.profile.id, member)
  const me = state.me
  if (me?.profile.id !== member.profile.id) return { ...state, members }
  return { ...state, members, me: { ...me, profile: member.profile, role: member.role } }
}

function withEpoch(rows: ChannelRows, epoch: number): ChannelRows {
  const counters = rows.entry.counters
  if (epoch <= counters.epoch) return rows
  return { ...rows, entry: { ...rows.entry, counters: { ...counters, epoch } } }
}

/** Lays an entry over the known one; an older one (events overtake answers) brings nothing back. */
function withEntry(state: State, given: ChannelEntry, knownThen = 0): State {
  const rows = state.channels.get(given.channel.id)
  if (!rows) return { ...state, channels: new Map(state.channels).set(given.channel.id, rowsOf(given)) }
  return change(state, given.channel.id, () => {
    const known = rows.entry
    const newer = given.counters.meta_rev >= known.counters.meta_rev
    const counters = {
      last_seq: Math.max(known.counters.last_seq, given.counters.last_seq),
      rev: Math.max(known.counters.rev, given.counters.rev),
      meta_rev: Math.max(known.counters.meta_rev, given.counters.meta_rev),
      epoch: Math.max(known.counters.epoch, given.counters.epoch),
    }
    const entry = { ...(newer ? given : known), counters, state: known.state, counts: known.counts }
    const told = refloored({ ...rows, entry }, known)
    const stated = withState(told, given.state, given.counts, given.counters.rev, knownThen)
    const settled = heard(stated, counters.rev)
    return latest(settled, given.last_message_at)
  })
}

function latest(rows: ChannelRows, at: string | null): ChannelRows {
  const known = rows.entry.last_message_at
  if (at === null || at === known || (known !== null && Date.parse(known) > Date.parse(at))) return rows
  return { ...rows, entry: { ...rows.entry, last_message_at: at } }
}

/**
 * One's pointer and preferences. `rev` is where the channel stood when the counts were made, null when
 * that is not told. A lower `read_version` is an answer that was overtaken, unless it is below the one held
 * when it was asked: then the pointer began anew.
 */
function withState(
  rows: ChannelRows,
  given: ChannelState,
  counts: UnreadCounts,
  rev: number | null,
  knownThen = 0,
): ChannelRows {
  const known = rows.entry.state
  const anew = given.read_version < knownThen
  if (given.read_version < known.read_version && !anew) return rows
  const moved = given.read_version !== known.read_version
  if (!moved && rev !== null && rev < rows.countsRev) {
    return { ...rows, entry: { ...rows.entry, state: given } }
  }
  const entry = { ...rows.entry, state: given, counts }
  return { ...rows, entry, countsRev: rev === null ? rows.countsRev : Math.max(rev, rows.countsRev) }
}

/** After a floor moved: what fell below it is let go, and what rose above it may be asked for. */
function refloored(rows: ChannelRows, before: ChannelEntry): ChannelRows {
  const floor = floorOf(rows.entry)
  if (floor === floorOf(before)) return rows
  const windows = rows.windows.flatMap((window) =>
    window.to < floor ? [] : [{ from: Math.max(window.from, floor), to: window.to }],
  )
  const bySeq = new Map([...rows.bySeq].filter(([seq]) => seq >= floor))
  const messages = new Map([...rows.messages].filter(([, message]) => message.base_seq >= floor))
  const threads = new Map([...rows.threads].filter(([root]) => messages.has(root)))
  return { ...rows, windows, bySeq, messages, threads, first: null }
}

function bootstrapped(state: State, answer: Bootstrap, known: Known): State {
  const same = state.workspace?.id === answer.workspace?.id && mine(state) === (answer.me?.profile.id ?? null)
  const base: State = {
    ...state,
    me: answer.me,
    workspace: answer.workspace,
    workspaces: answer.workspaces,
    members: new Map(answer.members.map((member) => [member.profile.id, member])),
    topics: answer.topics,
    source: 'live',
    presence: same ? state.presence : new Map(),
    channels: new Map(),
  }
  const given = new Set(answer.channels.map((entry) => entry.channel.id))
  const channels = new Map<Uuid, ChannelRows>()
  for (const [id, rows] of same ? state.channels : []) {
    // Public channels opened without joining are not in the answer, nor those that came while it was made.
    if (given.has(id) || !rows.entry.member || !known.has(id)) channels.set(id, rows)
  }
  base.channels = channels
  return answer.channels.reduce((one, entry) => withEntry(one, entry, known.get(entry.channel.id)), base)
}

function beatGiven(state: State, beat: Beat, known: Known): State {
  const presence = new Map(beat.people.map((person) => [person.profile_id, person.state]))
  const channels = new Map(state.channels)
  const told = new Set<Uuid>()
  for (const one of beat.channels) {
    told.add(one.channel_id)
    const rows = channels.get(one.channel_id)
    if (!rows) continue
    const then = known.get(one.channel_id)
    const stated = withState(rows, one.state, one.counts, one.counters.rev, then)
    // `meta_rev` moves with the entry alone, else the entry that brings it would look old.
    channels.set(
      one.channel_id,
      heard(withEpoch(stated, one.counters.epoch), one.counters.rev, one.counters.last_seq),
    )
  }
  for (const [id, rows] of channels) {
    if (rows.entry.member && known.has(id) && !told.has(id)) channels.delete(id)
  }
  return { ...state, presence, channels }
}
