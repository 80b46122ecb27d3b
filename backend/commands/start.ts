import { join } from 'node:path'
import { isProxyRange } from '../client/createProxies.ts'
import { createLineWriter } from '../createLineWriter.ts'
import { createLog } from '../log.ts'
import type { CertificateFiles } from '../gateway/keepCertificate.ts'
import { isLoopbackHost } from '../isFromHere.ts'
import { startLinnet } from '../main.ts'
import { removeRunning, writeRunning, type Running } from '../running.ts'
import { prepareDemo } from './demo.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { UsageError } from './UsageError.ts'

function portOf(name: string, value: string | undefined): number | null {
  if (value === undefined) return null
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--${name} must be a whole number from 0 to 65535, not "${value}".`)
}

function publicUrlOf(value: string | undefined): string | null {
  if (value === undefined) return null
  const url = URL.canParse(value) ? new URL(value) : null
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash)
    return url.origin
  throw new UsageError(`--public-url must be an address such as https://chat.example.org, not "${value}".`)
}

function tlsOf(certFile: string | undefined, keyFile: string | undefined): CertificateFiles | null {
  if (certFile === undefined && keyFile === undefined) return null
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

/** Browsers keep service workers, push and PKCE's S256 for https and localhost. */
function isPlainOutside(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

function greet(running: Running, links: { name: string; url: string }[]): void {
  const lines = [`Linnet is ready at ${running.url}`]
  if (running.setupUrl !== null)
    lines.push('', `Set it up: ${running.setupUrl}`, 'Whoever opens this link first becomes the owner.')
  for (const { name, url } of links) lines.push(`Sign in as ${name}: ${url}`)
  if (running.mailbox !== null)
    lines.push('', `No mail server is set up. Mails are kept here: ${running.mailbox}`)
  if (isPlainOutside(running.url)) {
    lines.push(
      '',
      'This address is plain http outside of localhost: browsers take service workers, push and part of',
      'sign-in away there. docs/network.md says how to give it a certificate.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** `linnet start`: runs until it is told to end, or PostgreSQL can't be kept. Answers the exit code. */
export const start = defineCommand({
  name: 'start',
  group: 'The house',
  summary: 'Start PostgreSQL and the services, print the address',
  options: {
    demo: { help: 'fill a new workspace that looks lived in, print sign-in links' },
    port: { value: 'N', help: '4280 unless said; 0 lets the system choose' },
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
    'db-port': { value: 'N', help: 'also open PostgreSQL on TCP, loopback; 0 lets the system choose' },
    log: { value: 'FORMAT', choices: ['json', 'text'], help: 'how log lines look (text unless said)' },
    json: { help: 'one line when ready, nothing else on stdout' },
    ...placeOptions,
  },
  async run({ root, dataDir, supabaseDir, ownSchema, options }) {
    const publicUrl = publicUrlOf(options['public-url'])
    const port = portOf('port', options.port) ?? 4280
    const dbPort = portOf('db-port', options['db-port'])
    const tls = tlsOf(options['tls-cert'], options['tls-key'])
    const trustedProxies = proxiesOf(options['trusted-proxy'])
    if (options.demo && !ownSchema) {
      throw new UsageError("--demo fills Linnet's own schema; it can't go with --supabase.")
    }
    const log = createLog({
      format: options.log ?? 'text',
      least: 'info',
      // Stdout belongs to the one line of --json.
      write: createLineWriter(options.json ? process.stderr : process.stdout),
    })
    log.info('data', { folder: dataDir })
    const app = !options['no-app']
    const linnet = await startLinnet({
      dataDir,
      supabaseDir,
      seed: options.demo || !ownSchema,
      host: options.host ?? '127.0.0.1',
      port,
      publicUrl,
      tls,
      trustedProxies,
      appDir: app ? join(root, 'dist', 'app') : null,
      ownSite: app || ownSchema,
      dbPort,
      log,
    })
    const { running } = linnet
    const ended = new Promise<number>((resolve) => {
      const end = (signal: string): void => {
        log.info('stopping', { signal })
        linnet.stop().then(
          () => resolve(0),
          (error: unknown) => {
            log.error('stop failed', { reason: String(error) })
            resolve(1)
          },
        )
      }
      process.once('SIGINT', end)
      process.once('SIGTERM', end)
      // A closed terminal: without a word PostgreSQL would be left behind.
      process.once('SIGHUP', end)
    })
    linnet.onDatabase((pids) => writeRunning(dataDir, { ...running, pids }))
    const links = options.demo ? await prepareDemo(linnet, supabaseDir) : []
    writeRunning(dataDir, running)
    if (options.json) process.stdout.write(`${JSON.stringify(running)}\n`)
    else greet(running, links)
    const code = await ended
    removeRunning(dataDir)
    return code
  },
})
