import type { Heartbeat, Bootstrap, DigestKind } from '../../../wire/sync.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { applyPresence } from './applyPresence.ts'
import { byPosition, mergeOwnRows } from './ownRows.ts'
import { withChannelEntry, replaceAfterRestore, withoutChannel } from './channelEntries.ts'
import { hasSameHistory, isInResponse, mergeDigests } from './digests.ts'
import { hasLeftChannel } from './requestSnapshot.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import { createChannelRows } from './channelRows.ts'
import type { State } from './state.ts'
import { markUnlistedStale, filterThreads, mergeUnreadThreads } from './threadStates.ts'

/** The rows of a bootstrap: of what was not sent with digests, what is absent and was loaded at the request has ended. */
export function applyBootstrap(state: State, response: Bootstrap, snapshot: RequestSnapshot): State {
  const isSent = (kind: DigestKind, id?: Uuid) => isInResponse(snapshot.digests, response.digests, kind, id)
  const same =
    state.workspace?.id === response.workspace?.id &&
    (state.me?.profile.id ?? null) === (response.me?.profile.id ?? null)
  const members = [...state.members].filter(([id]) => !isSent('people', id))
  for (const member of response.members) members.push([member.profile.id, member])
  const base: State = {
    ...(same ? state : withoutOtherWorkspace(state, isSent)),
    me: response.me,
    workspace: response.workspace,
    workspaces: response.workspaces,
    pausedWorkspaces: response.paused_workspaces ?? [],
    members: new Map(members),
    workspaceCounters: response.workspace_counters,
    maxTopics: response.max_topics,
    source: 'live',
  }
  // Rows of another workspace are not newer than the response.
  const merged = applyDifferences(
    base,
    response,
    same ? snapshot : { ...snapshot, own: base, sections: base.sections },
  )
  const since = response.threads_since === null ? null : Date.parse(response.threads_since)
  const isCurrent = (one: ThreadState) =>
    one.follows &&
    !isSent('threads', one.root_id) &&
    (since === null || (one.last_reply_at !== null && Date.parse(one.last_reply_at) > since)) &&
    hasSameHistory(state, merged, one.channel_id)
  const listed = new Set(response.threads.map((one) => one.root_id))
  const next = markUnlistedStale(merged, listed, snapshot, isCurrent)
  return { ...next, digests: mergeDigests(state, next, snapshot.digests, response) }
}

/** The state without channels of another workspace, but with rows that the server has described as those of this one. */
function withoutOtherWorkspace(state: State, isSent: (kind: DigestKind, id: Uuid) => boolean): State {
  const channels = new Map(
    [...state.channels].filter(([id, rows]) => rows.entry.member && !isSent('channels', id)),
  )
  const { presence: _, ...digests } = state.digests
  const base = {
    ...state,
    channels,
    presence: new Map(),
    userGroups: null,
    customEmoji: null,
    versions: {},
    digests,
  }
  return filterThreads(base, (id) => channels.has(id))
}

/** Channels, sections and unread threads that are not as the digests of the request described them. */
function applyDifferences(
  state: State,
  response: Pick<Bootstrap, 'channels' | 'threads' | 'sections' | 'own' | 'digests'>,
  snapshot: RequestSnapshot,
): State {
  const isSent = (kind: DigestKind, id?: Uuid) => isInResponse(snapshot.digests, response.digests, kind, id)
  const entries = new Map(response.channels.map((entry) => [entry.channel.id, entry]))
  let next = state
  for (const [id, rows] of state.channels) {
    // Public channels opened without joining are in no response, nor those that came while it was made.
    const hasLeft = isSent('channels', id) && !entries.has(id) && hasLeftChannel(snapshot, rows)
    if (hasLeft) next = withoutChannel(next, id)
  }
  next = response.channels.reduce((one, entry) => withChannelEntry(one, entry, snapshot), next)
  next = mergeOwnRows(next, snapshot.own, response.own, isSent)
  // Sections that have changed since the request are newer than the response.
  if (isSent('sections') && state.sections === snapshot.sections)
    next = { ...next, sections: byPosition(response.sections) }
  if (!isSent('unread')) return next
  const revOf = (id: Uuid) =>
    entries.get(id)?.counters.rev ?? (isSent('channels', id) ? 0 : (snapshot.channels.get(id)?.rev ?? 0))
  return mergeUnreadThreads(next, response.threads, snapshot, revOf)
}

/** What changed since the digests of the request, and who is present. */
export function applyHeartbeat(state: State, heartbeat: Heartbeat, snapshot: RequestSnapshot): State {
  const { presence, cursor } = applyPresence(state, heartbeat, snapshot)
  const { workspaceCounters } = state
  const epoch = Math.max(workspaceCounters?.epoch ?? 0, heartbeat.workspace_counters?.epoch ?? 0)
  const next = applyDifferences(
    {
      ...state,
      presence,
      workspaceCounters: workspaceCounters && { ...workspaceCounters, epoch },
    },
    heartbeat,
    snapshot,
  )
  const { presence: _, ...received } = heartbeat.digests
  const merged = mergeDigests(state, next, snapshot.digests, { ...heartbeat, digests: received })
  const { presence: _before, ...digests } = merged
  return { ...next, digests: cursor === undefined ? digests : { ...digests, presence: cursor } }
}

/**
 * Replaces what a check found to be wrong by what the server has: complete channel entries, messages that are fetched
 * again, and the thread states of `roots` (removed where none is given).
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
