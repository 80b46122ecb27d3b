import { supported, unsupported, type KnownKey } from './KnownKey.ts'
import { knownAuthKeys } from './knownAuthKeys.ts'
import { knownInstallationKeys } from './knownInstallationKeys.ts'

const alwaysRuns = 'the service always runs'
const mailbox = 'emails are stored in the mailbox of the server'
const administrationPage = 'the administration page /_/ replaces it'
const noLogs = 'there is no log service; see "linnet logs"'
const noPooler = 'there is no pooler'
const hostedOnly = 'available on hosted projects only'
const localDatabase = 'the database listens on this machine only'
const noShadow = 'there is no shadow database'
const ownConfiguration = 'the server configures PostgreSQL itself'
const runtime = 'functions run in Node workers'
const includedPostgres = 'the server includes PostgreSQL'

/** `[db.settings]` that have no effect, with their types. */
const databaseSettings = Object.fromEntries(
  Object.entries({
    string:
      'logical_decoding_work_mem max_slot_wal_keep_size max_standby_archive_delay max_standby_streaming_delay ' +
      'max_wal_size session_replication_role statement_timeout track_activity_query_size wal_keep_size ' +
      'wal_sender_timeout',
    number:
      'max_connections max_locks_per_transaction max_parallel_maintenance_workers max_parallel_workers ' +
      'max_parallel_workers_per_gather max_replication_slots max_wal_senders max_worker_processes',
    boolean: 'track_commit_timestamp',
  } as const).flatMap(([type, names]) =>
    names
      .split(' ')
      .map((name) => [
        `db.settings.${name}`,
        unsupported(type as 'string' | 'number' | 'boolean', ownConfiguration),
      ]),
  ),
)

/** The section of the mailbox, under either of its two names. */
const mailKeys = (section: string): Record<string, KnownKey> => ({
  [`${section}.enabled`]: unsupported('boolean', mailbox, true),
  [`${section}.port`]: unsupported('number', mailbox, 54_324),
  [`${section}.smtp_port`]: unsupported('number', mailbox, 54_325),
  [`${section}.pop3_port`]: unsupported('number', mailbox, 54_326),
  [`${section}.admin_email`]: unsupported('string', mailbox, 'admin@email.com'),
  [`${section}.sender_name`]: unsupported('string', mailbox, 'Admin'),
})

/** Limits of realtime that the official CLI does not have. */
const realtimeLimits = Object.fromEntries(
  [
    'max_concurrent_users',
    'max_connections_per_address',
    'max_events_per_second',
    'max_joins_per_second',
    'max_presence_events_per_second',
    'max_connections_per_person',
    'max_client_events_per_second',
    'max_channels_per_client',
    'max_payload_size_in_kb',
    'max_join_size_in_kb',
    'join_timeout_in_s',
    'max_client_presence_events_per_window',
    'client_presence_window_ms',
    'recheck_interval_in_s',
    'max_log_behind_in_mb',
  ].map((name) => [`realtime.${name}`, supported('number')]),
)

/** Budgets that all callers share; the official CLI does not have them. */
const budgets = Object.fromEntries(
  [
    'max_connections',
    'max_connections_per_address',
    'max_silent_connections',
    'max_requests',
    'max_requests_per_caller',
    'max_buffered_mb',
    'max_response_mb',
    'max_database_connections',
    'max_database_queue',
    'read_burst_in_ms',
    'read_ms_per_second',
    'head_timeout_in_s',
    'stall_timeout_in_s',
    'min_body_bytes_per_second',
  ].map((name) => [`budgets.${name}`, supported('number')]),
)

/** Limits of functions that the official CLI does not have. */
const functionLimits = Object.fromEntries(
  [
    'memory_limit_mb',
    'cpu_limit_ms',
    'boot_timeout_ms',
    'request_idle_timeout_ms',
    'worker_timeout_ms',
    'worker_idle_ms',
    'max_workers',
    'max_requests_per_worker',
    'max_body_bytes',
  ].map((name) => [`edge_runtime.${name}`, supported('number')]),
)

/**
 * Every key of config.toml that the official CLI knows (its pkg/config/*.go and templates/config.toml), and Linnet's
 * own. `*` is a name that the project chooses. A key that becomes supported has to be marked here.
 */
export const knownKeys: Record<string, KnownKey> = {
  project_id: supported('string'),

  'api.enabled': unsupported('boolean', alwaysRuns, true),
  'api.port': supported('number'),
  'api.schemas': supported('strings'),
  'api.extra_search_path': supported('strings'),
  'api.max_rows': supported('number'),
  'api.auto_expose_new_tables': supported('boolean'),
  'api.external_url': unsupported('string', 'use [server] public_url', ''),
  'api.tls.enabled': supported('boolean'),
  'api.tls.cert_path': supported('string'),
  'api.tls.key_path': supported('string'),

  'db.port': unsupported('number', 'use [server] db_port', 54_322),
  'db.shadow_port': unsupported('number', noShadow, 54_320),
  'db.health_timeout': unsupported('duration', alwaysRuns, '2m', '2m0s'),
  'db.major_version': unsupported('number', includedPostgres, 15, 17),
  'db.orioledb_version': unsupported('string', includedPostgres, ''),
  'db.root_key': unsupported('string', 'the vault has its own key', ''),
  'db.pooler.enabled': unsupported('boolean', noPooler, false),
  'db.pooler.port': unsupported('number', noPooler, 54_329),
  'db.pooler.pool_mode': unsupported('string', noPooler, 'transaction'),
  'db.pooler.default_pool_size': unsupported('number', noPooler, 15, 20),
  'db.pooler.max_client_conn': unsupported('number', noPooler, 100),
  'db.settings.effective_cache_size': supported('string'),
  'db.settings.maintenance_work_mem': supported('string'),
  'db.settings.shared_buffers': supported('string'),
  'db.settings.work_mem': supported('string'),
  'db.migrations.enabled': supported('boolean'),
  'db.migrations.schema_paths': supported('strings'),
  'db.seed.enabled': supported('boolean'),
  'db.seed.sql_paths': supported('strings'),
  ...databaseSettings,
  'db.network_restrictions.enabled': unsupported('boolean', localDatabase, false),
  'db.network_restrictions.allowed_cidrs': unsupported('strings', localDatabase, ['0.0.0.0/0']),
  'db.network_restrictions.allowed_cidrs_v6': unsupported('strings', localDatabase, ['::/0']),
  'db.ssl_enforcement.enabled': unsupported('boolean', localDatabase, false),
  'db.vault.*': supported('string'),

  'realtime.enabled': unsupported('boolean', alwaysRuns, true),
  'realtime.ip_version': unsupported('string', 'use [server] host', 'IPv4'),
  'realtime.max_header_length': unsupported('number', 'Node limits headers to 16 KiB', 4096),
  'realtime.private_only': supported('boolean'),
  'realtime.allowed_origins': supported('strings'),
  ...realtimeLimits,

  'studio.enabled': unsupported('boolean', administrationPage, true, false),
  'studio.port': unsupported('number', administrationPage, 54_323),
  'studio.api_url': unsupported('string', administrationPage, 'http://127.0.0.1', 'http://localhost'),
  'studio.openai_api_key': unsupported('string', administrationPage, 'env(OPENAI_API_KEY)'),
  ...mailKeys('local_smtp'),
  // The name until 2026.
  ...mailKeys('inbucket'),

  'storage.enabled': unsupported('boolean', alwaysRuns, true),
  'storage.file_size_limit': supported('size'),
  'storage.free_space_reserve': supported('size'),
  'storage.image_transformation.enabled': supported('boolean'),
  'storage.s3_protocol.enabled': unsupported('boolean', 'the S3 protocol is not supported', true, false),
  'storage.buckets.*.public': supported('boolean'),
  'storage.buckets.*.file_size_limit': supported('size'),
  'storage.buckets.*.allowed_mime_types': supported('strings'),
  'storage.buckets.*.objects_path': supported('string'),
  'storage.analytics.enabled': unsupported('boolean', hostedOnly, false),
  'storage.analytics.max_namespaces': unsupported('number', hostedOnly, 5),
  'storage.analytics.max_tables': unsupported('number', hostedOnly, 10),
  'storage.analytics.max_catalogs': unsupported('number', hostedOnly, 2),
  'storage.analytics.buckets.*': unsupported('any', hostedOnly),
  'storage.vector.enabled': unsupported('boolean', hostedOnly, false, true),
  'storage.vector.max_buckets': unsupported('number', hostedOnly, 10),
  'storage.vector.max_indexes': unsupported('number', hostedOnly, 5),
  'storage.vector.buckets.*': unsupported('any', hostedOnly),

  ...knownAuthKeys,

  'edge_runtime.enabled': supported('boolean'),
  'edge_runtime.policy': supported('string'),
  'edge_runtime.inspector_port': unsupported('number', runtime, 8083),
  'edge_runtime.deno_version': unsupported('number', runtime, 1, 2),
  'edge_runtime.secrets.*': supported('string'),
  ...functionLimits,
  'functions.*.enabled': supported('boolean'),
  'functions.*.verify_jwt': supported('boolean'),
  'functions.*.import_map': supported('string'),
  'functions.*.entrypoint': supported('string'),
  'functions.*.static_files': supported('strings'),

  'analytics.enabled': unsupported('boolean', noLogs, true, false),
  'analytics.port': unsupported('number', noLogs, 54_327),
  'analytics.vector_port': unsupported('number', noLogs, 54_328),
  'analytics.backend': unsupported('string', noLogs, 'postgres', 'bigquery'),
  'analytics.gcp_project_id': unsupported('string', noLogs),
  'analytics.gcp_project_number': unsupported('string', noLogs),
  'analytics.gcp_jwt_path': unsupported('string', noLogs),

  'pg_net.allowed': supported('strings'),
  ...budgets,
  ...knownInstallationKeys,

  'experimental.orioledb_version': unsupported('string', includedPostgres, ''),
  'experimental.s3_host': unsupported('string', includedPostgres, 'env(S3_HOST)'),
  'experimental.s3_region': unsupported('string', includedPostgres, 'env(S3_REGION)'),
  'experimental.s3_access_key': unsupported('string', includedPostgres, 'env(S3_ACCESS_KEY)'),
  'experimental.s3_secret_key': unsupported('string', includedPostgres, 'env(S3_SECRET_KEY)'),
  'experimental.webhooks.enabled': supported('boolean'),
  'experimental.pgdelta.enabled': unsupported('boolean', 'only migrations are applied', false, true),
  'experimental.pgdelta.declarative_schema_path': unsupported('string', 'only migrations are applied'),
  'experimental.pgdelta.format_options': unsupported('string', 'only migrations are applied'),
  'experimental.inspect.rules': unsupported('any', 'only "supabase inspect" uses them'),
}
