import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, connect } from 'node:tls'
import {
  isPlaceholder,
  readAcmeCertificate,
  readAcmeState,
  type AcmeState,
} from '../gateway/acme/acmeFiles.ts'
import { expiryWarningMs } from '../gateway/createCertificateWatcher.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** A certificate as browsers see it. */
export interface CertificateFacts {
  /** In ms since 1970. */
  issuedAt: number
  expiresAt: number
  /** Whether it is for the name of the public address; null if no public address is known. */
  hasName: boolean | null
  /** The error of its chain; null if this machine trusts it, or its chain was not checked. */
  chainError: string | null
}

const dayMs = 86_400_000

/** Judges a certificate. */
export function judgeCertificate(facts: CertificateFacts | { error: string }, now: number): LocalFinding[] {
  if ('error' in facts) return [createLocalFinding('certificate.unreadable', {}, { details: [facts.error] })]
  const days = Math.floor((facts.expiresAt - now) / dayMs)
  const details = [`It is valid until ${new Date(facts.expiresAt).toISOString()}.`]
  if (facts.expiresAt <= now) return [createLocalFinding('certificate.expired', { days }, { details })]
  if (facts.hasName === false) return [createLocalFinding('certificate.other_name', {})]
  if (facts.chainError !== null)
    return [
      createLocalFinding('certificate.untrusted', {}, { details: [`OpenSSL reports ${facts.chainError}.`] }),
    ]
  if (facts.expiresAt - now < expiryWarningMs(facts.expiresAt - facts.issuedAt))
    return [createLocalFinding('certificate.expires_soon', { days }, { details })]
  return [createLocalFinding('certificate.valid', { days })]
}

/** Judges the requests for a certificate by ACME. A certificate that exists is judged besides. */
export function judgeAcme(state: AcmeState | null, hasCertificate: boolean): LocalFinding[] {
  if (state?.failure && state.retryAt !== null) {
    const { at, problem, reason } = state.failure
    const details = [`The last attempt failed at ${at}: ${reason}`]
    return [createLocalFinding('certificate.request_failed', { problem, next: state.retryAt }, { details })]
  }
  return hasCertificate ? [] : [createLocalFinding('certificate.requested', {})]
}

/** Reads what is known about the certificate by ACME of an installation. */
export function readAcme(dataDir: string): { state: AcmeState | null; hasCertificate: boolean } {
  const certificate = readAcmeCertificate(dataDir)
  return {
    state: readAcmeState(dataDir),
    hasCertificate: certificate !== null && !isPlaceholder(certificate),
  }
}

/** Reads the certificate in a PEM file. Its chain is not checked. */
export function readCertificateFile(file: string, host: string | null): CertificateFacts | { error: string } {
  try {
    const certificate = new X509Certificate(readFileSync(file))
    return {
      issuedAt: Date.parse(certificate.validFrom),
      expiresAt: Date.parse(certificate.validTo),
      hasName:
        host === null
          ? null
          : (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
      chainError: null,
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { error: `${file}: ${code ?? message}` }
  }
}

/** Connects to an https address and reads its certificate; null if there is no connection, which another check reports. */
export function readServedCertificate(url: string, signal: AbortSignal): Promise<CertificateFacts | null> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
    })
    const end = (facts: CertificateFacts | null): void => {
      socket.destroy()
      resolve(facts)
    }
    signal.addEventListener('abort', () => end(null), { once: true })
    socket.on('error', () => end(null))
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerCertificate()
      const error = socket.authorizationError as Error | string | null | undefined
      end({
        issuedAt: Date.parse(certificate.valid_from),
        expiresAt: Date.parse(certificate.valid_to),
        hasName: checkServerIdentity(host, certificate) === undefined,
        chainError: error ? String((error as NodeJS.ErrnoException).code ?? error) : null,
      })
    })
  })
}
