import { isIP } from 'node:net'
import { ConfigError, type Config } from '../../config/loadConfig.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'
import { isLoopbackHost } from '../../runtime/clientAddress/isLocalRequest.ts'

/** How this server requests its certificate by ACME (RFC 8555). */
export interface AcmeSettings {
  /** The host name of the public address, for which the certificate is issued. */
  host: string
  /** The public address, to which plain http is redirected. */
  publicUrl: string
  /** The URL of the directory of the certificate authority. */
  directory: string
  /** The mail address that the certificate authority gets; null for none. */
  contact: string | null
  /** The port on which challenges and redirects are served. The certificate authority always connects to port 80. */
  httpPort: number
}

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

/**
 * Reads `[tls]`. Returns null if no certificate is to be requested. Throws ConfigError.
 * @param isOption whether `--acme` is set, which accepts the terms of the certificate authority
 */
export function readAcmeSettings(
  config: Config,
  { isOption, publicUrl }: { isOption: boolean; publicUrl: string | null },
): AcmeSettings | null {
  if (!isOption && !config.at('tls.acme', false)) return null
  if (!isOption && !config.at('tls.accept_terms', false)) {
    throw config.errorAt(
      'tls.acme',
      "needs accept_terms = true, after you have read the terms of the certificate authority (Let's Encrypt: https://letsencrypt.org/repository/)",
    )
  }
  const invalid = (problem: string): ConfigError =>
    isOption ? new ConfigError(`--acme ${problem}`) : config.errorAt('tls.acme', problem)
  const host = publicUrl === null ? null : new URL(publicUrl).hostname
  if (publicUrl === null || host === null || !publicUrl.startsWith('https:'))
    throw invalid('needs a public_url such as "https://chat.example.org" in [server]')
  if (
    isLoopbackHost(host) ||
    !host.includes('.') ||
    host.endsWith('.') ||
    isIP(host.replace(/^\[|\]$/g, '')) !== 0
  )
    throw invalid(`needs a public host name, and ${host} is none`)
  return {
    host,
    publicUrl,
    directory: readDirectory(config),
    contact: readContact(config),
    httpPort: readHttpPort(config),
  }
}

function readDirectory(config: Config): string {
  const directory = config.at('tls.directory', letsEncrypt)
  if (parseUrl(directory)?.protocol === 'https:') return directory
  throw config.errorAt('tls.directory', `must be an https URL, not "${directory}".`)
}

function readContact(config: Config): string | null {
  const contact = config.at('tls.contact', '')
  if (contact === '') return null
  if (/^[^\s@,?&]+@[^\s@,?&]+$/.test(contact)) return contact
  throw config.errorAt('tls.contact', `must be a mail address, not "${contact}".`)
}

function readHttpPort(config: Config): number {
  const port = config.at('tls.http_port', 80)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw config.errorAt('tls.http_port', `must be a whole number from 1 to 65535, not ${port}.`)
}
