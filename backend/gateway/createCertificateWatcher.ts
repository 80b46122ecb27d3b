import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import { FileStamps } from '../runtime/FileStamps.ts'
import type { Logger } from '../logging/logger.ts'
import type { Certificate } from './createHttpServer.ts'
import { ListenError } from './ListenError.ts'

export interface CertificateFiles {
  certFile: string
  keyFile: string
}

export interface CertificateWatcher {
  current: Certificate
  /** Checks the files, and passes a new valid certificate to `renew`. Called by the timer, and by tests. */
  check(renew: (certificate: Certificate) => void): void
  /** Checks each minute until `close`. */
  watch(renew: (certificate: Certificate) => void): void
  close(): void
}

const dayMs = 86_400_000
const checkIntervalMs = 60_000
/**
 * How long before its end a certificate should have been renewed: two weeks, since Let's Encrypt certificates are renewed a
 * month before, or a quarter of a shorter lifetime.
 */
export function expiryWarningMs(lifetimeMs: number): number {
  return Math.min(14 * dayMs, lifetimeMs / 4)
}

function readPem(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ListenError(`${option}: ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Throws ListenError with a sentence for missing files, invalid certificates and keys that do not match. */
function readCertificate(files: CertificateFiles): Certificate {
  const certificate = {
    cert: readPem('--tls-cert', files.certFile),
    key: readPem('--tls-key', files.keyFile),
  }
  try {
    createSecureContext(certificate)
    // Parsed here, so that `warnOfProblems` cannot throw in the timer.
    void new X509Certificate(certificate.cert)
  } catch (error) {
    throw new ListenError(`The TLS certificate or its key can't be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return certificate
}

/** Warns of what browsers will reject: an expired certificate, or one for another host name. */
function warnOfProblems({ cert }: Certificate, host: string | null, log: Logger, now: number): void {
  const parsed = new X509Certificate(cert)
  const end = Date.parse(parsed.validTo)
  const until = new Date(end).toISOString()
  if (end < now) log.warn('gateway.certificate_expired', { until })
  else if (end < now + expiryWarningMs(end - Date.parse(parsed.validFrom)))
    log.warn('gateway.certificate_expires_soon', { until })
  if (host === null) return
  const named = isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)
  if (named === undefined) {
    log.warn('gateway.certificate_host_mismatch', { host, names: parsed.subjectAltName })
  }
}

/**
 * Watches two PEM files: a certificate that certbot or another client renews is used from the next connection on.
 * Changes are detected by file times rather than by SIGHUP, which a closed terminal sends too. An invalid or half-written
 * certificate is logged once, and the old one is used until the files change again.
 * Throws ListenError if there is no valid certificate at the start.
 */
export function createCertificateWatcher(o: {
  files: CertificateFiles
  publicUrl: string | null
  log: Logger
  now?: () => number
}): CertificateWatcher {
  const now = o.now ?? Date.now
  const site = o.publicUrl === null ? null : new URL(o.publicUrl).hostname
  const host = site === null || isLoopbackHost(site) ? null : site.replace(/^\[|\]$/g, '')
  // Before the files are read, so that a change in between is detected by the next check.
  const readStamps = (): FileStamps => new FileStamps([o.files.certFile, o.files.keyFile])
  let stamps = readStamps()
  let warnedAt = now()
  let timer: NodeJS.Timeout | null = null
  const watcher: CertificateWatcher = {
    current: readCertificate(o.files),
    check(renew) {
      if (stamps.hasChanged()) {
        stamps = readStamps()
        try {
          const next = readCertificate(o.files)
          renew(next)
          watcher.current = next
          warnedAt = 0
          o.log.info('gateway.certificate_renewed', { until: new X509Certificate(next.cert).validTo })
        } catch (error) {
          const reason = (error as Error).message
          o.log.error('gateway.certificate_rejected', { reason })
        }
      }
      if (now() - warnedAt < dayMs) return
      warnedAt = now()
      warnOfProblems(watcher.current, host, o.log, warnedAt)
    },
    watch(renew) {
      timer = setInterval(() => watcher.check(renew), checkIntervalMs)
      timer.unref()
    },
    close() {
      if (timer) clearInterval(timer)
    },
  }
  warnOfProblems(watcher.current, host, o.log, warnedAt)
  return watcher
}
