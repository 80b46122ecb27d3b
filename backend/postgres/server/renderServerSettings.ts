import type { ExtensionFolder } from '../extensions/installedExtensions.ts'
import type { MemorySettings } from './memorySettings.ts'

/** A quoted value of `postgresql.conf`. */
const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/**
 * `linnet.conf`, written at each start and included by `postgresql.conf`. `alter system` overrides it.
 * Durability settings are never relaxed.
 * @param o.extensions folder of the stand-ins, without a colon, which separates the paths
 * @param o.installed folders of further extensions
 * @param o.preloaded libraries that count or check statements from the start
 */
export function renderServerSettings(o: {
  extensions: string
  installed: readonly ExtensionFolder[]
  preloaded: readonly string[]
  memory: MemorySettings
}): string {
  const control = ['$system', o.extensions, ...o.installed.map((folder) => folder.control)]
  const libraries = ['$libdir', ...o.installed.map((folder) => folder.libraries)]
  return `# Written by Linnet at each start. Change settings with "alter system".
fsync = on
full_page_writes = on
synchronous_commit = on

wal_level = logical
max_wal_senders = 8
max_replication_slots = 8
# A slot whose reader is gone must not fill the disk.
max_slot_wal_keep_size = 1GB
max_wal_size = 512MB
min_wal_size = 64MB

max_connections = 60
shared_buffers = ${o.memory.shared_buffers}
effective_cache_size = ${o.memory.effective_cache_size}
work_mem = ${o.memory.work_mem}
maintenance_work_mem = ${o.memory.maintenance_work_mem}
max_worker_processes = 4
max_parallel_workers = 1
max_parallel_workers_per_gather = 1
max_parallel_maintenance_workers = 1
max_logical_replication_workers = 1
max_sync_workers_per_subscription = 0
autovacuum_max_workers = 1
autovacuum_worker_slots = 2
io_method = sync
huge_pages = off
# Plans of a messenger are short: compiling them costs more than it saves.
jit = off
random_page_cost = 1.1
# Plans name their query, as hosted's do, where pg_stat_statements switches it on.
compute_query_id = on

# What the build itself brings comes before a stand-in of the same name, and that before what is installed here.
extension_control_path = ${quoted(control.join(':'))}
dynamic_library_path = ${quoted(libraries.join(':'))}

shared_preload_libraries = ${quoted(o.preloaded.join(', '))}
pg_stat_statements.max = 1000
# Statements such as ALTER ROLE contain passwords.
pg_stat_statements.track_utility = off

lc_messages = 'C'
lc_monetary = 'C'
lc_numeric = 'C'
lc_time = 'C'
timezone = 'UTC'
log_timezone = 'UTC'
default_text_search_config = 'pg_catalog.english'
password_encryption = 'scram-sha-256'

# No errors of statements: they hold what people wrote.
log_min_messages = log
log_min_error_statement = panic
log_checkpoints = off
log_line_prefix = ''
`
}
