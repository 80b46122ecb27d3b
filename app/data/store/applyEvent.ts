import type {
  ChannelEvent,
  Member,
  Message,
  ThreadInbox,
  ThreadState,
  UserEvent,
  Uuid,
  Workspace,
  WorkspaceEvent,
} from '../../../wire/linnet.ts'
import { withSectionChanges } from './ownRows.ts'
import { beatGiven, bootstrapped, byPosition, corrected } from './applyBootstrap.ts'
import { countNew, countPoke } from './unreadCounts.ts'
import {
  change,
  entered,
  latest,
  refloored,
  withEntry,
  withEpoch,
  withoutChannel,
  withState,
} from './channelEntries.ts'
import type { SyncEvent } from './syncEvents.ts'
import {
  heard,
  isAwaited,
  putChange,
  putMessages,
  putPage,
  putThread,
  reached,
  reachedAll,
  rowsOf,
  trimRows,
} from './channelRows.ts'
import type { ChannelRows, State } from './state.ts'
import { countReply, countReplyTold, heardRoot, withThread, withThreadsAsked } from './threadStates.ts'

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
      return entered(state, event.entry)
    case 'channelGone':
      return withoutChannel(state, event.channelId)
    case 'pageGiven':
      return change(state, event.page.channel_id, (rows) => putPage(rows, event.page, event.asked))
    case 'threadGiven': {
      const { page, asked } = event
      const placed = state.channels.has(page.channel_id) ? withThread(state, page.state) : state
      return change(placed, page.channel_id, (rows) => putThread(rows, page, asked))
    }
    case 'threadStateGiven':
      return state.channels.has(event.thread.channel_id) ? withThread(state, event.thread) : state
    case 'threadStatesGiven':
      return withThreadsAsked(state, event.threads, event.asked, event.known)
    case 'inboxGiven':
      return event.inbox.threads.reduce(inboxed, state)
    case 'channelReset': {
      const { entry, page, asked, known } = event
      return change(state, entry.channel.id, (rows) => {
        const anew = rowsOf(entry)
        // Less than when it was asked stands: the home was restored from a copy. Else what was told meanwhile does.
        const { entry: told, countsRev } = entry.counters.rev < known ? anew : withEntry(rows, entry)
        const placed = { ...anew, entry: told, countsRev }
        return heard(page ? putPage(placed, page, asked) : placed, told.counters.rev, told.counters.last_seq)
      })
    }
    case 'changesGiven': {
      const { changes, after } = event
      const entry = changes.entry ? entered(state, changes.entry) : state
      const put = change(entry, changes.channel_id, (rows) => {
        const told = heard(withEpoch(rows, changes.epoch), changes.rev, highestSeq(changes.messages))
        const counted = changes.messages.reduce(
          (one, message) => latest(countNew(rows, one, message, mine(state)), message.created_at),
          told,
        )
        if (changes.rev >= rows.unheldRev) {
          return reachedAll(putMessages(counted, changes.messages, true, mine(state)), after, changes.rev)
        }
        // Still behind where it was: what was overtaken is asked for again.
        const known = changes.messages.filter(({ id }) => rows.messages.has(id))
        return putMessages(counted, known, true, mine(state))
      })
      const replies = [...changes.messages].sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
      return replies.reduce(countReply, put)
    }
    case 'rowGiven': {
      const { message } = event
      const put = change(state, message.channel_id, (rows) => take(state, rows, message, true))
      return countReply(put, message)
    }
    case 'channelTold':
      return channelTold(state, event.event)
    case 'userTold':
      return userTold(state, event.event)
    case 'workspaceTold':
      return workspaceTold(state, event.event)
    case 'corrected':
      return corrected(state, event)
    case 'beatGiven':
      return beatGiven(state, event.beat, event.known)
    case 'readGiven':
      return change(state, event.answer.channel_id, (rows) =>
        withState(rows, event.answer.state, event.answer.counts, null),
      )
    case 'preferencesGiven':
      return change(state, event.channelId, (rows) => {
        const { entry } = rows
        // Left meanwhile: then one has none here.
        if (!entry.member) return rows
        return { ...rows, entry: { ...entry, state: { ...entry.state, ...event.change } } }
      })
    case 'sectionGiven': {
      const changes = new Map([[event.section, event.change]])
      return { ...state, sections: withSectionChanges(state.sections, changes) }
    }
    case 'trimmed':
      return change(state, event.channelId, (rows) => trimRows(rows, event.stretches, event.threads))
  }
}

function mine(state: State): Uuid | null {
  return state.me?.profile.id ?? null
}

function highestSeq(messages: readonly Message[]): number {
  return messages.reduce((highest, message) => Math.max(highest, message.seq ?? 0), 0)
}

/** One of the inbox: its last replies, without those deleted among them: before such a gap nothing can be held. */
function inboxed(state: State, { state: place, root, replies }: ThreadInbox['threads'][number]): State {
  if (!state.channels.has(place.channel_id)) return state
  const last = replies.at(-1)?.thread_seq ?? 0
  const messages = replies.filter((reply, at) => reply.thread_seq === last - (replies.length - 1 - at))
  const page = {
    channel_id: place.channel_id,
    root,
    state: place,
    messages,
    has_before: (messages[0]?.thread_seq ?? 1) > 1,
    has_after: false,
    epoch: 0,
    rev: place.rev,
  }
  const placed = withThread(state, place)
  return change(placed, place.channel_id, (rows) => putThread(rows, page, {}))
}

/** One message with its own rev, by an answer (`fetched`) or a broadcast. */
function take(state: State, rows: ChannelRows, message: Message, fetched: boolean): ChannelRows {
  const told = heard(rows, message.rev, message.seq ?? 0)
  const counted = latest(countNew(rows, told, message, mine(state)), message.created_at)
  if (message.rev < rows.unheldRev && !rows.messages.has(message.id)) return counted
  const put = putMessages(counted, [message], fetched, mine(state))
  // One overtook another: left out and taken note of, nobody would ask for it, and it would never be shown.
  if (!put.messages.has(message.id) && isAwaited(rows, message)) return put
  return reached(put, message.rev)
}

function channelTold(state: State, told: ChannelEvent): State {
  const next = channelHeard(state, told)
  if (next === state) return state
  if (told.event === 'changed' && told.payload.changes) {
    const { channel_id: channel, message_id: root, changes } = told.payload
    return heardRoot(next, channel, root, changes.last_thread_seq)
  }
  return told.event === 'message' ? countReply(next, told.payload.message) : next
}

function channelHeard(state: State, { event, payload }: ChannelEvent): State {
  return change(state, payload.channel_id, (rows) => {
    switch (event) {
      case 'message':
        // Lower or equal is known already: a doubled or late broadcast.
        if (payload.rev <= rows.rev) return rows
        return take(state, rows, payload.message, false)
      case 'changed':
        return payload.rev <= rows.rev ? rows : putChange(rows, payload, mine(state))
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
      return payload.entry ? entered(state, payload.entry) : withoutChannel(state, payload.channel_id)
    case 'state':
      return change(state, payload.channel_id, (rows) => withState(rows, payload.state, payload.counts, null))
    case 'poke':
      return change(state, payload.channel_id, (rows) => {
        const told = heard(rows, payload.rev, payload.seq ?? 0)
        return countPoke(rows, told, payload)
      })
    case 'reply':
      return countReplyTold(state, payload)
    case 'thread': {
      if (!state.channels.has(payload.channel_id)) return state
      // What is broadcast carries an id of its own among the keys of the place.
      const thread: ThreadState & { id?: unknown } = { ...payload }
      delete thread.id
      return withThread(state, thread)
    }
    case 'sections':
      if (payload.workspace_id !== state.workspace?.id) return state
      return { ...state, sections: byPosition(payload.sections) }
    case 'member':
      if (payload.workspace_id !== state.workspace?.id) return state
      return withMember(state, payload.member)
    case 'workspace_changed':
      return withWorkspace(state, payload.workspace)
    case 'workspace':
      return state
  }
}

/** Takes the change with the next number. After a gap it is left out: the next beat shows that changes are missing. */
function workspaceTold(state: State, told: WorkspaceEvent): State {
  const { people } = state
  const { workspace_id: id, rev } = told.payload
  if (!people || id !== state.workspace?.id) return state
  if (told.event === 'epoch') {
    return { ...state, people: { ...people, epoch: Math.max(people.epoch, told.payload.epoch) } }
  }
  return rev === people.rev + 1 ? { ...userTold(state, told), people: { ...people, rev } } : state
}

function withWorkspace(state: State, changed: Workspace): State {
  const workspaces = state.workspaces.map((one) => (one.id === changed.id ? changed : one))
  return { ...state, workspaces, workspace: state.workspace?.id === changed.id ? changed : state.workspace }
}

function withMember(state: State, member: Member): State {
  const members = new Map(state.members).set(member.profile.id, member)
  const me = state.me
  if (me?.profile.id !== member.profile.id) return { ...state, members }
  return { ...state, members, me: { ...me, profile: member.profile, role: member.role } }
}
