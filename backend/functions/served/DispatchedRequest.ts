import type { ErrorResponse } from '../errorResponses.ts'
import type { InFlightRequest } from '../process/InFlightRequest.ts'
import type { WorkerProcess } from '../process/WorkerProcess.ts'

/** A request for a function, which waits for a worker or is handled by one. */
export interface DispatchedRequest extends InFlightRequest {
  readonly isEnded: boolean
  /** Called once, when it has ended. */
  onEnd: () => void
  /** Passes the request to a worker. */
  start(worker: WorkerProcess): void
  /** Ends it with an error instead of the function's response. */
  fail(refusal: ErrorResponse): void
}
