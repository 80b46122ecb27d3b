import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLineWriter } from '../createLineWriter.ts'
import { createLog } from '../log.ts'
import { startLinnet } from '../main.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { removeRunning, writeRunning, type Running } from '../running.ts'
import { prepareDemo } from './demo.ts'
import type { Options } from './options.ts'

function readPem(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`${option}: ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Browsers keep service workers, push and PKCE's S256 for https and localhost. */
function isPlainOutside(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(hostname)
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
      'sign-in away there. README has a page on TLS and proxies.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** `linnet start`: runs until it is told to end, or PostgreSQL can't be kept. Answers the exit code. */
export async function start(options: Options): Promise<number> {
  if (!existsSync(options.supabaseDir)) {
    throw new StartError(
      `There is no folder ${options.supabaseDir}. --supabase names the folder with migrations.`,
    )
  }
  const log = createLog({
    format: options.log,
    least: 'info',
    // Stdout belongs to the one line of --json.
    write: createLineWriter(options.json ? process.stderr : process.stdout),
  })
  log.info('data', { folder: options.dataDir })
  const linnet = await startLinnet({
    dataDir: options.dataDir,
    supabaseDir: options.supabaseDir,
    seed: options.demo || !options.ownSchema,
    host: options.host,
    port: options.port,
    publicUrl: options.publicUrl,
    tls:
      options.tlsCert === null
        ? null
        : { cert: readPem('--tls-cert', options.tlsCert), key: readPem('--tls-key', options.tlsKey!) },
    appDir: options.app ? join(options.root, 'dist', 'app') : null,
    ownSite: options.app || options.ownSchema,
    dbPort: options.dbPort,
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
  })
  linnet.onDatabase((pids) => writeRunning(options.dataDir, { ...running, pids }))
  const links = options.demo ? await prepareDemo(linnet, options.supabaseDir) : []
  writeRunning(options.dataDir, running)
  if (options.json) process.stdout.write(`${JSON.stringify(running)}\n`)
  else greet(running, links)
  const code = await ended
  removeRunning(options.dataDir)
  return code
}
