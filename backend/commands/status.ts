import { readRunning, type Running } from '../running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { readFigures } from './readFigures.ts'
import {
  renderFigureLines,
  renderFigureVariables,
  toStatusFigures,
  type StatusFigures,
} from './statusFigures.ts'

/** The names that `supabase status -o env` prints, so that scripts written for it keep working; then ours. */
function renderEnvironment(running: Running, figures: StatusFigures | null): string {
  const names: Record<string, string | null> = {
    API_URL: running.url,
    ANON_KEY: running.anonKey,
    SERVICE_ROLE_KEY: running.serviceRoleKey,
    PUBLISHABLE_KEY: running.publishableKey,
    SECRET_KEY: running.secretKey,
    JWT_SECRET: running.jwtSecret,
    DB_URL: running.dbUrl,
    INBUCKET_URL: running.mailbox,
    STUDIO_URL: running.dashboard,
  }
  return [
    ...Object.entries(names)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`),
    ...(figures ? renderFigureVariables(figures) : []),
  ].join('\n')
}

function renderPretty(running: Running, figures: StatusFigures | null): string {
  return [
    `Linnet runs at ${running.url} (process ${running.pids.server}, PostgreSQL ${running.pids.db}).`,
    ...(running.setupUrl === null ? [] : [`Set-up link  ${running.setupUrl}`]),
    `Owner's page ${running.dashboard}`,
    ...(running.mailbox === null ? [] : [`Mailbox      ${running.mailbox}`]),
    `Public key   ${running.publishableKey}`,
    `Database     ${running.dbUrl}`,
    ...(figures ? renderFigureLines(figures) : []),
  ].join('\n')
}

/** `linnet status`: 0 when it runs and answers, 1 when not. */
export const status = defineCommand({
  name: 'status',
  group: 'The house',
  summary: 'Say what runs, where, and its keys',
  help: `Ends with 0 where it runs and answers, else with 1. The names of "-o env" are those that
"supabase status -o env" prints.`,
  options: {
    output: {
      value: 'FORMAT',
      short: 'o',
      choices: ['pretty', 'env', 'json'],
      help: 'for people, shells or programs (pretty unless said)',
    },
    ...placeOptions,
  },
  async run({ dataDir, options: { output = 'pretty' } }) {
    const running = readRunning(dataDir)
    if (running === null) {
      if (output === 'json') process.stdout.write(`${JSON.stringify({ running: false })}\n`)
      else process.stderr.write(`Nothing runs on ${dataDir}.\n`)
      return 1
    }
    const read = await readFigures(running.metrics)
    const figures = typeof read === 'string' ? null : toStatusFigures(read, Date.now())
    const rendered = {
      json: () => JSON.stringify({ running: true, answers: read !== 'silent', ...running, figures }),
      env: () => renderEnvironment(running, figures),
      pretty: () => renderPretty(running, figures),
    }[output]()
    process.stdout.write(`${rendered}\n`)
    if (read !== 'silent') return 0
    process.stderr.write('It runs, but does not answer.\n')
    return 1
  },
})
