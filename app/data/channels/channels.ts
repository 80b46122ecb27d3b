import {
  isChannel,
  type ChannelEntry,
  type ChannelMemberState,
  type ChannelKind,
} from '../../../wire/channels.ts'
import type { Profile, PresenceState } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { currentOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { displayedMember } from '../people/displayedMember.ts'
import { conversationName } from '../people/conversationName.ts'
import { hasStatus, presenceOf } from '../people/presence.ts'
import type { Preferences } from '../store/ownRows.ts'
import { channelPermissions } from './channelPermissions.ts'
import type { ChannelPermissions } from './channelPermissions.ts'
import { sessionEmitter, getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { createSortOnce, memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import { readerOf } from '../store/reader.ts'
import { unreadOf } from '../store/unreadCounts.ts'
import { emptyState, type ChannelRows, type State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export interface SidebarItem {
  id: Uuid
  kind: ChannelKind
  /** The name of the channel, or the names of the people of a direct or group conversation. */
  name: string
  /** The number of unread messages, 0–100; 100 is shown as "99+". */
  unread: number
  mentions: number
  muted: boolean
  starred: boolean
  notify: ChannelMemberState['notify']
  sectionId: Uuid | null
  /** The sort key within its section or among the starred conversations; null: not sorted by hand. */
  position: number | null
  archived: boolean
  /** The other people of a direct or group conversation; empty for channels and the conversation with oneself. */
  people: readonly Profile[]
  /** Whether it is a direct conversation with oneself. */
  selfDirect: boolean
  /** Whether it is a direct or group conversation whose other people have all left the workspace. */
  othersLeft: boolean
  /** Presence of the other person of a direct conversation; else null. */
  presence: PresenceState | null
  /** Profile of that person while they have a status; else null. */
  status: Profile | null
  lastMessageAt: string | null
}

export interface Sidebar {
  /** Public and private channels of the user, by name. */
  channels: readonly SidebarItem[]
  /** Direct and group conversations, most recent first. */
  directs: readonly SidebarItem[]
}

const NO_PEOPLE: readonly Profile[] = []

const itemOf = memoizeByKey(
  (
    before: SidebarItem | undefined,
    rows: ChannelRows,
    pendingRead: number,
    pendingUnread: number | null,
    pendingPreferences: Partial<Preferences> | undefined,
    me: State['me'],
    userGroups: State['userGroups'],
    members: State['members'],
    presence: State['presence'],
    _expired: number,
  ): SidebarItem => {
    const { channel } = rows.entry
    const state = { ...rows.entry.state, ...pendingPreferences }
    const mine = me?.profile.id ?? null
    const isDirect = !isChannel(channel)
    const others = (channel.people ?? []).filter((id) => id !== mine)
    const people = others
      .flatMap((id) => displayedMember(members.get(id))?.profile ?? [])
      .sort((a, b) => a.name.localeCompare(b.name))
    const selfDirect = isDirect && others.length === 0
    const { unread, mentions } = unreadOf(rows, readerOf({ me, userGroups }), pendingRead, pendingUnread)
    const only = channel.kind === 'direct' ? others[0] : undefined
    const other = only === undefined ? undefined : members.get(only)
    const one = other?.state === 'active' ? other.profile : undefined
    const at = Date.now()
    return reuseIfEqual(before, {
      id: channel.id,
      kind: channel.kind,
      name: isDirect
        ? conversationName(
            people.map((person) => person.name),
            others.length - people.length,
          )
        : (channel.name ?? ''),
      unread,
      mentions,
      muted: state.muted,
      starred: state.starred,
      notify: state.notify,
      sectionId: state.section_id,
      position: state.position,
      archived: channel.archived_at !== null,
      people: isDirect ? reuseIfEqual(before?.people, people) : NO_PEOPLE,
      selfDirect,
      othersLeft: isDirect && !selfDirect && others.every((id) => members.get(id)?.state !== 'active'),
      presence: only === undefined ? null : presenceOf(one, presence.get(only) ?? 'offline', at),
      status: one && hasStatus(one, at) ? one : null,
      lastMessageAt: rows.entry.last_message_at,
    })
  },
  2_000,
)

function itemFor(session: ClientSession, rows: ChannelRows): SidebarItem {
  const { me, userGroups, members, presence } = session.store.get()
  const { id } = rows.entry.channel
  const isDirect = !isChannel(rows.entry.channel)
  return itemOf(
    id,
    rows,
    session.readMarkers.pendingReadSeq(id),
    session.readMarkers.pendingUnreadSeq(id),
    currentOptimisticUpdates().preferences().get(id),
    me,
    userGroups,
    // A channel does not display people, so that their changes do not compute it again.
    isDirect ? members : emptyState.members,
    isDirect ? presence : emptyState.presence,
    isDirect ? session.expiryTimer.version() : 0,
  )
}

const itemsOf = memoizeByKey(
  (before: readonly SidebarItem[] | undefined, session: ClientSession, ..._inputs: unknown[]) =>
    reuseIfEqual(
      before,
      [...session.store.get().channels.values()]
        .filter((rows) => rows.entry.member)
        .map((rows) => itemFor(session, rows)),
    ),
)

/**
 * Returns the user's conversations, unordered. The array stays the same until one of them is displayed differently.
 */
export function sidebarItems(session: ClientSession): readonly SidebarItem[] {
  const { channels, me, userGroups, members, presence } = session.store.get()
  const rows = [channels, me, userGroups, members, presence]
  const versions = [session.readMarkers.version(), session.optimisticVersion(), session.expiryTimer.version()]
  return itemsOf('items', session, ...rows, ...versions)
}

const { compare } = new Intl.Collator()
const sortByName = createSortOnce<SidebarItem>({
  idOf: ({ id }) => id,
  keyOf: ({ name }) => name,
  compare: (a, b) => compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
})
const timeOf = ({ lastMessageAt }: SidebarItem) => lastMessageAt ?? ''

const sidebarOf = memoizeByKey((before: Sidebar | undefined, items: readonly SidebarItem[]): Sidebar => {
  const channels = sortByName(items.filter(isChannel))
  const directs = items
    .filter((item) => !isChannel(item))
    .sort((a, b) => Number(timeOf(b) > timeOf(a)) - Number(timeOf(b) < timeOf(a)))
  return reuseIfEqual(before, {
    channels: reuseIfEqual(before?.channels, channels),
    directs: reuseIfEqual(before?.directs, directs),
  })
})

const EMPTY: Sidebar = { channels: [], directs: [] }

/**
 * Returns the user's conversations. The component renders again when one of them is displayed differently, but not
 * with each message.
 */
export function useSidebar(): Sidebar {
  return useClientSession((session) => (session ? sidebarOf('sidebar', sidebarItems(session)) : EMPTY))
}

/** A channel that a text can mention. */
export interface NamedChannel {
  id: Uuid
  name: string
  isChannel: true
}

const namesOf = memoizeByKey(
  (
    before: readonly NamedChannel[] | undefined,
    channels: readonly SidebarItem[],
  ): readonly NamedChannel[] => {
    const isEqual =
      before?.length === channels.length &&
      channels.every(({ id, name }, index) => before[index]?.id === id && before[index].name === name)
    return isEqual ? before : channels.map(({ id, name }) => ({ id, name, isChannel: true }))
  },
)

/** Returns the names of the user's channels. The component renders again only when one of them changes. */
export function useNamedChannels(): readonly NamedChannel[] {
  return useClientSession((session) =>
    namesOf('names', session ? sidebarOf('sidebar', sidebarItems(session)).channels : EMPTY.channels),
  )
}

export type ChannelWithPermissions = SidebarItem & {
  entry: ChannelEntry
  /** False: a public channel that the user reads without having joined. */
  isMember: boolean
  permissions: ChannelPermissions
  /** Whether the user may post (member, not archived, permitted to post). */
  canPost: boolean
}

const viewOf = memoizeByKey(
  (
    _before: ChannelWithPermissions | undefined,
    item: SidebarItem,
    entry: ChannelEntry,
    me: State['me'],
  ): ChannelWithPermissions => {
    const rights = channelPermissions(entry, me?.role ?? null)
    return { ...item, entry, isMember: entry.member, permissions: rights, canPost: rights.post }
  },
)

/**
 * Returns one channel, 'loading' or 'missing'. A missing channel does not exist or is not readable; the server does
 * not distinguish the two.
 */
export function useChannel(id: Uuid): ChannelWithPermissions | 'loading' | 'missing' {
  return useClientSession((session) => {
    const state = session?.store.get()
    const rows = state?.channels.get(id)
    if (!session || !state || !rows) return session?.missingChannels.has(id) ? 'missing' : 'loading'
    return viewOf(id, itemFor(session, rows), rows.entry, state.me)
  })
}

/**
 * Opens a conversation: subscribes to its topic, loads its messages and keeps them up to date. Call it in an effect.
 * The returned function closes the conversation; its topic stays subscribed while the conversation is one of the most
 * recent.
 */
export function openChannel(id: Uuid): () => void {
  const session = getClientSession()
  if (!session) return () => {}
  const at = { channel: id, root: null }
  const release = session.engine.open(id)
  session.readMarkers.resumeReading(id)
  let released = false
  session.timelineViews.open(at)

  const show = () => {
    const state = session.store.get()
    if (released) return
    if (state.channels.has(id)) {
      session.missingChannels.delete(id)
    } else if (state.source === 'live' && !session.missingChannels.has(id)) {
      // A public channel that the user has not joined or has just left, or one that is not readable.
      session.missingChannels.add(id)
      void session.engine.fetchEntry(id).then((found) => {
        if (found) session.missingChannels.delete(id)
        sessionEmitter.emit()
      })
    }
  }
  const unsubscribe = session.store.subscribe(show)
  show()
  return () => {
    released = true
    unsubscribe()
    release()
    if (!session.engine.isOpen(id)) session.timelineViews.close(at)
  }
}
