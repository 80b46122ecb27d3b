import { i18n } from '@lingui/core'
import { useCallback, useSyncExternalStore } from 'react'
import type { ListedFile } from '../../../../wire/files.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { createFailure, registerSentences } from '../../failures/failures.ts'
import type { ClientSession } from '../../session/clientSession.ts'
import { callCommand } from '../../client/callCommand.ts'
import { setBounded } from '../../hooks/setBounded.ts'
import { useClientSession } from '../../hooks/useClientSession.ts'
import { createListing, LOADING_STATE } from './createListing.ts'
import type { FileFilter, FileListState, Listing } from './createListing.ts'

registerSentences({ bad_file_kind: () => i18n._('You can’t filter files by this type.') })

/** Interval at which lists are fetched again: public channels that the user has not joined publish no events to them. */
const REFRESH_INTERVAL_MS = 60_000
/** Number of lists whose last state is displayed when they are opened again. */
const MAX_REMEMBERED = 8

export interface Files extends Omit<FileListState, 'pages'> {
  files: readonly ListedFile[]
  /** Whether there are older files. */
  hasMore: boolean
  loadMore: () => void
}

interface Lists {
  shown: Map<string, FileListState>
  running: Map<string, Listing>
}

/** By client session, so that the lists end with it. */
const listsOf = new WeakMap<ClientSession, Lists>()

function listsIn(session: ClientSession): Lists {
  const lists = listsOf.get(session) ?? { shown: new Map(), running: new Map() }
  listsOf.set(session, lists)
  return lists
}

/**
 * Files that match a filter, newest first. New and deleted files are displayed at once; a list that was displayed before
 * is shown until it is fetched again.
 */
export function useFiles(filter: FileFilter): Files {
  const session = useClientSession((session) => (session?.store.get().source === 'live' ? session : null))
  const key = JSON.stringify([filter.channelId, filter.kind, filter.author, filter.terms])
  const subscribe = useCallback(
    (listener: () => void) => (session ? follow(session, key, listener) : () => {}),
    [session, key],
  )
  const shown = useSyncExternalStore(
    subscribe,
    () => (session && listsIn(session).shown.get(key)) ?? LOADING_STATE,
  )
  return {
    files: shown.pages.files,
    status: shown.status,
    failure: shown.failure,
    loading: shown.loading,
    hasMore: shown.pages.before !== null,
    loadMore: () => (session ? listsIn(session).running.get(key)?.loadMore() : undefined),
  }
}

/** Keeps the list of this key up to date until the returned function is called. */
function follow(session: ClientSession, key: string, listener: () => void): () => void {
  const { store, engine } = session
  const [channelId, kind, author, words] = JSON.parse(key) as [
    ...[FileFilter['channelId'], FileFilter['kind'], FileFilter['author'], FileFilter['terms']],
  ]
  const { shown, running } = listsIn(session)
  const remembered = shown.get(key)
  const listing = createListing(
    { channelId, kind, author, terms: words },
    {
      fetchPage: async (request) => {
        const workspace = store.get().workspace?.id
        if (!workspace) return { ok: false, failure: createFailure('session_ended') }
        return callCommand('list_files', { workspace, ...request })
      },
      revs: () => {
        const found = new Map<Uuid, number>()
        for (const [id, rows] of store.get().channels) {
          if (channelId === null || channelId === id) found.set(id, rows.entry.counters.rev)
        }
        return found
      },
      after: (ms, run) => {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
    remembered && { ...remembered, loading: false },
  )
  // The name of a public channel that the user has not joined.
  if (channelId !== null && !store.get().channels.has(channelId)) void engine.fetchEntry(channelId)
  const remember = () => {
    setBounded(shown, key, listing.get(), MAX_REMEMBERED)
    listener()
  }
  const again = setInterval(() => {
    if (document.visibilityState === 'visible' && navigator.onLine) listing.refresh()
  }, REFRESH_INTERVAL_MS)
  addEventListener('online', listing.refresh)
  running.set(key, listing)
  const stops = [
    listing.subscribe(remember),
    store.watch(listing.onEvent),
    store.subscribe(listing.onChannelsChanged),
    channelId === null ? () => {} : engine.open(channelId),
  ]
  return () => {
    clearInterval(again)
    removeEventListener('online', listing.refresh)
    running.delete(key)
    listing.stop()
    for (const stop of stops) stop()
  }
}
