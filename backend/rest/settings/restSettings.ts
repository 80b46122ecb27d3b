import { budgetSettings } from '../../budgets/budgetSettings.ts'
import { exposedSchemas } from '../../config/exposedSchemas.ts'
import type { Config } from '../../config/loadConfig.ts'
import type { QualifiedName } from '../schemaCache/qualifiedName.ts'

/**
 * Settings of the service, with PostgREST's names: `[api]` of config.toml, overridden by the `pgrst.*` settings of the
 * login role (`alter role authenticator set pgrst.db_plan_enabled = 'true'`).
 */
export interface RestSettings {
  /** Exposed schemas; the first is the default. */
  schemas: string[]
  extraSearchPath: string[]
  /** Maximum number of rows in a response, at every level; null is no limit. */
  maxRows: number | null
  /** Maximum size of a response (`[budgets]`). Upstream has no such limit. */
  maxResponseBytes: number
  /** A function that each transaction calls after setting role and claims, before the statement. */
  preRequest: QualifiedName | null
  aggregatesEnabled: boolean
  /** Whether `Accept: application/vnd.pgrst.plan` is allowed. */
  planEnabled: boolean
  openApiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled'
  /** Whether the OpenAPI description contains a security definition. */
  openApiSecurityActive: boolean
  /** The URL in the OpenAPI description; null for that of the request. */
  openApiServerProxyUri: string | null
  /** A function that serves `/` instead of the OpenAPI description. */
  rootSpec: QualifiedName | null
  serverTimingEnabled: boolean
  /** A request header that is copied to the response, for tracing through proxies. */
  serverTraceHeader: string | null
  /** How transactions end, and whether `Prefer: tx=…` can override it. */
  txEnd: 'commit' | 'commit-allow-override' | 'rollback' | 'rollback-allow-override'
  /** Settings of functions that apply before the statement starts; PostgreSQL applies the others. */
  hoistedTxSettings: string[]
  /** Whether an embed with an alias can still be filtered by its table name. */
  useLegacyTargetNames: boolean
  /** `minimal` omits details and hint of errors. */
  clientErrorVerbosity: 'verbose' | 'minimal'
}

/** The defaults of hosted Supabase, overridden by `[api]`. Throws ConfigError. */
export function restSettings(config: Config): RestSettings {
  return {
    schemas: exposedSchemas(config).filter((schema) => schema !== 'graphql_public'),
    extraSearchPath: config.at('api.extra_search_path', ['public', 'extensions']),
    maxRows: config.at('api.max_rows', 1000),
    maxResponseBytes: budgetSettings(config).maxResponseBytes,
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
