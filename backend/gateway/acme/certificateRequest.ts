// The library below needs the metadata of this module.
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { base64url, exportPKCS8, generateKeyPair } from 'jose'
import type { Certificate } from '../createHttpServer.ts'

const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const
const placeholderLifetimeMs = 90 * 86_400_000

const createKeys = () => generateKeyPair('ES256', { extractable: true })
const nameExtension = (host: string) => new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])

/** Creates a new key and the request for its certificate (PKCS #10). */
export async function createCertificateRequest(host: string): Promise<{ csr: Uint8Array; key: string }> {
  const keys = await createKeys()
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm,
    extensions: [nameExtension(host)],
  })
  return { csr: new Uint8Array(request.rawData), key: await exportPKCS8(keys.privateKey) }
}

/** Creates the certificate that is served until the first one is issued. It signs itself, so browsers warn about it. */
export async function createPlaceholder(host: string, now: number): Promise<Certificate> {
  const keys = await createKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Linnet waits for its certificate',
    notBefore: new Date(now),
    notAfter: new Date(now + placeholderLifetimeMs),
    keys,
    signingAlgorithm,
    extensions: [nameExtension(host)],
  })
  return { cert: certificate.toString('pem'), key: await exportPKCS8(keys.privateKey) }
}

/** The identifier of a certificate for renewal information (RFC 9773); null if its issuer does not identify its key. */
export function renewalIdentifier(pem: string): string | null {
  try {
    const certificate = new X509Certificate(pem)
    const authority = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId
    if (authority === undefined) return null
    const encode = (hex: string): string => base64url.encode(Buffer.from(hex, 'hex'))
    // The bytes of a DER integer, whose first bit is its sign. The library omits the leading zero of a positive number.
    const serial = certificate.serialNumber.replace(/^(?=[89a-f])/i, '00')
    return `${encode(authority)}.${encode(serial)}`
  } catch {
    return null
  }
}
