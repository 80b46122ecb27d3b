import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { ServerHealth } from '../../wire/administration.ts'
import { findingsOfDatabase } from '../../wire/databaseChecks.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import { createNotificationListener } from '../postgres/connections/createNotificationListener.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { runAsCaller } from '../postgres/connections/runAsCaller.ts'
import { listMigrations } from '../postgres/schema/migrationFiles.ts'
import { readApplied } from '../postgres/schema/readApplied.ts'
import { missingPartitions } from '../realtime/broadcast/missingPartitions.ts'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { listDifferences } from '../storage/bytes/compareRowsAndFiles.ts'
import { checkBackups } from './checkBackups.ts'
import { createAddressProbe, judgeAddress, type AddressProbe } from './checkAddress.ts'
import { judgeAcme, judgeCertificate, readAcme, readServedCertificate } from './checkCertificate.ts'
import { judgePermissions, readPermissions } from './checkPermissions.ts'
import { judgeSecrets, readSecretFiles } from './checkSecrets.ts'
import { judgeSettings } from './checkSettings.ts'
import { judgeMailLimit } from './checkMail.ts'
import { machineChecks, mailCheck, nameCheck } from './installationChecks.ts'
import { createLocalFinding, limitDetails, withoutDetails, type LocalFinding } from './LocalFinding.ts'
import { describeFindings } from './renderFindings.ts'
import { now, runChecks, type Check } from './runChecks.ts'

export interface HealthOptions {
  dataDir: string
  config: Config
  version: string
  /** The address that browsers use; available once the server listens. */
  url: () => string
  /** The address that the server listens on. */
  host: string
  /** Whether the server requests its certificate itself. */
  isAcme: boolean
  publishableKey: string
  smtp: Smtp | null
  /** When the last mail was refused and when the next hour begins, in milliseconds; null if none was refused this hour. */
  mailLimit: () => { refusedAt: number; endsAt: number } | null
  /** Whether this is a restored copy. It connects to no other server, so these checks are left out. */
  isOutgoingPaused: () => boolean
  /** Login of a role that can read all rows. */
  reader: ClientConfig
  /** Login that receives notifications. */
  listen: ClientConfig
  /** A pool that can act as service_role. */
  pool: Pool
  realtime: () => { replicating: boolean; walLagBytes: number }
  log: Logger
}

/** The checks of a running server. */
export interface Health {
  /** The findings of the last minutes, or those of a new run. */
  read(o: { isFresh: boolean }): Promise<LocalFinding[]>
  /** Records a request to `/health` by which the server checks its own public address. */
  receiveProbe(value: string): void
  /** Runs the checks periodically and when an owner requests it. */
  start(): void
  close(): Promise<void>
}

const intervalMs = 15 * 60_000
/** After the start: jobs and connections have begun by then. */
const firstRunMs = 30_000
/** The comparison of all rows and files takes time, so it runs less often unless it is requested. */
const storageIntervalMs = 24 * 3_600_000
const serviceRole = { role: 'service_role', claims: { role: 'service_role' } }
const serviceCaller = { ...serviceRole, claimsJson: JSON.stringify(serviceRole.claims) }
/** From this much unread WAL on, open pages show messages noticeably late. */
const maxBehindBytes = 64 * 1024 ** 2

/** Creates the checks of a server. Their results are stored in the database, if its schema has a function for them. */
export function createHealth(o: HealthOptions): Health {
  const startedAt = new Date().toISOString()
  const probe = createAddressProbe({ url: o.url, publishableKey: o.publishableKey })
  let last: { findings: LocalFinding[]; at: number } | null = null
  let running: Promise<LocalFinding[]> | null = null
  let storage: { findings: LocalFinding[]; at: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let listener: { close(): Promise<void> } | null = null
  let isClosed = false

  const readStorage = async (isFresh: boolean): Promise<LocalFinding[]> => {
    if (!isFresh && storage && Date.now() - storage.at < storageIntervalMs) return storage.findings
    storage = { findings: await checkStorage(o), at: Date.now() }
    return storage.findings
  }

  const runNow = async (isFresh: boolean): Promise<LocalFinding[]> => {
    const own = await runChecks([
      ...serverChecks(o, startedAt),
      ...(o.isOutgoingPaused() ? [] : connectingChecks(o, probe)),
      {
        timeoutMs: 20_000,
        run: () => readStorage(isFresh),
        onTimeout: [createLocalFinding('storage.unknown', {})],
      },
    ])
    if (isClosed) return own
    const database = await storeFindings(o.pool, own).catch(() => null)
    const findings = database === null ? own : [...own, ...findingsOfDatabase(database, Date.now())]
    logNewProblems(o.log, last?.findings ?? [], findings)
    last = { findings, at: Date.now() }
    return findings
  }

  const run = (isFresh: boolean): Promise<LocalFinding[]> => {
    running ??= runNow(isFresh).finally(() => {
      running = null
    })
    return running
  }

  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      void run(false).finally(() => {
        if (!isClosed) schedule(intervalMs)
      })
    }, delayMs)
    timer.unref()
  }

  return {
    receiveProbe: (value) => probe.receive(value),
    read: async ({ isFresh }) =>
      !isFresh && last && Date.now() - last.at < intervalMs ? last.findings : run(isFresh),
    start() {
      schedule(firstRunMs)
      listener = createNotificationListener({
        config: o.listen,
        channel: 'linnet_server_checks',
        name: 'linnet health',
        onConnected() {},
        onMessage: () => void run(true),
        // PostgreSQL is down, which other parts report.
        onLost() {},
      })
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await listener?.close()
      await running
    },
  }
}

/** Stores findings, and returns what the database knows; null if the schema is of another project. */
async function storeFindings(pool: Pool, findings: readonly LocalFinding[]): Promise<ServerHealth | null> {
  const known = "select to_regprocedure('public.store_server_checks(jsonb)') is not null as known"
  const [found] = await runAsCaller(pool, { caller: serviceCaller }, [{ text: known, values: [] }])
  if (!(found!.rows[0] as { known: boolean }).known) return null
  const [stored] = await runAsCaller(pool, { caller: serviceCaller }, [
    {
      text: 'select public.store_server_checks($1::jsonb) as health',
      values: [JSON.stringify(findings.map(withoutDetails))],
    },
  ])
  const { health } = stored!.rows[0] as { health: ServerHealth | string }
  return typeof health === 'string' ? (JSON.parse(health) as ServerHealth) : health
}

function logNewProblems(log: Logger, before: readonly LocalFinding[], now: readonly LocalFinding[]): void {
  const known = new Set(before.map(({ code }) => code))
  const added = now.filter(({ code, state }) => state === 'problem' && !known.has(code))
  for (const { code, title, text } of describeFindings(added, {}))
    log.warn('server.health_problem', { code, reason: `${title}: ${text}` })
}

/** The checks that read the state of this process, its machine and its settings. */
function serverChecks(o: HealthOptions, startedAt: string): Check[] {
  const host = new URL(o.url()).hostname
  return [
    now(() => [
      createLocalFinding('server.running', { since: startedAt }),
      createLocalFinding('version.current', { version: o.version }),
      ...judgePermissions(readPermissions(o.dataDir)),
      ...judgeSettings({ config: o.config }),
      ...judgeSecrets(readSecretFiles(o.dataDir)),
      ...checkBackups(o.config, o.dataDir),
      ...judgeRealtime(o.realtime()),
      ...judgeMailLimit(o.mailLimit()),
    ]),
    ...machineChecks(o.dataDir),
    nameCheck(isLoopbackHost(host) ? null : host, o.smtp),
    {
      // A busy machine delays a connection by seconds, for example while a demo is created.
      timeoutMs: 20_000,
      run: () => checkDatabase(o),
      onTimeout: [createLocalFinding('postgres.down', {})],
    },
  ]
}

/** The checks that connect to the mail server, and to the public address, which may lead to another server. */
function connectingChecks(o: HealthOptions, probe: AddressProbe): Check[] {
  const url = new URL(o.url())
  const isLocal = isLoopbackHost(url.hostname)
  return [
    mailCheck(o.smtp, !isLocal || !isLoopbackHost(o.host)),
    {
      async run(signal) {
        if (url.protocol !== 'https:' || isLocal) return []
        const acme = o.isAcme ? readAcme(o.dataDir) : null
        const requests = acme === null ? [] : judgeAcme(acme.state, acme.hasCertificate)
        // Until the first certificate is issued, a temporary one is served.
        if (acme?.hasCertificate === false) return requests
        const facts = await readServedCertificate(url.origin, signal)
        return [...requests, ...(facts === null ? [] : judgeCertificate(facts, Date.now()))]
      },
      onTimeout: [],
    },
    {
      timeoutMs: 12_000,
      run: async () => judgeAddress(await probe.send()),
      onTimeout: [createLocalFinding('address.unreachable', {})],
    },
  ]
}

/** Judges whether changes reach open pages. */
export function judgeRealtime(stats: { replicating: boolean; walLagBytes: number }): LocalFinding[] {
  if (!stats.replicating) return [createLocalFinding('realtime.stopped', {})]
  const values = { behind_bytes: stats.walLagBytes }
  return [
    createLocalFinding(stats.walLagBytes > maxBehindBytes ? 'realtime.behind' : 'realtime.reading', values),
  ]
}

async function withClient<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    ...config,
    application_name: 'linnet health',
    connectionTimeoutMillis: 15_000,
    statement_timeout: 15_000,
  })
  client.on('error', () => {})
  await client.connect()
  return work(client).finally(() => client.end())
}

async function checkDatabase({ reader, config }: HealthOptions): Promise<LocalFinding[]> {
  return withClient(reader, async (client) => {
    const { rows } = await client.query<{ version: string }>(
      `select split_part(current_setting('server_version'), ' ', 1) as version`,
    )
    const days = await missingPartitions(client)
    const applied = new Set(await readApplied(client))
    const pending = listMigrations(config.dir).migrations.filter(({ version }) => !applied.has(version))
    return [
      createLocalFinding('postgres.running', rows[0]!),
      days.length === 0
        ? createLocalFinding('broadcasts.stored', {})
        : createLocalFinding('broadcasts.no_partition', { days: days.length }, { details: days }),
      ...(pending.length === 0
        ? []
        : [
            createLocalFinding(
              'version.migrations_pending',
              { migrations: pending.length },
              { details: limitDetails(pending.map(({ file }) => file)) },
            ),
          ]),
    ]
  })
}

async function checkStorage({ reader, dataDir }: HealthOptions): Promise<LocalFinding[]> {
  return withClient(reader, async (client) => {
    const { withoutBytes, withoutRow } = await listDifferences(join(dataDir, 'storage'), async () => {
      const { rows } = await client.query<{ version: string | null }>('select version from storage.objects')
      return rows.map(({ version }) => version)
    })
    if (withoutBytes.length + withoutRow.length === 0) return [createLocalFinding('storage.consistent', {})]
    const { rows } = await client.query<{ name: string }>(
      `select bucket_id || '/' || name as name from storage.objects
       where version = any ($1) or version is null order by 1 limit 1000`,
      [withoutBytes.slice(0, 1000)],
    )
    return [
      ...(withoutBytes.length === 0
        ? []
        : [
            createLocalFinding(
              'storage.without_bytes',
              { objects: withoutBytes.length },
              { details: limitDetails(rows.map(({ name }) => name)) },
            ),
          ]),
      ...(withoutRow.length === 0
        ? []
        : [
            createLocalFinding(
              'storage.without_row',
              { files: withoutRow.length },
              { details: limitDetails(withoutRow) },
            ),
          ]),
    ]
  })
}
