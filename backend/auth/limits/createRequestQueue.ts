import { networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import { createTaskQueue } from '../../runtime/createTaskQueue.ts'
import { AuthError } from '../http/AuthError.ts'

/** The client of a queued request, and its abort signal. */
export interface QueueKey {
  /** The client's IP address. */
  client: string
  /** Aborted when the client closes its connection. */
  signal?: AbortSignal
}

export interface RequestQueue {
  /**
   * Runs `work` when it is the client's turn.
   * @throws AuthError 429 if too many requests wait, 408 if the client closed its connection before
   */
  run<T>(queueKey: QueueKey, work: () => Promise<T>): Promise<T>
}

/**
 * A queue in which clients (IPv4 addresses and IPv6 networks) take turns.
 * @param o.isShared as of createTaskQueue
 */
export function createRequestQueue(o: {
  maxConcurrent: number
  maxWaiting: number
  isShared?: boolean
}): RequestQueue {
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
