import type { Caller, ServiceEnv } from '../../wire/claims.ts'
import type { CancelSignal, Pool } from '../postgres/connections/pool.ts'
import type { PlanCache } from './PlanCache.ts'
import type { ServerTiming } from './ServerTiming.ts'
import type { Headers, RestRequest } from './parse/parseRequest.ts'
import type { RestResponse } from './respond/restResponse.ts'
import type { SchemaCache } from './schemaCache/schemaCache.ts'
import type { RestSettings } from './settings/restSettings.ts'

/** The context of all requests. */
export interface RestContext {
  pool: Pool
  settings: RestSettings
  /** Whether functions may leave session state behind (`leavesSessionState`). */
  leavesSessionState: boolean
}

/** One request with its schema cache and plans, which stay the same until it ends. */
export interface IncomingRequest {
  cache: SchemaCache
  plans: PlanCache
  caller: Caller
  raw: Request
  /** Aborts when the client closes the connection before the response is complete. */
  signal: CancelSignal
  path: string
  search: string
  headers: Headers
  /** Null unless enabled in the settings. */
  timing: ServerTiming | null
  describeSchema?: DescribeSchema | undefined
  /** Counts buffered bytes of the response. */
  lease: ServiceEnv['Variables']['lease']
}

/** Responds to the root path with a description of the schema. Without it the root is 404 (PGRST126). */
export type DescribeSchema = (
  context: RestContext,
  incoming: IncomingRequest,
  request: RestRequest,
) => Promise<RestResponse>
