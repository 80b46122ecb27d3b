import { i18n } from '@lingui/core'
import { navigate } from '../../historyState.ts'
import { pathTo } from '../../paths.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { closeRealtime } from '../client/getRealtime.ts'
import { callCommand } from '../client/callCommand.ts'
import { loadSettings } from '../client/settings.ts'
import { clearDeviceStorage, openDeviceStorage } from '../persistence/deviceStorage.ts'
import { copyDrafts, flushDrafts, readCopies, replaceDraft } from '../persistence/draftWrites.ts'
import { clearLocalData } from '../persistence/clearLocalData.ts'
import { clearFiles } from '../files/download/clearFiles.ts'
import { createCachePersister } from '../persistence/cachePersister.ts'
import type { CachePersister } from '../persistence/cachePersister.ts'
import type { UserActivity } from '../people/userActivity.ts'
import { createExpiryTimer } from '../people/expiryTimer.ts'
import { createLeadership } from '../tabs/leadership.ts'
import { liveTopics, probeSocket } from '../tabs/liveTopics.ts'
import {
  changeOptimisticUpdates,
  currentOptimisticUpdates,
  optimisticVersion,
} from '../mutations/currentOptimisticUpdates.ts'
import { createSharedTopics } from '../tabs/sharedTopics.ts'
import { createTabLocks } from '../tabs/tabLocks.ts'
import { createEngine } from '../sync/engine.ts'
import { restoreState } from '../persistence/cachedRows.ts'
import { createOutbox } from '../mutations/outbox.ts'
import { collectUserEvents } from '../notifications/collectUserEvents.ts'
import { createReadMarkers } from '../mutations/readMarkers.ts'
import type { Ports } from '../sync/ports.ts'
import { createStore } from '../store/store.ts'
import { createTimelineViews } from '../sync/timelineViews.ts'
import { failureFrom, createFailure } from '../failures/failures.ts'
import { reportError, reportException } from '../failures/reportError.ts'
import { watchPage } from '../tabs/watchPage.ts'
import { createTyping } from '../messages/typing.ts'
import { getClientSession, sessionEmitter, setClientSession, setEndedWorkspace } from './clientSession.ts'
import { lastWorkspace, rememberWorkspace } from './lastWorkspace.ts'
import type { ClientSession } from './clientSession.ts'

/** Loaded with the first file. */
const loadUploadFile = () => import('../files/upload/uploadFile.ts')
/** Loaded with the first change of preferences or sections. */
const loadSaveOwnRow = () => import('../mutations/saveOwnRow.ts')
/** Loaded with the first draft. */
const loadDraftChanges = () => import('../messages/draftChanges.ts')
const loadProgress = () => import('../files/upload/progress.ts')

/**
 * Starts the session of an account in the workspace that was shown last. It does nothing if the session already runs.
 */
export function startClientSession(userId: Uuid): void {
  const current = getClientSession()
  if (current?.userId === userId) return
  current?.stop('account')
  setClientSession(start(userId, lastWorkspace(userId)))
  sessionEmitter.emit()
}

/**
 * Shows a workspace, or the user's first one for null. The session of the previous workspace ends, but its mutations
 * are still sent from the outbox of this device. `path` is the path at which the workspace opens; by default the
 * current path.
 */
export async function openWorkspace(workspace: Uuid | null, path?: string): Promise<void> {
  const before = getClientSession()
  if (!before) return
  setEndedWorkspace(null)
  if (before.store.get().workspace?.id === workspace) before.engine.refresh()
  else {
    await before.flush().catch(reportException)
    if (getClientSession() !== before) return
    rememberWorkspace(before.userId, workspace)
    before.stop('workspace')
    setClientSession(start(before.userId, workspace))
  }
  if (path !== undefined) navigate(path)
  sessionEmitter.emit()
}

/** Stops the client session. `cache` clears cached rows; `everything` also drafts and pending mutations. */
export async function stopClientSession(what: 'cache' | 'everything'): Promise<void> {
  const ended = getClientSession()
  if (!ended) return
  setClientSession(null)
  setEndedWorkspace(null)
  if (what === 'everything') ended.signOut()
  ended.stop('account')
  clearFiles()
  if (what === 'everything') clearLocalData()
  sessionEmitter.emit()
  try {
    const { installation } = await loadSettings()
    await clearDeviceStorage(installation, ended.userId, what)
  } catch {
    // The browser refuses storage.
  }
}

/**
 * Milliseconds that the start waits for the stored rows. With their digests the response contains only rows that
 * differ.
 */
const CACHE_TIMEOUT_MS = 500
/** Milliseconds until activity is tracked, so that its code does not delay the first messages. */
const ACTIVITY_DELAY_MS = 10_000

/** Maximum delay of a browser timer (ms). */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
/** Milliseconds between requests while the clock of this device is ahead of the end of a guest's access on the server. */
const MIN_RECHECK_MS = 10_000

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function start(userId: Uuid, workspace: Uuid | null): ClientSession {
  const store = createStore()
  const takeEarlierEvents = collectUserEvents(store)
  let stopped = false
  let persister: CachePersister | null = null
  const stops: (() => void)[] = []

  const tab = crypto.randomUUID()
  const tabLocks = createTabLocks(`linnet-tabs-${userId}`, tab, navigator.locks)
  const topics = createSharedTopics({
    tab,
    ended: tabLocks.ended,
    subscribeBySocket: liveTopics((live) => topics.setSocketLive(live)),
    isLeader: () => leadership.isLeader(),
    post: (message) => leadership.post(message),
    onLive: sessionEmitter.emit,
  })
  const ports: Ports = {
    call: callCommand,
    subscribe: topics.subscribe,
    now: () => performance.now(),
    after,
    random: Math.random,
    visible: () => document.visibilityState === 'visible',
  }
  let isWatchingOthers = false
  /**
   * Loads the watcher of other workspaces, for people who are in several. If that fails offline, the next bootstrap
   * tries again.
   */
  const watchOthers = () => {
    if (isWatchingOthers) return
    isWatchingOthers = true
    import('../workspaces/watchUnreadWorkspaces.ts').then(
      ({ watchUnreadWorkspaces }) => {
        if (!stopped) stops.push(watchUnreadWorkspaces(store, ports))
      },
      () => {
        isWatchingOthers = false
      },
    )
  }
  const views = createTimelineViews(store, ports, (channel) => readMarkers.pendingReadSeq(channel))
  const typing = createTyping(sessionEmitter.emit)
  const expiryTimer = createExpiryTimer({ store, clock: Date.now, after, onExpired: sessionEmitter.emit })
  let activity: UserActivity | null = null
  let reportClosedPage = () => {}
  /** The workspace that was last sent to the other tabs. */
  let announced: Uuid | null = null
  let cancelEndOfAccess = () => {}
  const engine = createEngine({
    store,
    ports,
    anchorOf: (channel) => views.get({ channel, root: null }).anchor,
    isActive: () => activity?.isActive() ?? ports.visible(),
    workspace,
    onBootstrap: () => {
      // The server responds again: failed requests are repeated.
      if (engine.failure() === null) views.retryFailed()
      const { workspace: loaded, workspaces, me } = store.get()
      cancelEndOfAccess()
      if (me?.expires_at) {
        const endsIn = Math.max(Date.parse(me.expires_at) - Date.now(), MIN_RECHECK_MS)
        cancelEndOfAccess = after(Math.min(endsIn, MAX_TIMEOUT_MS), engine.refresh)
      }
      if (loaded && loaded.id !== announced) {
        leadership.post({ kind: 'workspace-loaded' })
        rememberWorkspace(userId, loaded.id)
      }
      announced = loaded?.id ?? null
      if (workspaces.length > 1) watchOthers()
      const ids = workspaces.map(({ id }) => id)
      if (engine.failure() === null)
        void device.then((opened) => opened.deleteOtherWorkspaces(ids)).catch(() => {})
      sessionEmitter.emit()
    },
    onWorkspaceEnded: (ended) =>
      void openWorkspace(null, pathTo('home')).then(() => {
        setEndedWorkspace(ended)
        sessionEmitter.emit()
      }),
    onOtherWorkspace: (id) => void openWorkspace(id),
  })
  engine.onTyping(typing)
  /** Stores the drafts that a page could not store before it closed: with cached rows, then with the server's. */
  const restoreDrafts = () => {
    if (readCopies(userId).length === 0) return
    let restoredFrom = ''
    let restored: Promise<unknown> = Promise.resolve()
    const restore = () => {
      const session = getClientSession()
      const { source, workspace: shown } = store.get()
      if (stopped || !session || !shown || source === restoredFrom) return
      restoredFrom = source
      if (source === 'live') unsubscribe()
      restored = restored
        .then(loadDraftChanges)
        .then(({ restoreDraftCopies }) => restoreDraftCopies(session))
        // Offline without the module: the next start restores them.
        .catch(() => {})
    }
    const unsubscribe = store.subscribe(restore)
    restore()
  }
  let isEngineStarted = false
  const startEngine = () => {
    if (isEngineStarted || stopped) return
    isEngineStarted = true
    engine.start()
  }

  const onStorageFailure = () => reportError(createFailure('device_memory'))
  const onFilesNotStored = () =>
    void import('../files/upload/fileFailures.ts').then(
      ({ filesNotStored }) => reportError(filesNotStored()),
      onStorageFailure,
    )
  const device = loadSettings()
    .then(({ installation }) => openDeviceStorage(installation, userId, onStorageFailure, onFilesNotStored))
    .catch(async () => {
      onStorageFailure()
      return (await import('../persistence/memoryStorage.ts')).createMemoryStorage()
    })
  let isPersistent = true
  void device.then((opened) => {
    isPersistent = opened.isPersistent()
  })

  const leadership = createLeadership(
    `linnet-tabs-${userId}`,
    (leads) => {
      topics.setLeader(leads)
      outbox.retryNow()
    },
    (message) => {
      // Cached rows and this tab's local data; the tab that signs out clears the rest.
      if (message.kind === 'signed-out') {
        void stopClientSession('cache')
        clearLocalData()
      } else if (message.kind === 'outbox') void outbox.reload(message.result, message.workspace)
      else if (message.kind === 'workspace-loaded') {
        if (!store.get().workspace) engine.refresh()
      } else if (message.kind === 'page-closed') {
        engine.sendHeartbeatSoon()
      } else if (message.kind === 'upload') {
        void loadProgress().then(({ setProgress }) => setProgress(message.file, message.loadProgress))
      } else if (message.kind !== 'lead-requested' && message.kind !== 'lead-refused') topics.receive(message)
    },
  )
  const outbox = createOutbox(store, {
    ...ports,
    storage: {
      all: async () => (await device).outbox.all(),
      change: async (how, draft) => {
        const change = async () => {
          const opened = await device
          const stored = await opened.outbox.change(how, draft)
          isPersistent = opened.isPersistent()
          return stored
        }
        return draft === undefined ? change() : replaceDraft(draft, change)
      },
    },
    clock: Date.now,
    uuid: () => crypto.randomUUID(),
    upload: async (channel, file, how) =>
      (await loadUploadFile()).uploadFile(channel, file, {
        ...how,
        publish: (id, now) => leadership.post({ kind: 'upload', file: id, loadProgress: now }),
      }),
    saveOwnRow: (mutation) =>
      loadSaveOwnRow().then(
        ({ saveOwnRow }) => saveOwnRow(mutation),
        (error: unknown) => ({ ok: false, failure: failureFrom(error) }),
      ),
    saveDraft: async (mutation) => (await loadDraftChanges()).saveDraft(mutation, callCommand),
    abandon: (url) => void loadUploadFile().then(({ abandonUpload }) => abandonUpload(url)),
    // Mutations that are only in this page's memory can't be sent by another.
    isLeader: () => leadership.isLeader() || !isPersistent,
    announce: (result, of) => leadership.post({ kind: 'outbox', result, workspace: of }),
    onRejected: (failure) => {
      const reason = failure.message
      const sentence = i18n._('Couldn’t save your change, so it was undone. {reason}', { reason })
      reportError({ ...failure, message: sentence })
    },
  })
  stops.push(
    outbox.subscribe(() => {
      changeOptimisticUpdates(outbox.mutations())
      sessionEmitter.emit()
    }),
    () => changeOptimisticUpdates([]),
  )
  const readMarkers = createReadMarkers(store, outbox, {
    after,
    clock: Date.now,
    uuid: () => crypto.randomUUID(),
    updates: currentOptimisticUpdates,
  })

  stops.push(
    after(CACHE_TIMEOUT_MS, startEngine),
    // Until then a visible page counts as active.
    after(ACTIVITY_DELAY_MS, () => {
      import('../client/createCloseReport.ts').then(
        async ({ createCloseReport }) => {
          reportClosedPage = createCloseReport(await loadSettings())
        },
        // Offline: the server notices it by the missing heartbeats.
        () => {},
      )
      import('../people/userActivity.ts').then(
        ({ createUserActivity }) => {
          if (stopped) return
          const key = `linnet.here.${userId}`
          activity = createUserActivity({
            key,
            page: window,
            clock: Date.now,
            onReturn: engine.sendHeartbeat,
          })
          stops.push(activity.stop)
        },
        // Offline: a visible page counts as active.
        () => {},
      )
    }),
  )
  void device.then(async (opened) => {
    // The outbox is read before cached rows are restored, so that they are displayed with pending changes.
    const [stored] = await Promise.all([opened.readCache(workspace).catch(() => null), outbox.reload()])
    if (stopped) return
    const state = restoreState(stored)
    if (state) store.dispatch({ type: 'cacheRestored', state })
    startEngine()
    restoreDrafts()
    persister = createCachePersister(store, opened, stored?.messages ?? [], after, engine.recentlyOpened)
  })

  stops.push(
    watchPage({
      hidden: () => {
        copyDrafts(userId)
        void readMarkers.flush()
        void persister?.flush()
        // Not at once: whether the person is active in another tab is known after it has stored that.
        engine.sendHeartbeatSoon()
      },
      woke: () => {
        if (leadership.isLeader()) void probeSocket().catch(() => {})
        engine.sendHeartbeat()
        outbox.retryNow()
        views.retryFailed()
        expiryTimer.check()
      },
      focused: () => engine.sendHeartbeat(),
      leaving: () => {
        copyDrafts(userId)
        topics.closing()
        // Timers and the end of the socket can run code in a page that is being closed.
        engine.leave()
        reportClosedPage()
        // Other pages of this browser report that they are open.
        leadership.post({ kind: 'page-closed' })
      },
      // The leader was notified that this page had closed.
      restored: () => topics.receive({ kind: 'leader-changed' }),
      online: () => {
        engine.refresh()
        outbox.retryNow()
        void readMarkers.flush()
        views.retryFailed()
        sessionEmitter.emit()
      },
      offline: sessionEmitter.emit,
    }),
  )
  stops.push(() => cancelEndOfAccess())
  stops.push(store.subscribe(sessionEmitter.emit), readMarkers.subscribe(sessionEmitter.emit))
  stops.push(views.subscribe(sessionEmitter.emit))

  return {
    userId,
    store,
    engine,
    outbox,
    readMarkers,
    timelineViews: views,
    typing,
    expiryTimer,
    device,
    missingChannels: new Set(),
    takeEarlierEvents,
    optimisticVersion,
    isLive: topics.live,
    signOut: () => leadership.post({ kind: 'signed-out' }),
    isLeader: leadership.isLeader,
    flush: async () => {
      await Promise.all([flushDrafts(), readMarkers.flush(), persister?.flush()])
    },
    stop: (end) => {
      stopped = true
      for (const stop of stops) stop()
      engine.stop()
      outbox.stop()
      readMarkers.stop()
      typing.stop()
      expiryTimer.stop()
      persister?.stop()
      topics.stop()
      leadership.stop()
      tabLocks.stop()
      void device.then((opened) => opened.close())
      // The next workspace uses the same socket.
      if (end === 'account') void closeRealtime()
    },
  }
}
