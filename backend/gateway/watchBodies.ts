import type { IncomingMessage } from 'node:http'
import type { BudgetSettings } from '../budgets/budgetSettings.ts'
import type { Lease } from '../budgets/openLease.ts'
import { overBudget, type OverBudget } from './overBudget.ts'

/** A request whose body is buffered, until it is whole. */
interface Arriving {
  incoming: IncomingMessage
  lease: Lease
  /** What was taken for it already: all of it where its length is known. */
  charged: number
  cut(reason: OverBudget): void
}

export interface BodyWatch {
  add(arriving: Arriving): void
  /** Checks all of them; for the timer, and for tests. */
  check(): void
  /** How many were cut off since the start. */
  cuts(): number
  close(): void
}

const intervalMs = 1_000

/**
 * Cuts off request bodies that stand still, or arrive more slowly than `minBodyBytesPerSecond`; and charges those
 * without a length for what has arrived. A body that we do not read at the moment is not slow.
 */
export function watchBodies(
  settings: Pick<BudgetSettings, 'stallTimeoutMs' | 'minBodyBytesPerSecond'>,
  now: () => number = () => performance.now(),
): BodyWatch {
  const { stallTimeoutMs, minBodyBytesPerSecond } = settings
  const all = new Map<Arriving, { since: number; from: number; seenAt: number; seen: number }>()
  let timer: NodeJS.Timeout | null = null
  let cuts = 0

  const isWaitedFor = ({ incoming }: Arriving): boolean =>
    !incoming.isPaused() && incoming.readableLength < incoming.readableHighWaterMark

  /** Why it has to end now; null where it may go on. */
  const faultOf = (arriving: Arriving): OverBudget | null => {
    const state = all.get(arriving)!
    const at = now()
    const received = arriving.incoming.socket.bytesRead - state.from
    if (received > arriving.charged) {
      if (!arriving.lease.take(received - arriving.charged)) return overBudget.bytes
      arriving.charged = received
    }
    if (received > state.seen || !isWaitedFor(arriving)) {
      state.seenAt = at
      state.seen = received
    }
    if (at - state.seenAt > stallTimeoutMs) return overBudget.stalled
    const lateMs = at - state.since - stallTimeoutMs
    const isSlow = isWaitedFor(arriving) && received * 1_000 < lateMs * minBodyBytesPerSecond
    return isSlow ? overBudget.stalled : null
  }

  const check = (): void => {
    for (const arriving of all.keys()) {
      const { incoming } = arriving
      if (incoming.complete || incoming.destroyed) {
        all.delete(arriving)
        continue
      }
      const fault = faultOf(arriving)
      if (!fault) continue
      all.delete(arriving)
      cuts++
      arriving.cut(fault)
    }
    if (all.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }

  return {
    add(arriving) {
      const at = now()
      all.set(arriving, { since: at, from: arriving.incoming.socket.bytesRead, seenAt: at, seen: 0 })
      timer ??= setInterval(check, intervalMs).unref()
    },
    check,
    cuts: () => cuts,
    close() {
      if (timer) clearInterval(timer)
      timer = null
      all.clear()
    },
  }
}
