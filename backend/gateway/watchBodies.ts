import type { IncomingMessage } from 'node:http'
import type { BudgetSettings } from '../budgets/budgetSettings.ts'
import type { Lease } from '../budgets/openLease.ts'
import { overBudget, type OverBudget } from './overBudget.ts'

/** A request whose body is buffered, until it is complete. */
interface PendingBody {
  incoming: IncomingMessage
  lease: Lease
  /** Bytes charged so far: all of them if the length is known. */
  charged: number
  cut(reason: OverBudget): void
}

export interface BodyWatch {
  add(body: PendingBody): void
  /** Checks all bodies. Called by the timer, and by tests. */
  check(): void
  /** How many were cut off since the start. */
  cuts(): number
  close(): void
}

const intervalMs = 1_000

/**
 * Cuts off request bodies that stall, or arrive more slowly than `minBodyBytesPerSecond`, and charges those without a
 * length for what has arrived. A body that the server does not read at the moment is not slow.
 */
export function watchBodies(
  settings: Pick<BudgetSettings, 'stallTimeoutMs' | 'minBodyBytesPerSecond'>,
  now: () => number = () => performance.now(),
): BodyWatch {
  const { stallTimeoutMs, minBodyBytesPerSecond } = settings
  const all = new Map<PendingBody, { since: number; from: number; progressAt: number; received: number }>()
  let timer: NodeJS.Timeout | null = null
  let cuts = 0

  const isBeingRead = ({ incoming }: PendingBody): boolean =>
    !incoming.isPaused() && incoming.readableLength < incoming.readableHighWaterMark

  /** Why a body is cut off now; null if it may continue. */
  const checkBody = (body: PendingBody): OverBudget | null => {
    const state = all.get(body)!
    const at = now()
    const received = body.incoming.socket.bytesRead - state.from
    if (received > body.charged) {
      if (!body.lease.take(received - body.charged)) return overBudget.bytes
      body.charged = received
    }
    if (received > state.received || !isBeingRead(body)) {
      state.progressAt = at
      state.received = received
    }
    if (at - state.progressAt > stallTimeoutMs) return overBudget.stalled
    const lateMs = at - state.since - stallTimeoutMs
    const isSlow = isBeingRead(body) && received * 1_000 < lateMs * minBodyBytesPerSecond
    return isSlow ? overBudget.stalled : null
  }

  const check = (): void => {
    for (const body of all.keys()) {
      const { incoming } = body
      if (incoming.complete || incoming.destroyed) {
        all.delete(body)
        continue
      }
      const reason = checkBody(body)
      if (!reason) continue
      all.delete(body)
      cuts++
      body.cut(reason)
    }
    if (all.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }

  return {
    add(body) {
      const at = now()
      all.set(body, { since: at, from: body.incoming.socket.bytesRead, progressAt: at, received: 0 })
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
