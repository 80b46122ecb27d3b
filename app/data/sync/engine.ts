import { userTopic } from '../../../wire/events.ts'
import type { Commands } from '../../../wire/commands.ts'
import type { Bootstrap, Heartbeat, Digests } from '../../../wire/sync.ts'
import type { UserEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createGapFiller } from './gapFiller.ts'
import { reportException } from '../failures/reportError.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { takeSnapshot, isRolledBack } from '../store/requestSnapshot.ts'
import type { RequestSnapshot } from '../store/requestSnapshot.ts'
import { backoff } from '../client/backoff.ts'
import type { Ports } from './ports.ts'
import { hasLoadedMessages, isBehind } from '../store/state.ts'
import type { State } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { createThreadStateFetcher } from './threadStateFetcher.ts'
import { createTopicSubscriptions } from './topics.ts'
import type { TypingListener } from './topics.ts'

/** Milliseconds between two heartbeats: while a conversation is open in a visible page, and otherwise. */
const HEARTBEAT_OPEN_MS = 20_000
const HEARTBEAT_IDLE_MS = 60_000
/**
 * Milliseconds until the heartbeat that follows an event which may have left counts outdated: a join, a read marker of
 * another device, or an unread message that was edited or deleted.
 */
const HEARTBEAT_DELAY_MS = 1_000

export interface Engine {
  /** Fetches the bootstrap; the first response starts topics and heartbeats. */
  start: () => void
  /** Fetches the bootstrap again. Called when a membership begins or ends, and when the page wakes. */
  refresh: () => void
  /** Joins the topic of a user who is in no workspace yet. The topic announces that they were admitted. */
  subscribeToUser: (profileId: Uuid) => void
  /** Sends no heartbeat until the next call of `sendHeartbeat`: the page is being closed, and has reported it. */
  leave: () => void
  /** Sends a heartbeat at once. Called on focus and after waking. */
  sendHeartbeat: () => void
  /** Sends a heartbeat in a second: after the page was hidden, and after another page of this browser was closed. */
  sendHeartbeatSoon: () => void
  /** Subscribes to a channel's topic and fetches its missing changes while it is open. Returns a function that ends this. */
  open: (channelId: Uuid) => () => void
  isOpen: (channelId: Uuid) => boolean
  /** The channels opened in this visit, the latest first. */
  recentlyOpened: () => readonly Uuid[]
  fetchEntry: (channelId: Uuid) => Promise<boolean>
  /** The failure of the last bootstrap; null if it succeeded. */
  failure: () => Failure | null
  onTyping: (listener: TypingListener) => void
  /** Running and scheduled requests. */
  pendingRequests: () => number
  stop: () => void
}

export interface EngineOptions {
  store: Store
  ports: Ports
  /** The displayed position of a channel, for the page that follows a reset. */
  anchorOf?: (channelId: Uuid) => number | 'end'
  /** Whether the user is active, for heartbeats; by default whether the page is visible. */
  isActive?: () => boolean
  /** The workspace to show; null: the user's first one. */
  workspace?: Uuid | null
  /** Called when a bootstrap has failed or succeeded. */
  onBootstrap?: () => void
  /**
   * Called when the user is no longer in the shown workspace. Without this option, another workspace replaces the
   * shown one.
   */
  onWorkspaceEnded?: (workspace: Uuid) => void
  /** Called when a requested channel is in another workspace of the user. */
  onOtherWorkspace?: (workspace: Uuid) => void
}

/** Adds the stored digests to the arguments of a request, so that it returns differences. */
function withDigests<A extends object>(args: A, { digests }: RequestSnapshot): A & { stored?: Digests } {
  return Object.keys(digests).length > 0 ? { ...args, stored: digests } : args
}

/**
 * Keeps the rows of one account up to date by bootstrap, topics, heartbeats and missing changes. README.md in this
 * directory describes how. The engine uses no interface of the browser.
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, ports } = options
  const gapFiller = createGapFiller(store, ports, options.anchorOf ?? (() => 'end'), options.onOtherWorkspace)
  const topics = createTopicSubscriptions(store, ports, gapFiller, {
    unknownAuthor: fetchUnknownMember,
    eventsMissed: sendHeartbeatSoon,
  })
  const threadStateFetcher = createThreadStateFetcher(store, ports)
  let stopped = false
  let failure: Failure | null = null
  let isWorkspaceEnded = false
  let bootstrapping: { again: boolean } | null = null
  let retry: (() => void) | null = null
  let userSubscription: { id: Uuid; leave: () => void; joins: number } | null = null
  let cancelHeartbeat: (() => void) | null = null
  let heartbeatRequest: { since: number; again: boolean } | null = null
  let cancelSoon: (() => void) | null = null
  let isLeft = false
  const fetchedMembers = new Set<Uuid>()

  function bootstrap(attempts = 0) {
    if (bootstrapping) {
      bootstrapping.again = true
      return
    }
    retry?.()
    retry = null
    const request = { again: false }
    bootstrapping = request
    const sent = store.get()
    const snapshot = takeSnapshot(sent)
    const workspace = isWorkspaceEnded ? null : (sent.workspace?.id ?? options.workspace ?? null)
    const retryLater = () => {
      retry = ports.after(backoff(ports.random, attempts), () => bootstrap(attempts + 1))
    }
    const receive = (outcome: Outcome<Commands['bootstrap']['response']>) => {
      bootstrapping = null
      if (stopped) return
      if (!outcome.ok && workspace && outcome.failure.name === 'not_found') return leaveWorkspace(workspace)
      failure = outcome.ok ? null : outcome.failure
      isWorkspaceEnded &&= !outcome.ok
      if (outcome.ok && isOvertaken(sent, store.get(), outcome.value)) request.again = true
      if (outcome.ok) store.dispatch({ type: 'bootstrapReceived', response: outcome.value, snapshot })
      // A refusal is retried as well: it may be temporary, such as during an upgrade of the server.
      else retryLater()
      options.onBootstrap?.()
      if (outcome.ok) {
        subscribeToUser()
        topics.updateSubscriptions()
        if (!cancelHeartbeat) scheduleHeartbeat()
        if (request.again) bootstrap()
      }
    }
    ports
      .call('bootstrap', withDigests(workspace ? { workspace } : {}, snapshot))
      .then(receive)
      .catch((error: unknown) => {
        reportException(error)
        if (!bootstrapping && !retry) retryLater()
      })
  }

  /** Makes the next bootstrap fetch another workspace. */
  function leaveWorkspace(workspace: Uuid) {
    isWorkspaceEnded = true
    if (options.onWorkspaceEnded) options.onWorkspaceEnded(workspace)
    else bootstrap()
  }

  /** Joins the user's own topic, which has memberships, states and threads. */
  function subscribeToUser(id = store.get().me?.profile.id) {
    if (!id || userSubscription?.id === id) return
    userSubscription?.leave()
    const subscription = { id, leave: () => {}, joins: 0 }
    userSubscription = subscription
    let losses = 0
    const subscribe = () => {
      subscription.leave = ports.subscribe(userTopic(subscription.id), {
        joined: () => {
          losses = 0
          subscription.joins += 1
          // The first time little can have been missed since the bootstrap; later anything.
          if (subscription.joins === 1) sendHeartbeat()
          else bootstrap()
        },
        received: (event) => receiveUserEvent(event as UserEvent),
        lost: () => {
          subscription.leave()
          subscription.leave = ports.after(backoff(ports.random, losses), subscribe)
          losses += 1
          // The session may have ended, which the response to a command shows.
          sendHeartbeat()
        },
      })
    }
    subscribe()
  }

  function receiveUserEvent(event: UserEvent) {
    if (event.event === 'workspace') return bootstrap()
    if (event.event === 'own_row') {
      const { kind, id, rev, workspace_id } = event.payload
      const state = store.get()
      // The device that has made the change may know it already.
      const isNews = workspace_id === state.workspace?.id && (state[kind].get(id)?.rev ?? 0) < rev
      if (isNews) sendHeartbeatSoon()
      return
    }
    store.dispatch({ type: 'userEventReceived', event })
    if (event.event === 'message_deleted' || event.event === 'message_edited') {
      // The event does not contain the counts: a page that has not loaded the message can't tell how they differ.
      if (store.get().channels.has(event.payload.channel_id)) sendHeartbeatSoon()
      return
    }
    // Its counts may be older than messages received meanwhile: where no messages are loaded, nothing else would correct them.
    const rows = event.event === 'state' && store.get().channels.get(event.payload.channel_id)
    if (rows && !hasLoadedMessages(rows)) sendHeartbeatSoon()
  }

  function sendHeartbeat() {
    const { workspace, source } = store.get()
    if (stopped || isLeft) return
    if (!workspace) {
      // No topic or heartbeat announces that the user joined a workspace on another device.
      if (source === 'live') bootstrap()
      return
    }
    if (heartbeatRequest) {
      // A response to a request from before the page slept may lack what happened since.
      heartbeatRequest.again ||= ports.now() - heartbeatRequest.since > HEARTBEAT_DELAY_MS
      return
    }
    const request = { since: ports.now(), again: false }
    heartbeatRequest = request
    cancelSoon?.()
    cancelSoon = null
    const snapshot = takeSnapshot(store.get())
    const peopleBefore = store.get().workspaceCounters
    const state = (options.isActive ?? ports.visible)() ? 'active' : 'away'
    const receive = (outcome: Outcome<Heartbeat>) => {
      heartbeatRequest = null
      if (stopped) return
      if (outcome.ok && store.get().workspace?.id === workspace.id) {
        store.dispatch({ type: 'heartbeatReceived', heartbeat: outcome.value, snapshot })
        const { channels, workspace_counters: now } = outcome.value
        // Fewer changes than before: the server was restored from a backup, and its people may be others too.
        const rolledBack = channels.some((entry) => isRolledBack(snapshot, entry))
        const { workspaceCounters } = store.get()
        // More changes of people than are loaded, or fewer than were known when the request was sent.
        const arePeopleOutdated =
          now && workspaceCounters && (now.rev > workspaceCounters.rev || now.rev < (peopleBefore?.rev ?? 0))
        if (rolledBack || arePeopleOutdated) bootstrap()
      } else if (!outcome.ok && (!outcome.failure.isRetryable || isPaused(outcome.failure))) bootstrap()
    }
    void ports
      .call('heartbeat', withDigests({ workspace: workspace.id, state }, snapshot))
      .then(receive)
      .catch(reportException)
      .then(() => {
        if (stopped) return
        if (request.again) sendHeartbeat()
        else scheduleHeartbeat()
      })
  }

  /** Sends one heartbeat for all requests of a moment. */
  function sendHeartbeatSoon() {
    cancelSoon ??= ports.after(HEARTBEAT_DELAY_MS, () => {
      cancelSoon = null
      sendHeartbeat()
    })
  }

  /**
   * Fetches the bootstrap for an author who is not among the members because an event was lost. It does so once for
   * each author.
   */
  function fetchUnknownMember(profileId: Uuid) {
    if (fetchedMembers.has(profileId)) return
    fetchedMembers.add(profileId)
    bootstrap()
  }

  function scheduleHeartbeat() {
    cancelHeartbeat?.()
    const span = ports.visible() && topics.anyOpen() ? HEARTBEAT_OPEN_MS : HEARTBEAT_IDLE_MS
    cancelHeartbeat = ports.after(span, () => {
      cancelHeartbeat = null
      if (heartbeatRequest) scheduleHeartbeat()
      else sendHeartbeat()
    })
  }

  const unsubscribe = store.subscribe(() => {
    if (stopped) return
    topics.updateSubscriptions()
    threadStateFetcher.fetchStale()
    for (const [id, rows] of store.get().channels) {
      // What nobody looks at waits until it is opened: the heartbeat keeps its counts.
      if (isBehind(rows) && hasLoadedMessages(rows) && (topics.isOpen(id) || topics.isJoined(id))) {
        gapFiller.fetchIfBehind(id)
      }
    }
  })

  return {
    start: () => bootstrap(),
    refresh: () => bootstrap(),
    subscribeToUser: (profileId) => subscribeToUser(profileId),
    leave: () => {
      isLeft = true
    },
    sendHeartbeat: () => {
      isLeft = false
      sendHeartbeat()
    },
    sendHeartbeatSoon,
    open: (channelId) => {
      const release = topics.open(channelId)
      topics.updateSubscriptions()
      gapFiller.fetchIfBehind(channelId)
      // Heartbeats don't report lost events of a channel that the user reads without membership.
      if (store.get().channels.get(channelId)?.entry.member === false) void gapFiller.fetchEntry(channelId)
      scheduleHeartbeat()
      return release
    },
    isOpen: topics.isOpen,
    recentlyOpened: topics.recentlyOpened,
    fetchEntry: gapFiller.fetchEntry,
    failure: () => failure,
    onTyping: topics.onTyping,
    pendingRequests: () =>
      gapFiller.pendingRequests() +
      threadStateFetcher.pendingRequests() +
      (bootstrapping ? 1 : 0) +
      (heartbeatRequest || cancelSoon ? 1 : 0),
    stop: () => {
      stopped = true
      unsubscribe()
      retry?.()
      cancelHeartbeat?.()
      cancelSoon?.()
      userSubscription?.leave()
      gapFiller.stop()
      threadStateFetcher.stop()
      topics.stop()
    },
  }
}

/** Whether the workspace requires a second factor: what was to be sent waits for it, but the workspace ends. */
function isPaused({ name }: Failure): boolean {
  return name === 'second_factor_required'
}

/**
 * Whether a bootstrap lacks a change that the state received while the request was under way. That is a later change
 * of people, or a change of the workspace. The response to a command contains the workspace without a number.
 */
function isOvertaken(sent: State, now: State, response: Bootstrap): boolean {
  const isOlder = (now.workspaceCounters?.rev ?? 0) > (response.workspace_counters?.rev ?? 0)
  const havePeopleChanged = now.workspaceCounters?.rev !== sent.workspaceCounters?.rev
  const hasWorkspaceChanged = now.workspace !== sent.workspace
  const isSameWorkspace = JSON.stringify(now.workspace) === JSON.stringify(response.workspace)
  return (havePeopleChanged && isOlder) || (hasWorkspaceChanged && !isSameWorkspace)
}
