import type { QualifiedName } from '../schemaCache/qualifiedName.ts'
import type { RestSettings } from './restSettings.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** Parses a setting; undefined if it is invalid. */
type Read<T> = (text: string) => T | undefined

/** Accepts `True`, `'true'`, `1` like upstream, but refuses what is neither true nor false. */
const bool: Read<boolean> = (text) => {
  const word = text.replaceAll(/[^A-Za-z]/g, '').toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  return /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) > 0 : undefined
}

const oneOf =
  <T extends string>(...choices: T[]): Read<T> =>
  (text) =>
    choices.find((choice) => choice === text)

const listOf = (text: string): string[] => text.split(',').map((item) => item.trim())

const listOrEmpty: Read<string[]> = (text) => (text === '' ? [] : listOf(text))

const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (text) =>
    text === '' ? null : read(text)

const rows: Read<number> = (text) => (/^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined)

/** `schema.name`; a name without schema is found on the search path. */
const named: Read<QualifiedName> = (text) => {
  const dot = text.indexOf('.')
  if (dot < 0 || dot === text.length - 1) return { schema: '', name: dot < 0 ? text : text.slice(0, dot) }
  return { schema: text.slice(0, dot), name: text.slice(dot + 1) }
}

/** GraphQL's schema may be listed, but is not served here. */
const schemas: Read<string[]> = (text) => {
  const list = listOf(text).filter((schema) => schema !== 'graphql_public')
  const isWrong = list.some((name) => ['', 'pg_catalog', 'information_schema'].includes(name))
  return list.length === 0 || isWrong ? undefined : list
}

const proxyUri: Read<string> = (text) =>
  /^https?:\/\/[^\s/]+/.test(text) && parseUrl(text) ? text : undefined

const headerName: Read<string> = (text) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text) ? text : undefined)

/** Settings that the database can override: upstream has no limit of bytes, and so no name for it. */
type Name = Exclude<keyof RestSettings, 'maxResponseBytes'>

type Readers = { [K in Name]: [name: string, read: Read<RestSettings[K]>] }

/** The name of each setting in the database, without `pgrst.`, and its parser. */
const READERS: Readers = {
  schemas: ['db_schemas', schemas],
  extraSearchPath: ['db_extra_search_path', listOrEmpty],
  maxRows: ['db_max_rows', orNull(rows)],
  preRequest: ['db_pre_request', orNull(named)],
  aggregatesEnabled: ['db_aggregates_enabled', bool],
  planEnabled: ['db_plan_enabled', bool],
  openApiMode: ['openapi_mode', oneOf('follow-privileges', 'ignore-privileges', 'disabled')],
  openApiSecurityActive: ['openapi_security_active', bool],
  openApiServerProxyUri: ['openapi_server_proxy_uri', orNull(proxyUri)],
  rootSpec: ['db_root_spec', orNull(named)],
  serverTimingEnabled: ['server_timing_enabled', bool],
  serverTraceHeader: ['server_trace_header', orNull(headerName)],
  txEnd: ['db_tx_end', oneOf('commit', 'commit-allow-override', 'rollback', 'rollback-allow-override')],
  hoistedTxSettings: ['db_hoisted_tx_settings', listOrEmpty],
  useLegacyTargetNames: ['url_use_legacy_target_names', bool],
  clientErrorVerbosity: ['client_error_verbosity', oneOf('verbose', 'minimal')],
}

/** All names with their prefix. */
export const SETTING_NAMES = Object.values(READERS).map(([name]) => `pgrst.${name}`)

/** Settings of upstream that are configured in the gateway and config.toml here. */
const CONFIGURED_ELSEWHERE = new Set([
  'pgrst.db_anon_role',
  'pgrst.db_prepared_statements',
  'pgrst.jwt_aud',
  'pgrst.jwt_role_claim_key',
  'pgrst.jwt_secret',
  'pgrst.jwt_secret_is_base64',
  'pgrst.server_cors_allowed_origins',
])

/**
 * Applies settings in the database to `base`. An invalid one keeps its value in `before` (the current settings) and adds a
 * sentence to `faults`; an empty one counts as unset if a value is required. Unknown names are ignored, like upstream.
 */
export function databaseSettings(
  pairs: ReadonlyMap<string, string>,
  base: RestSettings,
  before: RestSettings,
): { settings: RestSettings; faults: string[] } {
  const faults = [...pairs.keys()]
    .filter((name) => CONFIGURED_ELSEWHERE.has(name))
    .map((name) => `${name} cannot be set in the database here`)
  const read = <K extends Name>(key: K): RestSettings[K] => {
    const [name, reader] = READERS[key]
    const text = pairs.get(`pgrst.${name}`)
    if (text === undefined) return base[key]
    const value = reader(text)
    if (value !== undefined) return value
    if (text === '') return base[key]
    faults.push(`pgrst.${name} can't be ${JSON.stringify(text)}`)
    return before[key]
  }
  const entries = Object.keys(READERS).map((key) => [key, read(key as Name)])
  return { settings: { ...base, ...(Object.fromEntries(entries) as Pick<RestSettings, Name>) }, faults }
}
