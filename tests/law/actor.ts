import { failureNamed } from '../../app/data/failures/failures.ts'
import type { Outcome } from '../../app/data/failures/failures.ts'
import { keepWords } from '../../app/data/persistence/cachePersister.ts'
import type { DeedAnswer } from '../../app/data/mutations/executeMutation.ts'
import { createEngine } from '../../app/data/sync/engine.ts'
import type { Engine } from '../../app/data/sync/engine.ts'
import { restoredState } from '../../app/data/persistence/cachedRows.ts'
import { createOutbox } from '../../app/data/mutations/outbox.ts'
import type { Outbox } from '../../app/data/mutations/outbox.ts'
import { createPointers } from '../../app/data/mutations/readMarkers.ts'
import type { Pointers } from '../../app/data/mutations/readMarkers.ts'
import type { Ports } from '../../app/data/sync/ports.ts'
import { holdsWords, isBehind } from '../../app/data/store/state.ts'
import type { ChannelRows } from '../../app/data/store/state.ts'
import { createStore } from '../../app/data/store/store.ts'
import type { Store } from '../../app/data/store/store.ts'
import { createThreadViews } from '../../app/data/sync/threadViews.ts'
import type { ThreadViews } from '../../app/data/sync/threadViews.ts'
import { createViews } from '../../app/data/sync/channelViews.ts'
import type { Views } from '../../app/data/sync/channelViews.ts'
import { wishesOf } from '../../app/data/mutations/optimisticOverlay.ts'
import { sharedTopics } from '../../app/data/tabs/sharedTopics.ts'
import type { SharedTopics, TopicNews } from '../../app/data/tabs/sharedTopics.ts'
import type { ChannelEntry, CommandName, Commands, Message, Uuid } from '../../wire/linnet.ts'
import type { Browser, Reading } from './browser.ts'
import type { Device, Network } from './network/network.ts'
import type { Chance } from './random.ts'

/** What tabs of one browser tell each other. */
export type News = TopicNews | { kind: 'outbox'; answer: DeedAnswer | null }

/** The app with something wrong in it, to show that the law notices. */
export interface Wrong {
  reduce?: NonNullable<Parameters<typeof createStore>[0]>
  call?: (call: Ports['call']) => Ports['call']
}

/** One tab: the app's own engine, outbox, pointers, views and cache on a simulated network. */
export interface Actor {
  label: string
  browser: Browser
  device: Device
  store: Store
  engine: Engine
  outbox: Outbox
  pointers: Pointers
  views: Views
  threads: ThreadViews
  topics: SharedTopics
  leads: boolean
  /** The conversation in front, if any. */
  opened: { channel: Uuid; close: () => void } | null
  /** The thread that was opened last, if any. */
  thread: { channel: Uuid; root: Uuid } | null
  /** One's own id, once the home has told it. */
  me: () => Uuid | null
  /** Asks a command, and has its answer dealt with. */
  ask: <N extends CommandName>(
    name: N,
    args: Commands[N]['args'],
    then: (answer: Commands[N]['answer']) => void,
  ) => void
  /** Asks a command and lays its answer (a message, an entry) into the rows, as the app's actions do. */
  change: <N extends CommandName>(name: N, args: Commands[N]['args']) => void
  /** Plain SQL under the policies, on the way of all requests. */
  write: (what: string, text: string, values: unknown[]) => void
  open: (channel: Uuid) => void
  close: () => void
  hear: (news: News) => void
  /** What it still waits for. */
  busy: () => string[]
  /** Writes the device's cache now, as a page that hides does. */
  keep: () => void
  /** `told`: whether the page could still say that it goes. */
  stop: (told: boolean) => void
}

/** Nothing tells of a channel that one does not belong to, or that is archived, until it is looked at. */
export function isLookedInto({ entry }: ChannelRows): boolean {
  return !entry.member || entry.channel.archived_at !== null
}

/** A person who left a channel and rejoined has no earlier read marker. */
function noteEnd(reading: Reading, me: Uuid | null, name: CommandName, args: object) {
  const { channel, person } = args as { channel?: Uuid; person?: Uuid }
  if (name === 'deactivate_member') reading.void = true
  if (name === 'remove_member') reading.ended.add(`${channel} ${person}`)
  if (name === 'leave_channel') reading.ended.add(`${channel} ${me}`)
}

export function createActor(options: {
  network: Network
  browser: Browser
  label: string
  chance: Chance
  wrong: Wrong
  /** The home says that the session has ended. */
  onEnded: () => void
}): Actor {
  const { network, browser, label, chance, wrong, onEnded } = options
  const device = network.device({ label, caller: () => browser.caller, me: () => actor.me() })
  const way = network.ports(device, chance)
  const own: Ports = {
    ...way,
    call: async (name, args) => {
      const outcome = await way.call(name, args)
      if (!outcome.ok && outcome.failure.name === 'session_ended') onEnded()
      return outcome
    },
  }
  const topics = sharedTopics({
    tab: label,
    own: own.subscribe,
    leads: () => actor.leads,
    tell: (news) => browser.tell(actor, news),
    ended: browser.ended,
    onLive: () => {},
  })
  const ports: Ports = {
    ...own,
    call: wrong.call ? wrong.call(own.call) : own.call,
    subscribe: topics.subscribe,
  }
  const store = createStore(wrong.reduce)
  const views = createViews(store, ports)
  const threads = createThreadViews(store, ports)
  const engine = createEngine({ store, ports, anchorOf: (channel) => views.get(channel).anchor })
  const clocks = { clock: network.clock.now, uuid: chance.uuid }
  const outbox = createOutbox(store, {
    ...ports,
    shelf: browser.shelf,
    ...clocks,
    upload: async () => ({ ok: true, value: undefined }),
    abandon: () => {},
    saveOwn: async (deed) => {
      if (deed.kind === 'section') throw new Error('No section is changed by the outbox here.')
      const { channel, change } = deed
      const text = `update public.channel_state set starred = $1, muted = $2
        where channel_id = $3 returning channel_id`
      const values = [change.starred, change.muted, channel]
      const outcome = await network.write(device, 'starred', text, values)
      if (!outcome.ok) return outcome
      if (outcome.value === 0) return { ok: false, failure: failureNamed('not_found') }
      return { ok: true, value: { type: 'preferencesGiven', channelId: channel, change } }
    },
    leads: () => actor.leads,
    announce: (answer) => browser.tell(actor, { kind: 'outbox', answer }),
  })
  let wishes = wishesOf([], null)
  outbox.subscribe(() => {
    wishes = wishesOf(outbox.deeds(), wishes)
    for (const deed of outbox.deeds()) {
      const written = deed.state === 'failed' && browser.written.find((one) => one.id === deed.id)
      if (written) written.refused = true
    }
  })
  const put: Outbox['put'] = async (wish, draft) => {
    await outbox.put(wish, draft)
    const { read, unread } = browser.reading
    if (wish.kind === 'read') read.set(wish.channel, Math.max(wish.seq, read.get(wish.channel) ?? 0))
    if (wish.kind === 'unread') unread.add(wish.channel)
  }
  const markers = { ...ports, ...clocks, wishes: () => wishes }
  const pointers = createPointers(store, { put, hurry: outbox.hurry }, markers)
  const { kept } = browser
  const restored = restoredState(structuredClone(kept))
  if (restored) store.dispatch({ type: 'restored', state: restored })
  const keeper = keepWords(store, browser.cache, kept?.words ?? [], ports.after, engine.opened)
  let asking = 0
  const wait = <T>(asked: Promise<Outcome<T>>, then: (value: T) => void) => {
    asking += 1
    void asked.then((outcome) => {
      asking -= 1
      if (outcome.ok) then(outcome.value)
    })
  }

  const actor: Actor = {
    label,
    browser,
    device,
    store,
    engine,
    outbox,
    pointers,
    views,
    threads,
    topics,
    leads: false,
    opened: null,
    thread: null,
    me: () => store.get().me?.profile.id ?? null,
    ask: (name, args, then) => wait(ports.call(name, args), then),
    change: (name, args) => {
      noteEnd(browser.reading, actor.me(), name, args)
      wait(ports.call(name, args), (value) => {
        const answer = value as { message?: Message } | ChannelEntry
        if ('counters' in answer) store.dispatch({ type: 'entryGiven', entry: answer })
        else if (answer.message) store.dispatch({ type: 'rowGiven', message: answer.message })
        else if (name === 'leave_channel') {
          const channelId = (args as Commands['leave_channel']['args']).channel
          store.dispatch({ type: 'channelGone', channelId })
        }
      })
    },
    write: (what, text, values) => wait(network.write(device, what, text, values), () => {}),
    open: (channel) => {
      actor.close()
      const release = engine.open(channel)
      pointers.opened(channel)
      views.open(channel)
      actor.opened = {
        channel,
        close: () => {
          release()
          views.close(channel)
        },
      }
    },
    close: () => {
      actor.opened?.close()
      actor.opened = null
    },
    hear: (news) => {
      if (news.kind === 'outbox') void outbox.reload(news.answer)
      else topics.hear(news)
    },
    busy: () => {
      const waiting = outbox.deeds().filter((deed) => deed.state === 'pending')
      // A topic that was closed is joined again after a while, and asks then.
      const told = [...store.get().channels.values()].filter((rows) => !isLookedInto(rows))
      const behind = told.filter((rows) => holdsWords(rows) && isBehind(rows))
      const counts = {
        engine: engine.busy(),
        outbox: outbox.busy(),
        pointers: pointers.busy(),
        views: views.busy(),
        threads: threads.busy(),
        asking,
        ...Object.fromEntries(waiting.map((deed) => [`${deed.kind} ${deed.id}`, 1])),
        ...Object.fromEntries(
          behind.map(({ entry, rev }) => [`${entry.channel.name} at ${rev} of ${entry.counters.rev}`, 1]),
        ),
      }
      return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [what] : []))
    },
    keep: keeper.flush,
    stop: (told) => {
      engine.stop()
      outbox.stop()
      pointers.stop()
      keeper.stop()
      if (told) topics.stop()
      network.forget(device)
    },
  }
  engine.start()
  void outbox.reload()
  return actor
}
