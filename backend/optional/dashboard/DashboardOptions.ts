import type { ClientConfig } from 'pg'
import type { Config } from '../../config/loadConfig.ts'
import type { LocalFinding } from '../../health/LocalFinding.ts'
import type { LogTail } from '../../logging/logTail.ts'
import type { RunningServer } from '../../startup/runningServer.ts'
import type { EdgeFunction, FunctionStats } from './page/functionsPage.ts'

/** A restore that nobody has confirmed yet. */
export interface PendingRestore {
  /** ISO 8601. */
  restoredAt: string
  /** The moment whose state was restored, ISO 8601; null if it is unknown. */
  recoveredTo: string | null
}

export interface DashboardOptions {
  /** The random part of the URL. */
  token: string
  /** Login of a role that can read all rows and is not a superuser. */
  database: ClientConfig
  tail: LogTail
  /** The version of Linnet. */
  version: string
  config: Config
  dataDir: string
  /** Schemas that the data API serves. */
  schemas: string[]
  /** Available once the server listens. */
  running: () => RunningServer
  /** Number of responses since the start, by status class. */
  requests: () => { status: string; count: number }[]
  realtime: () => { sockets: number; topics: number; replicating: boolean }
  /** The functions on disk. May throw an error whose message is shown. */
  functions: () => EdgeFunction[]
  functionStats: () => FunctionStats
  /** Removes all second factors of an account; returns their number, null if there is no such account. */
  resetFactors: (userId: string, ip: string) => Promise<number | null>
  /** Whether this server is a restored copy that sends nothing yet, and its confirmation. */
  outgoing: {
    pending: () => PendingRestore | null
    resume: () => Promise<void>
  }
  /** The findings of the last minutes, or those of a new run. */
  health: (o: { isFresh: boolean }) => Promise<LocalFinding[]>
}
