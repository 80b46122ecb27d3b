import { useEffect } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { success, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { withOptimisticThreadUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { memoizeByKey, reuseIfEqual } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { createPagedQuery, usePagedQuery, type Pages } from '../queries/pagedQuery.ts'

/** Threads of a page. */
const PAGE_SIZE = 20
/** Maximum number of channels of listed threads that are subscribed to, since topics are limited. */
const MAX_SUBSCRIBED_CHANNELS = 20

/** A thread of the list. Its messages are in the rows of its channel. */
export interface InboxEntry {
  channelId: Uuid
  rootId: Uuid
}

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
const NONE: readonly InboxEntry[] = []

type InboxPage = Outcome<{ items: readonly InboxEntry[]; next: string | null }>

/** Fetches a page of the list and stores its messages. */
async function fetchInbox(unreadOnly: boolean, before: string | null): Promise<InboxPage> {
  const session = getClientSession()
  const workspace = session?.store.get().workspace?.id
  if (!session || !workspace) return { ok: false, failure: createFailure('session_ended') }
  const args = { workspace, unread_only: unreadOnly, before, limit: PAGE_SIZE }
  const outcome = await callCommand('thread_inbox', args)
  if (!outcome.ok) return outcome
  session.store.dispatch({ type: 'inboxReceived', inbox: outcome.value })
  const items = outcome.value.threads.map(({ state }) => ({
    channelId: state.channel_id,
    rootId: state.root_id,
  }))
  return success({ items, next: outcome.value.before })
}

/** Fetches the first page: unread threads first, even if others have later replies. */
async function fetchFirstPage(unreadOnly: boolean): Promise<InboxPage> {
  const [unread, page] = await Promise.all([
    fetchInbox(true, null),
    unreadOnly ? null : fetchInbox(false, null),
  ])
  if (!unread.ok || !page?.ok) return page ?? unread
  return success({ items: [...unread.value.items, ...page.value.items], next: page.value.next })
}

/** The followed threads: those with unread replies first, then the others, latest reply first. */
const threadInbox = createPagedQuery({
  idOf: (entry: InboxEntry) => entry.rootId,
  fetch: (before: string | null, unreadOnly: boolean) =>
    before === null ? fetchFirstPage(unreadOnly) : fetchInbox(unreadOnly, before),
})

/**
 * The followed threads. Listed threads keep their positions; threads that become unread meanwhile are added at the top.
 */
export function useThreadInbox(unreadOnly: boolean): Pages<InboxEntry> {
  const unread = useClientSession((session) =>
    session ? unreadOf('unread', session.store.get().threads, session.optimisticVersion()) : NO_THREADS,
  )
  const ready = useClientSession((session) => session?.store.get().source === 'live')
  const pages = usePagedQuery(ready ? threadInbox : null, [unreadOnly])
  const { value: entries = NONE, isPrevious } = pages
  const known = new Set(entries.map((one) => one.rootId))
  const isListed = pages.value !== undefined && !isPrevious
  const unlisted = isListed ? unread.filter((root) => !known.has(root)).join() : ''

  useEffect(() => {
    if (!unlisted) return
    void fetchInbox(true, null).then((page) => {
      if (page.ok)
        threadInbox.change([unreadOnly], (now) => {
          const listed = new Set(now.items.map((one) => one.rootId))
          const fresh = page.value.items.filter(({ rootId }) => !listed.has(rootId))
          return fresh.length > 0 ? { ...now, items: [...fresh, ...now.items] } : now
        })
    })
  }, [unlisted, unreadOnly])

  useChannelSubscriptions(entries)
  return pages
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
