import { resolve } from 'node:path'
import { isProxyRange } from '../runtime/clientAddress/createProxies.ts'
import type { Config } from '../config/loadConfig.ts'
import { readAcmeSettings, type AcmeSettings } from '../gateway/acme/acmeSettings.ts'
import type { CertificateFiles } from '../gateway/createCertificateWatcher.ts'
import type { LinnetOptions } from '../main.ts'
import { UsageError, type Invocation, type Options } from './Command.ts'
import { parseOrigin, toOrigin } from './readArguments.ts'

export const startOptions = {
  dev: {
    help: 'watch the supabase folder: apply new migrations and saved schema files,\nreload Edge Functions',
  },
  demo: { help: 'create a workspace with sample content, print sign-in links' },
  port: {
    value: 'N',
    help: 'port; 0 lets the system choose (default: [server] port, else 4280)',
  },
  host: { value: 'ADDRESS', help: 'address to listen on (default: [server] host, else 127.0.0.1)' },
  'public-url': {
    value: 'URL',
    help: 'URL that browsers use, behind a proxy or with TLS (default: [server] public_url)',
  },
  'tls-cert': { value: 'FILE', help: 'serve https with this certificate; reloaded when it is renewed' },
  'tls-key': { value: 'FILE', help: 'private key of the certificate' },
  acme: {
    help: "serve https with a certificate from Let's Encrypt, whose terms you accept;\nneeds --public-url and the ports 80 and 443",
  },
  'trusted-proxy': {
    value: 'CIDR',
    multiple: true,
    help: 'proxies whose X-Forwarded-For is trusted\n(default: those on this machine)',
  },
  'no-app': { help: 'serve the backend only' },
  app: { help: "also serve the messenger with another project's schema" },
  'env-file': { value: 'FILE', help: 'environment of functions (default: supabase/functions/.env)' },
  'no-verify-jwt': { help: 'functions require no token; overrides config.toml' },
  'db-port': {
    value: 'N',
    help: 'also open PostgreSQL on a TCP port of 127.0.0.1; 0 lets the system choose',
  },
  log: {
    value: 'FORMAT',
    choices: ['json', 'text'],
    help: 'print all log lines in this format, for services',
  },
  verbose: { help: 'print all log lines, and the output of builds' },
  json: { help: 'print one line of JSON when ready, nothing else on stdout' },
} as const satisfies Options

function parsePort(name: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--${name} must be a whole number from 0 to 65535, not "${value}".`)
}

/** The files of the command line, else of `[server]`, else of `[api.tls]`. */
function readCertificateFiles(
  certFile: string | undefined,
  keyFile: string | undefined,
  config: Config,
): CertificateFiles | null {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
  if (certFile !== undefined || keyFile !== undefined)
    throw new UsageError('--tls-cert and --tls-key must be used together.')
  const fileAt = (path: string): string => {
    const value = config.at(path, '')
    return value === '' ? '' : config.resolveFile(path, value, config.dir)
  }
  const [serverCert, serverKey] = [fileAt('server.tls_cert'), fileAt('server.tls_key')]
  if (serverCert !== '' && serverKey !== '') return { certFile: serverCert, keyFile: serverKey }
  if (serverCert !== '') throw config.errorAt('server.tls_cert', 'needs tls_key.')
  if (serverKey !== '') throw config.errorAt('server.tls_key', 'needs tls_cert.')
  if (!config.at('api.tls.enabled', false)) return null
  const [cert, key] = [fileAt('api.tls.cert_path'), fileAt('api.tls.key_path')]
  if (cert === '' || key === '')
    throw config.errorAt('api.tls', 'is enabled and needs cert_path and key_path')
  return { certFile: cert, keyFile: key }
}

/** The certificate that the server requests itself. Throws UsageError or ConfigError if it also has files. */
function readAcme(
  isOption: boolean,
  config: Config,
  publicUrl: string | null,
  tls: CertificateFiles | null,
): AcmeSettings | null {
  const acme = readAcmeSettings(config, { isOption, publicUrl })
  if (acme === null || tls === null) return acme
  const problem = "can't be combined with tls_cert and tls_key."
  throw isOption ? new UsageError(`--acme ${problem}`) : config.errorAt('tls.acme', problem)
}

function readProxyRanges(options: string[], config: Config): string[] {
  const ranges = options.length > 0 ? options : config.at<string[]>('server.trusted_proxies', [])
  const invalid = ranges.find((range) => !isProxyRange(range))
  if (invalid === undefined) return ranges
  const problem = `must be an address or a range such as 10.0.0.0/8, and not all addresses, not "${invalid}".`
  if (options.length > 0) throw new UsageError(`--trusted-proxy ${problem}`)
  throw config.errorAt('server.trusted_proxies', problem)
}

/** The port that a key names; null if it is not set. */
function portAt(config: Config, path: string): number | null {
  const port = config.at(path, -1)
  if (port === -1) return null
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw config.errorAt(path, `must be a whole number from 0 to 65535, not ${port}.`)
}

function readPublicUrl(option: string | undefined, config: Config): string | null {
  if (option !== undefined) return parseOrigin('--public-url', option)
  const value = config.at('server.public_url', '')
  if (value === '') return null
  const origin = toOrigin(value)
  if (origin !== null) return origin
  throw config.errorAt(
    'server.public_url',
    `must be a URL such as "https://chat.example.org", not "${value}".`,
  )
}

const logFormats = startOptions.log.choices

/** The format of log lines: `--log`, else `[server] log`. Throws ConfigError. */
export function readLogFormat(
  option: (typeof logFormats)[number] | undefined,
  config: Config,
): (typeof logFormats)[number] {
  if (option !== undefined) return option
  const value = config.at<string>('server.log', 'text')
  const format = logFormats.find((known) => known === value)
  if (format !== undefined) return format
  throw config.errorAt('server.log', `must be "json" or "text", not "${value}".`)
}

/** Options of the server. The command line overrides `[server]`. Throws UsageError or ConfigError. */
export function readStartOptions(
  options: Invocation<typeof startOptions>['options'],
  config: Config,
): Pick<LinnetOptions, 'host' | 'port' | 'dbPort' | 'publicUrl' | 'tls' | 'trustedProxies' | 'functions'> & {
  acme: AcmeSettings | null
} {
  const publicUrl = readPublicUrl(options['public-url'], config)
  const tls = readCertificateFiles(options['tls-cert'], options['tls-key'], config)
  const acme = readAcme(options.acme, config, publicUrl, tls)
  const usualPort = acme === null ? (portAt(config, 'api.port') ?? 4280) : 443
  return {
    functions: {
      ...(options['env-file'] === undefined ? {} : { envFile: resolve(options['env-file']) }),
      ...(options['no-verify-jwt'] ? { verifyJwt: false } : {}),
    },
    // The certificate authority connects from the internet.
    host: options.host ?? config.at('server.host', acme === null ? '127.0.0.1' : '0.0.0.0'),
    port: parsePort('port', options.port) ?? portAt(config, 'server.port') ?? usualPort,
    dbPort: parsePort('db-port', options['db-port']) ?? portAt(config, 'server.db_port'),
    publicUrl,
    tls,
    acme,
    trustedProxies: readProxyRanges(options['trusted-proxy'], config),
  }
}
