import { resolve } from 'node:path'
import { isProxyRange } from '../runtime/clientAddress/createProxies.ts'
import { ConfigError, type Config } from '../config/loadConfig.ts'
import type { CertificateFiles } from '../gateway/createCertificateWatcher.ts'
import type { LinnetOptions } from '../main.ts'
import type { Call, Options } from './Command.ts'
import { originOf } from './originOf.ts'
import { UsageError } from './UsageError.ts'

export const startOptions = {
  dev: { help: 'take up what changes in the supabase folder: apply new migrations, load functions anew' },
  demo: { help: 'fill a new workspace that looks lived in, print sign-in links' },
  port: { value: 'N', help: '[api] port of config.toml or 4280 unless said; 0 lets the system choose' },
  host: { value: 'ADDRESS', help: '127.0.0.1 unless said' },
  'public-url': { value: 'URL', help: 'where browsers reach it, behind a proxy or with TLS' },
  'tls-cert': { value: 'FILE', help: 'serve https with this certificate; a renewed one is picked up' },
  'tls-key': { value: 'FILE', help: 'and its key' },
  'trusted-proxy': {
    value: 'CIDR',
    multiple: true,
    help: "proxies whose X-Forwarded-For is believed;\nthis machine's own unless said",
  },
  'no-app': { help: 'the backend alone' },
  app: { help: "the messenger too where another project's schema is served" },
  'env-file': { value: 'FILE', help: "functions' environment, instead of supabase/functions/.env" },
  'no-verify-jwt': { help: 'functions answer without a token, whatever config.toml says' },
  'db-port': { value: 'N', help: 'also open PostgreSQL on TCP, loopback; 0 lets the system choose' },
  log: { value: 'FORMAT', choices: ['json', 'text'], help: 'how log lines look (text unless said)' },
  json: { help: 'one line when ready, nothing else on stdout' },
} as const satisfies Options

function portOf(name: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--${name} must be a whole number from 0 to 65535, not "${value}".`)
}

/** The files of the command line, else those of `[api.tls]`, whose paths begin at the supabase folder. */
function tlsOf(
  certFile: string | undefined,
  keyFile: string | undefined,
  config: Config,
): CertificateFiles | null {
  if (certFile === undefined && keyFile === undefined) {
    if (!config.at('api.tls.enabled', false)) return null
    const [cert, key] = [config.at('api.tls.cert_path', ''), config.at('api.tls.key_path', '')]
    if (cert === '' || key === '')
      throw new ConfigError('[api.tls] is enabled, so it needs cert_path and key_path.')
    return { certFile: resolve(config.dir, cert), keyFile: resolve(config.dir, key) }
  }
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('--tls-cert and --tls-key go together.')
  return { certFile, keyFile }
}

function proxiesOf(ranges: string[]): string[] {
  const wrong = ranges.find((range) => !isProxyRange(range))
  if (wrong === undefined) return ranges
  throw new UsageError(
    `--trusted-proxy must be an address or a range such as 10.0.0.0/8, not all of them, not "${wrong}".`,
  )
}

/** How and where to serve: the command line first, then config.toml. Throws UsageError or ConfigError. */
export function readStartOptions(
  options: Call<typeof startOptions>['options'],
  config: Config,
): Pick<LinnetOptions, 'host' | 'port' | 'dbPort' | 'publicUrl' | 'tls' | 'trustedProxies' | 'functions'> {
  return {
    functions: {
      ...(options['env-file'] === undefined ? {} : { envFile: resolve(options['env-file']) }),
      ...(options['no-verify-jwt'] ? { verifyJwt: false } : {}),
    },
    host: options.host ?? '127.0.0.1',
    port: portOf('port', options.port) ?? config.at('api.port', 4280),
    dbPort: portOf('db-port', options['db-port']),
    publicUrl: options['public-url'] === undefined ? null : originOf('--public-url', options['public-url']),
    tls: tlsOf(options['tls-cert'], options['tls-key'], config),
    trustedProxies: proxiesOf(options['trusted-proxy']),
  }
}
