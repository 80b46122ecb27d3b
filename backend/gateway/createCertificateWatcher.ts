import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import { FileStamps } from '../FileStamps.ts'
import type { Logger } from '../logging/logger.ts'
import type { Certificate } from './createHttpServer.ts'
import { ListenError } from './ListenError.ts'

export interface CertificateFiles {
  certFile: string
  keyFile: string
}

export interface CertificateWatcher {
  current: Certificate
  /** Looks at the files, and hands a certificate that is new and sound to `renew`. For the timer, and for tests. */
  check(renew: (certificate: Certificate) => void): void
  /** Looks each minute until `close`. */
  watch(renew: (certificate: Certificate) => void): void
  close(): void
}

const dayMs = 86_400_000
const checkIntervalMs = 60_000
/** Certificates of Let's Encrypt are renewed a month before their end; two weeks before, something is broken. */
const expiryWarningMs = 14 * dayMs

function readPem(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ListenError(`${option}: ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Throws ListenError with a sentence on files that are missing, no certificate, or no pair. */
function readCertificate(files: CertificateFiles): Certificate {
  const certificate = {
    cert: readPem('--tls-cert', files.certFile),
    key: readPem('--tls-key', files.keyFile),
  }
  try {
    createSecureContext(certificate)
    // What `judge` reads, in a timer, must be readable.
    void new X509Certificate(certificate.cert)
  } catch (error) {
    throw new ListenError(`The TLS certificate or its key can't be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return certificate
}

/** Logs what browsers will hold against a certificate: its end, or another name than people type. */
function warnOfProblems({ cert }: Certificate, host: string | null, log: Logger, now: number): void {
  const parsed = new X509Certificate(cert)
  const end = Date.parse(parsed.validTo)
  const until = new Date(end).toISOString()
  if (end < now) log.warn('the TLS certificate has expired', { until })
  else if (end < now + expiryWarningMs)
    log.warn('the TLS certificate ends soon and was not renewed', { until })
  if (host === null) return
  const named = isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)
  if (named === undefined) {
    log.warn('the TLS certificate does not name the public address', { host, names: parsed.subjectAltName })
  }
}

/**
 * The certificate of two PEM files, kept fresh: what certbot and its like put in place of them is served from the
 * next connection on. Files are looked at by their times rather than on SIGHUP, which a closed terminal sends too.
 * A new one that is broken, or half written, is logged once and the old one kept until the files change again.
 * Throws ListenError where there is none to begin with.
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
  // Before the files are read: a change in between is seen by the next look.
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
          o.log.info('the TLS certificate was renewed', { until: new X509Certificate(next.cert).validTo })
        } catch (error) {
          const reason = (error as Error).message
          o.log.error('the new TLS certificate is not used, the old one stays', { reason })
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
