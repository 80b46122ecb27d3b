import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { budgetSettings } from './budgets/budgetSettings.ts'
import { createBudgets } from './budgets/createBudgets.ts'
import { createAuthService } from './auth/createAuthService.ts'
import { version } from '../package.json'
import { createProxies } from './runtime/clientAddress/createProxies.ts'
import { loadConfig } from './config/loadConfig.ts'
import { createCronService } from './jobs/cron/createCronService.ts'
import { createDashboard } from './extras/dashboard/createDashboard.ts'
import { createFunctionsService } from './functions/createFunctionsService.ts'
import { functionLimits } from './functions/functionLimits.ts'
import { createLoader, type LoaderOptions } from './functions/load/createLoader.ts'
import { createGateway } from './gateway/createGateway.ts'
import { createCertificateWatcher, type CertificateFiles } from './gateway/createCertificateWatcher.ts'
import type { Logger } from './logging/logger.ts'
import { openLog } from './logging/openLog.ts'
import { createMetrics } from './metrics/createMetrics.ts'
import { metricsToken } from './metrics/metricsToken.ts'
import { createPgNetService } from './jobs/http/createPgNetService.ts'
import { offerAddress } from './startup/offerAddress.ts'
import { openDatabase } from './startup/openDatabase.ts'
import { offerSetup } from './startup/offerSetup.ts'
import { migrate } from './postgres/schema/migrate.ts'
import { migratePlatform } from './postgres/schema/migratePlatform.ts'
import { storeVaultSecrets } from './postgres/vault/storeVaultSecrets.ts'
import { prepareKeys } from './startup/prepareKeys.ts'
import { validateConfig } from './startup/validateConfig.ts'
import { createRealtimeService } from './realtime/createRealtimeService.ts'
import { createRestService } from './rest/createRestService.ts'
import { restSettings } from './rest/settings/restSettings.ts'
import type { Running } from './startup/running.ts'
import { createStorageService } from './storage/createStorageService.ts'

export interface LinnetOptions {
  /** Holds everything that lasts: PostgreSQL's files, objects, secrets. */
  dataDir: string
  /** config.toml, migrations and seed.sql. */
  supabaseDir: string
  /** Run seed.sql where the data are new. */
  seed: boolean
  host: string
  /** 0 lets the system choose. */
  port: number
  publicUrl: string | null
  /** PEM files; those that replace them are served from then on. */
  tls: CertificateFiles | null
  /** Addresses and CIDR ranges whose forwarding headers are believed; this machine's own unless said. */
  trustedProxies?: readonly string[]
  /** The built application, or null for the backend alone. */
  appDir: string | null
  /** Mailed links lead here; else another application's people come back to the `site_url` of config.toml. */
  ownSite: boolean
  /** What the command line says of all functions, over config.toml. */
  functions?: Pick<LoaderOptions, 'envFile' | 'verifyJwt'>
  /** A TCP port for PostgreSQL on loopback (0: any free one), or null for its socket alone. */
  dbPort: number | null
  /** Called when another server has taken over the data while this process was suspended: it must end at once. */
  onLockLost?: () => void
  log: Logger
}

export interface Linnet {
  running: Running
  /** Where this machine reaches it, whatever its public address is. */
  localUrl: string
  /** What is said here goes to the log's file and to its readers too. */
  log: Logger
  /** Whether these data were made by this start. */
  isNew: boolean
  /** Ends the services, then PostgreSQL; requests under way are let finish. */
  stop(): Promise<void>
  /** Called with the process ids each time PostgreSQL had to be started again. */
  onDatabase(told: (pids: Running['pids']) => void): void
}

/**
 * Starts PostgreSQL, brings its schema up to date and serves it: every part is built here and handed what it
 * needs, so that no service knows another.
 * Throws StartError, ConfigError or ListenError with a sentence for a terminal; nothing is left running then.
 */
export async function startLinnet(o: LinnetOptions): Promise<Linnet> {
  const { dataDir } = o
  const { log, tail, writeToFile } = openLog(o.log)
  const config = loadConfig(o.supabaseDir)
  for (const remark of config.remarks) log.warn('config.toml', { remark })
  validateConfig(config)
  const budgets = createBudgets(budgetSettings(config))
  const isNew = !existsSync(join(dataDir, 'postgres'))
  const certificate = o.tls && createCertificateWatcher({ files: o.tls, publicUrl: o.publicUrl, log })
  const database = await openDatabase({
    dataDir,
    tcpPort: o.dbPort,
    copyBefore: o.supabaseDir,
    onLockLost: o.onLockLost,
    log,
  })
  const { postgres, poolOf, briefly } = database
  // Only now are the data ours: a second start on them must not write into the log of the first.
  const logFile = writeToFile(dataDir)
  const ending: (() => Promise<unknown>)[] = [() => logFile.close(), () => database.stop()]
  /** Newest first, so that nothing loses what it stands on. */
  const stop = async (): Promise<void> => {
    for (const end of ending.splice(0).reverse()) await end()
  }
  try {
    const { secrets, keys, apiKeys, close: leaveKeys } = await prepareKeys(dataDir, config, log)
    ending.push(async () => leaveKeys())
    await briefly('supabase_admin', migratePlatform)
    await briefly('postgres', (pool) =>
      storeVaultSecrets(pool, config, (notice) => log.warn('vault', { notice })),
    )
    await migrate({ postgres, dir: o.supabaseDir, config, seed: o.seed, log })
    const unfounded = await briefly('postgres', (pool) => offerSetup(pool, secrets.setupToken))

    let url = o.publicUrl ?? ''
    let running: Running | null = null
    const auth = createAuthService({
      pool: poolOf('supabase_auth_admin', 4),
      openPool: (hook, max) => poolOf('supabase_auth_admin', max, { name: `supabase_auth_admin_${hook}` }),
      keys,
      config,
      siteUrl: () => (o.ownSite ? url : config.at('auth.site_url', url)),
      publicUrl: () => url,
      mail: {
        dir: dataDir,
        // Neither link nor code: whoever reads the log would be signed in by it.
        onMail: ({ to, subject }) => log.info('mail kept in the mailbox', { to, subject }),
      },
      log,
    })
    ending.push(() => auth.close())
    const { verifyToken } = auth
    const { maxDatabaseConnections, maxDatabaseQueue } = budgets.settings
    const callers = poolOf('authenticator', maxDatabaseConnections, { queue: maxDatabaseQueue })
    const rest = createRestService({
      pool: callers,
      listen: postgres.config('authenticator'),
      verifyToken,
      settings: {
        ...restSettings(config),
        openApiServerProxyUri: o.publicUrl && `${o.publicUrl}/rest/v1`,
      },
      maxResponseBytes: budgets.settings.maxResponseBytes,
      log,
    })
    ending.push(() => rest.close())
    const storage = await createStorageService({
      pool: callers,
      dir: join(dataDir, 'storage'),
      verifyToken,
      secret: secrets.jwtSecret,
      config,
      log,
      publicUrl: o.publicUrl,
    })
    ending.push(() => storage.close())
    const loader = createLoader({
      ...o.functions,
      supabaseDir: o.supabaseDir,
      dataDir,
      house: () => ({
        localUrl: listening.url,
        publicUrl: url,
        dbUrl: database.url,
        jwks: keys.jwks,
        ...apiKeys,
      }),
      log,
    })
    const functions = createFunctionsService({
      loadFunction: loader.load,
      verifyToken,
      keys: apiKeys,
      limits: functionLimits(config),
      publicUrl: o.publicUrl,
      log,
    })
    ending.push(() => functions.close())
    const realtimePool = poolOf('supabase_realtime_admin', 6)
    const realtime = createRealtimeService({
      pool: realtimePool,
      replication: postgres.config('supabase_realtime_admin'),
      verifyToken,
      config,
      buffered: budgets.bytes,
      log,
    })
    ending.push(() => realtime.close())
    const metrics = createMetrics({
      requests: () => gateway.requests(),
      refused: () => gateway.refused(),
      connections: () => gateway.connections(),
      budgets,
      realtime: realtime.stats,
      functions: functions.stats,
      net: () => net,
      cron: () => cron.stats(),
      pools: database.pools,
      database: realtimePool,
      diskSpace: storage.room,
    })
    ending.push(async () => metrics.close())
    const dashboard = createDashboard({
      token: secrets.dashboardToken,
      database: postgres.config('supabase_read_only_user'),
      tail,
      version,
      config,
      dataDir,
      schemas: restSettings(config).schemas,
      running: () => running!,
      requests: () => gateway.requests(),
      realtime: realtime.stats,
      functions: loader.list,
      functionFigures: functions.stats,
      takeOffFactors: auth.takeOffFactors,
    })
    database.pools.set('supabase_read_only_user', dashboard.pool)
    const token = metricsToken(o.publicUrl, secrets.secretKey)
    const gateway = createGateway({
      auth,
      rest,
      storage,
      realtime,
      functions,
      mailbox: auth.mailbox.app,
      dashboard: dashboard.app,
      metrics: { render: metrics.render, token },
      keys: apiKeys,
      verifyToken,
      budgets,
      appDir: o.appDir,
      appConfig: { key: apiKeys.publishableKey, installation: secrets.installation },
      publicUrl: o.publicUrl,
      tls: certificate && certificate.current,
      proxies: createProxies(o.trustedProxies ?? []),
      log,
    })
    // Below realtime, which ends first: its sockets are told to come back before the gateway cuts them.
    ending.splice(-2, 0, () => gateway.close())
    certificate?.watch(gateway.renewCertificate)
    ending.push(async () => certificate?.close())
    await Promise.all([rest.reload(), realtime.ready()])
    // Ends before the gateway, which else would wait for those who follow the log.
    ending.push(() => dashboard.close())
    const listening = await gateway.listen(o.host, o.port)
    url ||= listening.url
    const net = createPgNetService({
      pool: poolOf('supabase_functions_admin', 2),
      listen: postgres.config('supabase_functions_admin'),
      allowed: config.at('pg_net.allowed', []),
      localUrl: () => listening.url,
      publicUrl: () => url,
      apiPort: config.at('api.port', 54_321),
      log,
    })
    ending.push(() => net.close())
    // Before the jobs, which may call our own functions at once.
    await briefly('postgres', (pool) => offerAddress(pool, listening.url))
    const cron = createCronService({
      owner: postgres.config('postgres'),
      // A job of another role has no password of ours to log in with, and must not run as anyone else.
      login: (username) => (username === 'postgres' ? postgres.config('postgres') : null),
      log,
    })
    ending.push(() => cron.close())
    postgres.recordUrl(url)
    // The mailbox opens on this machine alone, whatever the public address is.
    const mailbox = auth.mailbox.path && `${listening.url}${auth.mailbox.path}`
    const setup = new URLSearchParams({ token: secrets.setupToken, ...(mailbox && { mailbox }) })
    running = {
      url,
      ...apiKeys,
      jwtSecret: secrets.jwtSecret,
      dbUrl: database.url,
      mailbox,
      dashboard: `${listening.url}${dashboard.path}`,
      metrics: `${listening.url}/metrics${token === null ? '' : `?token=${token}`}`,
      setupUrl: unfounded ? `${url}/setup#${setup}` : null,
      pids: { server: process.pid, db: postgres.pid },
    }
    return {
      running,
      localUrl: listening.url,
      log,
      isNew,
      stop,
      onDatabase(told) {
        database.onRestarted((db) => told({ server: process.pid, db }))
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
