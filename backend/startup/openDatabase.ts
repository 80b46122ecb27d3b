import type { ClientConfig } from 'pg'
import type { Logger } from '../logging/logger.ts'
import { createPool, type Pool, type PoolOptions } from '../postgres/connections/pool.ts'
import { findFreePort } from '../postgres/server/findFreePort.ts'
import type { MemorySettings } from '../postgres/server/memorySettings.ts'
import { supervisePostgres, type SupervisedPostgres } from '../postgres/server/supervisePostgres.ts'
import { startPostgres, type Postgres, type ServiceRole } from '../postgres/server/startPostgres.ts'

export interface Database {
  /** PostgreSQL as of the first start. After a restart only the pid differs. */
  postgres: Postgres
  /** Connection string for users and their tools, with the role postgres. */
  url: string
  /** Creates a connection pool for a service. `stop` closes it. Its default name is the role. */
  openServicePool(role: ServiceRole, max: number, o?: Partial<PoolOptions>): Pool
  /** The service pools, and other pools that the metrics include. */
  pools: Map<string, Pool>
  /**
   * Runs `work` with a temporary pool. It is used during startup only, because no service has a connection of a
   * superuser or the owner.
   */
  withTemporaryPool<T>(role: ServiceRole, work: (pool: Pool) => Promise<T>): Promise<T>
  /** Calls the listener with the new process id after each restart of PostgreSQL. */
  onRestarted(listener: (pid: number) => void): void
  /** Closes the service pools, then stops PostgreSQL. */
  stop(): Promise<void>
}

function renderUrl(config: ClientConfig, tcpPort: number | null): string {
  const user = `${config.user}:${encodeURIComponent(String(config.password))}`
  if (tcpPort !== null) return `postgresql://${user}@127.0.0.1:${tcpPort}/${config.database}`
  return `postgresql://${user}@/${config.database}?host=${encodeURIComponent(config.host!)}&port=${config.port}`
}

/**
 * Starts PostgreSQL on a data directory and restarts it when it ends. Throws StartError.
 * @param o.tcpPort a port on loopback (0: any free one), or null for the Unix socket only
 * @param o.backUpBeforeMigrationsOf the supabase folder; the data are copied before its pending migrations run. Null if a
 *   copy exists
 * @param o.onLockLost called when another server has taken over the data, after an immediate shutdown of PostgreSQL
 */
export async function openDatabase(o: {
  dataDir: string
  tcpPort: number | null
  backUpBeforeMigrationsOf: string | null
  memory: MemorySettings
  onLockLost?: (() => void) | undefined
  log: Logger
}): Promise<Database> {
  const tcpPort = o.tcpPort === 0 ? await findFreePort() : o.tcpPort
  let supervised: SupervisedPostgres | null = null
  const onLockLost = (): void => {
    try {
      // Immediate shutdown: any other mode writes to the data, which the other server uses now.
      if (supervised) process.kill(supervised.current().pid, 'SIGQUIT')
    } catch {
      // PostgreSQL has already ended.
    }
    o.onLockLost?.()
  }
  const start = (): Promise<Postgres> =>
    startPostgres({
      dataDir: o.dataDir,
      ...(tcpPort === null ? {} : { port: tcpPort }),
      memory: o.memory,
      ...(o.backUpBeforeMigrationsOf === null
        ? {}
        : { backUpBeforeMigrationsOf: o.backUpBeforeMigrationsOf }),
      onLockLost,
      onBackup: (folder) => o.log.info('postgres.backup_created', { folder }),
      log: (line) => {
        // LOG and its DETAIL report normal operation: startup, checkpoints, replication.
        if (!/^(LOG|DETAIL):/.test(line)) o.log.warn('postgres.output', { line })
      },
    })
  const supervisor = await supervisePostgres(start, o.log)
  supervised = supervisor
  const postgres = supervisor.current()
  const openPool = (role: ServiceRole, max: number, { name = role, ...o }: Partial<PoolOptions> = {}): Pool =>
    createPool(postgres.config(role), { max, name: `linnet ${name}`, ...o })
  const servicePools: Pool[] = []
  const pools = new Map<string, Pool>()
  return {
    postgres,
    url: renderUrl(postgres.config('postgres'), tcpPort),
    openServicePool(role, max, o = {}) {
      const pool = openPool(role, max, o)
      servicePools.push(pool)
      pools.set(o.name ?? role, pool)
      return pool
    },
    pools,
    async withTemporaryPool(role, work) {
      const pool = openPool(role, 1)
      return work(pool).finally(() => pool.end())
    },
    onRestarted: (listener) => supervisor.onRestarted(listener),
    async stop() {
      await Promise.all(servicePools.map((pool) => pool.end()))
      await supervisor.stop()
    },
  }
}
