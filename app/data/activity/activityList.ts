import { mentionsOf } from '../../../wire/body/mentionsOf.ts'
import { ACTIVITY_FILTERS, type ActivityEntry, type ActivityFilter } from '../../../wire/activity.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Follow } from '../queries/createQuery.ts'
import { createPagedQuery, removeItems, type Page } from '../queries/pagedQuery.ts'
import { getClientSession, type ClientSession } from '../session/clientSession.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { entryKey } from './groupActivity.ts'

/** Maximum number of entries that are fetched again. The others are fetched when the user scrolls to them. */
const MAX_REFETCHED = 100
/** Milliseconds that gather changes which arrive together. */
const GATHER_MS = 1_500
/** Events of the user's topic after which entries may differ. */
const REFETCHING_EVENTS = new Set([
  'activity',
  'reply',
  'membership',
  'thread',
  'message_deleted',
  'message_edited',
])

/** `seen_at`: the user has seen the reactions until then. */
type Summary = { seen_at: Timestamp }

/** Until when reactions were marked as seen: a response to an earlier request has an earlier time. */
const markedUntil = new WeakMap<ClientSession, Timestamp>()

/** What concerns the user, newest first. */
export const activityList = createPagedQuery({
  maxStored: 4,
  maxRefetched: MAX_REFETCHED,
  idOf: entryKey,
  follow: followMessages,
  fetch: async (before: string | null, filter: ActivityFilter) => {
    const outcome = await callForWorkspace('activity', { filter, before })
    if (!outcome.ok) return outcome
    const { entries, before: next, seen_at } = outcome.value
    const session = getClientSession()
    for (const { thread } of entries)
      if (thread) session?.store.dispatch({ type: 'threadStateReceived', thread })
    const marked = session && markedUntil.get(session)
    const summary: Summary = {
      seen_at: marked && Date.parse(marked) > Date.parse(seen_at) ? marked : seen_at,
    }
    return success({ items: entries, next, summary })
  },
})

/** Stores that the user has seen the reactions up to this time. After a failure they are new again at the next visit. */
export function markActivitySeen(until: Timestamp): void {
  const session = getClientSession()
  if (session) markedUntil.set(session, until)
  // The lists of all filters: a stored one is shown until its response.
  for (const filter of ACTIVITY_FILTERS)
    activityList.change([filter], (page) => ({ ...page, summary: { seen_at: until } }))
  void callForWorkspace('mark_activity_seen', { until }).then(({ ok }) => {
    if (!ok && session) markedUntil.delete(session)
  })
}

type FollowActivity = Follow<[ActivityFilter], Page<ActivityEntry, string | number, Summary>>

/**
 * Fetches the listed entries again after a change that may concern them. Entries of deleted messages and of channels that
 * are no longer readable are removed at once.
 */
function followMessages(...[list, { store }]: Parameters<FollowActivity>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const refetchSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      list.invalidate()
    }, GATHER_MS)
  }
  const isListed = (message: Message) =>
    list.state.value?.items.some(
      ({ message: listed }) =>
        listed.id === message.id ||
        (message.thread_root !== null && listed.thread_root === message.thread_root),
    ) ?? false
  const receiveMessage = (message: Message) => {
    const me = store.get().me?.profile.id ?? null
    if (message.deleted_at !== null) removeItems(list, (entry) => entry.message.id === message.id)
    if (message.author_id === me || isListed(message) || mentions(message.body, me)) refetchSoon()
  }
  const unwatch = store.watch((event) => {
    switch (event.type) {
      case 'channelEventReceived': {
        const { event: name, payload } = event.event
        if (name === 'message') receiveMessage(payload.message)
        else if (name === 'changed' && payload.reaction) {
          const { channels, me } = store.get()
          const message = channels.get(payload.channel_id)?.messages.get(payload.message_id)
          if (!message || message.author_id === me?.profile.id) refetchSoon()
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
        removeItems(list, ({ message }) => message.channel_id === event.channelId)
        refetchSoon()
        break
      case 'userEventReceived':
        if (REFETCHING_EVENTS.has(event.event.event)) refetchSoon()
        break
      // Channels without a joined topic announce nothing else.
      case 'heartbeatReceived':
        if (event.heartbeat.channels.length > 0) refetchSoon()
        break
      case 'bootstrapReceived':
        refetchSoon()
        break
      default:
    }
  })
  return () => {
    clearTimeout(timer)
    unwatch()
  }
}

function mentions(body: string, me: Uuid | null): boolean {
  return mentionsOf(body).some(
    (who) => who === me || who === 'channel' || who === 'here' || who.startsWith('&'),
  )
}
