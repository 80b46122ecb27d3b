import type { Config } from '../../config/loadConfig.ts'
import type { Named } from '../schemaCache/named.ts'

/**
 * What the service is told, by PostgREST's names: `[api]` of config.toml first, and over it the `pgrst.*`
 * settings of the role that logs in (`alter role authenticator set pgrst.db_plan_enabled = 'true'`).
 */
export interface RestSettings {
  /** Exposed schemas; the first is the one without a profile. */
  schemas: string[]
  extraSearchPath: string[]
  /** Rows at most in an answer, at every level; null is no limit. */
  maxRows: number | null
  /** A function called in each transaction, after role and claims and before the statement. */
  preRequest: Named | null
  aggregatesEnabled: boolean
  /** Whether `Accept: application/vnd.pgrst.plan` is answered. */
  planEnabled: boolean
  openApiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled'
  /** Whether the description says that a token is wanted. */
  openApiSecurityActive: boolean
  /** The address that the description gives for the service; null is the request's own. */
  openApiServerProxyUri: string | null
  /** A function that answers `/` instead of the description. */
  rootSpec: Named | null
  serverTimingEnabled: boolean
  /** A header of requests that their answers repeat, for whoever follows them through proxies. */
  serverTraceHeader: string | null
  /** How transactions end, and whether `Prefer: tx=…` may choose. */
  txEnd: 'commit' | 'commit-allow-override' | 'rollback' | 'rollback-allow-override'
  /** Settings of a function that must hold before its statement begins; the others it sets itself. */
  hoistedTxSettings: string[]
  /** Whether an aliased embed may still be filtered by its table's name. */
  useLegacyTargetNames: boolean
  /** `minimal` leaves details and hint out of errors. */
  clientErrorVerbosity: 'verbose' | 'minimal'
}

/** The settings that hosted Supabase starts with, but for what `[api]` says. Throws ConfigError. */
export function restSettings(config: Config): RestSettings {
  return {
    schemas: config.at('api.schemas', ['public']).filter((schema) => schema !== 'graphql_public'),
    extraSearchPath: config.at('api.extra_search_path', ['public', 'extensions']),
    maxRows: config.at('api.max_rows', 1000),
    preRequest: null,
    aggregatesEnabled: false,
    planEnabled: false,
    openApiMode: 'follow-privileges',
    openApiSecurityActive: false,
    openApiServerProxyUri: null,
    rootSpec: null,
    serverTimingEnabled: false,
    serverTraceHeader: null,
    txEnd: 'commit-allow-override',
    hoistedTxSettings: [
      'statement_timeout',
      'plan_filter.statement_cost_limit',
      'default_transaction_isolation',
    ],
    useLegacyTargetNames: true,
    clientErrorVerbosity: 'verbose',
  }
}
