import { honoured, unserved, type KnownKey } from './KnownKey.ts'
import { knownAuthKeys } from './knownAuthKeys.ts'

const always = 'the service always runs'
const mailbox = 'mails are kept in the mailbox of the house'
const pages = 'the page /_/ of the house takes its place'
const noLogs = 'there is no log service; see "linnet logs"'
const noPooler = 'there is no pooler'
const hostedOnly = 'only hosted projects have it'
const loopback = 'the database listens on this machine alone'
const noShadow = 'no shadow database is made'
const settings = 'the house sets PostgreSQL up itself'
const runtime = 'functions run in workers of Node'
const engine = 'the house brings its own PostgreSQL'

/** `[db.settings]`, with their types. */
const databaseSettings = Object.fromEntries(
  Object.entries({
    string:
      'effective_cache_size logical_decoding_work_mem maintenance_work_mem max_slot_wal_keep_size ' +
      'max_standby_archive_delay max_standby_streaming_delay max_wal_size session_replication_role ' +
      'shared_buffers statement_timeout track_activity_query_size wal_keep_size wal_sender_timeout work_mem',
    number:
      'max_connections max_locks_per_transaction max_parallel_maintenance_workers max_parallel_workers ' +
      'max_parallel_workers_per_gather max_replication_slots max_wal_senders max_worker_processes',
    boolean: 'track_commit_timestamp',
  } as const).flatMap(([type, names]) =>
    names
      .split(' ')
      .map((name) => [`db.settings.${name}`, unserved(type as 'string' | 'number' | 'boolean', settings)]),
  ),
)

/** The section of the mailbox, which has had two names. */
const mailKeys = (section: string): Record<string, KnownKey> => ({
  [`${section}.enabled`]: unserved('boolean', mailbox, true),
  [`${section}.port`]: unserved('number', mailbox, 54_324),
  [`${section}.smtp_port`]: unserved('number', mailbox, 54_325),
  [`${section}.pop3_port`]: unserved('number', mailbox, 54_326),
  [`${section}.admin_email`]: unserved('string', mailbox, 'admin@email.com'),
  [`${section}.sender_name`]: unserved('string', mailbox, 'Admin'),
})

/** Limits of realtime that are ours; the official CLI knows none of them. */
const realtimeLimits = Object.fromEntries(
  [
    'max_concurrent_users',
    'max_connections_per_address',
    'max_events_per_second',
    'max_joins_per_second',
    'max_presence_events_per_second',
    'max_channels_per_client',
    'max_payload_size_in_kb',
    'max_client_presence_events_per_window',
    'client_presence_window_ms',
    'recheck_interval_in_s',
    'max_log_behind_in_mb',
  ].map((name) => [`realtime.${name}`, honoured('number')]),
)

/** What callers share; the official CLI knows none of them. */
const budgets = Object.fromEntries(
  [
    'max_connections',
    'max_connections_per_address',
    'max_silent_connections',
    'max_requests',
    'max_buffered_mb',
    'max_response_mb',
    'max_database_connections',
    'max_database_queue',
    'head_timeout_in_s',
    'stall_timeout_in_s',
    'min_body_bytes_per_second',
  ].map((name) => [`budgets.${name}`, honoured('number')]),
)

/** Limits of functions that are ours. */
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
  ].map((name) => [`edge_runtime.${name}`, honoured('number')]),
)

/**
 * Every key of config.toml that the official CLI knows (its pkg/config/*.go and templates/config.toml), and
 * ours. `*` stands for a name that the project chooses. Whoever comes to honour a key says so here.
 */
export const knownKeys: Record<string, KnownKey> = {
  project_id: honoured('string'),

  'api.enabled': unserved('boolean', always, true),
  'api.port': honoured('number'),
  'api.schemas': honoured('strings'),
  'api.extra_search_path': honoured('strings'),
  'api.max_rows': honoured('number'),
  'api.auto_expose_new_tables': honoured('boolean'),
  'api.external_url': unserved('string', '--public-url says it', ''),
  'api.tls.enabled': honoured('boolean'),
  'api.tls.cert_path': honoured('string'),
  'api.tls.key_path': honoured('string'),

  'db.port': unserved('number', '--db-port opens one', 54_322),
  'db.shadow_port': unserved('number', noShadow, 54_320),
  'db.health_timeout': unserved('duration', always, '2m', '2m0s'),
  'db.major_version': unserved('number', engine, 15, 17),
  'db.orioledb_version': unserved('string', engine, ''),
  'db.root_key': unserved('string', 'the vault has a key of its own', ''),
  'db.pooler.enabled': unserved('boolean', noPooler, false),
  'db.pooler.port': unserved('number', noPooler, 54_329),
  'db.pooler.pool_mode': unserved('string', noPooler, 'transaction'),
  'db.pooler.default_pool_size': unserved('number', noPooler, 15, 20),
  'db.pooler.max_client_conn': unserved('number', noPooler, 100),
  'db.migrations.enabled': honoured('boolean'),
  'db.migrations.schema_paths': unserved('strings', 'only migrations are applied', []),
  'db.seed.enabled': honoured('boolean'),
  'db.seed.sql_paths': honoured('strings'),
  ...databaseSettings,
  'db.network_restrictions.enabled': unserved('boolean', loopback, false),
  'db.network_restrictions.allowed_cidrs': unserved('strings', loopback, ['0.0.0.0/0']),
  'db.network_restrictions.allowed_cidrs_v6': unserved('strings', loopback, ['::/0']),
  'db.ssl_enforcement.enabled': unserved('boolean', loopback, false),
  'db.vault.*': honoured('string'),

  'realtime.enabled': unserved('boolean', always, true),
  'realtime.ip_version': unserved('string', '--host says where to listen', 'IPv4'),
  'realtime.max_header_length': unserved('number', 'Node bounds headers at 16 KiB', 4096),
  'realtime.private_only': honoured('boolean'),
  'realtime.allowed_origins': honoured('strings'),
  ...realtimeLimits,

  'studio.enabled': unserved('boolean', pages, true, false),
  'studio.port': unserved('number', pages, 54_323),
  'studio.api_url': unserved('string', pages, 'http://127.0.0.1', 'http://localhost'),
  'studio.openai_api_key': unserved('string', pages, 'env(OPENAI_API_KEY)'),
  ...mailKeys('local_smtp'),
  // Its name until 2026.
  ...mailKeys('inbucket'),

  'storage.enabled': unserved('boolean', always, true),
  'storage.file_size_limit': honoured('size'),
  'storage.free_space_reserve': honoured('size'),
  'storage.image_transformation.enabled': honoured('boolean'),
  'storage.s3_protocol.enabled': unserved('boolean', 'the protocol of S3 is not served', true, false),
  'storage.buckets.*.public': honoured('boolean'),
  'storage.buckets.*.file_size_limit': honoured('size'),
  'storage.buckets.*.allowed_mime_types': honoured('strings'),
  'storage.buckets.*.objects_path': honoured('string'),
  'storage.analytics.enabled': unserved('boolean', hostedOnly, false),
  'storage.analytics.max_namespaces': unserved('number', hostedOnly, 5),
  'storage.analytics.max_tables': unserved('number', hostedOnly, 10),
  'storage.analytics.max_catalogs': unserved('number', hostedOnly, 2),
  'storage.analytics.buckets.*': unserved('any', hostedOnly),
  'storage.vector.enabled': unserved('boolean', hostedOnly, false, true),
  'storage.vector.max_buckets': unserved('number', hostedOnly, 10),
  'storage.vector.max_indexes': unserved('number', hostedOnly, 5),
  'storage.vector.buckets.*': unserved('any', hostedOnly),

  ...knownAuthKeys,

  'edge_runtime.enabled': honoured('boolean'),
  'edge_runtime.policy': honoured('string'),
  'edge_runtime.inspector_port': unserved('number', runtime, 8083),
  'edge_runtime.deno_version': unserved('number', runtime, 1, 2),
  'edge_runtime.secrets.*': honoured('string'),
  ...functionLimits,
  'functions.*.enabled': honoured('boolean'),
  'functions.*.verify_jwt': honoured('boolean'),
  'functions.*.import_map': honoured('string'),
  'functions.*.entrypoint': honoured('string'),
  'functions.*.static_files': honoured('strings'),

  'analytics.enabled': unserved('boolean', noLogs, true, false),
  'analytics.port': unserved('number', noLogs, 54_327),
  'analytics.vector_port': unserved('number', noLogs, 54_328),
  'analytics.backend': unserved('string', noLogs, 'postgres', 'bigquery'),
  'analytics.gcp_project_id': unserved('string', noLogs),
  'analytics.gcp_project_number': unserved('string', noLogs),
  'analytics.gcp_jwt_path': unserved('string', noLogs),

  'pg_net.allowed': honoured('strings'),
  ...budgets,

  'experimental.orioledb_version': unserved('string', engine, ''),
  'experimental.s3_host': unserved('string', engine, 'env(S3_HOST)'),
  'experimental.s3_region': unserved('string', engine, 'env(S3_REGION)'),
  'experimental.s3_access_key': unserved('string', engine, 'env(S3_ACCESS_KEY)'),
  'experimental.s3_secret_key': unserved('string', engine, 'env(S3_SECRET_KEY)'),
  'experimental.webhooks.enabled': honoured('boolean'),
  'experimental.pgdelta.enabled': unserved('boolean', 'only migrations are applied', false, true),
  'experimental.pgdelta.declarative_schema_path': unserved('string', 'only migrations are applied'),
  'experimental.pgdelta.format_options': unserved('string', 'only migrations are applied'),
  'experimental.inspect.rules': unserved('any', 'only "supabase inspect" reads them'),
}
