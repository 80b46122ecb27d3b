import type {
  Channel,
  ChannelEntry,
  ChannelState,
  Member,
  Message,
  Profile,
  Reaction,
  Section,
  ThreadState,
  UnreadCounts,
  Uuid,
} from '../../../wire/linnet.ts'
import type { ChannelFact, Facts, MessageFact } from '../home/facts.ts'

/** Counting stops here. */
const MOST = 100

/** What one person may see and how it stands, worked out from plain rows: no command and no code of the app. */
export interface Truth {
  /** Null without a place in the workspace: then there is nothing. */
  me: { profile: Profile; role: Member['role'] } | null
  members: Member[]
  /** Channels that one belongs to, hidden conversations left out. */
  entries: ChannelEntry[]
  /** The entry of any channel that one may read, else null. */
  entryOf: (channel: Uuid) => ChannelEntry | null
  /** Messages of a channel's timeline that one may read, ascending. */
  timeline: (channel: Uuid) => MessageFact[]
  /** Replies of a thread, ascending. */
  replies: (root: Uuid) => MessageFact[]
  /** The message as its reader gets it; null when they may not read it. */
  message: (id: Uuid) => Message | null
  sections: Section[]
  /** One's own place in a thread, but for the rev of which it speaks; null when one may not read it. */
  thread: (root: Uuid) => Omit<ThreadState, 'rev'> | null
  /** Threads that one follows and has not read to the end, latest first, at most 100. */
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
]
const CHANNEL: Keys<Channel> = [
  'id',
  'workspace_id',
  'kind',
  'name',
  'topic',
  'description',
  'posting',
  'archived_at',
  'first_seq',
  'created_by',
  'created_at',
]
const STATE: Keys<ChannelState> = [
  'last_read_seq',
  'read_version',
  'notify',
  'muted',
  'starred',
  'section_id',
  'position',
]

function pick<T>(row: object, keys: Keys<T>): T {
  const from = row as Record<string, unknown>
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as T
}

/** Rows by what they hang on, made once for all viewers. */
export interface Library {
  facts: Facts
  messages: ReadonlyMap<Uuid, MessageFact>
  timelines: ReadonlyMap<Uuid, MessageFact[]>
  replies: ReadonlyMap<Uuid, MessageFact[]>
  reactions: ReadonlyMap<Uuid, Facts['reactions']>
  mentions: ReadonlyMap<Uuid, Facts['mentions']>
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

export function libraryOf(facts: Facts): Library {
  const bySeq = facts.messages.filter((one) => one.seq !== null).sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const byNumber = facts.messages
    .filter((one) => one.thread_seq !== null)
    .sort((a, b) => (a.thread_seq ?? 0) - (b.thread_seq ?? 0))
  return {
    facts,
    messages: new Map(facts.messages.map((one) => [one.id, one])),
    timelines: grouped(bySeq, (one) => one.channel_id),
    replies: grouped(byNumber, (one) => one.thread_root),
    reactions: grouped(
      facts.reactions.sort((a, b) => a.position - b.position),
      (one) => one.message_id,
    ),
    mentions: grouped(facts.mentions, (one) => one.message_id),
    pins: new Map(facts.pins.map((one) => [one.message_id, one.pinned_at])),
  }
}

export function truthFor(library: Library, account: Uuid): Truth {
  const { facts } = library
  const profile = facts.profiles.find((one) => one.user_id === account)
  const place = facts.workspace_members.find(
    (one) => one.profile_id === profile?.id && one.state === 'active',
  )
  const viewer = place?.profile_id ?? null
  const guest = place?.role === 'guest'
  const own = new Map(
    facts.channel_members.filter((one) => one.profile_id === viewer).map((one) => [one.channel_id, one]),
  )
  const states = new Map(
    facts.channel_state.filter((one) => one.profile_id === viewer).map((one) => [one.channel_id, one]),
  )
  const people = grouped(facts.channel_members, (one) => one.channel_id)
  const counters = new Map(facts.channel_counters.map((one) => [one.channel_id, one]))
  const lastAt = new Map<Uuid, string>()
  for (const { channel_id: channel, created_at: at } of facts.messages) {
    const known = lastAt.get(channel)
    if (known === undefined || Date.parse(known) <= Date.parse(at)) lastAt.set(channel, at)
  }

  /** The first seq that may be read; null where nothing may. */
  function floorOf(channel: ChannelFact): number | null {
    if (viewer === null) return null
    if (channel.kind === 'public' && !guest) return 1
    return own.get(channel.id)?.history_from_seq ?? null
  }
  const floors = new Map(facts.channels.map((one) => [one.id, floorOf(one)]))

  const mayRead = (message: MessageFact): boolean => {
    const floor = floors.get(message.channel_id) ?? null
    return floor !== null && message.base_seq >= floor
  }

  function count(unread: MessageFact[]): UnreadCounts {
    const texts = unread.filter(
      (one) => one.kind === 'text' && one.deleted_at === null && one.author_id !== viewer,
    )
    const calls = (one: MessageFact) =>
      library.mentions.get(one.id)?.some((row) => row.profile_id === viewer || row.profile_id === null)
    return { unread: Math.min(MOST, texts.length), mentions: Math.min(MOST, texts.filter(calls).length) }
  }

  function entryOf(id: Uuid): ChannelEntry | null {
    const channel = facts.channels.find((one) => one.id === id)
    const floor = floors.get(id) ?? null
    const numbers = counters.get(id)
    if (!channel || floor === null || !numbers) return null
    const member = own.get(id)
    const state = member ? states.get(id) : undefined
    const { last_seq, rev, meta_rev, epoch } = numbers
    const fixed = channel.kind === 'direct' || channel.kind === 'group'
    const pointer = Math.max(state?.last_read_seq ?? 0, floor - 1)
    return {
      channel: {
        ...pick(channel, CHANNEL),
        people: fixed ? (people.get(id) ?? []).map((one) => one.profile_id).sort() : null,
      },
      counters: { last_seq, rev, meta_rev, epoch },
      member: member !== undefined,
      channel_role: member?.role ?? null,
      history_from_seq: floor,
      state: state ? pick(state, STATE) : NEWCOMER,
      counts: member
        ? count((library.timelines.get(id) ?? []).filter((one) => (one.seq ?? 0) > pointer))
        : { unread: 0, mentions: 0 },
      last_message_at: lastAt.get(id) ?? null,
    }
  }

  function reactionsOf(id: Uuid): Reaction[] {
    const kinds = new Map<string, Uuid[]>()
    for (const { emoji, profile_id: by } of library.reactions.get(id) ?? []) {
      kinds.set(emoji, [...(kinds.get(emoji) ?? []), by])
    }
    return [...kinds].map(([emoji, by]) => ({
      emoji,
      count: by.length,
      people: by.slice(0, 20),
      mine: by.includes(viewer ?? ''),
    }))
  }

  function thread(root: Uuid): Omit<ThreadState, 'rev'> | null {
    const head = library.messages.get(root)
    if (!head || !mayRead(head)) return null
    const mine = facts.thread_members.find((one) => one.root_id === root && one.profile_id === viewer)
    const pointer = mine?.last_read_thread_seq ?? 0
    // Having left, one is called no more.
    const follows = mine?.follows === true && own.has(head.channel_id)
    const above = (library.replies.get(root) ?? []).filter((one) => (one.thread_seq ?? 0) > pointer)
    return {
      channel_id: head.channel_id,
      root_id: root,
      follows,
      last_read_thread_seq: pointer,
      read_version: mine?.read_version ?? 0,
      last_thread_seq: head.last_thread_seq,
      last_reply_at: head.last_reply_at,
      counts: follows ? count(above) : { unread: 0, mentions: 0 },
    }
  }

  const met = new Set(
    guest ? [...own.keys()].flatMap((id) => (people.get(id) ?? []).map((one) => one.profile_id)) : [],
  )
  const known = (id: Uuid) => viewer !== null && (!guest || met.has(id) || id === viewer)
  const cards = new Map(facts.profiles.map((one) => [one.id, pick(one, PROFILE)]))
  const followed = facts.thread_members.filter((one) => one.profile_id === viewer && one.follows)
  return {
    me: place && viewer !== null ? { profile: cards.get(viewer)!, role: place.role } : null,
    members: facts.workspace_members
      .filter((one) => known(one.profile_id))
      .map(({ profile_id: id, role, state }) => ({ profile: cards.get(id)!, role, state })),
    entries: [...own.keys()].flatMap((id) => (states.get(id)?.hidden ? [] : (entryOf(id) ?? []))),
    entryOf,
    timeline: (id) => (library.timelines.get(id) ?? []).filter(mayRead),
    replies: (root) => (library.replies.get(root) ?? []).filter(mayRead),
    message: (id) => {
      const row = library.messages.get(id)
      if (!row || !mayRead(row)) return null
      return {
        ...row,
        pinned_at: library.pins.get(id) ?? null,
        attachments: [],
        reactions: reactionsOf(id),
      }
    },
    sections: facts.sections
      .filter((one) => one.profile_id === viewer)
      .map(({ id, name, position, collapsed }) => ({ id, name, position, collapsed }))
      .sort((a, b) => a.position - b.position || a.id.localeCompare(b.id)),
    thread,
    unreadThreads: followed
      .flatMap((one) => thread(one.root_id) ?? [])
      .filter((one) => one.counts.unread > 0 && states.get(one.channel_id)?.hidden !== true)
      .sort((a, b) => Date.parse(b.last_reply_at ?? '') - Date.parse(a.last_reply_at ?? ''))
      .slice(0, MOST),
  }
}

const NEWCOMER: ChannelState = {
  last_read_seq: 0,
  read_version: 0,
  notify: 'mentions',
  muted: false,
  starred: false,
  section_id: null,
  position: null,
}
