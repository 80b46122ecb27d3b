import { useCallback, useSyncExternalStore } from 'react'
import type { ListedFile } from '../../../../wire/files.ts'
import type { Uuid } from '../../../../wire/linnet.ts'
import { failureNamed } from '../../failures/failures.ts'
import type { Running } from '../../session/clientSession.ts'
import { command } from '../../client/callCommand.ts'
import { useRunning } from '../../hooks/useClientSession.ts'
import { createListing, NOTHING_YET } from './createListing.ts'
import type { FileFilter, FilesShown, Listing } from './createListing.ts'

/** Public channels that one hasn't joined tell nothing: what is listed of them is asked for anew each minute. */
const LOOK_AGAIN = 60_000
/** So many lists stand as they were when one comes back to them. */
const REMEMBERED = 8

export interface Files extends Omit<FilesShown, 'pages'> {
  files: readonly ListedFile[]
  /** Whether there are older ones. */
  more: boolean
  loadMore: () => void
}

interface Lists {
  shown: Map<string, FilesShown>
  running: Map<string, Listing>
}

/** By what runs, so that nothing of it outlives the session. */
const listsOf = new WeakMap<Running, Lists>()

function listsIn(now: Running): Lists {
  const lists = listsOf.get(now) ?? { shown: new Map(), running: new Map() }
  listsOf.set(now, lists)
  return lists
}

/**
 * Files newest first by what they are, whose they are and what they are called. What comes and goes shows at once; what
 * was listed before stands until it is asked for anew.
 */
export function useFiles(filter: FileFilter): Files {
  const now = useRunning((one) => (one?.store.get().source === 'live' ? one : null))
  const key = JSON.stringify([filter.channelId, filter.kind, filter.author, filter.words])
  const subscribe = useCallback(
    (listener: () => void) => (now ? follow(now, key, listener) : () => {}),
    [now, key],
  )
  const shown = useSyncExternalStore(subscribe, () => (now && listsIn(now).shown.get(key)) ?? NOTHING_YET)
  return {
    files: shown.pages.files,
    status: shown.status,
    failure: shown.failure,
    loading: shown.loading,
    more: shown.pages.before !== null,
    loadMore: () => (now ? listsIn(now).running.get(key)?.more() : undefined),
  }
}

/** Lists while it is listened to. */
function follow(now: Running, key: string, listener: () => void): () => void {
  const { store, engine } = now
  const [channelId, kind, author, words] = JSON.parse(key) as [
    ...[FileFilter['channelId'], FileFilter['kind'], FileFilter['author'], FileFilter['words']],
  ]
  const { shown, running } = listsIn(now)
  const remembered = shown.get(key)
  const listing = createListing(
    { channelId, kind, author, words },
    {
      ask: async (asked) => {
        const workspace = store.get().workspace?.id
        if (!workspace) return { ok: false, failure: failureNamed('session_ended') }
        return command('list_files', { workspace, ...asked })
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
  // A public channel that one hasn't joined: its name is asked for.
  if (channelId !== null && !store.get().channels.has(channelId)) void engine.fetchEntry(channelId)
  const remember = () => {
    shown.delete(key)
    shown.set(key, listing.get())
    const oldest = shown.size > REMEMBERED ? shown.keys().next().value : undefined
    if (oldest !== undefined) shown.delete(oldest)
    listener()
  }
  const again = setInterval(() => {
    if (document.visibilityState === 'visible' && navigator.onLine) listing.refresh()
  }, LOOK_AGAIN)
  addEventListener('online', listing.refresh)
  running.set(key, listing)
  const stops = [
    listing.subscribe(remember),
    store.watch(listing.told),
    store.subscribe(listing.moved),
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
