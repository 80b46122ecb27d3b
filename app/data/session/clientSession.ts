import { i18n } from '@lingui/core'
import type { Uuid } from '../../../wire/linnet.ts'
import { getClient } from '../client/getClient.ts'
import { command } from '../client/callCommand.ts'
import { loadSettings } from '../client/settings.ts'
import { clearDeviceStorage, createMemoryStorage, openDeviceStorage } from '../persistence/deviceStorage.ts'
import type { DeviceStorage } from '../persistence/deviceStorage.ts'
import { replaceDraft } from '../persistence/drafts.ts'
import { clearLocalData } from '../persistence/clearLocalData.ts'
import { forgetFiles } from '../files/download/clearFiles.ts'
import { createHub } from '../hooks/emitter.ts'
import { createCachePersister } from '../persistence/cachePersister.ts'
import type { CachePersister } from '../persistence/cachePersister.ts'
import type { Activity } from '../people/activity.ts'
import { createExpiries } from '../people/expiryTimer.ts'
import type { Expiries } from '../people/expiryTimer.ts'
import { createLeadership } from '../tabs/leadership.ts'
import { liveTopics, probeSocket } from '../tabs/liveTopics.ts'
import { updateOverlay, currentOverlay, overlayVersion } from '../mutations/currentOverlay.ts'
import { sharedTopics } from '../tabs/sharedTopics.ts'
import { createTabLocks } from '../tabs/tabLocks.ts'
import { createEngine } from '../sync/engine.ts'
import type { Engine } from '../sync/engine.ts'
import { restoreState } from '../persistence/cachedRows.ts'
import { createOutbox } from '../mutations/outbox.ts'
import type { Outbox } from '../mutations/outbox.ts'
import { createReadMarkers } from '../mutations/readMarkers.ts'
import type { ReadMarkers } from '../mutations/readMarkers.ts'
import type { Ports } from '../sync/ports.ts'
import { createStore } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { createThreadViews } from '../sync/threadViews.ts'
import type { ThreadViews } from '../sync/threadViews.ts'
import { createChannelViews } from '../sync/channelViews.ts'
import type { ChannelViews } from '../sync/channelViews.ts'
import { failureFrom, failureNamed } from '../failures/failures.ts'
import { tellMishap } from '../failures/reportError.ts'
import { watchPage } from '../tabs/watchPage.ts'
import { createTyping } from '../messages/typing.ts'
import type { Typing } from '../messages/typing.ts'

/** What uploads, and how far that is: wanted with the first file. */
const sending = () => import('../files/upload/uploadFile.ts')
/** What stores preferences and sections. */
const own = () => import('../sidebar/sidebarCommands.ts')
const progress = () => import('../files/upload/progress.ts')

/** Everything that runs for the signed-in person in this tab. */
export interface Running {
  userId: Uuid
  store: Store
  engine: Engine
  outbox: Outbox
  pointers: ReadMarkers
  views: ChannelViews
  threads: ThreadViews
  typing: Typing
  expiries: Expiries
  device: Promise<DeviceStorage>
  /** Channels that were asked for and are not there for us. */
  missing: Set<Uuid>
  /** Rises with each deed that is shown before it is answered. */
  wishes: () => number
  /** Whether a topic was held on the present socket. */
  live: () => boolean
  /** Tells the other tabs of this person that nothing of theirs may stay. */
  signOut: () => void
  /** Whether this tab holds the socket for all tabs of the account. */
  leads: () => boolean
  stop: () => void
}

/** Hooks listen here: told when anything of what runs has changed. */
export const hub = createHub()

let current: Running | null = null

export function running(): Running | null {
  return current
}

/** Starts the engine for an account; nothing happens when it runs for it already. */
export function startFor(userId: Uuid): void {
  if (current?.userId === userId) return
  current?.stop()
  current = start(userId)
  hub.tell()
}

/** Ends what runs. `cache` clears cached rows alone; `everything` also drafts and what waits to be sent. */
export async function stopAndForget(what: 'cache' | 'everything'): Promise<void> {
  const ended = current
  if (!ended) return
  current = null
  if (what === 'everything') ended.signOut()
  ended.stop()
  forgetFiles()
  if (what === 'everything') clearLocalData()
  hub.tell()
  try {
    const { installation } = await loadSettings()
    await clearDeviceStorage(installation, ended.userId, what)
  } catch {
    // Where the browser refuses storage there is nothing to forget.
  }
}

/** Milliseconds until activity is tracked: the first messages are loaded before. */
const ACTIVITY_AFTER = 10_000

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function start(userId: Uuid): Running {
  const store = createStore()
  let stopped = false
  let keeper: CachePersister | null = null
  const stops: (() => void)[] = []

  const tab = crypto.randomUUID()
  const tabLocks = createTabLocks(`linnet-tabs-${userId}`, tab, navigator.locks)
  const topics = sharedTopics({
    tab,
    ended: tabLocks.ended,
    own: liveTopics((live) => topics.socket(live)),
    leads: () => leadership.leads(),
    tell: (news) => leadership.tell(news),
    onLive: hub.tell,
  })
  const ports: Ports = {
    call: command,
    subscribe: topics.subscribe,
    now: () => performance.now(),
    after,
    random: Math.random,
    visible: () => document.visibilityState === 'visible',
  }
  const views = createChannelViews(store, ports)
  const threads = createThreadViews(store, ports)
  const typing = createTyping(hub.tell)
  const expiries = createExpiries({ store, clock: Date.now, after, tell: hub.tell })
  let activity: Activity | null = null
  /** The workspace last announced to the other tabs. */
  let announced: Uuid | null = null
  const engine = createEngine({
    store,
    ports,
    anchorOf: (channelId) => views.get(channelId).anchor,
    isActive: () => activity?.active() ?? ports.visible(),
    onBootstrap: () => {
      // The server answers again: what could not be fetched before is fetched now.
      if (engine.failure() === null) views.retryFailed()
      const { workspace } = store.get()
      if (workspace && workspace.id !== announced) leadership.tell({ kind: 'workspace' })
      announced = workspace?.id ?? null
      hub.tell()
    },
  })
  engine.onTyping(typing)

  const unlasting = () => tellMishap(failureNamed('device_memory'))
  const unkept = () =>
    void import('../files/upload/fileFailures.ts').then(({ filesNotKept }) => tellMishap(filesNotKept()))
  const device = loadSettings()
    .then(({ installation }) => openDeviceStorage(installation, userId, unlasting, unkept))
    .catch(() => {
      unlasting()
      return createMemoryStorage()
    })
  let lasting = true
  void device.then((opened) => {
    lasting = opened.isPersistent()
  })

  const leadership = createLeadership(
    `linnet-tabs-${userId}`,
    (leads) => {
      topics.leading(leads)
      outbox.retryNow()
    },
    (news) => {
      // Only what is cached and what this tab remembers: the one that signs out forgets the rest.
      if (news.kind === 'signed-out') {
        void stopAndForget('cache')
        clearLocalData()
      } else if (news.kind === 'outbox') void outbox.reload(news.answer)
      else if (news.kind === 'workspace') {
        if (!store.get().workspace) engine.refresh()
      } else if (news.kind === 'upload') {
        void progress().then(({ setProgress }) => setProgress(news.file, news.progress))
      } else if (news.kind !== 'lead-wanted' && news.kind !== 'lead-kept') topics.hear(news)
    },
  )
  const outbox = createOutbox(store, {
    ...ports,
    storage: {
      all: async () => (await device).outbox.all(),
      change: async (how, draft) => {
        const change = async () => {
          const opened = await device
          const kept = await opened.outbox.change(how, draft)
          lasting = opened.isPersistent()
          return kept
        }
        return draft === undefined ? change() : replaceDraft(draft, change)
      },
    },
    clock: Date.now,
    uuid: () => crypto.randomUUID(),
    upload: async (channel, file, how) =>
      (await sending()).uploadFile(channel, file, {
        ...how,
        tell: (id, now) => leadership.tell({ kind: 'upload', file: id, progress: now }),
      }),
    saveOwn: (deed) =>
      own().then(
        ({ saveOwn }) => saveOwn(deed),
        (error: unknown) => ({ ok: false, failure: failureFrom(error) }),
      ),
    abandon: (url) => void sending().then(({ abandonUpload }) => abandonUpload(url)),
    // What is in this page's memory alone, no other page can send.
    isLeader: () => leadership.leads() || !lasting,
    announce: (answer) => leadership.tell({ kind: 'outbox', answer }),
    onRejected: (failure) => {
      const reason = failure.sentence
      const sentence = i18n._('Couldn’t save, so we put it back as it was. {reason}', { reason })
      tellMishap({ ...failure, sentence })
    },
  })
  stops.push(
    outbox.subscribe(() => {
      updateOverlay(outbox.mutations())
      hub.tell()
    }),
    () => updateOverlay([]),
  )
  const pointers = createReadMarkers(store, outbox, {
    after,
    clock: Date.now,
    uuid: () => crypto.randomUUID(),
    overlay: currentOverlay,
  })

  engine.start()
  stops.push(
    // Not wanted before somebody could have been away.
    after(ACTIVITY_AFTER, () => {
      import('../people/activity.ts').then(
        ({ createActivity }) => {
          if (stopped) return
          const key = `linnet.here.${userId}`
          activity = createActivity({ key, page: window, clock: Date.now, onReturn: engine.sendHeartbeat })
          stops.push(activity.stop)
        },
        // Offline: then a page that is seen counts as attended.
        () => {},
      )
    }),
  )
  void device.then(async (opened) => {
    // What waits comes first: what is restored is shown with it at once.
    const [kept] = await Promise.all([opened.readCache().catch(() => null), outbox.reload()])
    if (stopped) return
    const state = restoreState(kept)
    if (state) store.dispatch({ type: 'cacheRestored', state })
    keeper = createCachePersister(store, opened, kept?.messages ?? [], after, engine.recentlyOpened)
  })

  stops.push(
    watchPage({
      hidden: () => {
        pointers.flush()
        keeper?.flush()
      },
      woke: () => {
        if (leadership.leads()) void probeSocket().catch(() => {})
        engine.sendHeartbeat()
        outbox.retryNow()
        views.retryFailed()
        expiries.look()
      },
      focused: () => engine.sendHeartbeat(),
      leaving: topics.closing,
      // The leader was told that this page had gone.
      restored: () => topics.hear({ kind: 'led' }),
      online: () => {
        engine.refresh()
        outbox.retryNow()
        pointers.flush()
        views.retryFailed()
        hub.tell()
      },
      offline: hub.tell,
    }),
  )
  stops.push(store.subscribe(hub.tell), pointers.subscribe(hub.tell))
  stops.push(views.subscribe(hub.tell), threads.subscribe(hub.tell))

  return {
    userId,
    store,
    engine,
    outbox,
    pointers,
    views,
    threads,
    typing,
    expiries,
    device,
    missing: new Set(),
    wishes: overlayVersion,
    live: topics.live,
    signOut: () => leadership.tell({ kind: 'signed-out' }),
    leads: leadership.leads,
    stop: () => {
      stopped = true
      for (const stop of stops) stop()
      engine.stop()
      outbox.stop()
      pointers.stop()
      typing.stop()
      expiries.stop()
      keeper?.stop()
      topics.stop()
      leadership.stop()
      tabLocks.stop()
      void device.then((opened) => opened.close())
      void getClient().then((client) => client.removeAllChannels())
    },
  }
}
