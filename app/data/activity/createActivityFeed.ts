import type { ActivityEntry, ActivityPage } from '../../../wire/activity.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import type { SyncEvent } from '../store/syncEvents.ts'

export interface ActivityState {
  entries: readonly ActivityEntry[]
  /** Cursor of the next, older page; null at the end, and before the first page. */
  before: string | null
  /**
   * The time up to which reactions had been seen when the list was opened. Later reactions stay marked as new while
   * the list is displayed. Null before the first response.
   */
  seenAt: Timestamp | null
  status: 'loading' | 'ready' | 'failed'
  /** Failure of the last request. */
  failure: Failure | null
  /** Whether older entries are being fetched. */
  loading: boolean
}

/** The state before the first response. */
export const LOADING_ACTIVITY: ActivityState = {
  entries: [],
  before: null,
  seenAt: null,
  status: 'loading',
  failure: null,
  loading: false,
}

export interface ActivityPorts {
  fetchPage: (before: string | null) => Promise<Outcome<ActivityPage>>
  me: () => Uuid | null
  /** Finds a loaded message, to learn its author. */
  findMessage: (channel: Uuid, id: Uuid) => Message | null
  after: (ms: number, run: () => void) => () => void
  /** Whether the user can see the list. */
  isVisible: () => boolean
  /** Stores that the user has seen the reactions up to this time. */
  markSeen: (until: Timestamp) => void
}

export interface ActivityFeed {
  get: () => ActivityState
  /** Fetches the next page; after a failure it fetches the same page again. */
  loadMore: () => void
  /** Called with each event of the store. */
  onEvent: (event: SyncEvent) => void
  /** Fetches the listed entries again, because not all changes are published to this person. */
  refresh: () => void
  /** Marks the listed reactions as seen if the user can see them. Each response does the same. */
  markSeen: () => void
  stop: () => void
}

/** Maximum number of listed entries. */
const MAX_ENTRIES = 500
/** Maximum number of entries that are fetched again. The others are fetched when the user scrolls to them. */
const MAX_REFRESHED = 100
/** Maximum number of pages without entries that are fetched in a row. Each page covers a bounded number of rows. */
const MAX_EMPTY_PAGES = 5
/** Minimum interval (ms) between two refreshes. */
const REFRESH_INTERVAL_MS = 1_500
/** Events of the user's topic after which entries may differ. */
const REFRESHING_EVENTS = new Set([
  'activity',
  'reply',
  'membership',
  'thread',
  'message_deleted',
  'message_edited',
])

/** Returns the key that identifies an entry of a list. A thread has one entry. */
export function entryKey({ kind, message, emoji, profile_id: person }: ActivityEntry): string {
  return kind === 'reply' ? `reply ${message.thread_root}` : `${kind} ${message.id} ${emoji} ${person}`
}

/**
 * Keeps the activity of the user equal to a fresh request. After a change that may concern it, the listed entries are
 * fetched again. Entries of deleted messages and of channels that are no longer readable are removed at once.
 * @param before the last state of the same list, displayed until the first response
 */
export function createActivityFeed(
  ports: ActivityPorts,
  onChange: (state: ActivityState) => void,
  before: ActivityState = LOADING_ACTIVITY,
): ActivityFeed {
  let shown: ActivityState = { ...before, loading: false }
  /** The time of the newest reaction that was marked as seen, or whose marking is under way. */
  let markedUntil: Timestamp | null = null
  let stopped = false
  let busy = false
  let isStale = true
  let wantsOlder = false
  let waiting: (() => void) | null = null

  function show(change: Partial<ActivityState>) {
    if (stopped) return
    shown = { ...shown, ...change }
    onChange(shown)
  }

  /** Fetches the list from a cursor on, until it has `count` entries. */
  async function fetchEntries(from: string | null, count: number): Promise<Outcome<ActivityPage>> {
    const entries: ActivityEntry[] = []
    let cursor = from
    let seenAt: Timestamp
    let emptyPages = 0
    do {
      const page = await ports.fetchPage(cursor)
      if (!page.ok) return page
      entries.push(...page.value.entries)
      cursor = page.value.before
      seenAt = page.value.seen_at
      emptyPages = page.value.entries.length > 0 ? 0 : emptyPages + 1
    } while (cursor !== null && entries.length < count && emptyPages < MAX_EMPTY_PAGES)
    return { ok: true, value: { entries, before: cursor, seen_at: seenAt } }
  }

  async function run() {
    if (busy || stopped) return
    busy = true
    try {
      while (isStale || wantsOlder) if (!(await fetchWanted())) break
    } finally {
      busy = false
    }
  }

  /** Fetches the list again, or else its next page. False: it failed, or the list has ended. */
  async function fetchWanted(): Promise<boolean> {
    const isRefresh = isStale
    if (isRefresh) isStale = false
    else {
      wantsOlder = false
      show({ loading: true })
    }
    const fetched = isRefresh
      ? await fetchEntries(null, Math.min(Math.max(shown.entries.length, 1), MAX_REFRESHED))
      : await fetchEntries(shown.before, 1)
    if (stopped) return false
    if (!fetched.ok) {
      show({
        status: shown.status === 'ready' ? 'ready' : 'failed',
        failure: fetched.failure,
        loading: false,
      })
      return false
    }
    const { entries, before: cursor, seen_at: seenAt } = fetched.value
    const listed = withoutRepeated(isRefresh ? entries : [...shown.entries, ...entries]).slice(0, MAX_ENTRIES)
    const end = listed.length < MAX_ENTRIES ? cursor : null
    markedUntil ??= seenAt
    show({
      entries: listed,
      before: end,
      seenAt: shown.seenAt ?? seenAt,
      status: 'ready',
      failure: null,
      loading: false,
    })
    markSeen()
    return true
  }

  function markSeen() {
    const newest = shown.entries.find(({ kind }) => kind === 'reaction')?.at
    if (stopped || markedUntil === null || newest === undefined || !ports.isVisible()) return
    if (Date.parse(newest) <= Date.parse(markedUntil)) return
    markedUntil = newest
    ports.markSeen(newest)
  }

  function remove(isGone: (entry: ActivityEntry) => boolean) {
    const entries = shown.entries.filter((entry) => !isGone(entry))
    if (entries.length < shown.entries.length) show({ entries })
  }

  function refreshSoon() {
    if (stopped || waiting) return
    waiting = ports.after(REFRESH_INTERVAL_MS, () => {
      waiting = null
      isStale = true
      void run()
    })
  }

  const isListed = (id: Uuid) => shown.entries.some(({ message }) => message.id === id)

  function receiveMessage(message: Message) {
    const me = ports.me()
    if (message.deleted_at !== null) remove((entry) => entry.message.id === message.id)
    const { author_id: author, body, thread_root: root } = message
    const concerns =
      author === me || isListed(message.id) || (root !== null && isListedThread(root)) || mentions(body, me)
    if (concerns) refreshSoon()
  }

  const isListedThread = (root: Uuid) => shown.entries.some(({ message }) => message.thread_root === root)

  void run()

  return {
    get: () => shown,
    loadMore: () => {
      if (shown.failure) isStale = true
      else if (shown.before !== null) wantsOlder = true
      void run()
    },
    onEvent: (event) => {
      switch (event.type) {
        case 'channelEventReceived': {
          const { event: name, payload } = event.event
          if (name === 'message') receiveMessage(payload.message)
          else if (name === 'changed' && payload.reaction) {
            const message = ports.findMessage(payload.channel_id, payload.message_id)
            if (!message || message.author_id === ports.me()) refreshSoon()
          }
          break
        }
        case 'messageReceived':
          receiveMessage(event.message)
          break
        case 'changesReceived':
          for (const message of event.changes.messages) receiveMessage(message)
          break
        case 'channelRemoved':
          remove(({ message }) => message.channel_id === event.channelId)
          refreshSoon()
          break
        case 'userEventReceived':
          if (REFRESHING_EVENTS.has(event.event.event)) refreshSoon()
          break
        // Channels without a joined topic announce nothing else.
        case 'heartbeatReceived':
          if (event.heartbeat.channels.length > 0) refreshSoon()
          break
        case 'bootstrapReceived':
          refreshSoon()
          break
        default:
      }
    },
    refresh: () => {
      isStale = true
      void run()
    },
    markSeen,
    stop: () => {
      stopped = true
      waiting?.()
    },
  }
}

function mentions(body: string, me: Uuid | null): boolean {
  return body.includes('<!') || body.includes('<@&') || (me !== null && body.includes(`<@${me}>`))
}

/**
 * Removes repeated entries. A thread with a new reply moves to the top, and can also be on a page that is fetched
 * later.
 */
function withoutRepeated(entries: readonly ActivityEntry[]): ActivityEntry[] {
  const known = new Set<string>()
  return entries.filter((entry) => {
    const key = entryKey(entry)
    return !known.has(key) && known.add(key)
  })
}
