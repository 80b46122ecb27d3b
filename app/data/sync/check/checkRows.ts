import type { Bootstrap, ChannelEntry, Message, ThreadState } from '../../../../wire/linnet.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { failureNamed } from '../../failures/failures.ts'
import type { Failure, Outcome } from '../../failures/failures.ts'
import { compareBootstrap, compareRange, compareThreads, isDeepEqual } from './compareRows.ts'
import type { Comparison } from './compareRows.ts'
import { takeSnapshot } from '../../store/requestSnapshot.ts'
import type { RequestSnapshot } from '../../store/requestSnapshot.ts'
import type { Ports } from '../ports.ts'
import type { Range } from '../../store/ranges.ts'
import type { ChannelRows } from '../../store/state.ts'
import type { Store } from '../../store/store.ts'

/** Ms in which what is on its way arrives, or is fetched, between two rounds. */
const ROUND_INTERVAL_MS = 1_000
/** What goes on moving through so many rounds is alive, not wrong. */
const MAX_ROUNDS = 5
const PAGE_SIZE = 100

export interface CheckResult {
  /** How many things were compared. */
  compared: number
  /** Those that were shown wrongly; what is shown now is what the server has. */
  differences: Comparison[]
}

/** One fetch of everything that is loaded. */
interface Fetched {
  snapshot: RequestSnapshot
  bootstrap: Bootstrap
  threads: ThreadState[]
  comparisons: Comparison[]
}

class RequestFailed extends Error {
  failure: Failure
  constructor(failure: Failure) {
    super(failure.name)
    this.failure = failure
  }
}

/**
 * Compares everything that is shown with a fresh fetch. What differs twice in the same way, while neither side
 * moved, is wrong: it is corrected through the reducer. What differs once was on its way.
 */
export async function checkRows(
  store: Store,
  ports: Pick<Ports, 'call' | 'after'>,
): Promise<Outcome<CheckResult>> {
  try {
    let before = new Map<string, Comparison>()
    let compared = 0
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a round begins when the one before is over
      if (round > 0) await pause(ports)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const fetched = await fetchAll(store, ports)
      compared = Math.max(compared, fetched.comparisons.length)
      const unequal = fetched.comparisons.filter((one) => !isDeepEqual(one.shown, one.fetched))
      if (unequal.length === 0) return { ok: true, value: { compared, differences: [] } }
      const repeated = unequal.filter((one) => {
        const then = before.get(keyOf(one))
        return then && isDeepEqual(then.shown, one.shown) && isDeepEqual(then.fetched, one.fetched)
      })
      const moving = unequal.length - repeated.length
      if (moving === 0 || round === MAX_ROUNDS - 1) {
        repair(store, fetched, repeated)
        return { ok: true, value: { compared, differences: repeated } }
      }
      before = new Map(unequal.map((one) => [keyOf(one), one]))
    }
    return { ok: true, value: { compared, differences: [] } }
  } catch (error) {
    return { ok: false, failure: error instanceof RequestFailed ? error.failure : failureNamed('network') }
  }
}

function keyOf(one: Comparison): string {
  return `${one.what} ${one.id}`
}

function pause(ports: Pick<Ports, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    ports.after(ROUND_INTERVAL_MS, resolve)
  })
}

async function fetchAll(store: Store, ports: Pick<Ports, 'call'>): Promise<Fetched> {
  const snapshot = takeSnapshot(store.get())
  const bootstrap = valueOrThrow(await ports.call('bootstrap', {}))
  const comparisons = compareBootstrap(store.get(), bootstrap)
  const workspace = bootstrap.workspace?.id
  const { threads, compared } = workspace
    ? await fetchThreads(store, ports, workspace, bootstrap)
    : { threads: [], compared: [] }
  comparisons.push(...compared)
  for (const id of Array.from(store.get().channels.keys())) {
    // oxlint-disable-next-line no-await-in-loop -- a check need not hurry, and must not press the server
    comparisons.push(...(await fetchMessages(store, ports, id)))
  }
  return { snapshot, bootstrap, threads, comparisons }
}

async function fetchThreads(
  store: Store,
  ports: Pick<Ports, 'call'>,
  workspace: Uuid,
  bootstrap: Bootstrap,
): Promise<{ threads: ThreadState[]; compared: Comparison[] }> {
  const roots = [...new Set([...store.get().threads.keys(), ...bootstrap.threads.map((one) => one.root_id)])]
  const threads: ThreadState[] = []
  const compared: Comparison[] = []
  for (let from = 0; from < roots.length; from += PAGE_SIZE) {
    const requested = roots.slice(from, from + PAGE_SIZE)
    // oxlint-disable-next-line no-await-in-loop -- as many at once as may be asked
    const fetched = valueOrThrow(await ports.call('thread_states', { workspace, roots: requested })).threads
    compared.push(...compareThreads([...store.get().threads.values()], fetched, requested))
    threads.push(...fetched)
  }
  return { threads, compared }
}

/** The messages of every range that is loaded of a channel and of its threads. */
async function fetchMessages(store: Store, ports: Pick<Ports, 'call'>, channel: Uuid): Promise<Comparison[]> {
  const compared: Comparison[] = []
  for (const window of store.get().channels.get(channel)?.windows ?? []) {
    const fresh = await fetchRange(
      window,
      (message) => message.seq,
      async (after) => ports.call('channel_page', { channel, after, limit: PAGE_SIZE }),
    )
    const rows = store.get().channels.get(channel)
    if (rows && isLoaded(rows.windows, window)) {
      compared.push(...compareRange(rows, window, rows.byNumber, (message) => message.seq, fresh))
    }
  }
  for (const [root, { windows }] of store.get().channels.get(channel)?.threads ?? []) {
    for (const window of windows) {
      // oxlint-disable-next-line no-await-in-loop -- one stretch after the other
      const fresh = await fetchRange(
        window,
        (message) => message.thread_seq,
        async (after) => ports.call('thread_page', { root, after, limit: PAGE_SIZE }),
      )
      const rows = store.get().channels.get(channel)
      const thread = rows?.threads.get(root)
      if (rows && thread && isLoaded(thread.windows, window)) {
        compared.push(...compareRange(rows, window, thread.byNumber, (message) => message.thread_seq, fresh))
      }
    }
  }
  return compared
}

function isLoaded(windows: readonly Range[], requested: Range): boolean {
  return windows.some((window) => window.from <= requested.from && requested.to <= window.to)
}

async function fetchRange(
  window: Range,
  numberOf: (message: Message) => number | null,
  page: (after: number) => Promise<Outcome<{ messages: Message[]; has_after: boolean }>>,
): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = window.from - 1; after < window.to;) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ended
    const bootstrap = valueOrThrow(await page(after))
    messages.push(...bootstrap.messages.filter((message) => (numberOf(message) ?? 0) <= window.to))
    const last = bootstrap.messages.at(-1)
    if (!last || !bootstrap.has_after) break
    after = Math.max(after + 1, numberOf(last) ?? window.to)
  }
  return messages
}

function valueOrThrow<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new RequestFailed(outcome.failure)
}

/** Puts right what was wrong: rows as the server has them; words are fetched again by the engine. */
function repair(store: Store, fetched: Fetched, differences: readonly Comparison[]) {
  if (differences.length === 0) return
  const { bootstrap, snapshot, threads } = fetched
  store.dispatch({ type: 'bootstrapReceived', response: bootstrap, snapshot })
  const channels = new Set(differences.flatMap((one) => (one.what === 'thread' ? [] : (one.channel ?? []))))
  const fetchedEntries = new Map(bootstrap.channels.map((entry) => [entry.channel.id, entry]))
  const loaded = (id: Uuid) => store.get().channels.get(id)
  // Of a channel that one reads without belonging to it only the words were fetched.
  const entries = [...channels].flatMap((id) => fetchedEntries.get(id) ?? entryOfNonMember(loaded(id)) ?? [])
  const gone = [...channels].filter((id) => loaded(id)?.entry.member && !fetchedEntries.has(id))
  const roots = new Set(differences.flatMap((one) => (one.what === 'thread' ? one.id : [])))
  store.dispatch({ type: 'rowsCorrected', entries: withoutMoved(store, entries), gone, threads, roots })
}

function entryOfNonMember(rows: ChannelRows | undefined): ChannelEntry | null {
  return rows && !rows.entry.member ? rows.entry : null
}

/** What moved since it was fetched is right by now, or will be fetched. */
function withoutMoved(store: Store, entries: ChannelEntry[]): ChannelEntry[] {
  return entries.filter((entry) => {
    const rows = store.get().channels.get(entry.channel.id)
    return !rows || rows.entry.counters.rev <= entry.counters.rev
  })
}
