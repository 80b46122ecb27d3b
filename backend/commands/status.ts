import { readRunning, type Running } from '../running.ts'
import type { Options } from './options.ts'

/** The names that `supabase status -o env` prints, so that scripts written for it keep working. */
function renderEnvironment(running: Running): string {
  const names: Record<string, string | null> = {
    API_URL: running.url,
    ANON_KEY: running.anonKey,
    SERVICE_ROLE_KEY: running.serviceRoleKey,
    PUBLISHABLE_KEY: running.publishableKey,
    SECRET_KEY: running.secretKey,
    JWT_SECRET: running.jwtSecret,
    DB_URL: running.dbUrl,
    INBUCKET_URL: running.mailbox,
  }
  return Object.entries(names)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n')
}

function renderPretty(running: Running): string {
  return [
    `Linnet runs at ${running.url} (process ${running.pids.server}, PostgreSQL ${running.pids.db}).`,
    ...(running.setupUrl === null ? [] : [`Set-up link  ${running.setupUrl}`]),
    ...(running.mailbox === null ? [] : [`Mailbox      ${running.mailbox}`]),
    `Public key   ${running.publishableKey}`,
    `Database     ${running.dbUrl}`,
  ].join('\n')
}

/** `linnet status`: 0 when it runs and answers, 1 when not. */
export async function status(options: Options): Promise<number> {
  const running = readRunning(options.dataDir)
  if (running === null) {
    if (options.output === 'json') process.stdout.write(`${JSON.stringify({ running: false })}\n`)
    else process.stderr.write(`Nothing runs on ${options.dataDir}.\n`)
    return 1
  }
  const rendered = {
    json: () => JSON.stringify({ running: true, ...running }),
    env: () => renderEnvironment(running),
    pretty: () => renderPretty(running),
  }[options.output]()
  process.stdout.write(`${rendered}\n`)
  return 0
}
