import type { FileKind } from '../../../../wire/fileKinds.ts'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { FileList, ListFilesArgs } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { reportException } from '../../failures/reportError.ts'
import type { Failure, Outcome } from '../../failures/failures.ts'
import type { SyncEvent } from '../../store/syncEvents.ts'
import { setBounded } from '../../hooks/setBounded.ts'
import { createRevTracker } from './revTracker.ts'
import { reuseUnchanged, includesMessage, withHead, withoutFiles, withOlder } from './pages.ts'
import type { LoadedFiles } from './pages.ts'

/** Filters of a list of files; null: all that the user can read. */
export interface FileFilter {
  channelId: Uuid | null
  kind: FileKind | null
  author: Uuid | null
  /** Parts of words of the name; empty: any name. */
  terms: string
}

export interface FileListState {
  pages: LoadedFiles
  status: 'loading' | 'ready' | 'failed'
  /** Failure of the last request. */
  failure: Failure | null
  /** Whether older files are being fetched. */
  loading: boolean
}

/** Before the first response. */
export const LOADING_STATE: FileListState = {
  pages: { files: [], before: null },
  status: 'loading',
  failure: null,
  loading: false,
}

export interface ListingPorts {
  fetchPage: (request: Omit<ListFilesArgs, 'workspace'>) => Promise<Outcome<FileList>>
  /** The highest received rev of each channel of the list. */
  revs: () => ReadonlyMap<Uuid, number>
  after: (ms: number, run: () => void) => () => void
}

export interface Listing {
  get: () => FileListState
  subscribe: (listener: () => void) => () => void
  /** Fetches the next page; after a failure, the same again. */
  loadMore: () => void
  /** Called with each event of the store. */
  onEvent: (event: SyncEvent) => void
  /** Called when channels may have changed, been added or removed. */
  onChannelsChanged: () => void
  /** Fetches everything listed again: changes in some channels are not published to this user. */
  refresh: () => void
  stop: () => void
}

const PAGE_SIZE = 50
/** Files of a page when the list is fetched again. */
const REFRESH_PAGE_SIZE = 100
/** Maximum number of files that are fetched again; the rest is fetched when it is scrolled to. */
const MAX_REFRESHED = 1_000
/** Maximum number of deleted messages whose files are removed from responses that were sent before their deletion. */
const MAX_DELETED = 1_000
/** Milliseconds to wait for the event of a change before the list is fetched again. */
const EVENT_DELAY_MS = 1_500
/** Milliseconds until a failed request is repeated. */
const RETRY_INTERVAL_MS = 10_000

/**
 * Files newest first, as a fresh request would return them: new files are fetched with the first page, deleted ones are
 * removed at once. Changes without an event are detected by gaps in the revs; then the whole list is fetched again.
 * @param before the last state of the same list, displayed until the first response
 */
export function createListing(
  filter: FileFilter,
  ports: ListingPorts,
  before: FileListState = LOADING_STATE,
): Listing {
  const revTracker = createRevTracker()
  const listeners = new Set<() => void>()
  const deletedMessages = new Map<Uuid, true>()
  const want = { all: true, head: false, older: false }
  let shown = before
  let busy = false
  let stopped = false
  let waiting: (() => void) | null = null
  let retry: (() => void) | null = null

  function show(change: Partial<FileListState>) {
    if (stopped) return
    shown = { ...shown, ...change }
    for (const listener of listeners) listener()
  }

  function requestPage(before: string | null, limit: number): Promise<Outcome<FileList>> {
    const { channelId, kind, author, terms } = filter
    const kinds = kind ? { kinds: [kind] } : {}
    return ports.fetchPage({ channel: channelId, author, query: terms || null, before, limit, ...kinds })
  }

  /** Fetches the list again, as far as it was loaded. */
  async function fetchAll(): Promise<Outcome<FileList>> {
    const far = Math.min(Math.max(shown.pages.files.length, PAGE_SIZE), MAX_REFRESHED)
    revTracker.begin(ports.revs())
    let all: LoadedFiles = { files: [], before: null }
    do {
      const page = await requestPage(all.before, Math.min(REFRESH_PAGE_SIZE, far - all.files.length))
      if (!page.ok) return page
      all = withOlder(all, page.value)
    } while (all.before !== null && all.files.length < far)
    return { ok: true, value: reuseUnchanged(shown.pages, all) }
  }

  async function next(): Promise<Outcome<FileList> | null> {
    if (want.all) {
      want.all = want.head = false
      return fetchAll()
    }
    if (want.head) {
      want.head = false
      const page = await requestPage(null, PAGE_SIZE)
      return page.ok ? { ok: true, value: withHead(shown.pages, page.value) } : page
    }
    const { before } = shown.pages
    if (!want.older || before === null) return null
    want.older = false
    show({ loading: true })
    const page = await requestPage(before, PAGE_SIZE)
    return page.ok ? { ok: true, value: withOlder(shown.pages, page.value) } : page
  }

  async function run() {
    if (busy || stopped) return
    busy = true
    retry?.()
    retry = null
    const { ...wanted } = want
    try {
      await fetchWanted()
    } catch (error) {
      reportException(error)
      Object.assign(want, wanted)
      retry = ports.after(RETRY_INTERVAL_MS, () => void run())
    } finally {
      busy = false
    }
  }

  async function fetchWanted() {
    for (;;) {
      const { ...wanted } = want
      const outcome = await next()
      if (stopped) break
      if (outcome === null) {
        // A request made since the last check found this loop running and left its work to it.
        if (want.all || want.head) continue
        break
      }
      if (!outcome.ok) {
        Object.assign(want, wanted)
        show({
          status: shown.status === 'ready' ? 'ready' : 'failed',
          failure: outcome.failure,
          loading: false,
        })
        if (outcome.failure.isRetryable) retry = ports.after(RETRY_INTERVAL_MS, () => void run())
        break
      }
      const pages = withoutFiles(outcome.value, (one) => deletedMessages.has(one.message_id))
      show({ pages, status: 'ready', failure: null, loading: false })
    }
  }

  /** Whether the list may show files of this message. */
  function concerns(message: Message): boolean {
    const { kind, author } = filter
    if (author !== null && message.author_id !== author) return false
    return message.attachments.some((file) => kind === null || fileKindOf(file.type) === kind)
  }

  function receiveMessage(message: Message) {
    if (filter.channelId !== null && message.channel_id !== filter.channelId) return
    if (message.deleted_at !== null) {
      setBounded(deletedMessages, message.id, true, MAX_DELETED)
      const pages = withoutFiles(shown.pages, (one) => one.message_id === message.id)
      if (pages !== shown.pages) show({ pages })
    } else if (!includesMessage(shown.pages, message.id) && concerns(message)) {
      if (isAfter(message, PAGE_SIZE)) want.head = true
      else if (isAfter(message, Infinity)) want.all = true
    }
    revTracker.add(message.channel_id, message.rev)
  }

  /** Whether the message is newer than the file at `count`: older messages change too (reactions, pins). */
  function isAfter(message: Message, count: number): boolean {
    const { files, before: older } = shown.pages
    const last = files[Math.min(count, files.length) - 1]
    if (!last || (older === null && files.length <= count)) return true
    return Date.parse(message.created_at) >= Date.parse(last.created_at)
  }

  function refreshIfBehind() {
    waiting = null
    if (revTracker.isBehind(ports.revs())) want.all = true
    void run()
  }

  void run()

  return {
    get: () => shown,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    loadMore: () => {
      if (shown.pages.before !== null) want.older = true
      void run()
    },
    onEvent: (event) => {
      if (event.type === 'channelEventReceived' && event.event.event === 'message')
        receiveMessage(event.event.payload.message)
      else if (event.type === 'messageReceived') receiveMessage(event.message)
      else if (event.type === 'changesReceived') {
        for (const message of event.changes.messages) receiveMessage(message)
        revTracker.addRange(event.changes.channel_id, event.after, event.changes.rev)
      }
      if (want.head || want.all) void run()
    },
    onChannelsChanged: () => {
      const revs = ports.revs()
      if (waiting !== null || !revTracker.isBehind(revs)) return
      // Files of a channel that is no longer readable are removed at once.
      const pages = withoutFiles(shown.pages, ({ channel_id: id }) => revTracker.has(id) && !revs.has(id))
      if (pages !== shown.pages) show({ pages })
      waiting = ports.after(EVENT_DELAY_MS, refreshIfBehind)
    },
    refresh: () => {
      want.all = true
      void run()
    },
    stop: () => {
      stopped = true
      waiting?.()
      retry?.()
      listeners.clear()
    },
  }
}
