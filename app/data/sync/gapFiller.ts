import type { ChannelChanges } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { reportException } from '../failures/reportError.ts'
import { backoff } from '../client/backoff.ts'
import type { Ports } from './ports.ts'
import { takeSnapshot } from '../store/requestSnapshot.ts'
import { NO_REV } from '../store/channelEntries.ts'
import { hasLoadedMessages, isBehind } from '../store/state.ts'
import type { ChannelRows } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds before missing changes are fetched. They may be in transit, since events overtake responses. */
const GAP_DELAY_MS = 120

export interface GapFiller {
  /** Fetches the changes of a channel since the loaded rev; one request at a time for each channel. */
  fetchChanges: (channelId: Uuid) => void
  /** Fetches the entry of an unknown channel, such as a public one that the user has not joined. */
  fetchEntry: (channelId: Uuid) => Promise<boolean>
  /** Fetches after a delay, if changes are still missing. */
  fetchIfBehind: (channelId: Uuid) => void
  /** Number of running and scheduled requests, for which the property test waits. */
  pendingRequests: () => number
  stop: () => void
}

/**
 * Whether messages are loaded in a state that the server does not have, because a backup was restored. The server
 * confirmed only changes up to `after`. These messages changed later, but are not in the response.
 */
function hasUnconfirmedMessages(
  rows: ChannelRows,
  { after, messages, rev }: ChannelChanges & { reset: false },
): boolean {
  const revs = new Map(messages.map((message) => [message.id, message.rev]))
  return [...rows.messages.values()].some(
    (message) => message.rev > after && message.rev <= rev && (revs.get(message.id) ?? -1) < message.rev,
  )
}

/** Fetches missing changes. It is the only caller of `channel_changes`. */
export function createGapFiller(
  store: Store,
  ports: Ports,
  anchorOf: (channelId: Uuid) => number | 'end',
  onOtherWorkspace?: (workspace: Uuid) => void,
): GapFiller {
  const running = new Map<Uuid, { again: boolean }>()
  const waiting = new Map<Uuid, () => void>()
  let stopped = false

  function schedule(channelId: Uuid, ms: number, run: () => void) {
    waiting.get(channelId)?.()
    waiting.set(
      channelId,
      ports.after(ms, () => {
        waiting.delete(channelId)
        run()
      }),
    )
  }

  function fetchChanges(channelId: Uuid, attempts = 0) {
    const earlier = running.get(channelId)
    if (earlier) {
      earlier.again = true
      return
    }
    waiting.get(channelId)?.()
    waiting.delete(channelId)
    if (!store.get().channels.has(channelId)) return
    const request = { again: false }
    running.set(channelId, request)
    const failed = (error: unknown): 'retry' => {
      reportException(error)
      return 'retry'
    }
    void requestChanges(channelId)
      .catch(failed)
      .then((result) => {
        running.delete(channelId)
        if (stopped) return
        if (result === 'retry')
          schedule(channelId, backoff(ports.random, attempts), () => fetchChanges(channelId, attempts + 1))
        else if (request.again) fetchChanges(channelId)
        else fetchIfBehind(channelId)
      })
  }

  async function requestChanges(channelId: Uuid): Promise<'done' | 'retry'> {
    const rows = store.get().channels.get(channelId)
    if (!rows) return 'done'
    const { rev: after, knownChanges: known } = rows
    const { meta_rev: metaRevBefore, rev: revBefore } = rows.entry.counters
    const outcome = await ports.call('channel_changes', {
      channel: channelId,
      after_rev: after,
      ...(known.length > 0 && after >= 0 ? { known } : {}),
    })
    if (stopped) return 'done'
    if (!outcome.ok) {
      if (outcome.failure.name !== 'not_found') return 'retry'
      const now = store.get().channels.get(channelId)
      // The user joined again since the request was sent.
      if (now && now.entry.counters.meta_rev > metaRevBefore) return requestChanges(channelId)
      store.dispatch({ type: 'channelRemoved', channelId })
      return 'done'
    }
    const changes = outcome.value
    if (!changes.reset) {
      const now = store.get().channels.get(channelId)
      if (now && after > NO_REV && hasUnconfirmedMessages(now, changes)) {
        store.dispatch({ type: 'historyRefuted', channelId })
        return requestChanges(channelId)
      }
      store.dispatch({ type: 'changesReceived', changes, after })
      return 'done'
    }
    const loaded = store.get().channels.get(channelId)
    if (!loaded || !hasLoadedMessages(loaded)) {
      store.dispatch({ type: 'channelReset', entry: changes.entry, page: null, request: {}, revBefore })
      return 'done'
    }
    // Loaded messages stay displayed until the page that replaces them is loaded.
    const anchor = anchorOf(channelId)
    const request = anchor === 'end' ? {} : { around: anchor }
    const page = await ports.call('channel_page', { channel: channelId, ...request })
    if (stopped) return 'done'
    if (page.ok) {
      store.dispatch({ type: 'channelReset', entry: changes.entry, page: page.value, request, revBefore })
    }
    return page.ok ? 'done' : 'retry'
  }

  function fetchIfBehind(channelId: Uuid) {
    if (running.has(channelId) || waiting.has(channelId)) return
    const rows = store.get().channels.get(channelId)
    if (!rows || !isBehind(rows)) return
    schedule(channelId, GAP_DELAY_MS, () => {
      const now = store.get().channels.get(channelId)
      if (now && isBehind(now)) fetchChanges(channelId)
    })
  }

  return {
    fetchChanges: (channelId) => fetchChanges(channelId),
    fetchIfBehind,
    fetchEntry: async (channelId) => {
      const snapshot = takeSnapshot(store.get())
      // No channel was ever at this rev: the response contains only the entry.
      const outcome = await ports.call('channel_changes', { channel: channelId, after_rev: -1 })
      if (!outcome.ok || stopped) return false
      const { entry } = outcome.value
      if (entry && entry.channel.workspace_id !== store.get().workspace?.id)
        onOtherWorkspace?.(entry.channel.workspace_id)
      else if (entry) store.dispatch({ type: 'entryReceived', entry, snapshot })
      return entry !== null
    },
    pendingRequests: () => running.size + waiting.size,
    stop: () => {
      stopped = true
      for (const cancel of waiting.values()) cancel()
      waiting.clear()
    },
  }
}
