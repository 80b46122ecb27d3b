import type { Caller, ServiceEnv } from '../../wire/claims.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { Headers } from './parse/parseRequest.ts'
import type { PlanCache } from './PlanCache.ts'
import type { SchemaCache } from './schemaCache/schemaCache.ts'
import type { ServerTiming } from './ServerTiming.ts'
import type { RestSettings } from './settings/restSettings.ts'

/** What every request shares. */
export interface RestContext {
  pool: Pool
  settings: RestSettings
  /** Whether functions may leave something to their session (`leavesTraces`). */
  untidy: boolean
}

/** One request, and what it is answered from: the same cache and plans to its end. */
export interface Incoming {
  cache: SchemaCache
  plans: PlanCache
  caller: Caller
  raw: Request
  path: string
  search: string
  headers: Headers
  /** Where the settings ask for it. */
  timing: ServerTiming | null
  maxResponseBytes: number
  /** Counts what is buffered of the response. */
  lease: ServiceEnv['Variables']['lease']
}
