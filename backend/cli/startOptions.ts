import { resolve } from 'node:path'
import { isProxyRange } from '../runtime/clientAddress/createProxies.ts'
import { ConfigError, type Config } from '../config/loadConfig.ts'
import type { CertificateFiles } from '../gateway/createCertificateWatcher.ts'
import type { LinnetOptions } from '../main.ts'
import { UsageError, type Invocation, type Options } from './Command.ts'
import { parseOrigin } from './readArguments.ts'

export const startOptions = {
  dev: {
    help: 'watch the supabase folder: apply new migrations and saved schema files,\nreload Edge Functions',
  },
  demo: { help: 'create a workspace with sample content, print sign-in links' },
  port: {
    value: 'N',
    help: 'port; 0 lets the system choose (default: [api] port of config.toml, else 4280)',
  },
  host: { value: 'ADDRESS', help: 'address to listen on (default: 127.0.0.1)' },
  'public-url': { value: 'URL', help: 'URL that browsers use, behind a proxy or with TLS' },
  'tls-cert': { value: 'FILE', help: 'serve https with this certificate; reloaded when it is renewed' },
  'tls-key': { value: 'FILE', help: 'private key of the certificate' },
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
  log: { value: 'FORMAT', choices: ['json', 'text'], help: 'format of log lines (default: text)' },
  json: { help: 'print one line of JSON when ready, nothing else on stdout' },
} as const satisfies Options

function parsePort(name: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--${name} must be a whole number from 0 to 65535, not "${value}".`)
}

/** The files of the command line, else those of `[api.tls]`, whose paths are relative to the supabase folder. */
function readCertificateFiles(
  certFile: string | undefined,
  keyFile: string | undefined,
  config: Config,
): CertificateFiles | null {
  if (certFile === undefined && keyFile === undefined) {
    if (!config.at('api.tls.enabled', false)) return null
    const [cert, key] = [config.at('api.tls.cert_path', ''), config.at('api.tls.key_path', '')]
    if (cert === '' || key === '')
      throw new ConfigError('[api.tls] is enabled and needs cert_path and key_path.')
    return { certFile: resolve(config.dir, cert), keyFile: resolve(config.dir, key) }
  }
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('--tls-cert and --tls-key must be used together.')
  return { certFile, keyFile }
}

function checkProxyRanges(ranges: string[]): string[] {
  const invalid = ranges.find((range) => !isProxyRange(range))
  if (invalid === undefined) return ranges
  throw new UsageError(
    `--trusted-proxy must be an address or a range such as 10.0.0.0/8, and not all addresses, not "${invalid}".`,
  )
}

/** Options of the server: those of the command line override config.toml. Throws UsageError or ConfigError. */
export function readStartOptions(
  options: Invocation<typeof startOptions>['options'],
  config: Config,
): Pick<LinnetOptions, 'host' | 'port' | 'dbPort' | 'publicUrl' | 'tls' | 'trustedProxies' | 'functions'> {
  return {
    functions: {
      ...(options['env-file'] === undefined ? {} : { envFile: resolve(options['env-file']) }),
      ...(options['no-verify-jwt'] ? { verifyJwt: false } : {}),
    },
    host: options.host ?? '127.0.0.1',
    port: parsePort('port', options.port) ?? config.at('api.port', 4280),
    dbPort: parsePort('db-port', options['db-port']),
    publicUrl:
      options['public-url'] === undefined ? null : parseOrigin('--public-url', options['public-url']),
    tls: readCertificateFiles(options['tls-cert'], options['tls-key'], config),
    trustedProxies: checkProxyRanges(options['trusted-proxy']),
  }
}
