import type { Bootstrap, ChannelEntry, Message, ThreadState, Uuid } from '../../../../wire/linnet.ts'
import { failureNamed } from '../../failures/failures.ts'
import type { Failure, Outcome } from '../../failures/failures.ts'
import { compareBootstrap, compareStretch, compareThreads, saysSame } from './compareRows.ts'
import type { Comparison } from './compareRows.ts'
import { knownOf } from '../../store/requestSnapshot.ts'
import type { Known } from '../../store/requestSnapshot.ts'
import type { Ports } from '../ports.ts'
import type { Range } from '../../store/ranges.ts'
import type { ChannelRows } from '../../store/state.ts'
import type { Store } from '../../store/store.ts'

/** Ms in which what is on its way arrives, or is asked for, between two rounds. */
const PAUSE = 1_000
/** What goes on moving through so many rounds is alive, not wrong. */
const ROUNDS = 5
const PAGE = 100

export interface Check {
  /** How many things were compared. */
  compared: number
  /** Those that were shown wrongly; what is shown now is what the server has. */
  differences: Comparison[]
}

/** One fetch of everything that is held. */
interface Fetched {
  known: Known
  answer: Bootstrap
  threads: ThreadState[]
  comparisons: Comparison[]
}

class Refused extends Error {
  failure: Failure
  constructor(failure: Failure) {
    super(failure.name)
    this.failure = failure
  }
}

/**
 * Compares everything that is shown with a fresh fetch. What differs twice in the same way, while neither side
 * moved, is wrong: it is put right through the reducer. What differs once was on its way.
 */
export async function checkCounts(
  store: Store,
  ports: Pick<Ports, 'call' | 'after'>,
): Promise<Outcome<Check>> {
  try {
    let before = new Map<string, Comparison>()
    let compared = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a round begins when the one before is over
      if (round > 0) await pause(ports)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const fetched = await fetchAll(store, ports)
      compared = Math.max(compared, fetched.comparisons.length)
      const unequal = fetched.comparisons.filter((one) => !saysSame(one.shown, one.fresh))
      if (unequal.length === 0) return { ok: true, value: { compared, differences: [] } }
      const still = unequal.filter((one) => {
        const then = before.get(keyOf(one))
        return then && saysSame(then.shown, one.shown) && saysSame(then.fresh, one.fresh)
      })
      const moving = unequal.length - still.length
      if (moving === 0 || round === ROUNDS - 1) {
        repair(store, fetched, still)
        return { ok: true, value: { compared, differences: still } }
      }
      before = new Map(unequal.map((one) => [keyOf(one), one]))
    }
    return { ok: true, value: { compared, differences: [] } }
  } catch (error) {
    return { ok: false, failure: error instanceof Refused ? error.failure : failureNamed('network') }
  }
}

function keyOf(one: Comparison): string {
  return `${one.what} ${one.id}`
}

function pause(ports: Pick<Ports, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    ports.after(PAUSE, resolve)
  })
}

async function fetchAll(store: Store, ports: Pick<Ports, 'call'>): Promise<Fetched> {
  const known = knownOf(store.get())
  const answer = given(await ports.call('bootstrap', {}))
  const comparisons = compareBootstrap(store.get(), answer)
  const workspace = answer.workspace?.id
  const { threads, compared } = workspace
    ? await fetchThreads(store, ports, workspace, answer)
    : { threads: [], compared: [] }
  comparisons.push(...compared)
  for (const id of Array.from(store.get().channels.keys())) {
    // oxlint-disable-next-line no-await-in-loop -- a check need not hurry, and must not press the server
    comparisons.push(...(await fetchWords(store, ports, id)))
  }
  return { known, answer, threads, comparisons }
}

async function fetchThreads(
  store: Store,
  ports: Pick<Ports, 'call'>,
  workspace: Uuid,
  answer: Bootstrap,
): Promise<{ threads: ThreadState[]; compared: Comparison[] }> {
  const roots = [...new Set([...store.get().threads.keys(), ...answer.threads.map((one) => one.root_id)])]
  const threads: ThreadState[] = []
  const compared: Comparison[] = []
  for (let from = 0; from < roots.length; from += PAGE) {
    const asked = roots.slice(from, from + PAGE)
    // oxlint-disable-next-line no-await-in-loop -- as many at once as may be asked
    const answered = given(await ports.call('thread_states', { workspace, roots: asked })).threads
    compared.push(...compareThreads([...store.get().threads.values()], answered, asked))
    threads.push(...answered)
  }
  return { threads, compared }
}

/** The messages of every stretch that is held of a channel and of its threads. */
async function fetchWords(store: Store, ports: Pick<Ports, 'call'>, channel: Uuid): Promise<Comparison[]> {
  const compared: Comparison[] = []
  for (const window of store.get().channels.get(channel)?.windows ?? []) {
    const fresh = await stretch(
      window,
      (message) => message.seq,
      async (after) => ports.call('channel_page', { channel, after, limit: PAGE }),
    )
    const rows = store.get().channels.get(channel)
    if (rows && holds(rows.windows, window)) {
      compared.push(...compareStretch(rows, window, rows.bySeq, (message) => message.seq, fresh))
    }
  }
  for (const [root, { windows }] of store.get().channels.get(channel)?.threads ?? []) {
    for (const window of windows) {
      // oxlint-disable-next-line no-await-in-loop -- one stretch after the other
      const fresh = await stretch(
        window,
        (message) => message.thread_seq,
        async (after) => ports.call('thread_page', { root, after, limit: PAGE }),
      )
      const rows = store.get().channels.get(channel)
      const thread = rows?.threads.get(root)
      if (rows && thread && holds(thread.windows, window)) {
        compared.push(
          ...compareStretch(rows, window, thread.byNumber, (message) => message.thread_seq, fresh),
        )
      }
    }
  }
  return compared
}

function holds(windows: readonly Range[], asked: Range): boolean {
  return windows.some((window) => window.from <= asked.from && asked.to <= window.to)
}

async function stretch(
  window: Range,
  numberOf: (message: Message) => number | null,
  page: (after: number) => Promise<Outcome<{ messages: Message[]; has_after: boolean }>>,
): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = window.from - 1; after < window.to;) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ended
    const answer = given(await page(after))
    messages.push(...answer.messages.filter((message) => (numberOf(message) ?? 0) <= window.to))
    const last = answer.messages.at(-1)
    if (!last || !answer.has_after) break
    after = Math.max(after + 1, numberOf(last) ?? window.to)
  }
  return messages
}

function given<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Refused(outcome.failure)
}

/** Puts right what was wrong: rows as the server has them; words are asked for anew by the engine. */
function repair(store: Store, fetched: Fetched, wrong: readonly Comparison[]) {
  if (wrong.length === 0) return
  const { answer, known, threads } = fetched
  store.dispatch({ type: 'bootstrapped', answer, known })
  const channels = new Set(wrong.flatMap((one) => (one.what === 'thread' ? [] : (one.channel ?? []))))
  const there = new Map(answer.channels.map((entry) => [entry.channel.id, entry]))
  const held = (id: Uuid) => store.get().channels.get(id)
  // Of a channel that one reads without belonging to it only the words were fetched.
  const entries = [...channels].flatMap((id) => there.get(id) ?? strangerOf(held(id)) ?? [])
  const gone = [...channels].filter((id) => held(id)?.entry.member && !there.has(id))
  const roots = new Set(wrong.flatMap((one) => (one.what === 'thread' ? one.id : [])))
  store.dispatch({ type: 'corrected', entries: stillFresh(store, entries), gone, threads, roots })
}

function strangerOf(rows: ChannelRows | undefined): ChannelEntry | null {
  return rows && !rows.entry.member ? rows.entry : null
}

/** What moved since it was fetched is right by now, or will be asked for. */
function stillFresh(store: Store, entries: ChannelEntry[]): ChannelEntry[] {
  return entries.filter((entry) => {
    const rows = store.get().channels.get(entry.channel.id)
    return !rows || rows.entry.counters.rev <= entry.counters.rev
  })
}
