import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, VerifyToken } from '../../wire/claims.ts'
import { callerKey, withNetwork } from '../budgets/callerKey.ts'
import type { Budgets } from '../budgets/createBudgets.ts'
import { openLease, type Lease } from '../budgets/openLease.ts'
import { overBudget, overBudgetBody, overBudgetHeaders, type OverBudget } from './overBudget.ts'
import { watchBodies } from './watchBodies.ts'

/** What a service gets with a request that was admitted. */
export interface Admitted {
  /** Whom its budgets are counted under. */
  caller: string
  /** Counts bytes of the response that are buffered, until it ends; one that is not read is aborted. */
  lease: Pick<Lease, 'take'>
  /** Resolves where the body has to be cut off; null for a request without one, or one that is not buffered. */
  cut: Promise<OverBudget> | null
  /** Whether the caller has so many requests in progress that its refusals wait (`refusalDelayMs`). */
  isFlooding(): boolean
}

export interface RequestAdmission {
  /**
   * Calls `pass` within the budgets of the caller, when it is the caller's turn, or responds with 413 or 429.
   * @param who the principal of the key and address
   * @param bearer of the request, which names the person where it is valid
   */
  admit(
    o: {
      incoming: IncomingMessage
      outgoing: ServerResponse
      path: string
      who: Caller
      bearer: string | null
    },
    pass: (admitted: Admitted) => void,
  ): void
  stats(): RequestAdmissionStats
  close(): void
}

/** Since the start. */
export interface RequestAdmissionStats {
  /** Refused with 429 for the number of requests, with 413 or 429 for their bytes, and bodies cut off. */
  requests: number
  bytes: number
  cut: number
}

/** Above this many requests in progress a refusal is sent after a delay, since refused callers retry at once. */
const floodThreshold = 32
export const refusalDelayMs = 1_000

/** A body without a length is charged this much at first, and then for what has arrived. */
const unknownLength = 65_536

/** Uploads are written to disk as they arrive, however long they take: no bytes are buffered for them. */
const streamedPath = /^\/(storage\/v1\/(object|upload)|server\/v1\/imports\/uploads)\//

function bodyLength({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Counts requests and their bytes for the person whom a verified token names, else for the network address. */
export function admitRequests(budgets: Budgets, verifyToken: VerifyToken | null): RequestAdmission {
  const { requests, bytes, scheduler, settings } = budgets
  const bodies = watchBodies(settings)
  const refused = { requests: 0, bytes: 0 }

  /** A promise only where a token has to be verified. */
  const identify = (who: Caller, bearer: string | null): string | Promise<string> => {
    if (!bearer || !verifyToken) return callerKey(who)
    return verifyToken(bearer).then(
      (verified) => callerKey(verified.ok ? withNetwork(verified.caller, who) : who),
      () => callerKey(who),
    )
  }

  const refuse = (
    { outgoing, path }: Parameters<RequestAdmission['admit']>[0],
    caller: string,
    reason: OverBudget,
  ): void => {
    const send = (): void => {
      if (outgoing.destroyed) return
      const text = JSON.stringify(overBudgetBody(path, reason))
      outgoing.writeHead(reason.status, {
        ...overBudgetHeaders(path, reason),
        'content-length': Buffer.byteLength(text),
      })
      outgoing.end(text)
    }
    if (requests.takenBy(caller) > floodThreshold) setTimeout(send, refusalDelayMs).unref()
    else send()
  }

  const admit = (
    o: Parameters<RequestAdmission['admit']>[0],
    pass: (admitted: Admitted) => void,
    caller: string,
  ): void => {
    const { incoming, outgoing, path } = o
    // Closed while its token was verified: its budget would never be released.
    if (outgoing.closed) return
    if (!requests.take(caller)) {
      refused.requests++
      return refuse(o, caller, overBudget.requests)
    }
    const lease = openLease(bytes, caller)
    outgoing.once('close', () => {
      requests.release(caller)
      lease.end()
    })
    const length = streamedPath.test(path) ? 0 : bodyLength(incoming)
    const charged = length ?? unknownLength
    const response: Pick<Lease, 'take'> = {
      take(amount) {
        // A response that the client does not read is aborted; Node counts what the socket has accepted as progress.
        outgoing.setTimeout(settings.stallTimeoutMs)
        return lease.take(amount)
      },
    }
    const isFlooding = (): boolean => requests.takenBy(caller) > floodThreshold
    const passInTurn = (cut: Admitted['cut']): void =>
      scheduler.add({
        callerKey: caller,
        runNext() {
          if (!outgoing.closed) pass({ caller, lease: response, cut, isFlooding })
          return false
        },
      })
    if (charged === 0) return passInTurn(null)
    if (!lease.take(charged)) {
      refused.bytes++
      const isTooLarge = charged > settings.maxBufferedBytes / 2
      return refuse(o, caller, isTooLarge ? overBudget.tooLarge : overBudget.bytes)
    }
    const cut = new Promise<OverBudget>((resolve) => {
      bodies.add({
        incoming,
        lease,
        charged,
        cut: (reason) => {
          if (outgoing.headersSent) incoming.socket.destroy()
          else resolve(reason)
        },
      })
    })
    passInTurn(cut)
  }

  return {
    admit(o, pass) {
      const caller = identify(o.who, o.bearer)
      if (typeof caller === 'string') admit(o, pass, caller)
      else void caller.then((known) => admit(o, pass, known))
    },
    stats: () => ({ ...refused, cut: bodies.cuts() }),
    close: () => bodies.close(),
  }
}
