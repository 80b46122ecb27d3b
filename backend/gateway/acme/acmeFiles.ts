import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { JWK } from 'jose'
import type { CertificateProblem } from '../../../wire/serverChecks.ts'
import { createFolder, readJson, replaceFile } from '../../runtime/durableFiles.ts'
import type { CertificateFiles } from '../createCertificateWatcher.ts'

/** The account at a certificate authority. */
export interface AcmeAccount {
  /** The directory of the certificate authority. Another authority gets another key. */
  directory: string
  contact: string | null
  /** The URL of the account; null until the certificate authority has created it. */
  url: string | null
  /** The private key. */
  key: JWK
}

/** The last attempt to get a certificate, as checks read it. Times are ISO 8601. */
export interface AcmeState {
  host: string
  directory: string
  /** The number of failed attempts since the last certificate. */
  failures: number
  /** The last of these failures; null if there is none. */
  failure: { at: string; problem: CertificateProblem; reason: string } | null
  /** When the next attempt follows a failure; null if there is none. */
  retryAt: string | null
  /** When the last certificate was stored; null if there is none. */
  issuedAt: string | null
}

const folderOf = (dataDir: string): string => join(dataDir, 'tls')
const certificateFile = (dataDir: string): string => join(folderOf(dataDir), 'certificate.pem')
const accountFile = (dataDir: string): string => join(folderOf(dataDir), 'account.json')
const stateFile = (dataDir: string): string => join(folderOf(dataDir), 'state.json')

/** The file of the certificate, which also contains its key: a renewal replaces both at once. */
export function acmeCertificateFiles(dataDir: string): CertificateFiles {
  return { certFile: certificateFile(dataDir), keyFile: certificateFile(dataDir) }
}

/** Reads the certificate; null if there is none that can be parsed. */
export function readAcmeCertificate(dataDir: string): X509Certificate | null {
  try {
    return new X509Certificate(readFileSync(certificateFile(dataDir)))
  } catch {
    return null
  }
}

/** Whether the file contains the key of its certificate, so that a server can start with it. */
export function isAcmeCertificateComplete(dataDir: string): boolean {
  try {
    const pem = readFileSync(certificateFile(dataDir))
    createSecureContext({ cert: pem, key: pem })
    return true
  } catch {
    return false
  }
}

/** Whether a certificate is the one that is served until the first one is issued. */
export function isPlaceholder(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate)
}

/** Replaces the certificate and its key. */
export async function saveAcmeCertificate(
  dataDir: string,
  { cert, key }: { cert: string; key: string },
): Promise<void> {
  await createFolder(folderOf(dataDir))
  await replaceFile(certificateFile(dataDir), `${cert.trimEnd()}\n${key.trimEnd()}\n`)
}

/** Reads the account of a certificate authority; null if there is none. */
export function readAccount(dataDir: string, directory: string): AcmeAccount | null {
  const account = readJson<AcmeAccount>(accountFile(dataDir))
  return account?.directory === directory ? account : null
}

/** Stores the account. */
export async function saveAccount(dataDir: string, account: AcmeAccount): Promise<void> {
  await createFolder(folderOf(dataDir))
  await replaceFile(accountFile(dataDir), `${JSON.stringify(account)}\n`)
}

/** Reads the last attempt; null if there is none. */
export function readAcmeState(dataDir: string): AcmeState | null {
  return readJson<AcmeState>(stateFile(dataDir))
}

/** Stores the last attempt. */
export async function saveAcmeState(dataDir: string, state: AcmeState): Promise<void> {
  await createFolder(folderOf(dataDir))
  await replaceFile(stateFile(dataDir), `${JSON.stringify(state)}\n`)
}
