import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, connect } from 'node:tls'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** A certificate as browsers see it. */
export interface CertificateFacts {
  /** In ms since 1970. */
  expiresAt: number
  /** Whether it is for the name of the public address; null if no public address is known. */
  hasName: boolean | null
  /** The error of its chain; null if this machine trusts it, or its chain was not checked. */
  chainError: string | null
}

const dayMs = 86_400_000
/** Clients of Let's Encrypt renew a month before the end: two weeks before, renewal has failed. */
const warningDays = 14

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
  if (days < warningDays) return [createLocalFinding('certificate.expires_soon', { days }, { details })]
  return [createLocalFinding('certificate.valid', { days })]
}

/** Reads the certificate in a PEM file. Its chain is not checked. */
export function readCertificateFile(file: string, host: string | null): CertificateFacts | { error: string } {
  try {
    const certificate = new X509Certificate(readFileSync(file))
    return {
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
        expiresAt: Date.parse(certificate.valid_to),
        hasName: checkServerIdentity(host, certificate) === undefined,
        chainError: error ? String((error as NodeJS.ErrnoException).code ?? error) : null,
      })
    })
  })
}
