import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { done, failureNamed } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { withThreadOverlay } from '../mutations/currentOverlay.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

/** So many threads come at once. */
const PAGE_SIZE = 20
/** So many channels of the threads listed are listened to: one's topics are bounded. */
const MAX_SUBSCRIBED_CHANNELS = 20

/** A thread of the list; its messages are loaded with its channel's. */
export interface InboxEntry {
  channelId: Uuid
  rootId: Uuid
}

interface Listed {
  entries: readonly InboxEntry[]
  /** Where older ones go on; null: at the end. */
  before: string | null
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface ThreadInbox extends Listed {
  loading: boolean
  /** Older ones; after a failure the same again. */
  loadMore: () => void
}

const LOADING: Listed = { entries: [], before: null, status: 'loading', failure: null }

const unreadOf = memoizeByKey(
  (
    before: readonly Uuid[] | undefined,
    threads: State['threads'],
    _overlayVersion: number,
  ): readonly Uuid[] =>
    reuseIfEqual(
      before,
      [...threads.values()]
        .map(withThreadOverlay)
        .filter((place) => place.follows && place.counts.unread > 0)
        .map((place) => place.root_id)
        .sort(),
    ),
)

const NOBODY: readonly Uuid[] = []

interface Page {
  entries: readonly InboxEntry[]
  before: string | null
}

/** Requests a range of the list, whose messages are loaded from then on. */
async function fetchInbox(unreadOnly: boolean, before: string | null): Promise<Outcome<Page>> {
  const now = getClientSession()
  const workspace = now?.store.get().workspace?.id
  if (!now || !workspace) return { ok: false, failure: failureNamed('session_ended') }
  const args = { workspace, unread_only: unreadOnly, before, limit: PAGE_SIZE }
  const outcome = await callCommand('thread_inbox', args)
  if (!outcome.ok) return outcome
  now.store.dispatch({ type: 'inboxReceived', inbox: outcome.value })
  const entries = outcome.value.threads.map(({ state }) => ({
    channelId: state.channel_id,
    rootId: state.root_id,
  }))
  return done({ entries, before: outcome.value.before })
}

/** The beginning of the list: unread ones stand on top even where others were answered later. */
async function fetchFirstPage(unreadOnly: boolean): Promise<Outcome<Page>> {
  const [unread, page] = await Promise.all([
    fetchInbox(true, null),
    unreadOnly ? null : fetchInbox(false, null),
  ])
  if (!unread.ok || !page?.ok) return page ?? unread
  return done({ entries: merged(unread.value.entries, page.value.entries), before: page.value.before })
}

/**
 * The threads that one follows: those with unread replies first, then the others, latest reply first. What has been
 * listed keeps its place while one reads; what becomes unread meanwhile comes on top.
 */
export function useThreadInbox(unreadOnly: boolean): ThreadInbox {
  const [list, setList] = useState({ ...LOADING, unreadOnly })
  const [loading, setLoading] = useState(false)
  const shown: Listed = list.unreadOnly === unreadOnly ? list : LOADING
  const unread = useClientSession((now) =>
    now ? unreadOf('unread', now.store.get().threads, now.overlayVersion()) : NOBODY,
  )
  const ready = useClientSession((now) => now?.store.get().source === 'live')
  const known = new Set(shown.entries.map((one) => one.rootId))
  const unlisted = shown.status === 'ready' ? unread.filter((root) => !known.has(root)).join() : ''

  useEffect(() => {
    if (!ready) return
    let left = false
    void fetchFirstPage(unreadOnly).then((first) => {
      if (!left) setList({ ...listed(LOADING, first), unreadOnly })
    })
    return () => {
      left = true
    }
  }, [ready, unreadOnly])

  useEffect(() => {
    if (!unlisted) return
    void fetchInbox(true, null).then((page) => {
      if (page.ok)
        setList((now) => {
          const fresh = page.value.entries.filter(
            ({ rootId }) => !now.entries.some((one) => one.rootId === rootId),
          )
          return fresh.length > 0 ? { ...now, entries: [...fresh, ...now.entries] } : now
        })
    })
  }, [unlisted])

  useChannelSubscriptions(shown.entries)

  return {
    ...shown,
    loading,
    loadMore: () => {
      if (loading || (shown.before === null && !shown.failure)) return
      setLoading(true)
      const request =
        shown.before === null ? fetchFirstPage(unreadOnly) : fetchInbox(unreadOnly, shown.before)
      void request.then((page) => {
        setLoading(false)
        setList((now) => (now.unreadOnly === unreadOnly ? { ...now, ...listed(now, page) } : now))
      })
    },
  }
}

/** The list with one page more, or why there is none. */
function listed(list: Listed, page: Outcome<Page>): Listed {
  if (!page.ok)
    return { ...list, status: list.entries.length > 0 ? 'ready' : 'failed', failure: page.failure }
  const entries = merged(list.entries, page.value.entries)
  return { entries, before: page.value.before, status: 'ready', failure: null }
}

/** The entries with others after them, each thread once. */
function merged(before: readonly InboxEntry[], added: readonly InboxEntry[]): InboxEntry[] {
  const known = new Set<Uuid>()
  return [...before, ...added].filter(({ rootId }) => !known.has(rootId) && known.add(rootId))
}

/** Holds the topics of the channels that are listed, so that their messages change as they do elsewhere. */
function useChannelSubscriptions(entries: readonly InboxEntry[]): void {
  const channels = [...new Set(entries.map((one) => one.channelId))].slice(0, MAX_SUBSCRIBED_CHANNELS).join()
  useEffect(() => {
    if (!channels) return
    const releases = channels.split(',').map((id) => getClientSession()?.engine.open(id))
    return () => {
      for (const release of releases) release?.()
    }
  }, [channels])
}
