import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from './defaultDataDir.ts'

/** A command line that can't be understood: `message` is a sentence for who typed it. */
export class UsageError extends Error {}

export interface Options {
  root: string
  dataDir: string
  supabaseDir: string
  /** Whether `supabaseDir` is Linnet's own, whose seed is for `--demo` alone. */
  ownSchema: boolean
  host: string
  port: number
  publicUrl: string | null
  tlsCert: string | null
  tlsKey: string | null
  app: boolean
  /** Null: no TCP port for PostgreSQL. */
  dbPort: number | null
  demo: boolean
  json: boolean
  log: 'text' | 'json'
  output: 'pretty' | 'env' | 'json'
  yes: boolean
}

function portOf(name: string, value: string): number {
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--${name} must be a whole number from 0 to 65535, not "${value}".`)
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (allowed.includes(value as T)) return value as T
  throw new UsageError(`${name} must be ${allowed.join(' or ')}, not "${value}".`)
}

function publicUrlOf(value: string | undefined): string | null {
  if (value === undefined) return null
  const url = URL.canParse(value) ? new URL(value) : null
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash)
    return url.origin
  throw new UsageError(`--public-url must be an address such as https://chat.example.org, not "${value}".`)
}

/** Reads the options of any command. Throws UsageError. `root` is the checkout. */
export function parseOptions(args: string[], root: string): Options {
  let values
  try {
    ;({ values } = parseArgs({
      args,
      strict: true,
      allowPositionals: false,
      options: {
        demo: { type: 'boolean' },
        port: { type: 'string' },
        host: { type: 'string' },
        'public-url': { type: 'string' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        data: { type: 'string' },
        supabase: { type: 'string' },
        'no-app': { type: 'boolean' },
        'db-port': { type: 'string' },
        json: { type: 'boolean' },
        log: { type: 'string' },
        output: { type: 'string', short: 'o' },
        yes: { type: 'boolean', short: 'y' },
      },
    }))
  } catch (error) {
    throw new UsageError(`${(error as Error).message} See "linnet --help".`)
  }
  if ((values['tls-cert'] === undefined) !== (values['tls-key'] === undefined)) {
    throw new UsageError('--tls-cert and --tls-key go together.')
  }
  const supabaseDir = resolve(values.supabase ?? join(root, 'supabase'))
  const ownSchema = supabaseDir === join(root, 'supabase')
  if (values.demo === true && !ownSchema) {
    throw new UsageError("--demo fills Linnet's own schema; it can't go with --supabase.")
  }
  return {
    root,
    dataDir: resolve(values.data ?? defaultDataDir(root)),
    supabaseDir,
    ownSchema,
    host: values.host ?? '127.0.0.1',
    port: values.port === undefined ? 4280 : portOf('port', values.port),
    publicUrl: publicUrlOf(values['public-url']),
    tlsCert: values['tls-cert'] ?? null,
    tlsKey: values['tls-key'] ?? null,
    app: values['no-app'] !== true,
    dbPort: values['db-port'] === undefined ? null : portOf('db-port', values['db-port']),
    demo: values.demo === true,
    json: values.json === true,
    log: oneOf('--log', values.log ?? 'text', ['text', 'json']),
    output: oneOf('-o', values.output ?? 'pretty', ['pretty', 'env', 'json']),
    yes: values.yes === true,
  }
}
