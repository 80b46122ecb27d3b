import { userTopic } from '../../../wire/linnet.ts'
import type { Beat, UserEvent, Uuid } from '../../../wire/linnet.ts'
import { createChanges } from './gapFiller.ts'
import type { Failure } from '../failures/failures.ts'
import { knownOf, knowsLess } from '../store/requestSnapshot.ts'
import { backoff } from './ports.ts'
import type { Ports } from './ports.ts'
import { holdsWords, isBehind } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { createThreadAsking } from './threadStateFetcher.ts'
import { createTopics } from './topics.ts'
import type { TypingListener } from './topics.ts'

/** Ms between two beats while a conversation is open and seen, and else. */
const BEAT_OPEN = 20_000
const BEAT_IDLE = 60_000
/** Ms after which a beat follows what may have left counts behind: joins, pointers of other devices. */
const BEAT_SOON = 1_000
/** Entries of more channels than this are not asked for one by one. */
const FOUND_MOST = 5

export interface Engine {
  /** Asks the bootstrap; the first answer starts topics and beats. */
  start: () => void
  /** Asks the bootstrap again (membership began or ended, or the page woke). */
  refresh: () => void
  /** Asks a beat at once: on focus, after waking. */
  beat: () => void
  /** In front: holds its topic, fills its gaps. The returned function lets go. */
  open: (channelId: Uuid) => () => void
  isOpen: (channelId: Uuid) => boolean
  /** The channels opened in this visit, the latest first. */
  opened: () => readonly Uuid[]
  find: (channelId: Uuid) => Promise<boolean>
  /** The failure of the last bootstrap, null after a good one. */
  failure: () => Failure | null
  onTyping: (listener: TypingListener) => void
  /** Requests that run or wait. */
  busy: () => number
  stop: () => void
}

export interface EngineOptions {
  store: Store
  ports: Ports
  /** Which part of a channel is looked at, for the page that follows a reset. */
  anchorOf?: (channelId: Uuid) => number | 'end'
  /** Whether somebody is here, for heartbeats; where nobody can tell, whether the page is looked at. */
  attended?: () => boolean
  /** Called when the bootstrap failed or succeeded, since that isn't a row. */
  onBootstrap?: () => void
}

/** Keeps the rows of one person right: bootstrap, topics, gaps, beats. Knows no browser. */
export function createEngine(options: EngineOptions): Engine {
  const { store, ports } = options
  const changes = createChanges(store, ports, options.anchorOf ?? (() => 'end'))
  const topics = createTopics(store, ports, changes, { stranger: meet, missed: beatSoon })
  const threads = createThreadAsking(store, ports)
  let stopped = false
  let failure: Failure | null = null
  let bootstrapping: { again: boolean } | null = null
  let retry: (() => void) | null = null
  let userHeld: { id: Uuid; leave: () => void; joins: number } | null = null
  let nextBeat: (() => void) | null = null
  let beating: { since: number; again: boolean } | null = null
  let soon: (() => void) | null = null
  /** Channels of the beat that the bootstrap left out (hidden conversations), and where they stood. */
  const hidden = new Map<Uuid, number>()
  const met = new Set<Uuid>()

  function bootstrap(tries = 0) {
    if (bootstrapping) {
      bootstrapping.again = true
      return
    }
    retry?.()
    retry = null
    const job = { again: false }
    bootstrapping = job
    const known = knownOf(store.get())
    void ports.call('bootstrap', {}).then((outcome) => {
      bootstrapping = null
      if (stopped) return
      failure = outcome.ok ? null : outcome.failure
      if (outcome.ok) store.dispatch({ type: 'bootstrapped', answer: outcome.value, known })
      else {
        // Also a refusal may pass: the home is being put in order, say.
        retry = ports.after(backoff(ports, tries), () => bootstrap(tries + 1))
      }
      options.onBootstrap?.()
      if (outcome.ok) {
        holdUser()
        topics.settle()
        if (!nextBeat) scheduleBeat()
        if (job.again) bootstrap()
      }
    })
  }

  /** One's own topic: what begins, ends or moves for oneself. */
  function holdUser() {
    const me = store.get().me
    if (!me || userHeld?.id === me.profile.id) return
    userHeld?.leave()
    const one = { id: me.profile.id, leave: () => {}, joins: 0 }
    userHeld = one
    let losses = 0
    const subscribe = () => {
      one.leave = ports.subscribe(userTopic(one.id), {
        joined: () => {
          losses = 0
          one.joins += 1
          // The first time little can have been missed since the bootstrap; later anything.
          if (one.joins === 1) beat()
          else bootstrap()
        },
        told: (told) => hear(told as UserEvent),
        lost: () => {
          one.leave()
          one.leave = ports.after(backoff(ports, losses), subscribe)
          losses += 1
          // Perhaps the session has ended: a command is told so.
          beat()
        },
      })
    }
    subscribe()
  }

  function hear(event: UserEvent) {
    if (event.event === 'workspace') {
      bootstrap()
      return
    }
    store.dispatch({ type: 'userTold', event })
    // Its counts may be older than messages told meanwhile: where no words are held, nothing else would mend them.
    const rows = event.event === 'state' && store.get().channels.get(event.payload.channel_id)
    if (rows && !holdsWords(rows)) beatSoon()
  }

  function beat() {
    const { workspace: at, source } = store.get()
    if (stopped) return
    if (!at) {
      // No topic or heartbeat announces that this person joined a workspace on another device.
      if (source === 'live') bootstrap()
      return
    }
    if (beating) {
      // One that was asked before the page slept says nothing of what happened since.
      beating.again ||= ports.now() - beating.since > BEAT_SOON
      return
    }
    const one = { since: ports.now(), again: false }
    beating = one
    soon?.()
    soon = null
    const known = knownOf(store.get())
    const asked = store.get().people
    const state = (options.attended ?? ports.visible)() ? 'active' : 'away'
    void ports.call('beat', { workspace: at.id, state }).then((outcome) => {
      beating = null
      if (stopped) return
      if (outcome.ok && store.get().workspace?.id === at.id) {
        store.dispatch({ type: 'beatGiven', beat: outcome.value, known })
        const { channels } = outcome.value
        const fewer = channels.some((told) => knowsLess(known, told.channel_id, told.counters))
        // Fewer changes than before: the home was restored from a copy, and its people may be others too.
        const stale = channels.filter(isStale)
        // Each of them is noted, also behind the first.
        const news = channels.filter(isNews)
        const { people_counters: now } = outcome.value
        const { people } = store.get()
        // More changes of people than are held, or fewer than were known when it was asked.
        const moved = now && people && (now.rev > people.rev || now.rev < (asked?.rev ?? 0))
        if (news.length > 0 || fewer || moved || stale.length > FOUND_MOST) bootstrap()
        else for (const one of stale) void changes.find(one.channel_id)
      } else if (!outcome.ok && !outcome.failure.again) bootstrap()
      if (one.again) beat()
      else scheduleBeat()
    })
  }

  /** One beat for all that asks for it within a moment. */
  function beatSoon() {
    soon ??= ports.after(BEAT_SOON, () => {
      soon = null
      beat()
    })
  }

  /** Somebody writes of whom no event told (it was lost): asked for once each. */
  function meet(profileId: Uuid) {
    if (met.has(profileId)) return
    met.add(profileId)
    bootstrap()
  }

  /** Its name, topic or people moved, and the event was lost: changes tell of it only where words are held. */
  function isStale({ channel_id: id, counters }: Beat['channels'][number]): boolean {
    const rows = store.get().channels.get(id)
    return rows !== undefined && rows.entry.counters.meta_rev < counters.meta_rev
  }

  /** A channel we don't hold: one that we should, or a hidden conversation in which something was said. */
  function isNews(told: Beat['channels'][number]): boolean {
    if (store.get().channels.has(told.channel_id)) {
      hidden.delete(told.channel_id)
      return false
    }
    const moved = hidden.get(told.channel_id) !== told.counters.rev
    hidden.set(told.channel_id, told.counters.rev)
    return moved
  }

  function scheduleBeat() {
    nextBeat?.()
    const span = ports.visible() && topics.anyOpen() ? BEAT_OPEN : BEAT_IDLE
    nextBeat = ports.after(span, () => {
      nextBeat = null
      if (beating) scheduleBeat()
      else beat()
    })
  }

  const unsubscribe = store.subscribe(() => {
    if (stopped) return
    topics.settle()
    threads.settle()
    for (const [id, rows] of store.get().channels) {
      // What nobody looks at waits until it is opened: the beat keeps its counts.
      if (isBehind(rows) && holdsWords(rows) && (topics.isOpen(id) || topics.holds(id))) {
        changes.askIfBehind(id)
      }
    }
  })

  return {
    start: () => bootstrap(),
    refresh: () => bootstrap(),
    beat,
    open: (channelId) => {
      const release = topics.open(channelId)
      topics.settle()
      changes.askIfBehind(channelId)
      // Of one that is only looked into no beat tells what was told and lost.
      if (store.get().channels.get(channelId)?.entry.member === false) void changes.find(channelId)
      scheduleBeat()
      return release
    },
    isOpen: topics.isOpen,
    opened: topics.opened,
    find: changes.find,
    failure: () => failure,
    onTyping: topics.onTyping,
    busy: () => changes.busy() + threads.busy() + (bootstrapping ? 1 : 0) + (beating || soon ? 1 : 0),
    stop: () => {
      stopped = true
      unsubscribe()
      retry?.()
      nextBeat?.()
      soon?.()
      userHeld?.leave()
      changes.stop()
      threads.stop()
      topics.stop()
    },
  }
}
