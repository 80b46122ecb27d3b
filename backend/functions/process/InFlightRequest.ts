import type { FunctionLimits } from '../functionLimits.ts'

/** Why a worker ended: it crashed, exceeded a limit, violated the protocol, or was released. */
export type WorkerEnd = 'crash' | 'memory' | 'cpu' | 'time' | 'protocol' | 'released'

/** What a worker process uses of a request. */
export interface InFlightRequest {
  /** When it was received, by `performance.now()`. */
  readonly startedAt: number
  /** Ends the request if it exceeds a time limit. */
  checkTime(now: number, limits: FunctionLimits): void
  onResponse(chunk: Buffer, start: number, end: number): void
  onChunk(bytes: Buffer): void
  onChunksEnd(isWhole: boolean): void
  onCredit(bytes: number): void
  onWorkerEnd(end: WorkerEnd): void
}
