import type { OwnRows } from '../../../wire/sync.ts'
import type { WorkspaceEvent, UserEvent, ChannelEvent } from '../../../wire/events.ts'
import type { ThreadInboxPage, ThreadPage, ThreadState } from '../../../wire/threads.ts'
import type { ChannelPage, Message } from '../../../wire/messages.ts'
import type { Member, Workspace } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { mergeSections, withOwnRow, withoutSentDraft, withSavedSection } from './ownRows.ts'
import { ownKindOf } from './ownKinds.ts'
import { applyHeartbeat, applyBootstrap, applyCorrections } from './applyBootstrap.ts'
import { countNewMessage, countActivity } from './unreadCounts.ts'
import {
  replaceAfterRestore,
  withChannelRows,
  withChannelEntry,
  withLastMessageAt,
  applyHistoryStart,
  mergeEntry,
  withEpoch,
  withoutChannel,
  withState,
} from './channelEntries.ts'
import { withoutChangedDigests } from './digests.ts'
import { readerOf } from './reader.ts'
import type { SyncEvent } from './syncEvents.ts'
import {
  raiseCounters,
  continuesLoadedEnd,
  applyMessageChange,
  putMessages,
  isThreadPage,
  mergePage,
  addKnownChange,
  createChannelRows,
  trimRows,
} from './channelRows.ts'
import { advanceRev, advanceRevTo } from './revProgress.ts'
import type { PageRequest } from './channelRows.ts'
import type { ChannelRows, State, VersionedList } from './state.ts'
import {
  countReply,
  countReplyEvent,
  noteRootLast,
  mergeThreadState,
  mergeThreadStates,
} from './threadStates.ts'

/**
 * Applies an event to the state. It is the only function that changes rows, and it is pure. Events may arrive in any
 * order, be lost or be repeated. `isBehind` shows whether changes are missing. Once these are applied, the state
 * equals a fresh fetch.
 */
export function applyEvent(state: State, event: SyncEvent): State {
  const next = reduceEvent(state, event)
  // Responses of these kinds bring digests of the rows that they contain.
  if (
    event.type === 'bootstrapReceived' ||
    event.type === 'heartbeatReceived' ||
    event.type === 'cacheRestored'
  )
    return next
  return withoutChangedDigests(state, next)
}

function withVersionedList(state: State, { name, rows }: VersionedList, version: string): State {
  return { ...state, [name]: rows, versions: { ...state.versions, [name]: version } }
}

function reduceEvent(state: State, event: SyncEvent): State {
  switch (event.type) {
    case 'cacheRestored':
      // A cache that is read late must not replace what the server has sent meanwhile.
      return state.source === 'live' ? state : { ...event.state, source: 'cached' }
    case 'bootstrapReceived':
      return applyBootstrap(state, event.response, event.snapshot)
    case 'entryReceived':
      return withChannelEntry(state, event.entry, event.snapshot)
    case 'versionedListReceived':
      return state.workspace?.id === event.workspace
        ? withVersionedList(state, event.list, event.version)
        : state
    case 'channelRemoved':
      return withoutChannel(state, event.channelId)
    case 'pageReceived':
      return applyPage(state, event.page, event.request)
    case 'threadStateReceived':
      return state.channels.has(event.thread.channel_id) ? mergeThreadState(state, event.thread) : state
    case 'threadStatesReceived':
      return mergeThreadStates(state, event.threads, event.requested, event.snapshot)
    case 'inboxReceived':
      return event.inbox.threads.reduce(applyInboxThread, state)
    case 'channelReset': {
      const { entry, page, request, revBefore } = event
      return withChannelRows(state, entry.channel.id, (rows) => {
        const anew = createChannelRows(entry)
        // An entry older than the request replaces ours, since the server was restored from a backup; else newer fields stay.
        const { entry: raised, countsRev } = entry.counters.rev < revBefore ? anew : mergeEntry(rows, entry)
        const merged = { ...anew, entry: raised, countsRev }
        return raiseCounters(
          page ? mergePage(merged, page, request) : merged,
          raised.counters.rev,
          raised.counters.last_seq,
        )
      })
    }
    case 'historyRefuted':
      return withChannelRows(state, event.channelId, (rows) => replaceAfterRestore(rows, rows.entry))
    case 'changesReceived': {
      const { changes, after } = event
      const entry = changes.entry ? withChannelEntry(state, changes.entry) : state
      const put = withChannelRows(entry, changes.channel_id, (rows) => {
        const raised = raiseCounters(
          withEpoch(rows, changes.epoch),
          changes.rev,
          highestSeq(changes.messages),
        )
        const counted = changes.messages.reduce(
          (one, message) =>
            withLastMessageAt(countNewMessage(rows, one, message, readerOf(state)), message.created_at),
          raised,
        )
        if (changes.rev >= rows.unloadedRev) {
          const put = putMessages(counted, changes.messages, true, ownProfileId(state))
          return addKnownChange(advanceRevTo(put, after, changes.rev), changes.rev, changes.change_id)
        }
        // Newer changes of messages that are not loaded are missing in this response: they are fetched again.
        const known = changes.messages.filter(({ id }) => rows.messages.has(id))
        return putMessages(counted, known, true, ownProfileId(state))
      })
      const replies = [...changes.messages].sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
      return replies.reduce(countReply, put)
    }
    case 'messageReceived': {
      const { message, drafts = [] } = event
      const put = withChannelRows(state, message.channel_id, (rows) =>
        applyMessage(state, rows, message, true),
      )
      return withoutSentDraft(countReply(put, message), message, drafts)
    }
    case 'ownRowReceived':
      return withOwnRow(state, event.kind, event.id, event.row)
    case 'channelEventReceived':
      return applyChannelEvent(state, event.event)
    case 'userEventReceived':
      return applyUserEvent(state, event.event)
    case 'workspaceEventReceived':
      return applyWorkspaceEvent(state, event.event)
    case 'rowsCorrected':
      return applyCorrections(state, event)
    case 'heartbeatReceived':
      return applyHeartbeat(state, event.heartbeat, event.snapshot)
    case 'readStateReceived':
      return withChannelRows(state, event.response.channel_id, (rows) =>
        withState(rows, event.response.state, event.response.counts, null),
      )
    case 'preferencesSaved':
      return withChannelRows(state, event.channelId, (rows) => {
        const { entry } = rows
        // The user has left the channel meanwhile, or the event of a later change arrived before this response.
        if (!entry.member || event.rev < entry.state.rev) return rows
        return { ...rows, entry: { ...entry, state: { ...entry.state, ...event.change, rev: event.rev } } }
      })
    case 'sectionSaved': {
      const sections = withSavedSection(state.sections, event.section, event.change, event.rev)
      return sections === state.sections ? state : { ...state, sections }
    }
    case 'notificationPreferencesSaved':
      return state
    case 'rowsTrimmed':
      return withChannelRows(state, event.at.channel, (rows) =>
        trimRows(rows, event.at.root, event.retain, event.withThreads),
      )
  }
}

function applyPage(state: State, page: ChannelPage | ThreadPage, request: PageRequest): State {
  if (!state.channels.has(page.channel_id)) return state
  const merged = isThreadPage(page) ? mergeThreadState(state, page.state) : state
  return withChannelRows(merged, page.channel_id, (rows) => mergePage(rows, page, request))
}

function ownProfileId(state: State): Uuid | null {
  return state.me?.profile.id ?? null
}

function highestSeq(messages: readonly Message[]): number {
  return messages.reduce((highest, message) => Math.max(highest, message.seq ?? 0), 0)
}

/**
 * Applies a thread of the inbox like a page. It uses only the last replies without a gap, which a deleted reply
 * leaves.
 */
function applyInboxThread(
  state: State,
  { state: threadState, root, replies }: ThreadInboxPage['threads'][number],
): State {
  const last = replies.at(-1)?.thread_seq ?? 0
  const messages = replies.filter((reply, at) => reply.thread_seq === last - (replies.length - 1 - at))
  const page = {
    channel_id: threadState.channel_id,
    root,
    state: threadState,
    messages,
    has_before: (messages[0]?.thread_seq ?? 1) > 1,
    has_after: false,
    epoch: 0,
    rev: threadState.rev,
  }
  return applyPage(state, page, {})
}

/** Applies a message from a response (`fetched`) or a broadcast. */
function applyMessage(state: State, rows: ChannelRows, message: Message, fetched: boolean): ChannelRows {
  const raised = raiseCounters(rows, message.rev, message.seq ?? 0)
  const counted = withLastMessageAt(
    countNewMessage(rows, raised, message, readerOf(state)),
    message.created_at,
  )
  if (message.rev < rows.unloadedRev && !rows.messages.has(message.id)) return counted
  const put = putMessages(counted, [message], fetched, ownProfileId(state))
  // An earlier message is missing. If this one were counted as applied, it would not be fetched, and never be displayed.
  if (!put.messages.has(message.id) && continuesLoadedEnd(rows, message)) return put
  return advanceRev(put, message.rev)
}

function applyChannelEvent(state: State, event: ChannelEvent): State {
  const next = applyToChannelRows(state, event)
  if (next === state) return state
  if (event.event === 'changed' && event.payload.changes) {
    const { channel_id: channel, message_id: root, changes } = event.payload
    return noteRootLast(next, channel, root, changes.last_thread_seq)
  }
  return event.event === 'message' ? countReply(next, event.payload.message) : next
}

function applyToChannelRows(state: State, received: ChannelEvent): State {
  return withChannelRows(state, received.payload.channel_id, (rows) => {
    if (received.event === 'typing' || received.event === 'epoch') return applyToRows(state, rows, received)
    const { rev, change_id: id, previous_change_id: previous } = received.payload
    const last = rows.knownChanges.at(-1)
    const continues = last !== undefined && last[0] === rev - 1 && previous !== undefined
    // The event follows another change than the one that is loaded under this number: a backup was restored.
    if (continues && last[1] !== previous) return raiseCounters(rows, rev)
    const applied = applyToRows(state, rows, received)
    const known = continues ? addKnownChange(applied, rev, id) : applied
    const { counters } = known.entry
    if (id === undefined || counters.rev !== rev || counters.change_id !== undefined) return known
    return { ...known, entry: { ...known.entry, counters: { ...counters, change_id: id } } }
  })
}

function applyToRows(state: State, rows: ChannelRows, { event, payload }: ChannelEvent): ChannelRows {
  switch (event) {
    case 'message':
      // A repeated or late broadcast.
      if (payload.rev <= rows.rev) return rows
      return applyMessage(state, rows, payload.message, false)
    case 'changed':
      return payload.rev <= rows.rev ? rows : applyMessageChange(rows, payload, ownProfileId(state))
    case 'rev':
      return raiseCounters(rows, payload.rev)
    case 'meta': {
      if (payload.rev <= rows.entry.counters.meta_rev) return rows
      const counters = { ...rows.entry.counters, meta_rev: payload.rev }
      const entry = { ...rows.entry, channel: payload.channel ?? rows.entry.channel, counters }
      const raised = applyHistoryStart(raiseCounters({ ...rows, entry }, payload.rev), rows.entry)
      // Without the channel itself the entry has to be fetched.
      return payload.channel ? advanceRev(raised, payload.rev) : raised
    }
    case 'epoch':
      return raiseCounters(withEpoch(rows, payload.epoch), payload.rev)
    case 'typing':
      return rows
  }
}

function applyUserEvent(state: State, { event, payload }: UserEvent): State {
  switch (event) {
    case 'membership':
      // Of another workspace of the user.
      if (payload.entry && payload.entry.channel.workspace_id !== state.workspace?.id) return state
      return payload.entry
        ? withChannelEntry(state, payload.entry)
        : withoutChannel(state, payload.channel_id)
    case 'state':
      return withChannelRows(state, payload.channel_id, (rows) =>
        withState(rows, payload.state, payload.counts, null),
      )
    case 'activity':
      return withChannelRows(state, payload.channel_id, (rows) => {
        const raised = raiseCounters(rows, payload.rev, payload.seq ?? 0)
        return countActivity(rows, raised, payload)
      })
    case 'reply':
      return countReplyEvent(state, payload)
    case 'thread': {
      if (!state.channels.has(payload.channel_id)) return state
      // Broadcasts contain an id besides the fields of the state.
      const thread: ThreadState & { id?: unknown } = { ...payload }
      delete thread.id
      return mergeThreadState(state, thread)
    }
    case 'sections':
      if (payload.workspace_id !== state.workspace?.id) return state
      return { ...state, sections: mergeSections(state.sections, payload.sections) }
    case 'member':
      if (payload.workspace_id !== state.workspace?.id) return state
      return withMember(state, payload.member)
    case 'workspace_changed':
      return withWorkspace(state, payload.workspace)
    // The engine handles `workspace` and `own_row`; `features/flows/notifications`, `data/moderation` and `data/people` what
    // concerns them.
    case 'workspace':
    case 'own_row':
    case 'message_deleted':
    case 'message_edited':
    case 'unread':
    case 'notification_preferences':
    case 'silence':
    case 'join_requests':
    case 'reports':
    case 'integrations':
      return state
    default: {
      const { workspace_id: workspace, ...row } = payload
      const kind = ownKindOf(event)
      if (!kind || workspace !== state.workspace?.id) return state
      const isRemoved = 'state' in row && row.state === null
      // The message was saved again, and the response to that arrived before this event.
      if (isRemoved && 'rev' in row && (state[kind].get(row.id)?.rev ?? 0) > row.rev) return state
      return withOwnRow(state, kind, row.id, isRemoved ? null : (row as OwnRows[keyof OwnRows][number]))
    }
  }
}

/**
 * Applies the change with the next number. A change after a gap is ignored; the next heartbeat shows that changes are
 * missing.
 */
function applyWorkspaceEvent(state: State, event: WorkspaceEvent): State {
  const { workspaceCounters } = state
  const { workspace_id: id, rev } = event.payload
  if (!workspaceCounters || id !== state.workspace?.id) return state
  if (event.event === 'epoch') {
    return {
      ...state,
      workspaceCounters: {
        ...workspaceCounters,
        epoch: Math.max(workspaceCounters.epoch, event.payload.epoch),
      },
    }
  }
  return rev === workspaceCounters.rev + 1
    ? { ...applyUserEvent(state, event), workspaceCounters: { ...workspaceCounters, rev } }
    : state
}

function withWorkspace(state: State, changed: Workspace): State {
  // The response to a change may arrive after the event of a later one.
  const newer = (known: Workspace) =>
    known.id === changed.id && (changed.rev ?? 0) >= (known.rev ?? 0) ? changed : known
  return {
    ...state,
    workspaces: state.workspaces.map(newer),
    workspace: state.workspace && newer(state.workspace),
  }
}

function withMember(state: State, member: Member): State {
  const members = new Map(state.members).set(member.profile.id, member)
  const me = state.me
  if (me?.profile.id !== member.profile.id) return { ...state, members }
  return { ...state, members, me: { ...me, profile: member.profile, role: member.role } }
}
