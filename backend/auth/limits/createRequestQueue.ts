import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { createTaskQueue } from '../../runtime/createTaskQueue.ts'
import { AuthError } from '../http/AuthError.ts'

/** The client whose turn a task waits for, and until when its result is wanted. */
export interface Turn {
  /** The address that the request comes from. */
  client: string
  /** Aborted where the client has closed its connection. */
  signal?: AbortSignal
}

export interface RequestQueue {
  /**
   * Runs `work` when it is the client's turn.
   * @throws AuthError 429 where too many wait, 408 where the client closed its connection before
   */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>
}

/** A queue in which clients (of IPv6 networks) take turns. */
export function createRequestQueue(o: { maxConcurrent: number; maxWaiting: number }): RequestQueue {
  const queue = createTaskQueue({
    ...o,
    errors: {
      full: (waitMs) =>
        new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', {
          retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
        }),
      aborted: () => new AuthError(408, 'request_timeout', 'The client left before its turn'),
    },
  })
  return { run: ({ client, signal }, work) => queue.run({ caller: networkOf(client), signal }, work) }
}
