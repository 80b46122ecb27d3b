import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../package.json'
import { readBackupSettings } from './backup/backupSettings.ts'
import { createBackupService, type BackupCommands, type BackupService } from './backup/createBackupService.ts'
import { createApiKeyVerifier } from './auth/tokens/createApiKeyVerifier.ts'
import { readAuthSettings } from './auth/settings/authSettings.ts'
import { createAuthService } from './auth/createAuthService.ts'
import { configureOAuthServer } from './optional/oauthServer/configureOAuthServer.ts'
import { configureSmsProvider } from './optional/sms/createSmsProvider.ts'
import { configureWalletSignIn } from './optional/web3/grantByWallet.ts'
import { budgetSettings } from './budgets/budgetSettings.ts'
import { createTokenBuckets } from './budgets/createTokenBuckets.ts'
import { createBudgets } from './budgets/createBudgets.ts'
import { createProxies } from './runtime/clientAddress/createProxies.ts'
import { type Config, loadConfig } from './config/loadConfig.ts'
import { createCronService, type CronService } from './jobs/cron/createCronService.ts'
import { respondWithDescription } from './optional/openapi/respondWithDescription.ts'
import { createMoving } from './optional/moving/createMoving.ts'
import { createDashboard } from './optional/dashboard/createDashboard.ts'
import { createFunctionsService } from './functions/createFunctionsService.ts'
import { functionLimits } from './functions/functionLimits.ts'
import { createLoader, type LoaderOptions } from './functions/load/createLoader.ts'
import { acmeCertificateFiles } from './gateway/acme/acmeFiles.ts'
import type { AcmeSettings } from './gateway/acme/acmeSettings.ts'
import { createChallengeServer } from './gateway/acme/createChallengeServer.ts'
import { createGateway } from './gateway/createGateway.ts'
import { createCertificateWatcher, type CertificateFiles } from './gateway/createCertificateWatcher.ts'
import { noLogger, type Logger } from './logging/logger.ts'
import { openLog } from './logging/openLog.ts'
import { createHealth } from './health/createHealth.ts'
import { createServerSettings, type SettingsOfCommand } from './serverSettings/createServerSettings.ts'
import { createControl, type ControlAction } from './control/createControl.ts'
import { createMetrics } from './metrics/createMetrics.ts'
import { metricsToken } from './metrics/metricsToken.ts'
import { createPgNetService, type PgNetService } from './jobs/http/createPgNetService.ts'
import { createInvocationService } from './jobs/invocations/createInvocationService.ts'
import { migrate } from './postgres/schema/migrate.ts'
import { migratePlatform } from './postgres/schema/migratePlatform.ts'
import { databaseBytes } from './postgres/server/databaseBytes.ts'
import { withLockedData } from './postgres/server/dataLock.ts'
import { moveToMajorVersion } from './postgres/majorVersion/moveToMajorVersion.ts'
import type { Pool } from './postgres/connections/pool.ts'
import { storeVaultSecrets } from './postgres/vault/storeVaultSecrets.ts'
import { createPostgresChangesPlugin } from './optional/postgresChanges/createPostgresChangesPlugin.ts'
import { createPresencePlugin } from './optional/presence/createPresencePlugin.ts'
import { createRealtimeService } from './realtime/createRealtimeService.ts'
import { createYieldingPool, lowerPriority } from './postgres/connections/createYieldingPool.ts'
import { createRestService } from './rest/createRestService.ts'
import { restSettings } from './rest/settings/restSettings.ts'
import { openOutgoingPause } from './restore/outgoingPause.ts'
import { applyFixedSettings, readFixedSettings } from './startup/fixedSettings.ts'
import { openDatabase } from './startup/openDatabase.ts'
import { prepareKeys } from './startup/prepareKeys.ts'
import { warnOfPublicKeys } from './startup/warnOfPublicKeys.ts'
import { registerServerUrl, registerSetupToken } from './startup/registerWithSchema.ts'
import type { RunningServer } from './startup/runningServer.ts'
import { readMemorySettings } from './startup/readMemorySettings.ts'
import { validateConfig } from './startup/validateConfig.ts'
import { createStorageService } from './storage/createStorageService.ts'
import { dropWalSlot } from './upgrade/copyRunningData.ts'
import { hasUnfinishedSwitch, restoreUnfinishedSwitch } from './upgrade/unfinishedSwitch.ts'
import { createThumbnails } from './optional/thumbnails/createThumbnails.ts'

export interface LinnetOptions {
  /** Contains all persistent data: PostgreSQL's files, objects, secrets. */
  dataDir: string
  /** Contains config.toml, migrations and seed.sql. */
  supabaseDir: string
  /** By default the settings of `supabaseDir` and `dataDir`. */
  config?: Config
  /** Whether to run seed.sql on a new database. */
  seed: boolean
  host: string
  /** 0 lets the system choose. */
  port: number
  /** The ports up to this one are tried while the ones before are in use; by default only `port`. */
  lastPort?: number
  publicUrl: string | null
  /** PEM files, reloaded when they change. */
  tls: CertificateFiles | null
  /** Requests and renews the certificate instead; `tls` is null then. */
  acme?: AcmeSettings | null
  /** Addresses and CIDR ranges whose forwarding headers are trusted; by default the addresses of this machine. */
  trustedProxies?: readonly string[]
  /** The built application, or null for the backend only. */
  appDir: string | null
  /**
   * Whether mailed links lead to this server. Otherwise they lead to another application, the `site_url` of
   * config.toml.
   */
  usePublicUrlAsSiteUrl: boolean
  /** Options of the command line for all functions; override config.toml. */
  functions?: Pick<LoaderOptions, 'envFile' | 'verifyJwt'>
  /** A TCP port for PostgreSQL on loopback (0: any free one), or null for the Unix socket only. */
  dbPort: number | null
  /** Whether the data are a copy that only shows whether this version starts on it: no job runs. */
  isRehearsal?: boolean
  /** Whether this version takes the data over from another one, which has left a backup. */
  isSwitch?: boolean
  /** Called once all services have started, before the port opens. The start ends with an error that it throws. */
  beforeListen?: () => Promise<void>
  /** How the command line starts this server; null if owners can't change its settings in the application. */
  settingsOfCommand?: SettingsOfCommand | null
  /** What other commands may request from this server. */
  controlActions?: Record<string, ControlAction>
  /**
   * Called when another server has taken over the data while this process was suspended. The process must then end at
   * once.
   */
  onLockLost?: () => void
  /** Called with the title of each step of the start, for the display of progress. */
  onStep?: (title: string, o?: { totalBytes?: number }) => void
  /** Called with the bytes of the current step that are done since the last call. */
  onBytes?: (bytes: number) => void
  /** The command line of `linnet`, with which owners export their workspace and import into it in the application; null if they can't. */
  linnetCommand?: readonly string[] | null
  /** The command lines of backups for this installation, or null for a server that makes no backups by itself. */
  backupCommands?: BackupCommands | null
  log: Logger
}

/** The optional parts of the auth service. */
const authExtensions = [configureOAuthServer, configureWalletSignIn, configureSmsProvider()]

/**
 * Checks the settings of all parts, and the certificate, as the start does before it changes anything. Throws ConfigError or
 * ListenError.
 */
export function checkSettings(config: Config, files: CertificateFiles | null = null): void {
  validateConfig(config, authExtensions)
  if (files) createCertificateWatcher({ files, publicUrl: null, log: noLogger })
}

export interface Linnet {
  running: RunningServer
  /** The URL on this machine, whatever the public URL is. */
  localUrl: string
  /** Also writes to the log file and to readers of the log. */
  log: Logger
  /** Whether this start created the database. */
  isNew: boolean
  /** Stops the services once requests in progress have finished, which have 10 s by default, then PostgreSQL. */
  stop(o?: { requestTimeoutMs?: number }): Promise<void>
  /** Runs `work` with a connection pool of the superuser. */
  withSuperuser<T>(work: (pool: Pool) => Promise<T>): Promise<T>
  /** Calls the listener with the process ids after each restart of PostgreSQL. */
  onDatabase(listener: (pids: RunningServer['pids']) => void): void
}

/**
 * Starts PostgreSQL, applies migrations and starts all services. It passes each service its dependencies, so that no
 * service imports another. Throws StartError, ConfigError or ListenError after it has stopped all started parts. The
 * command line prints their message.
 */
export async function startLinnet(o: LinnetOptions): Promise<Linnet> {
  const { dataDir } = o
  const { log, tail, writeToFile } = openLog(o.log)
  const config = o.config ?? loadConfig(o.supabaseDir, dataDir)
  for (const warning of config.warnings) log.warn('server.config_warning', { reason: warning })
  checkSettings(config)
  const budgets = createBudgets(budgetSettings(config))
  const memory = readMemorySettings(config, databaseBytes(dataDir))
  // The data of a switch in progress are the ones that this version is to migrate.
  if (o.isSwitch !== true && hasUnfinishedSwitch(dataDir)) {
    await withLockedData(dataDir, () => restoreUnfinishedSwitch(dataDir))
    log.warn('upgrade.restored', { dataDir })
  }
  await moveToMajorVersion({ ...o, config, memory, log })
  const isNew = !existsSync(join(dataDir, 'postgres'))
  const watchCertificate = (files: CertificateFiles) =>
    createCertificateWatcher({ files, publicUrl: o.publicUrl, log })
  let certificate = o.tls && watchCertificate(o.tls)
  o.onStep?.(isNew ? 'Creating the database' : 'Starting the database')
  const database = await openDatabase({
    dataDir,
    tcpPort: o.dbPort,
    backUpBeforeMigrationsOf: o.isSwitch === true || o.isRehearsal === true ? null : o.supabaseDir,
    memory,
    onLockLost: o.onLockLost,
    log,
  })
  const { postgres, openServicePool, withTemporaryPool } = database
  // Only once the data are locked: a second start on them must not write to the log of the first.
  const logFile = writeToFile(dataDir)
  let backups = null as BackupService | null
  const cleanups: (() => Promise<unknown>)[] = [
    () => logFile.close(),
    () => database.stop(),
    // After all services, so that the archive has everything that they wrote.
    async () => backups?.close(),
  ]
  let requestTimeoutMs: number | undefined
  /** Stops the parts in reverse order, so that each service stops before its dependencies. */
  const stop = async (how: { requestTimeoutMs?: number } = {}): Promise<void> => {
    requestTimeoutMs = how.requestTimeoutMs
    for (const end of cleanups.splice(0).reverse()) await end()
  }
  try {
    const { secrets, keys, apiKeys, close: closeKeys } = await prepareKeys(dataDir, config, log)
    cleanups.push(async () => closeKeys())
    await withTemporaryPool('supabase_admin', async (pool) => {
      await pool.withClient(dropWalSlot)
      await migratePlatform(pool)
    })
    await withTemporaryPool('postgres', (pool) =>
      storeVaultSecrets(pool, config, (reason) => log.warn('postgres.vault_secret_not_stored', { reason })),
    )
    o.onStep?.(isNew ? 'Creating the tables' : 'Migrating the database')
    // A migration can change the default of a setting only while no file fixes it.
    await withTemporaryPool('postgres', (pool) => applyFixedSettings(pool, config, {}))
    await migrate({
      postgres,
      admin: postgres.config('supabase_admin'),
      dir: o.supabaseDir,
      config,
      seed: o.seed,
      log,
    })
    o.onStep?.('Starting the services')
    await withTemporaryPool('postgres', (pool) => applyFixedSettings(pool, config, readFixedSettings(config)))
    const needsSetup = await withTemporaryPool('postgres', (pool) =>
      registerSetupToken(pool, secrets.setupToken),
    )

    // Before any service starts that sends something.
    const outgoing = await openOutgoingPause({
      dataDir,
      openPool: () => openServicePool('postgres', 1, { name: 'postgres_restore' }),
      log,
    })
    cleanups.push(() => outgoing.close())

    let url = o.publicUrl ?? ''
    let running: RunningServer | null = null
    let net: PgNetService
    let cron: CronService
    const auth = createAuthService({
      pool: openServicePool('supabase_auth_admin', 4),
      openPool: (hook, max) =>
        openServicePool('supabase_auth_admin', max, { name: `supabase_auth_admin_${hook}` }),
      keys,
      config,
      siteUrl: (origin) => (o.usePublicUrlAsSiteUrl ? (origin ?? url) : config.at('auth.site_url', url)),
      publicUrl: (origin) => origin ?? url,
      mail: {
        dir: dataDir,
        // Neither link nor code: a reader of the log could sign in with them.
        onMail: ({ to, subject }) => log.info('auth.mail_stored', { to, subject }),
      },
      isOutgoingPaused: outgoing.isPaused,
      extensions: authExtensions,
      log,
    })
    cleanups.push(() => auth.close())
    const { verifyToken } = auth
    const { maxDatabaseConnections, maxDatabaseQueue: queue, ...limits } = budgets.settings
    const time = createTokenBuckets({
      size: limits.readBurstMs,
      refill: limits.readMsPerSecond,
      period: 1_000,
      // However much a caller has used, it has time again half a minute later.
      maxDebt: 30 * limits.readMsPerSecond,
      now: () => performance.now(),
    })
    /** A second one, so that a slow command delays no other of the same person. */
    const maxWritesPerCaller = 2
    const callerPool = createYieldingPool({
      pool: openServicePool('authenticator', maxDatabaseConnections, {
        queue,
        maxWritesBesideOthers: maxWritesPerCaller,
      }),
      lowPool: openServicePool('authenticator', Math.ceil(maxDatabaseConnections / 4), {
        name: 'authenticator_low',
        queue,
        onOpen: lowerPriority,
      }),
      time,
    })
    const rest = createRestService({
      pool: callerPool,
      listen: postgres.config('authenticator'),
      verifyToken,
      settings: {
        ...restSettings(config),
        openApiServerProxyUri: o.publicUrl && `${o.publicUrl}/rest/v1`,
      },
      describeSchema: respondWithDescription,
      log,
    })
    cleanups.push(() => rest.close())
    const storage = await createStorageService({
      pool: callerPool,
      dir: join(dataDir, 'storage'),
      verifyToken,
      secret: secrets.jwtSecret,
      config,
      createThumbnails,
      onPublished: (version) => backups?.addFile(version),
      log,
      publicUrl: o.publicUrl,
    })
    cleanups.push(() => storage.close())
    const loader = createLoader({
      ...o.functions,
      supabaseDir: o.supabaseDir,
      dataDir,
      server: () => ({
        localUrl: listening.localUrl,
        // Functions put it into mails and push messages, which other machines receive.
        publicUrl: gateway.networkUrl() ?? url,
        dbUrl: database.url,
        jwks: keys.jwks,
        smtp: auth.smtp,
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
    cleanups.push(() => functions.close())
    const jobPool = openServicePool('supabase_functions_admin', 2)
    const invocations = createInvocationService({ pool: jobPool, invoke: functions.invoke, log })
    const realtimePool = openServicePool('supabase_realtime_admin', 6)
    const realtime = createRealtimeService({
      pool: realtimePool,
      lowPool: openServicePool('supabase_realtime_admin', 1, {
        name: 'supabase_realtime_admin_low',
        onOpen: lowerPriority,
      }),
      replication: postgres.config('supabase_realtime_admin'),
      verifyToken,
      config,
      plugins: [createPresencePlugin, createPostgresChangesPlugin],
      budgets,
      onOtherRows: invocations.wake,
      log,
    })
    cleanups.push(() => realtime.close())
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
      poolToCheck: realtimePool,
      diskSpace: storage.diskSpace,
    })
    cleanups.push(async () => metrics.close())
    const health = createHealth({
      dataDir,
      config,
      version,
      // Without a public address, the others of the network use the address of this machine.
      url: () => gateway.networkUrl() ?? url,
      host: o.host,
      isAcme: o.acme !== undefined && o.acme !== null,
      publishableKey: apiKeys.publishableKey,
      smtp: auth.smtp,
      mailLimit: auth.mailLimit,
      isOutgoingPaused: outgoing.isPaused,
      reader: postgres.config('supabase_read_only_user'),
      listen: postgres.config('supabase_functions_admin'),
      pool: callerPool,
      realtime: realtime.stats,
      log,
    })
    const serverSettings = o.settingsOfCommand
      ? createServerSettings({
          dataDir,
          config,
          validate: checkSettings,
          readSmtp: (candidate) => readAuthSettings(candidate).smtp,
          findOwnMethods: auth.findOwnMethods,
          command: o.settingsOfCommand,
          localUrl: () => listening.localUrl,
          url: () => gateway.networkUrl() ?? url,
          publishableKey: apiKeys.publishableKey,
          verifyToken,
          backups: () => backups,
          isOutgoingPaused: outgoing.isPaused,
          pool: callerPool,
          log,
        })
      : null
    const moving = o.linnetCommand
      ? await createMoving({
          dataDir,
          command: o.linnetCommand,
          diskSpace: storage.diskSpace,
          localUrl: () => listening.localUrl,
          publishableKey: apiKeys.publishableKey,
          log,
        })
      : null
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
      functionStats: functions.stats,
      resetFactors: auth.resetFactors,
      outgoing,
      health: health.read,
    })
    database.pools.set('supabase_read_only_user', dashboard.pool)
    const token = metricsToken(o.publicUrl, secrets.secretKey)
    const acme = o.acme ?? null
    // Its library for certificates has many modules, which other servers don't need.
    const acmeModule = acme && (await import('./gateway/acme/createAcmeService.ts'))
    if (acme && acmeModule) {
      await acmeModule.prepareCertificate(dataDir, acme.host, Date.now())
      certificate = watchCertificate(acmeCertificateFiles(dataDir))
    }
    const gateway = createGateway({
      auth,
      rest,
      storage,
      realtime,
      functions,
      serverSettings: serverSettings?.app,
      moving: moving?.app,
      mailbox: auth.mailbox.app,
      control: createControl({ token: secrets.dashboardToken, actions: o.controlActions ?? {} }),
      dashboard: dashboard.app,
      metrics: { render: metrics.render, token },
      keys: apiKeys,
      verifyKey: warnOfPublicKeys(createApiKeyVerifier(keys), log),
      verifyToken,
      budgets,
      appDir: o.appDir,
      appConfig: { key: apiKeys.publishableKey, installation: secrets.installation },
      publicUrl: o.publicUrl,
      tls: certificate && certificate.current,
      proxies: createProxies(o.trustedProxies ?? []),
      onProbe: (value) => {
        health.receiveProbe(value)
        serverSettings?.receiveProbe(value)
      },
      log,
    })
    // Stops after realtime, which asks its clients to reconnect before the gateway closes their sockets.
    cleanups.splice(-2, 0, () => gateway.close(requestTimeoutMs))
    // Its command sends requests to the services.
    cleanups.push(async () => moving?.close())
    certificate?.watch(gateway.renewCertificate)
    cleanups.push(async () => certificate?.close())
    const challenges = acme && createChallengeServer(acme.publicUrl)
    const certificates =
      challenges &&
      acmeModule?.createAcmeService({
        settings: acme,
        dataDir,
        publish: challenges.publish,
        isPaused: outgoing.isPaused,
        onCertificate: () => certificate?.check(gateway.renewCertificate),
        log,
      })
    await Promise.all([rest.reload(), realtime.ready()])
    // Stops before the gateway, which would wait for open log streams.
    cleanups.push(() => dashboard.close())
    await o.beforeListen?.()
    const listening = await gateway.listen(o.host, o.port, o.lastPort)
    url ||= listening.url
    if (challenges && certificates) {
      cleanups.push(() => challenges.close())
      await challenges.listen(o.host, acme.httpPort)
      certificates.start()
      cleanups.push(() => certificates.close())
    }
    if (o.isRehearsal !== true) {
      net = createPgNetService({
        pool: jobPool,
        listen: postgres.config('supabase_functions_admin'),
        allowed: config.at('pg_net.allowed', []),
        localUrl: () => listening.localUrl,
        publicUrl: () => url,
        apiPort: config.at('api.port', 54_321),
        isOutgoingPaused: outgoing.isPaused,
        log,
      })
      cleanups.push(() => net.close())
      invocations.start()
      cleanups.push(() => invocations.close())
      // Before cron starts, as its jobs may call edge functions at once.
      await withTemporaryPool('postgres', (pool) => registerServerUrl(pool, listening.localUrl))
      cron = createCronService({
        owner: postgres.config('postgres'),
        // There is no password for other roles, and their jobs must not run as postgres.
        login: (username) => (username === 'postgres' ? postgres.config('postgres') : null),
        log,
      })
      cleanups.push(() => cron.close())
      if (o.backupCommands) {
        backups = createBackupService({
          settings: readBackupSettings(config, dataDir),
          dataDir,
          installation: secrets.installation,
          commands: o.backupCommands,
          isPaused: outgoing.isPaused,
          database: postgres.config('postgres'),
          log,
        })
      }
    }
    postgres.recordUrl(url)
    if (o.isRehearsal !== true) health.start()
    cleanups.push(() => health.close())
    // The mailbox opens on this machine only, whatever the public URL is.
    const mailbox = auth.mailbox.path && `${listening.localUrl}${auth.mailbox.path}`
    const setup = new URLSearchParams({ token: secrets.setupToken, ...(mailbox && { mailbox }) })
    running = {
      url,
      networkUrl: gateway.networkUrl(),
      ...apiKeys,
      jwtSecret: secrets.jwtSecret,
      dbUrl: database.url,
      mailbox,
      dashboard: `${listening.localUrl}${dashboard.path}`,
      metrics: `${listening.localUrl}/metrics${token === null ? '' : `?token=${token}`}`,
      setupUrl: needsSetup ? `${url}/setup#${setup}` : null,
      version,
      pids: { server: process.pid, db: postgres.pid },
    }
    return {
      running,
      localUrl: listening.localUrl,
      log,
      isNew,
      stop,
      withSuperuser: (work) => withTemporaryPool('supabase_admin', work),
      onDatabase(listener) {
        database.onRestarted((db) => listener({ server: process.pid, db }))
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
