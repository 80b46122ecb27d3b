import type { Uuid } from '../../../wire/linnet.ts'
import type { Outcome } from '../failures.ts'

/** Changes of one's own rows that show at once and are still being kept by the server. */
export interface Wishes<P extends object> {
  /** What of the row is wished for and not answered; the same object until that changes. */
  of: (id: Uuid) => Partial<P> | undefined
  all: () => ReadonlyMap<Uuid, Partial<P>>
  /**
   * Shows the change from now on and asks for it, again while the server can't be reached. Refused, it is taken back.
   * `onWaiting` is called once if it has to wait for the connection.
   */
  keep: (id: Uuid, change: Partial<P>, onWaiting?: () => void) => Promise<Outcome>
}

interface Ports<P extends object> {
  /** Writes the change; when it answers well, the row itself shows it. */
  save: (id: Uuid, change: Partial<P>) => Promise<Outcome>
  /** Resolves after so many ms, or sooner when the connection is back. */
  pause: (ms: number) => Promise<void>
  tell: () => void
}

/** Pauses between tries: three minutes in all, longer than a lift or a tunnel. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 45_000, 45_000]

/** Keeps what is wished for, one request a row at a time, so that a later wish is the one that stands. */
export function createWishes<P extends object>({ save, pause, tell }: Ports<P>): Wishes<P> {
  let shown: ReadonlyMap<Uuid, Partial<P>> = new Map()
  /** What was asked of each row, in order, and isn't answered. */
  const waiting = new Map<Uuid, Partial<P>[]>()
  const lines = new Map<Uuid, Promise<unknown>>()

  function show(id: Uuid) {
    const next = new Map(shown)
    const changes = waiting.get(id) ?? []
    if (changes.length > 0) next.set(id, Object.assign({}, ...changes) as Partial<P>)
    else next.delete(id)
    shown = next
    tell()
  }

  function settle(id: Uuid, change: Partial<P>) {
    const left = (waiting.get(id) ?? []).filter((one) => one !== change)
    if (left.length > 0) waiting.set(id, left)
    else waiting.delete(id)
    show(id)
  }

  async function ask(id: Uuid, change: Partial<P>, onWaiting?: () => void): Promise<Outcome> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await save(id, change)
      const wait = PAUSES[tries]
      if (outcome.ok || !outcome.failure.again || wait === undefined) {
        settle(id, change)
        return outcome
      }
      if (tries === 0) onWaiting?.()
      await pause(wait)
    }
  }

  return {
    of: (id) => shown.get(id),
    all: () => shown,
    keep: (id, change, onWaiting) => {
      waiting.set(id, [...(waiting.get(id) ?? []), change])
      show(id)
      const mine = (lines.get(id) ?? Promise.resolve()).then(() => ask(id, change, onWaiting))
      lines.set(id, mine)
      void mine.then(() => {
        if (lines.get(id) === mine) lines.delete(id)
      })
      return mine
    },
  }
}
