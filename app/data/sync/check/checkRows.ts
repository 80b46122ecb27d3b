import type { Recount } from '../../../../wire/activity.ts'
import type { Bootstrap } from '../../../../wire/sync.ts'
import type { ThreadState } from '../../../../wire/threads.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { ChannelEntry, UnreadCounts } from '../../../../wire/channels.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { createFailure } from '../../failures/failures.ts'
import type { Failure, Outcome } from '../../failures/failures.ts'
import { compareBootstrap, compareRange, compareThreads, isDeepEqual } from './compareRows.ts'
import type { Comparison } from './compareRows.ts'
import { takeSnapshot } from '../../store/requestSnapshot.ts'
import type { RequestSnapshot } from '../../store/requestSnapshot.ts'
import type { Ports } from '../ports.ts'
import type { Range } from '../../store/ranges.ts'
import { numberIn, timelineOf } from '../../store/state.ts'
import type { ChannelRows } from '../../store/state.ts'
import type { Store } from '../../store/store.ts'

/** Milliseconds between two rounds, in which pending changes arrive or are fetched. */
const ROUND_INTERVAL_MS = 1_000
/** A value that still changes after so many rounds is being used, not wrong. */
const MAX_ROUNDS = 5
const PAGE_SIZE = 100

export interface CheckResult {
  /** Number of compared values. */
  compared: number
  /** Values that differed from the server's; they are corrected. */
  differences: Comparison[]
  /** The last count of what is unread. */
  recount: Recount
}

/** One fetch of everything that is loaded. */
interface Fetched {
  snapshot: RequestSnapshot
  bootstrap: Bootstrap
  threads: ThreadState[]
  comparisons: Comparison[]
  recount: Recount
}

class RequestFailed extends Error {
  failure: Failure
  constructor(failure: Failure) {
    super(failure.name)
    this.failure = failure
  }
}

/**
 * Compares all loaded rows with the server's. What differs in two rounds while neither side has changed is wrong, and is
 * corrected through the reducer; what differs once was a change in transit.
 */
export async function checkRows(
  store: Store,
  ports: Pick<Ports, 'call' | 'after'>,
): Promise<Outcome<CheckResult>> {
  try {
    let before = new Map<string, Comparison>()
    let compared = 0
    let recount = NOTHING
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a round begins when the one before is over
      if (round > 0) await pause(ports)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const fetched = await fetchAll(store, ports)
      compared = Math.max(compared, fetched.comparisons.length)
      recount = fetched.recount
      const unequal = fetched.comparisons.filter(({ shown, fetched: value }) => !isDeepEqual(shown, value))
      if (unequal.length === 0) return { ok: true, value: { compared, differences: [], recount } }
      const repeated = unequal.filter((difference) => {
        const then = before.get(keyOf(difference))
        return (
          then && isDeepEqual(then.shown, difference.shown) && isDeepEqual(then.fetched, difference.fetched)
        )
      })
      const moving = unequal.length - repeated.length
      if (moving === 0 || round === MAX_ROUNDS - 1) {
        repair(store, fetched, repeated)
        return { ok: true, value: { compared, differences: repeated, recount } }
      }
      before = new Map(unequal.map((difference) => [keyOf(difference), difference]))
    }
    return { ok: true, value: { compared, differences: [], recount } }
  } catch (error) {
    return { ok: false, failure: error instanceof RequestFailed ? error.failure : createFailure('network') }
  }
}

function keyOf(comparison: Comparison): string {
  return `${comparison.what} ${comparison.id}`
}

function pause(ports: Pick<Ports, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    ports.after(ROUND_INTERVAL_MS, resolve)
  })
}

async function fetchAll(store: Store, ports: Pick<Ports, 'call'>): Promise<Fetched> {
  // Requested without digests, so that everything is fetched.
  const snapshot = { ...takeSnapshot(store.get()), digests: {} }
  const id = store.get().workspace?.id
  const recount = id ? valueOrThrow(await ports.call('recount_unread', { workspace: id })) : NOTHING
  const response = valueOrThrow(await ports.call('bootstrap', {}))
  const counted = recountOfChannels(recount)
  const bootstrap: Bootstrap = {
    ...response,
    channels: response.channels.map((entry) => withCounts(entry, entry.channel.id, counted)),
    threads: withRecount(response.threads, recount),
  }
  const comparisons = compareBootstrap(store.get(), bootstrap)
  const workspace = bootstrap.workspace?.id
  const { threads, compared } = workspace
    ? await fetchThreads(store, ports, workspace, bootstrap, recount)
    : { threads: [], compared: [] }
  comparisons.push(...compared)
  for (const id of Array.from(store.get().channels.keys())) {
    // oxlint-disable-next-line no-await-in-loop -- one request at a time, to limit the load on the server
    comparisons.push(...(await fetchMessages(store, ports, id)))
  }
  return { snapshot, bootstrap, threads, comparisons, recount }
}

const NOTHING: Recount = { channels: [], threads: [] }

function withRecount(threads: ThreadState[], recount: Recount): ThreadState[] {
  const counts = new Map(recount.threads.map((one) => [one.root_id, one]))
  return threads.map((thread) => withCounts(thread, thread.root_id, counts))
}

function recountOfChannels({ channels }: Recount): ReadonlyMap<Uuid, UnreadCounts> {
  return new Map(channels.map((one) => [one.channel_id, one]))
}

/** A row with the counts that were made message by message: the server's own may be what is wrong. */
function withCounts<R extends { counts: UnreadCounts }>(
  row: R,
  id: Uuid,
  counted: ReadonlyMap<Uuid, UnreadCounts>,
): R {
  const counts = counted.get(id)
  return counts ? { ...row, counts: { unread: counts.unread, mentions: counts.mentions } } : row
}

async function fetchThreads(
  store: Store,
  ports: Pick<Ports, 'call'>,
  workspace: Uuid,
  bootstrap: Bootstrap,
  recount: Recount,
): Promise<{ threads: ThreadState[]; compared: Comparison[] }> {
  const roots = [
    ...new Set([...store.get().threads.keys(), ...bootstrap.threads.map((thread) => thread.root_id)]),
  ]
  const threads: ThreadState[] = []
  const compared: Comparison[] = []
  for (let from = 0; from < roots.length; from += PAGE_SIZE) {
    const requested = roots.slice(from, from + PAGE_SIZE)
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const response = valueOrThrow(await ports.call('thread_states', { workspace, roots: requested }))
    const fetched = withRecount(response.threads, recount)
    compared.push(...compareThreads([...store.get().threads.values()], fetched, requested))
    threads.push(...fetched)
  }
  return { threads, compared }
}

/** The messages of all loaded ranges of a channel and of its threads. */
async function fetchMessages(store: Store, ports: Pick<Ports, 'call'>, channel: Uuid): Promise<Comparison[]> {
  const compared: Comparison[] = []
  const rowsNow = () => store.get().channels.get(channel)
  for (const root of [null, ...(rowsNow()?.threads.keys() ?? [])]) {
    const before = rowsNow()
    for (const window of (before && timelineOf(before, root)?.windows) ?? []) {
      // oxlint-disable-next-line no-await-in-loop -- one range after the other
      const fresh = await fetchRange(window, root, async (after) =>
        root === null
          ? ports.call('channel_page', { channel, after, limit: PAGE_SIZE })
          : ports.call('thread_page', { root, after, limit: PAGE_SIZE }),
      )
      const rows = rowsNow()
      const timeline = rows && timelineOf(rows, root)
      if (rows && timeline && isLoaded(timeline.windows, window))
        compared.push(...compareRange(rows, window, root, fresh))
    }
  }
  return compared
}

function isLoaded(windows: readonly Range[], requested: Range): boolean {
  return windows.some((window) => window.from <= requested.from && requested.to <= window.to)
}

async function fetchRange(
  window: Range,
  root: Uuid | null,
  requestPage: (after: number) => Promise<Outcome<{ messages: Message[]; has_after: boolean }>>,
): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = window.from - 1; after < window.to;) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ended
    const page = valueOrThrow(await requestPage(after))
    messages.push(...page.messages.filter((message) => (numberIn(message, root) ?? 0) <= window.to))
    const last = page.messages.at(-1)
    if (!last || !page.has_after) break
    after = Math.max(after + 1, numberIn(last, root) ?? window.to)
  }
  return messages
}

function valueOrThrow<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new RequestFailed(outcome.failure)
}

/** Replaces wrong rows by the server's; the engine fetches messages of such channels again. */
function repair(store: Store, fetched: Fetched, differences: readonly Comparison[]) {
  if (differences.length === 0) return
  const { bootstrap, snapshot, threads } = fetched
  store.dispatch({ type: 'bootstrapReceived', response: bootstrap, snapshot })
  const channels = new Set(
    differences.flatMap((difference) => (difference.what === 'thread' ? [] : (difference.channel ?? []))),
  )
  const fetchedEntries = new Map(bootstrap.channels.map((entry) => [entry.channel.id, entry]))
  const loaded = (id: Uuid) => store.get().channels.get(id)
  // Of channels that the user reads without membership, only messages were fetched.
  const entries = [...channels].flatMap((id) => fetchedEntries.get(id) ?? entryOfNonMember(loaded(id)) ?? [])
  const removedChannelIds = [...channels].filter((id) => loaded(id)?.entry.member && !fetchedEntries.has(id))
  const roots = new Set(
    differences.flatMap((difference) => (difference.what === 'thread' ? difference.id : [])),
  )
  store.dispatch({
    type: 'rowsCorrected',
    entries: withoutMoved(store, entries),
    removedChannelIds,
    threads,
    roots,
  })
}

function entryOfNonMember(rows: ChannelRows | undefined): ChannelEntry | null {
  return rows && !rows.entry.member ? rows.entry : null
}

/** Leaves out entries that have changed since the fetch: the engine keeps those up to date. */
function withoutMoved(store: Store, entries: ChannelEntry[]): ChannelEntry[] {
  return entries.filter((entry) => {
    const rows = store.get().channels.get(entry.channel.id)
    return !rows || rows.entry.counters.rev <= entry.counters.rev
  })
}
