import { isChannel } from '../../../wire/channels.ts'
import type { UserEvent } from '../../../wire/events.ts'
import type { Message } from '../../../wire/messages.ts'
import type { MessageNotification, NotificationPreferences } from '../../../wire/notifications.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Outcome } from '../failures/failures.ts'
import { foldLetters } from '../search/foldLetters.ts'
import type { ChannelRows, State } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import type { SyncEvent } from '../store/syncEvents.ts'

/** The maximum number of channels of one request. */
const MAX_CHANNELS = 20
/** The number of displayed messages that are remembered, so that an edited message is not displayed again. */
const MAX_SHOWN = 500
/** Milliseconds after which a message no longer notifies; `my_notifications` has the same limit. */
const MAX_AGE_MS = 5 * 60_000
/** Milliseconds during which messages that arrive together are gathered. */
const GATHER_MS = 100
/** Milliseconds of jitter per person who may request the same message's decision. */
const JITTER_PER_MEMBER_MS = 2
const MAX_JITTER_MS = 4_000
/** Milliseconds until a tab checks again whether it leads, and until a failed request is repeated. */
const RECHECK_MS = 3_000

/** A message of the leading tab: it has checked the changes up to these revs and displayed these messages. */
export interface CheckedMessage {
  kind: 'checked'
  revs: [channel: Uuid, rev: number][]
  ids: Uuid[]
}

interface Ports {
  isLeader: () => boolean
  request: (channels: Uuid[], revs: number[]) => Promise<Outcome<MessageNotification[]>>
  preferences: () => NotificationPreferences | null
  post: (message: CheckedMessage) => void
  onNotifications: (notifications: MessageNotification[]) => void
  after: (ms: number, run: () => void) => () => void
  now: () => number
  /**
   * The time at which the page was opened, as `Date.now()`. The page displays earlier messages, so they notify
   * nobody.
   */
  openedAt: number
  /** Events of the user's topic that arrived before this watcher was created. */
  earlier: readonly UserEvent[]
  random: () => number
}

interface Seen {
  rev: number
  lastSeq: number
  mentions: number
}

/** The state of a conversation that is new to this page. */
const UNKNOWN: Seen = { rev: 0, lastSeq: 0, mentions: 0 }

function beforeLatest({ entry: { counters, counts } }: ChannelRows): Seen {
  return { rev: counters.rev - 1, lastSeq: counters.last_seq - 1, mentions: counts.mentions - 1 }
}

export interface MessageWatcher {
  /** Receives a message of another tab. */
  receive: (message: CheckedMessage) => void
  stop: () => void
}

/**
 * Finds the messages about which an open page notifies its reader. Every tab compares the revs of the conversations. The
 * leading tab requests the decisions for conversations in which a change may concern the reader, and announces which
 * changes it has checked. Another tab that becomes the leader continues with the rest.
 */
export function createMessageWatcher(store: Store, ports: Ports): MessageWatcher {
  const seen = new Map<Uuid, Seen>()
  /** The rev of each conversation when this page was opened; 0 for a conversation that was added later. */
  const firstRevs = new Map<Uuid, number>()
  /** The last reply of each followed thread. */
  const replies = new Map<Uuid, number>()
  /** Channels to check: the changes after one rev up to another, and the time since which they wait. */
  const pending = new Map<Uuid, { after: number; rev: number; since: number }>()
  /** The rev up to which a channel is pending or was checked. */
  const handled = new Map<Uuid, number>()
  const shown = new Set<Uuid>()
  let isStarted = false
  let last: Pick<State, 'channels' | 'threads'> | null = null
  let cancel: (() => void) | null = null
  let stopped = false

  function add(channel: Uuid, after: number, rev: number) {
    const known = pending.get(channel)
    pending.set(channel, {
      after: Math.min(known?.after ?? after, after),
      rev: Math.max(known?.rev ?? 0, rev),
      since: ports.now(),
    })
    handled.set(channel, Math.max(handled.get(channel) ?? 0, rev))
  }

  function onEvent(event: SyncEvent) {
    if (event.type === 'userEventReceived' && store.get().source === 'live') addActivity(event.event)
    update(messageOf(event))
  }

  /** `received`: the message whose text an event contains. Its channel may not be loaded. */
  function update(received: Message | null) {
    const state = store.get()
    if (state.source !== 'live') return
    if (state.channels !== last?.channels || state.threads !== last.threads) compare(state, received)
    last = state
    isStarted = true
    if (pending.size > 0) schedule()
  }

  /**
   * Adds an event that the server has published to the reader alone: a direct message, a mention, a reply in a followed
   * thread, or an edit by which a message concerns the reader.
   */
  function addActivity({ event, payload }: UserEvent) {
    if (event !== 'activity' && event !== 'reply' && event !== 'message_edited') return
    if (event === 'message_edited' && !payload.notifies) return
    const { channel_id: channel, rev } = payload
    if (rev <= (handled.get(channel) ?? 0)) return
    add(channel, Math.min(seen.get(channel)?.rev ?? 0, rev - 1), rev)
  }

  function compare(state: State, received: Message | null) {
    for (const [id, rows] of state.channels) {
      const { counters, counts } = rows.entry
      const before = seen.get(id)
      if (!before) firstRevs.set(id, isStarted ? 0 : counters.rev)
      if (before?.rev === counters.rev && before.mentions === counts.mentions) continue
      seen.set(id, { rev: counters.rev, lastSeq: counters.last_seq, mentions: counts.mentions })
      if (counters.rev <= (handled.get(id) ?? 0)) continue
      // The watcher starts after the first messages are displayed: one that arrived meanwhile notifies too.
      if (!isStarted && !(Date.parse(rows.entry.last_message_at ?? '') > ports.openedAt)) continue
      const earlier = before ?? (isStarted ? UNKNOWN : beforeLatest(rows))
      const message = received?.channel_id === id ? received : null
      if (mayConcernReader(rows, earlier, message, ports.preferences())) add(id, earlier.rev, counters.rev)
    }
    for (const id of seen.keys()) {
      if (state.channels.has(id)) continue
      seen.delete(id)
      firstRevs.delete(id)
      handled.delete(id)
      pending.delete(id)
    }
    for (const [root, thread] of state.threads) {
      const before = replies.get(root)
      replies.set(root, thread.last_thread_seq)
      const rev = state.channels.get(thread.channel_id)?.entry.counters.rev ?? 0
      if (!isStarted || (before ?? 0) >= thread.last_thread_seq || thread.counts.unread === 0) continue
      // The server sends no event of a reply in a thread with many followers. The first state of such a thread may arrive
      // long after the reply, with a heartbeat. The database omits what is older than a few minutes.
      if (before === undefined) add(thread.channel_id, firstRevs.get(thread.channel_id) ?? rev - 1, rev)
      else if (rev > (handled.get(thread.channel_id) ?? 0)) add(thread.channel_id, rev - 1, rev)
    }
    for (const root of replies.keys()) if (!state.threads.has(root)) replies.delete(root)
  }

  function schedule(ms?: number) {
    if (stopped || cancel) return
    const { channels, members } = store.get()
    const people = [...pending.keys()].map(
      (id) => channels.get(id)?.entry.channel.people?.length ?? members.size,
    )
    const jitter = ports.random() * Math.min(MAX_JITTER_MS, Math.max(0, ...people) * JITTER_PER_MEMBER_MS)
    cancel = ports.after(ms ?? GATHER_MS + jitter, () => {
      void check().finally(() => {
        cancel = null
        if (pending.size > 0) schedule(RECHECK_MS)
      })
    })
  }

  async function check(): Promise<void> {
    for (const [id, { since }] of pending) if (ports.now() - since > MAX_AGE_MS) pending.delete(id)
    if (!ports.isLeader() || pending.size === 0) return
    const due = [...pending].slice(-MAX_CHANNELS)
    for (const [id] of due) pending.delete(id)
    const outcome = await ports.request(
      due.map(([id]) => id),
      due.map(([, { after }]) => after),
    )
    if (stopped) return
    if (!outcome.ok) {
      if (outcome.failure.isRetryable) for (const [id, one] of due) restore(id, one)
      return
    }
    const found = outcome.value.filter((one) => one.decision === 'desktop' && !shown.has(one.id))
    const ids = found.map((one) => one.id)
    remember(ids)
    ports.post({ kind: 'checked', revs: due.map(([id, { rev }]) => [id, rev]), ids })
    if (found.length > 0) ports.onNotifications(found)
  }

  function restore(id: Uuid, one: { after: number; rev: number; since: number }) {
    const newer = pending.get(id)
    pending.set(id, { after: one.after, rev: Math.max(one.rev, newer?.rev ?? 0), since: one.since })
  }

  function remember(ids: readonly Uuid[]) {
    for (const id of ids) shown.add(id)
    for (const id of shown) {
      if (shown.size <= MAX_SHOWN) break
      shown.delete(id)
    }
  }

  const unwatch = store.watch(onEvent)
  ports.earlier.forEach(addActivity)
  update(null)
  return {
    receive: ({ revs, ids }) => {
      remember(ids)
      for (const [id, rev] of revs) {
        const one = pending.get(id)
        if (!one) continue
        if (one.rev <= rev) pending.delete(id)
        else pending.set(id, { ...one, after: Math.max(one.after, rev) })
      }
    },
    stop: () => {
      stopped = true
      cancel?.()
      unwatch()
    },
  }
}

function messageOf(event: SyncEvent): Message | null {
  if (event.type !== 'channelEventReceived' || event.event.event !== 'message') return null
  return event.event.payload.message
}

/**
 * Whether a change since `before` may notify the reader. The database decides. This function only saves requests, and
 * returns true when in doubt.
 */
function mayConcernReader(
  rows: ChannelRows,
  before: Seen,
  received: Message | null,
  preferences: NotificationPreferences | null,
): boolean {
  const { channel, counters, counts, member, state } = rows.entry
  if (!member || state.muted || state.notify === 'nothing') return false
  if (counts.mentions > before.mentions) return true
  const hasNewMessage = counters.last_seq > before.lastSeq && counts.unread > 0
  const level = state.notify === 'default' ? (isChannel(channel) ? preferences?.level : 'all') : state.notify
  if (level === 'nothing') return false
  if (level === 'all' || !preferences) return hasNewMessage
  const { keywords } = preferences
  if (keywords.length === 0) return false
  const known = received ? [received, ...rows.messages.values()] : [...rows.messages.values()]
  const changed = known.filter((message) => message.rev > before.rev)
  const isTextUnknown = hasNewMessage && !known.some((message) => message.seq === counters.last_seq)
  return isTextUnknown || changed.some(({ body }) => hasKeyword(body, keywords))
}

/** Whether a text has one of the keywords, perhaps as a part of a word. */
function hasKeyword(body: string, keywords: readonly string[]): boolean {
  const text = lettersOf(body)
  return keywords.some((keyword) => text.includes(lettersOf(keyword)))
}

function lettersOf(text: string): string {
  return foldLetters(text).replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
