import { createFailure } from '../../app/data/failures/failures.ts'
import type { Outcome } from '../../app/data/failures/failures.ts'
import { createCachePersister } from '../../app/data/persistence/cachePersister.ts'
import { createEngine } from '../../app/data/sync/engine.ts'
import { restoreState } from '../../app/data/persistence/cachedRows.ts'
import { createOutbox } from '../../app/data/mutations/outbox.ts'
import { saveDraft } from '../../app/data/mutations/saveDraft.ts'
import type { Outbox } from '../../app/data/mutations/outbox.ts'
import { createReadMarkers } from '../../app/data/mutations/readMarkers.ts'
import type { Ports } from '../../app/data/sync/ports.ts'
import { hasLoadedMessages, isBehind } from '../../app/data/store/state.ts'
import type { ChannelRows } from '../../app/data/store/state.ts'
import { createStore } from '../../app/data/store/store.ts'
import { createTimelineViews } from '../../app/data/sync/timelineViews.ts'
import { createOptimisticUpdates } from '../../app/data/mutations/optimisticUpdates.ts'
import { createSharedTopics } from '../../app/data/tabs/sharedTopics.ts'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { Message } from '../../wire/messages.ts'
import type { ChannelEntry } from '../../wire/channels.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { Browser, ReadActivity, Tab } from './types.ts'
import { knownUserGroupsOf } from './database/userGroups.ts'
import type { Network } from './network/network.ts'
import type { Random } from '../support/random.ts'

/** A defect injected into the app, to show that the checks detect it. */
export interface Mutant {
  reduce?: NonNullable<Parameters<typeof createStore>[0]>
  call?: (call: Ports['call']) => Ports['call']
}

/** Milliseconds until the groups are loaded: messages are received before. */
const GROUPS_DELAY_MS = 400

/** A channel that its reader is no member of, or that is archived, is refetched only when it is opened. */
export function needsRefetch({ entry }: ChannelRows): boolean {
  return !entry.member || entry.channel.archived_at !== null
}

/** A person who left a channel and rejoined has no earlier read marker. */
function recordMembershipEnd(activity: ReadActivity, me: Uuid | null, name: CommandName, args: object) {
  const { channel, person } = args as { channel?: Uuid; person?: Uuid }
  if (name === 'deactivate_member') activity.inconclusive = true
  if (name === 'remove_member') activity.ended.add(`${channel} ${person}`)
  if (name === 'leave_channel') activity.ended.add(`${channel} ${me}`)
}

export function createTab(options: {
  network: Network
  browser: Browser
  label: string
  random: Random
  mutant: Mutant
  /** Called when the server answers that the session has ended. */
  onEnded: () => void
}): Tab {
  const { network, browser, label, random, mutant, onEnded } = options
  const device = network.device({ label, caller: () => browser.caller, me: () => tab.me() })
  const networkPorts = network.ports(device, random)
  const ownPorts: Ports = {
    ...networkPorts,
    call: async (name, args) => {
      const outcome = await networkPorts.call(name, args)
      if (!outcome.ok && outcome.failure.name === 'session_ended') onEnded()
      // An author who has lost access can no longer delete what the server stored without their knowledge.
      if (!outcome.ok && outcome.failure.name === 'not_found' && name === 'delete_message') {
        const { id: deleted } = args as Commands['delete_message']['args']
        browser.discarded = browser.discarded.filter((id) => id !== deleted)
      }
      return outcome
    },
  }
  const topics = createSharedTopics({
    tab: label,
    subscribeBySocket: ownPorts.subscribe,
    isLeader: () => tab.leads,
    post: (news) => browser.broadcast(tab, news),
    ended: browser.whenClosed,
    onLive: () => {},
  })
  const ports: Ports = {
    ...ownPorts,
    call: mutant.call ? mutant.call(ownPorts.call) : ownPorts.call,
    subscribe: topics.subscribe,
  }
  const store = createStore(mutant.reduce)
  const views = createTimelineViews(store, ports, (channel) => readMarkers.pendingReadSeq(channel))
  const engine = createEngine({
    store,
    ports,
    anchorOf: (channel) => views.get({ channel, root: null }).anchor,
  })
  const clocks = { clock: network.clock.now, uuid: random.uuid }
  const outbox = createOutbox(store, {
    ...ports,
    storage: browser.outboxStorage,
    ...clocks,
    upload: async () => ({ ok: true, value: undefined }),
    abandon: () => {},
    saveDraft: (mutation) => saveDraft(mutation, ports.call),
    saveOwnRow: async (mutation) => {
      if (mutation.kind !== 'preferences')
        throw new Error('Only preferences of channels are changed through the outbox here.')
      const { channel, change } = mutation
      const text = `update public.channel_member_state set starred = $1, muted = $2
        where channel_id = $3 returning rev::integer`
      const values = [change.starred, change.muted, channel]
      const outcome = await network.write(device, 'starred', text, values)
      if (!outcome.ok) return outcome
      const [row] = outcome.value as { rev: number }[]
      if (!row) return { ok: false, failure: createFailure('not_found') }
      return { ok: true, value: { type: 'preferencesSaved', channelId: channel, change, rev: row.rev } }
    },
    isLeader: () => tab.leads,
    announce: (answer) => browser.broadcast(tab, { kind: 'outbox', answer }),
  })
  let updates = createOptimisticUpdates([], null)
  outbox.subscribe(() => {
    updates = createOptimisticUpdates(outbox.mutations(), updates)
    for (const mutation of outbox.mutations()) {
      const written =
        mutation.state === 'failed' && browser.sentMessages.find((one) => one.id === mutation.id)
      if (written) written.refused = true
    }
  })
  const put: Outbox['put'] = async (mutation, draft) => {
    await outbox.put(mutation, draft)
    const { read, unread } = browser.readActivity
    if (mutation.kind === 'read')
      read.set(mutation.channel, Math.max(mutation.seq, read.get(mutation.channel) ?? 0))
    if (mutation.kind === 'unread') unread.add(mutation.channel)
  }
  const markers = { ...ports, ...clocks, updates: () => updates }
  const readMarkers = createReadMarkers(store, { put, sendReadMarkers: outbox.sendReadMarkers }, markers)
  /** Loads the groups once the workspace is known, as the app does after the first messages. */
  let isLoadingGroups = false
  const stopGroups = store.subscribe(() => {
    const { workspace, me, userGroups } = store.get()
    if (!workspace || !me || userGroups !== null || isLoadingGroups) return
    isLoadingGroups = true
    const groups = knownUserGroupsOf(me.profile.name)
    ports.after(GROUPS_DELAY_MS, () => {
      isLoadingGroups = false
      const list = { name: 'userGroups' as const, rows: groups }
      store.dispatch({ type: 'versionedListReceived', workspace: workspace.id, list, version: '1' })
    })
  })
  const { cached } = browser
  const restored = restoreState(structuredClone(cached))
  if (restored) store.dispatch({ type: 'cacheRestored', state: restored })
  const cachePersister = createCachePersister(
    store,
    browser.cache,
    cached?.messages ?? [],
    ports.after,
    engine.recentlyOpened,
  )
  let runningCommands = 0
  const wait = <T>(request: Promise<Outcome<T>>, then: (value: T) => void) => {
    runningCommands += 1
    void request.then((outcome) => {
      runningCommands -= 1
      if (outcome.ok) then(outcome.value)
    })
  }

  const tab: Tab = {
    label,
    browser,
    device,
    store,
    engine,
    outbox,
    readMarkers,
    views,
    topics,
    leads: false,
    opened: null,
    thread: null,
    me: () => store.get().me?.profile.id ?? null,
    run: (name, args, then) => wait(ports.call(name, args), then),
    runAndApply: (name, args) => {
      recordMembershipEnd(browser.readActivity, tab.me(), name, args)
      wait(ports.call(name, args), (value) => {
        const answer = value as { message?: Message } | ChannelEntry
        if ('counters' in answer) store.dispatch({ type: 'entryReceived', entry: answer })
        else if (answer.message) store.dispatch({ type: 'messageReceived', message: answer.message })
        else if (name === 'leave_channel') {
          const channelId = (args as Commands['leave_channel']['args']).channel
          store.dispatch({ type: 'channelRemoved', channelId })
        }
      })
    },
    write: (what, text, values) => wait(network.write(device, what, text, values), () => {}),
    open: (channel) => {
      tab.close()
      const release = engine.open(channel)
      readMarkers.resumeReading(channel)
      views.open({ channel, root: null })
      tab.opened = {
        channel,
        close: () => {
          release()
          views.close({ channel, root: null })
        },
      }
    },
    close: () => {
      tab.opened?.close()
      tab.opened = null
    },
    receive: (news) => {
      if (news.kind === 'outbox') void outbox.reload(news.answer)
      else topics.receive(news)
    },
    busy: () => {
      const waiting = outbox.mutations().filter((mutation) => mutation.state === 'pending')
      // The topic of a closed channel is joined again later, and the state is fetched then.
      const subscribed = [...store.get().channels.values()].filter((rows) => !needsRefetch(rows))
      const behind = subscribed.filter((rows) => hasLoadedMessages(rows) && isBehind(rows))
      const counts = {
        engine: engine.pendingRequests(),
        outbox: outbox.pendingQueues(),
        readMarkers: readMarkers.pendingWrites(),
        views: views.pendingRequests(),
        commands: runningCommands,
        groups: isLoadingGroups ? 1 : 0,
        ...Object.fromEntries(waiting.map((mutation) => [`${mutation.kind} ${mutation.id}`, 1])),
        ...Object.fromEntries(
          behind.map(({ entry, rev }) => [`${entry.channel.name} at ${rev} of ${entry.counters.rev}`, 1]),
        ),
      }
      return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [what] : []))
    },
    saveCache: cachePersister.flush,
    stop: (graceful) => {
      engine.stop()
      outbox.stop()
      readMarkers.stop()
      cachePersister.stop()
      stopGroups()
      if (graceful) topics.stop()
      network.remove(device)
    },
  }
  engine.start()
  void outbox.reload()
  return tab
}
