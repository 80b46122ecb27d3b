import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import { SETTING_NAMES, databaseSettings } from './databaseSettings.ts'
import { restSettings } from './restSettings.ts'
import type { RestSettings } from './restSettings.ts'

const base = restSettings(loadConfig('/nowhere'))

const settingsOf = (
  pairs: Record<string, string>,
  before: RestSettings = base,
): { changed: Partial<RestSettings>; faults: string[] } => {
  const all = new Map(Object.entries(pairs).map(([name, value]) => [`pgrst.${name}`, value]))
  const { settings, faults } = databaseSettings(all, base, before)
  const changed = Object.entries(settings).filter(([key, value]) => value !== base[key as keyof RestSettings])
  return { changed: Object.fromEntries(changed), faults }
}

test('keeps the base settings if there are none', () => {
  expect(settingsOf({})).toEqual({ changed: {}, faults: [] })
})

test.each<[string, string, Partial<RestSettings>]>([
  ['db_schemas', 'public, graphql_public,other', { schemas: ['public', 'other'] }],
  ['db_extra_search_path', '', { extraSearchPath: [] }],
  ['db_extra_search_path', ' a , b', { extraSearchPath: ['a', 'b'] }],
  ['db_max_rows', '20', { maxRows: 20 }],
  ['db_max_rows', '', { maxRows: null }],
  ['db_pre_request', 'api.before', { preRequest: { schema: 'api', name: 'before' } }],
  ['db_pre_request', 'before', { preRequest: { schema: '', name: 'before' } }],
  ['db_root_spec', 'root', { rootSpec: { schema: '', name: 'root' } }],
  ['db_aggregates_enabled', 'TRUE', { aggregatesEnabled: true }],
  ['db_plan_enabled', '"true"', { planEnabled: true }],
  ['server_timing_enabled', '1', { serverTimingEnabled: true }],
  ['url_use_legacy_target_names', '0', { useLegacyTargetNames: false }],
  ['openapi_mode', 'disabled', { openApiMode: 'disabled' }],
  ['openapi_security_active', 'true', { openApiSecurityActive: true }],
  [
    'openapi_server_proxy_uri',
    'https://example.org:8443/base',
    { openApiServerProxyUri: 'https://example.org:8443/base' },
  ],
  ['server_trace_header', 'X-Request-Id', { serverTraceHeader: 'X-Request-Id' }],
  ['db_tx_end', 'rollback', { txEnd: 'rollback' }],
  [
    'db_hoisted_tx_settings',
    'work_mem,statement_timeout',
    { hoistedTxSettings: ['work_mem', 'statement_timeout'] },
  ],
  ['client_error_verbosity', 'minimal', { clientErrorVerbosity: 'minimal' }],
])('%s %j', (name, value, changed) => {
  expect(settingsOf({ [name]: value })).toEqual({ changed, faults: [] })
})

describe('an invalid value', () => {
  test.each([
    ['db_schemas', 'public, pg_catalog'],
    ['db_schemas', 'information_schema'],
    ['db_schemas', 'a,,b'],
    ['db_max_rows', 'many'],
    ['db_max_rows', '-1'],
    ['db_aggregates_enabled', 'perhaps'],
    ['openapi_mode', 'open'],
    ['openapi_server_proxy_uri', 'example.org'],
    ['server_trace_header', 'two words'],
    ['db_tx_end', 'COMMIT'],
    ['client_error_verbosity', 'loud'],
  ])('%s %j is reported, and the previous value stays', (name, value) => {
    const before: RestSettings = {
      ...base,
      schemas: ['before'],
      maxRows: 7,
      aggregatesEnabled: true,
      openApiMode: 'disabled',
      openApiServerProxyUri: 'https://before.example',
      serverTraceHeader: 'X-Before',
      txEnd: 'rollback',
      clientErrorVerbosity: 'minimal',
    }
    const { changed, faults } = settingsOf({ [name]: value }, before)
    expect(faults).toEqual([`pgrst.${name} can't be ${JSON.stringify(value)}`])
    // Only this setting.
    const [[key, kept], ...others] = Object.entries(changed) as [[keyof RestSettings, unknown]]
    expect(kept).toEqual(before[key])
    expect(others).toEqual([])
  })

  test('is distinguished from settings that are configured elsewhere, and from unknown ones', () => {
    expect(settingsOf({ jwt_secret: 'x', db_anon_role: 'y', no_such: 'z' })).toEqual({
      changed: {},
      faults: [
        'pgrst.jwt_secret cannot be set in the database here',
        'pgrst.db_anon_role cannot be set in the database here',
      ],
    })
  })

  test('an empty value counts as unset if a value is required', () => {
    const names = SETTING_NAMES.map((name) => name.slice('pgrst.'.length))
    const { changed, faults } = settingsOf(Object.fromEntries(names.map((name) => [name, ''])))
    expect(faults).toEqual([])
    expect(changed).toEqual({ extraSearchPath: [], hoistedTxSettings: [], maxRows: null })
  })
})
