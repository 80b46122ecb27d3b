import type { ClientConfig } from 'pg'
import type { Logger } from '../logging/logger.ts'
import { createPool, type Pool } from '../postgres/connections/pool.ts'
import { findFreePort } from '../postgres/server/findFreePort.ts'
import { supervisePostgres, type SupervisedPostgres } from '../postgres/server/supervisePostgres.ts'
import { startPostgres, type Postgres, type ServiceRole } from '../postgres/server/startPostgres.ts'

export interface Database {
  /** Of the first start; after a restart pid and no more have changed. */
  postgres: Postgres
  /** For people and their programs, as postgres. */
  url: string
  /** Connections that a service keeps until `stop`; named for its role unless `name` is given. */
  poolOf(role: ServiceRole, max: number, o?: { name?: string; queue?: number }): Pool
  /** Those of `poolOf`, and whatever else is to be seen in the figures. */
  pools: Map<string, Pool>
  /** For set-up alone: nobody serves with a superuser's connection, or the owner's, at hand. */
  briefly<T>(role: ServiceRole, work: (pool: Pool) => Promise<T>): Promise<T>
  /** Called with the new process id each time PostgreSQL had to be started again. */
  onRestarted(told: (pid: number) => void): void
  /** Ends the services' connections, then PostgreSQL. */
  stop(): Promise<void>
}

function renderUrl(config: ClientConfig, tcpPort: number | null): string {
  const user = `${config.user}:${encodeURIComponent(String(config.password))}`
  if (tcpPort !== null) return `postgresql://${user}@127.0.0.1:${tcpPort}/${config.database}`
  return `postgresql://${user}@/${config.database}?host=${encodeURIComponent(config.host!)}&port=${config.port}`
}

/**
 * Starts PostgreSQL on a data folder and keeps it running. Throws StartError.
 * @param o.tcpPort on loopback (0: any free one), or null for the socket alone
 * @param o.copyBefore the supabase folder before whose migrations the data are copied
 * @param o.onLockLost called when another server has taken over the data; PostgreSQL has been told to end at once then
 */
export async function openDatabase(o: {
  dataDir: string
  tcpPort: number | null
  copyBefore: string
  onLockLost?: (() => void) | undefined
  log: Logger
}): Promise<Database> {
  const tcpPort = o.tcpPort === 0 ? await findFreePort() : o.tcpPort
  let kept: SupervisedPostgres | null = null
  const onLockLost = (): void => {
    try {
      // Immediate shutdown: any other one writes to the data, which are the other server's now.
      if (kept) process.kill(kept.current().pid, 'SIGQUIT')
    } catch {
      // It has ended already.
    }
    o.onLockLost?.()
  }
  const start = (): Promise<Postgres> =>
    startPostgres({
      dataDir: o.dataDir,
      ...(tcpPort === null ? {} : { port: tcpPort }),
      backUpBeforeMigrationsOf: o.copyBefore,
      onLockLost,
      onBackup: (folder) => o.log.info('data copied before their schema changes', { folder }),
      log: (line) => {
        // LOG and its DETAIL tell of ordinary life: starts, checkpoints, readers of the log.
        if (!/^(LOG|DETAIL):/.test(line)) o.log.warn('postgres', { line })
      },
    })
  const keeper = await supervisePostgres(start, o.log)
  kept = keeper
  const postgres = keeper.current()
  const open = (
    role: ServiceRole,
    max: number,
    { name = role, ...o }: { name?: string; queue?: number } = {},
  ): Pool => createPool(postgres.config(role), { max, name: `linnet ${name}`, ...o })
  const own: Pool[] = []
  const pools = new Map<string, Pool>()
  return {
    postgres,
    url: renderUrl(postgres.config('postgres'), tcpPort),
    poolOf(role, max, o = {}) {
      const pool = open(role, max, o)
      own.push(pool)
      pools.set(o.name ?? role, pool)
      return pool
    },
    pools,
    async briefly(role, work) {
      const pool = open(role, 1)
      return work(pool).finally(() => pool.end())
    },
    onRestarted: (told) => keeper.onRestarted(told),
    async stop() {
      await Promise.all(own.map((pool) => pool.end()))
      await keeper.stop()
    },
  }
}
