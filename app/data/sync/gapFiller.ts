import type { Uuid } from '../../../wire/linnet.ts'
import { backoff } from './ports.ts'
import type { Ports } from './ports.ts'
import { holdsWords, isBehind } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** How long a gap may close by itself (events overtake answers) before it is asked for. */
const GAP_PATIENCE = 120

export interface Changes {
  /** Asks what changed in a channel since the rev that is held; at most one request a channel at a time. */
  ask: (channelId: Uuid) => void
  /** Asks for the entry of a channel that isn't known, e.g. a public one that was not joined. */
  find: (channelId: Uuid) => Promise<boolean>
  /** Asks after a moment, if changes are missing by then. */
  askIfBehind: (channelId: Uuid) => void
  /** How many requests run or wait: the law drains them. */
  busy: () => number
  stop: () => void
}

/** Fills gaps: the only caller of `channel_changes`. */
export function createChanges(
  store: Store,
  ports: Ports,
  anchorOf: (channelId: Uuid) => number | 'end',
): Changes {
  const running = new Map<Uuid, { again: boolean }>()
  const waiting = new Map<Uuid, () => void>()
  let stopped = false

  function later(channelId: Uuid, ms: number, run: () => void) {
    waiting.get(channelId)?.()
    waiting.set(
      channelId,
      ports.after(ms, () => {
        waiting.delete(channelId)
        run()
      }),
    )
  }

  function ask(channelId: Uuid, tries = 0) {
    const job = running.get(channelId)
    if (job) {
      job.again = true
      return
    }
    waiting.get(channelId)?.()
    waiting.delete(channelId)
    if (!store.get().channels.has(channelId)) return
    const mine = { again: false }
    running.set(channelId, mine)
    void askOnce(channelId).then((result) => {
      running.delete(channelId)
      if (stopped) return
      if (result === 'later') later(channelId, backoff(ports, tries), () => ask(channelId, tries + 1))
      else if (mine.again) ask(channelId)
      else askIfBehind(channelId)
    })
  }

  async function askOnce(channelId: Uuid): Promise<'done' | 'later'> {
    const rows = store.get().channels.get(channelId)
    if (!rows) return 'done'
    const after = rows.rev
    const { meta_rev: meta, rev: known } = rows.entry.counters
    const outcome = await ports.call('channel_changes', { channel: channelId, after_rev: after })
    if (stopped) return 'done'
    if (!outcome.ok) {
      if (outcome.failure.name !== 'not_found') return 'later'
      const now = store.get().channels.get(channelId)
      // Back since it was asked: the answer speaks of before.
      if (now && now.entry.counters.meta_rev > meta) return askOnce(channelId)
      store.dispatch({ type: 'channelGone', channelId })
      return 'done'
    }
    const changes = outcome.value
    if (!changes.reset) {
      store.dispatch({ type: 'changesGiven', changes, after })
      return 'done'
    }
    const held = store.get().channels.get(channelId)
    if (!held || !holdsWords(held)) {
      store.dispatch({ type: 'channelReset', entry: changes.entry, page: null, asked: {}, known })
      return 'done'
    }
    // What was held stays on the screen until the page that replaces it is here.
    const anchor = anchorOf(channelId)
    const asked = anchor === 'end' ? {} : { around: anchor }
    const page = await ports.call('channel_page', { channel: channelId, ...asked })
    if (stopped) return 'done'
    if (page.ok) {
      store.dispatch({ type: 'channelReset', entry: changes.entry, page: page.value, asked, known })
    }
    return page.ok ? 'done' : 'later'
  }

  function askIfBehind(channelId: Uuid) {
    if (running.has(channelId) || waiting.has(channelId)) return
    const rows = store.get().channels.get(channelId)
    if (!rows || !isBehind(rows)) return
    later(channelId, GAP_PATIENCE, () => {
      const now = store.get().channels.get(channelId)
      if (now && isBehind(now)) ask(channelId)
    })
  }

  return {
    ask: (channelId) => ask(channelId),
    askIfBehind,
    find: async (channelId) => {
      // No channel was ever at this rev: the answer is the entry alone.
      const outcome = await ports.call('channel_changes', { channel: channelId, after_rev: -1 })
      if (!outcome.ok || stopped) return false
      if (outcome.value.entry) store.dispatch({ type: 'entryGiven', entry: outcome.value.entry })
      return outcome.value.entry !== null
    },
    busy: () => running.size + waiting.size,
    stop: () => {
      stopped = true
      for (const cancel of waiting.values()) cancel()
      waiting.clear()
    },
  }
}
