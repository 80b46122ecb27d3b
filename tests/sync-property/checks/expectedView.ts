import type { ThreadState } from '../../../wire/threads.ts'
import type { CommandResponse } from '../../../wire/botCommands.ts'
import type {
  Draft,
  Message,
  Reaction,
  Reminder,
  SavedMessage,
  SavedSearch,
  ScheduledMessage,
} from '../../../wire/messages.ts'
import type {
  ChannelEntry,
  UnreadCounts,
  Section,
  ChannelMemberState,
  Channel,
} from '../../../wire/channels.ts'
import type { Member, Profile } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { isPollKey } from '../../../app/data/messages/reactionKeys.ts'
import type { ChannelRow, Tables, MessageRow } from '../database/tables.ts'

/** Unread counts stop here. */
const MAX_COUNT = 100

/** What one person may see, computed from the rows alone, without commands or code of the app. */
export interface ExpectedView {
  /** Null without a membership in the workspace: then everything is empty. */
  me: { profile: Profile; role: Member['role'] } | null
  members: Member[]
  /** Channels of the viewer, without hidden conversations. */
  entries: ChannelEntry[]
  /** The entry of any readable channel, else null. */
  entryOf: (channel: Uuid) => ChannelEntry | null
  /** Readable messages of a channel's timeline, ascending. */
  timeline: (channel: Uuid) => MessageRow[]
  /** Replies of a thread, ascending. */
  replies: (root: Uuid) => MessageRow[]
  /** The message as the viewer gets it; null when it is not readable. */
  message: (id: Uuid) => Message | null
  sections: Section[]
  /** Own drafts in readable channels by id, also emptied ones. */
  drafts: Record<Uuid, Draft>
  saved: Record<Uuid, SavedMessage>
  responses: Record<Uuid, CommandResponse>
  searches: Record<Uuid, SavedSearch>
  scheduled: Record<Uuid, ScheduledMessage>
  reminders: Record<Uuid, Reminder>
  /** The viewer's state of a thread, without its revision; null when it is not readable. */
  thread: (root: Uuid) => Omit<ThreadState, 'rev'> | null
  /** Followed threads with unread replies, latest first, at most 100. */
  unreadThreads: Omit<ThreadState, 'rev'>[]
}

type Keys<T> = readonly (keyof T & string)[]

const PROFILE: Keys<Profile> = [
  'id',
  'kind',
  'name',
  'avatar',
  'status_emoji',
  'status_text',
  'status_expires_at',
  'presence',
  'presence_until',
  'title',
  'time_zone',
  'pronouns',
]
const CHANNEL: Keys<Omit<Channel, 'web_files'>> = [
  'id',
  'workspace_id',
  'kind',
  'name',
  'topic',
  'description',
  'posting',
  'archived_at',
  'first_seq',
  'web_since',
  'slow_seconds',
  'created_by',
  'created_at',
]
const STATE: Keys<ChannelMemberState> = [
  'last_read_seq',
  'read_version',
  'notify',
  'muted',
  'starred',
  'section_id',
  'position',
  'rev',
]

function pick<T>(row: object, keys: Keys<T>): T {
  const from = row as Record<string, unknown>
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as T
}

/** Rows by what they belong to, computed once for all viewers. */
export interface IndexedTables {
  tables: Tables
  messages: ReadonlyMap<Uuid, MessageRow>
  timelines: ReadonlyMap<Uuid, MessageRow[]>
  replies: ReadonlyMap<Uuid, MessageRow[]>
  reactions: ReadonlyMap<Uuid, Tables['reactions']>
  mentions: ReadonlyMap<Uuid, Tables['mentions']>
  pins: ReadonlyMap<Uuid, string>
}

function grouped<T>(rows: readonly T[], of: (row: T) => Uuid | null): Map<Uuid, T[]> {
  const groups = new Map<Uuid, T[]>()
  for (const row of rows) {
    const key = of(row)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

export function indexTables(tables: Tables): IndexedTables {
  const bySeq = tables.messages.filter((one) => one.seq !== null).sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const byNumber = tables.messages
    .filter((one) => one.thread_seq !== null)
    .sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
  return {
    tables,
    messages: new Map(tables.messages.map((one) => [one.id, one])),
    timelines: grouped(bySeq, (one) => one.channel_id),
    replies: grouped(byNumber, (one) => one.thread_root),
    reactions: grouped(
      tables.reactions.sort((a, b) => a.position - b.position),
      (one) => one.message_id,
    ),
    mentions: grouped(tables.mentions, (one) => one.message_id),
    pins: new Map(tables.pins.map((one) => [one.message_id, one.pinned_at])),
  }
}

export function expectedViewOf(indexed: IndexedTables, account: Uuid): ExpectedView {
  const { tables } = indexed
  const profile = tables.profiles.find((one) => one.user_id === account)
  const membership = tables.workspace_members.find(
    (one) => one.profile_id === profile?.id && one.state === 'active',
  )
  const viewer = membership?.profile_id ?? null
  const guest = membership?.role === 'guest'
  const own = new Map(
    tables.channel_members.filter((one) => one.profile_id === viewer).map((one) => [one.channel_id, one]),
  )
  const states = new Map(
    tables.channel_member_state
      .filter((one) => one.profile_id === viewer)
      .map((one) => [one.channel_id, one]),
  )
  const ownGroups = new Set<Uuid | null>(
    tables.user_group_members.filter((one) => one.profile_id === viewer).map((one) => one.group_id),
  )
  const people = grouped(tables.channel_members, (one) => one.channel_id)
  const counters = new Map(tables.channel_counters.map((one) => [one.channel_id, one]))
  const lastAt = new Map<Uuid, string>()
  for (const { channel_id: channel, created_at: at } of tables.messages) {
    const known = lastAt.get(channel)
    if (known === undefined || Date.parse(known) <= Date.parse(at)) lastAt.set(channel, at)
  }

  /** The first readable seq; null where nothing is readable. */
  function historyStartOf(channel: ChannelRow): number | null {
    if (viewer === null) return null
    if (channel.kind === 'public' && !guest) return 1
    return own.get(channel.id)?.history_from_seq ?? null
  }
  const historyStarts = new Map(tables.channels.map((one) => [one.id, historyStartOf(one)]))

  const isReadable = (channel: Uuid): boolean => (historyStarts.get(channel) ?? null) !== null

  /** The tombstones below were left by retention: pages begin above them. */
  const firstSeqs = new Map(tables.channels.map((one) => [one.id, Number(one.first_seq)]))

  const canRead = (message: MessageRow): boolean => {
    const historyStart = historyStarts.get(message.channel_id) ?? null
    return historyStart !== null && message.history_seq >= historyStart
  }

  function count(unread: MessageRow[]): UnreadCounts {
    const texts = unread.filter(
      (one) => one.kind === 'text' && one.deleted_at === null && one.author_id !== viewer,
    )
    // A moved message does not notify again.
    const namesViewer = ({ kind, profile_id: person, group_id: group }: Tables['mentions'][number]) =>
      kind === 'group' ? ownGroups.has(group) : person === viewer || person === null
    const mentionsViewer = (one: MessageRow) =>
      !one.extras?.moved && indexed.mentions.get(one.id)?.some(namesViewer)
    return {
      unread: Math.min(MAX_COUNT, texts.length),
      mentions: Math.min(MAX_COUNT, texts.filter(mentionsViewer).length),
    }
  }

  function entryOf(id: Uuid): ChannelEntry | null {
    const channel = tables.channels.find((one) => one.id === id)
    const historyStart = historyStarts.get(id) ?? null
    const numbers = counters.get(id)
    if (!channel || historyStart === null || !numbers) return null
    const member = own.get(id)
    const state = member ? states.get(id) : undefined
    const { last_seq, rev, meta_rev, epoch, change_id } = numbers
    const fixed = channel.kind === 'direct' || channel.kind === 'group'
    const readMarker = Math.max(state?.last_read_seq ?? 0, historyStart - 1)
    return {
      channel: {
        ...pick(channel, CHANNEL),
        web_files: channel.web_files_after_seq !== null,
        people: fixed ? (people.get(id) ?? []).map((one) => one.profile_id).sort() : null,
      },
      counters: { last_seq, rev, meta_rev, epoch, change_id },
      member: member !== undefined,
      channel_role: member?.role ?? null,
      history_from_seq: historyStart,
      state: state ? pick(state, STATE) : DEFAULT_STATE,
      counts: member
        ? count((indexed.timelines.get(id) ?? []).filter((one) => (one.seq ?? 0) > readMarker))
        : { unread: 0, mentions: 0 },
      last_message_at: lastAt.get(id) ?? null,
    }
  }

  function reactionsOf(id: Uuid): Reaction[] {
    const kinds = new Map<string, Uuid[]>()
    const isAnonymous = indexed.messages.get(id)?.extras?.poll?.anonymous === true
    for (const { emoji, profile_id: by } of indexed.reactions.get(id) ?? []) {
      kinds.set(emoji, [...(kinds.get(emoji) ?? []), by])
    }
    return [...kinds].map(([emoji, by]) => ({
      emoji,
      count: by.length,
      people: isAnonymous && isPollKey(emoji) ? [] : by.slice(0, 20),
      mine: by.includes(viewer ?? ''),
    }))
  }

  function thread(root: Uuid): Omit<ThreadState, 'rev'> | null {
    const head = indexed.messages.get(root)
    if (!head || !canRead(head)) return null
    const mine = tables.thread_members.find((one) => one.root_id === root && one.profile_id === viewer)
    const readMarker = mine?.last_read_thread_seq ?? 0
    // Mentions do not count after leaving the channel.
    const follows = mine?.follows === true && own.has(head.channel_id)
    const above = (indexed.replies.get(root) ?? []).filter((one) => (one.thread_seq ?? 0) > readMarker)
    return {
      channel_id: head.channel_id,
      root_id: root,
      follows,
      last_read_thread_seq: readMarker,
      read_version: mine?.read_version ?? 0,
      last_thread_seq: head.last_thread_seq,
      last_reply_at: head.last_reply_at,
      counts: follows ? count(above) : { unread: 0, mentions: 0 },
    }
  }

  const acquaintances = new Set(
    guest ? [...own.keys()].flatMap((id) => (people.get(id) ?? []).map((one) => one.profile_id)) : [],
  )
  const known = (id: Uuid) => viewer !== null && (!guest || acquaintances.has(id) || id === viewer)
  const profiles = new Map(tables.profiles.map((one) => [one.id, pick(one, PROFILE)]))
  const followed = tables.thread_members.filter((one) => one.profile_id === viewer && one.follows)
  return {
    me: membership && viewer !== null ? { profile: profiles.get(viewer)!, role: membership.role } : null,
    members: tables.workspace_members
      .filter((one) => known(one.profile_id))
      .map(({ profile_id: id, role, state, number }) => ({
        profile: profiles.get(id)!,
        role,
        state,
        number: guest ? null : number,
      })),
    entries: [...own.keys()].flatMap((id) => (states.get(id)?.hidden ? [] : (entryOf(id) ?? []))),
    entryOf,
    timeline: (id) =>
      (indexed.timelines.get(id) ?? []).filter(
        (one) => canRead(one) && (one.seq ?? 0) >= (firstSeqs.get(id) ?? 1),
      ),
    replies: (root) => (indexed.replies.get(root) ?? []).filter(canRead),
    message: (id) => {
      const row = indexed.messages.get(id)
      if (!row || !canRead(row)) return null
      return {
        ...row,
        pinned_at: indexed.pins.get(id) ?? null,
        attachments: [],
        reactions: reactionsOf(id),
      }
    },
    sections: tables.sections
      .filter((one) => one.profile_id === viewer)
      .map(({ id, name, position, collapsed, rev }) => ({ id, name, position, collapsed, rev }))
      .sort((a, b) => a.position - b.position || a.id.localeCompare(b.id)),
    drafts: Object.fromEntries(
      tables.drafts
        .filter((one) => one.profile_id === viewer && isReadable(one.channel_id))
        .map(({ profile_id: _profile, quote_id: quote, ...draft }) => [draft.id, { ...draft, quote }]),
    ),
    saved: Object.fromEntries(
      tables.saved_messages
        .filter((one) => one.profile_id === viewer)
        .map(({ profile_id: _profile, message_id: id, ...row }) => [id, { ...row, id }]),
    ),
    responses: Object.fromEntries(
      tables.command_responses
        .filter((one) => one.profile_id === viewer && isReadable(one.channel_id))
        .map(({ profile_id: _profile, invocation_id: _invocation, ...row }) => [row.id, row]),
    ),
    searches: Object.fromEntries(
      tables.saved_searches
        .filter((one) => one.profile_id === viewer)
        .map(({ profile_id: _profile, workspace_id: _workspace, ...row }) => [row.id, row]),
    ),
    reminders: Object.fromEntries(
      tables.reminders
        .filter((one) => one.profile_id === viewer)
        .map(
          ({ profile_id: _profile, workspace_id: _workspace, starts_at: _start, job_id: _job, ...row }) => [
            row.id,
            row,
          ],
        ),
    ),
    scheduled: Object.fromEntries(
      tables.scheduled_messages
        .filter((one) => one.profile_id === viewer)
        .map(({ profile_id: _profile, job_id: _job, quote_id: quote, on_web: _web, files, ...row }) => [
          row.id,
          { ...row, quote, ...(files.length > 0 ? { files } : {}) },
        ]),
    ),
    thread,
    unreadThreads: followed
      .flatMap((one) => thread(one.root_id) ?? [])
      .filter((one) => one.counts.unread > 0 && states.get(one.channel_id)?.hidden !== true)
      .sort((a, b) => Date.parse(b.last_reply_at ?? '') - Date.parse(a.last_reply_at ?? ''))
      .slice(0, MAX_COUNT),
  }
}

const DEFAULT_STATE: ChannelMemberState = {
  last_read_seq: 0,
  read_version: 0,
  notify: 'default',
  muted: false,
  starred: false,
  section_id: null,
  position: null,
  rev: 0,
}
