import { acmeCertificateFiles } from '../gateway/acme/acmeFiles.ts'
import type { CertificateFiles } from '../gateway/createCertificateWatcher.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import { isLocked } from '../postgres/server/dataLock.ts'
import { readRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { checkBackups } from './checkBackups.ts'
import { judgeAcme, judgeCertificate, readAcme, readCertificateFile } from './checkCertificate.ts'
import { findLeftovers, judgeLeftovers } from './checkLeftovers.ts'
import { judgePermissions, readPermissions } from './checkPermissions.ts'
import { judgePort, readPort } from './checkPort.ts'
import { judgePostgresData, readPostgresData } from './checkPostgresData.ts'
import { judgeSecrets, readSecretFiles } from './checkSecrets.ts'
import { judgeSettings, readSettings, type SettingsFacts } from './checkSettings.ts'
import { fetchFindings } from './fetchFindings.ts'
import { machineChecks, mailCheck, nameCheck } from './installationChecks.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'
import { now, runChecks, type Check } from './runChecks.ts'

/** An installation, as a command finds it. */
export interface Installation {
  dataDir: string
  supabaseDir: string
  /** The version of this program. */
  version: string
  /** Throws ConfigError for a value that a service refuses. */
  validate(config: Config): void
  /** How the server would listen with these settings. Throws ConfigError or UsageError. */
  readListening(config: Config): {
    host: string
    port: number
    publicUrl: string | null
    tls: CertificateFiles | null
    acme: object | null
  }
  /** Throws ConfigError. */
  readSmtp(config: Config): Smtp | null
}

/**
 * The findings about an installation: of the running server if there is one, else what can be known without it.
 * @param o.isFresh whether the server runs its checks now; otherwise it may return results of the last minutes
 */
export async function readChecks(
  installation: Installation,
  o: { isFresh: boolean },
): Promise<LocalFinding[]> {
  const { dataDir, version } = installation
  const running = findServer(dataDir)
  if (running === 'unknown') return runChecks(stoppedChecks(installation))
  if (running === null) {
    const isStarting = isLocked(dataDir)
    const state = createLocalFinding(isStarting ? 'server.starting' : 'server.stopped', {})
    const checks = stoppedChecks(installation)
    // The files of a server that is starting are not left over, and it may have opened its port.
    return [state, ...(await runChecks(isStarting ? checks : [...checks, ...idleChecks(installation)]))]
  }
  const found = await fetchFindings(running.dashboard, o)
  if (found === null)
    return [createLocalFinding('server.unresponsive', {}), ...(await runChecks(stoppedChecks(installation)))]
  return found.map((finding) =>
    finding.code === 'version.current' && finding.values.version !== version
      ? createLocalFinding('version.restart_needed', {
          version: finding.values.version,
          installed: version,
        })
      : finding,
  )
}

/** `unknown` if this user may not read the file of the server. */
function findServer(dataDir: string): RunningServer | null | 'unknown' {
  try {
    return readRunningServer(dataDir)
  } catch {
    return 'unknown'
  }
}

/** The checks that need no server. */
function stoppedChecks(installation: Installation): Check[] {
  const { dataDir, version } = installation
  const settings = readSettings(installation, installation.validate)
  return [
    now(() => judgePermissions(readPermissions(dataDir))),
    now(() => judgeSettings(settings)),
    now(() => ('error' in settings ? [] : checkBackups(settings.config, dataDir))),
    now(() => judgeSecrets(readSecretFiles(dataDir))),
    now(() => {
      const facts = readPostgresData(dataDir)
      return facts === null ? [] : judgePostgresData(facts)
    }),
    ...machineChecks(dataDir),
    ...networkChecks(installation, settings),
    now(() => [createLocalFinding('version.current', { version })]),
  ]
}

/** The checks of the mail server, names and certificate that the settings name. */
function networkChecks(installation: Installation, settings: SettingsFacts): Check[] {
  if ('error' in settings) return []
  const { publicUrl, tls, acme } = installation.readListening(settings.config)
  const smtp = installation.readSmtp(settings.config)
  const host = publicUrl === null ? null : new URL(publicUrl).hostname
  const isPublic = host !== null && !isLoopbackHost(host)
  return [
    mailCheck(smtp, isPublic),
    nameCheck(isPublic ? host : null, smtp),
    now(() => {
      const requests = acme === null ? null : readAcme(installation.dataDir)
      const files = requests?.hasCertificate ? acmeCertificateFiles(installation.dataDir) : tls
      return [
        ...(requests === null ? [] : judgeAcme(requests.state, requests.hasCertificate)),
        ...(files === null
          ? []
          : judgeCertificate(readCertificateFile(files.certFile, isPublic ? host : null), Date.now())),
      ]
    }),
  ]
}

/** The checks that apply only while no server uses the data. */
function idleChecks(installation: Installation): Check[] {
  return [
    now(() => judgeLeftovers(findLeftovers(installation.dataDir))),
    {
      timeoutMs: 8_000,
      async run() {
        const settings = readSettings(installation, installation.validate)
        if ('error' in settings) return []
        const { host, port } = installation.readListening(settings.config)
        return port === 0 ? [] : judgePort(await readPort(host, port))
      },
      onTimeout: [],
    },
  ]
}
