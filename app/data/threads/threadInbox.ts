import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { success, createFailure } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { withOptimisticThreadUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

/** Threads of a page. */
const PAGE_SIZE = 20
/** Maximum number of channels of listed threads that are subscribed to, since topics are limited. */
const MAX_SUBSCRIBED_CHANNELS = 20

/** A thread of the list. Its messages are in the rows of its channel. */
export interface InboxEntry {
  channelId: Uuid
  rootId: Uuid
}

interface Listed {
  entries: readonly InboxEntry[]
  /** Cursor of the next, older page; null: at the end. */
  before: string | null
  status: 'loading' | 'ready' | 'failed'
  failure: Failure | null
}

export interface ThreadInboxView extends Listed {
  loading: boolean
  /** Fetches the next page; after a failure, the same again. */
  loadMore: () => void
}

const LOADING: Listed = { entries: [], before: null, status: 'loading', failure: null }

const unreadOf = memoizeByKey(
  (
    before: readonly Uuid[] | undefined,
    threads: State['threads'],
    _optimisticVersion: number,
  ): readonly Uuid[] =>
    reuseIfEqual(
      before,
      [...threads.values()]
        .map(withOptimisticThreadUpdates)
        .filter((thread) => thread.follows && thread.counts.unread > 0)
        .map((thread) => thread.root_id)
        .sort(),
    ),
)

const NO_THREADS: readonly Uuid[] = []

interface Page {
  entries: readonly InboxEntry[]
  before: string | null
}

/** Fetches a page of the list and stores its messages. */
async function fetchInbox(unreadOnly: boolean, before: string | null): Promise<Outcome<Page>> {
  const session = getClientSession()
  const workspace = session?.store.get().workspace?.id
  if (!session || !workspace) return { ok: false, failure: createFailure('session_ended') }
  const args = { workspace, unread_only: unreadOnly, before, limit: PAGE_SIZE }
  const outcome = await callCommand('thread_inbox', args)
  if (!outcome.ok) return outcome
  session.store.dispatch({ type: 'inboxReceived', inbox: outcome.value })
  const entries = outcome.value.threads.map(({ state }) => ({
    channelId: state.channel_id,
    rootId: state.root_id,
  }))
  return success({ entries, before: outcome.value.before })
}

/** Fetches the first page: unread threads first, even if others have later replies. */
async function fetchFirstPage(unreadOnly: boolean): Promise<Outcome<Page>> {
  const [unread, page] = await Promise.all([
    fetchInbox(true, null),
    unreadOnly ? null : fetchInbox(false, null),
  ])
  if (!unread.ok || !page?.ok) return page ?? unread
  return success({ entries: merged(unread.value.entries, page.value.entries), before: page.value.before })
}

/**
 * The followed threads: those with unread replies first, then the others, latest reply first. Listed threads keep their
 * positions; threads that become unread meanwhile are added at the top.
 */
export function useThreadInbox(unreadOnly: boolean): ThreadInboxView {
  const [list, setList] = useState({ ...LOADING, unreadOnly })
  const [loading, setLoading] = useState(false)
  const shown: Listed = list.unreadOnly === unreadOnly ? list : LOADING
  const unread = useClientSession((session) =>
    session ? unreadOf('unread', session.store.get().threads, session.optimisticVersion()) : NO_THREADS,
  )
  const ready = useClientSession((session) => session?.store.get().source === 'live')
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

/** Adds a page to the list, or the failure of its request. */
function listed(list: Listed, page: Outcome<Page>): Listed {
  if (!page.ok)
    return { ...list, status: list.entries.length > 0 ? 'ready' : 'failed', failure: page.failure }
  const entries = merged(list.entries, page.value.entries)
  return { entries, before: page.value.before, status: 'ready', failure: null }
}

/** Appends entries of threads that are not in the list. */
function merged(before: readonly InboxEntry[], added: readonly InboxEntry[]): InboxEntry[] {
  const known = new Set<Uuid>()
  return [...before, ...added].filter(({ rootId }) => !known.has(rootId) && known.add(rootId))
}

/** Subscribes to the channels of the listed threads, so that their messages are up to date. */
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
