import { nearestName } from '../nearestName.ts'
import { readRunning, type Running } from '../startup/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import {
  readDamage,
  readDifference,
  readMissingPartitions,
  renderDamage,
  renderDifference,
  renderMissingPartitions,
} from './readDifference.ts'
import { readFigures } from './readFigures.ts'
import { renderFigureLines, toStatusFigures, type StatusFigures } from './statusFigures.ts'
import { UsageError } from './UsageError.ts'

/** What the official CLI lets one rename by `--override-name`, and the name that each has unless renamed. */
const officialNames = {
  'api.url': 'API_URL',
  'api.rest_url': 'REST_URL',
  'api.functions_url': 'FUNCTIONS_URL',
  'auth.anon_key': 'ANON_KEY',
  'auth.service_role_key': 'SERVICE_ROLE_KEY',
  'auth.publishable_key': 'PUBLISHABLE_KEY',
  'auth.secret_key': 'SECRET_KEY',
  'auth.jwt_secret': 'JWT_SECRET',
  'db.url': 'DB_URL',
  'mailpit.url': 'MAILPIT_URL',
  'inbucket.url': 'INBUCKET_URL',
  'studio.url': 'STUDIO_URL',
}
type Official = keyof typeof officialNames

/** The variables that `supabase status` prints, so that scripts written for it keep working. */
function officialValues(running: Running, names: Record<Official, string>): Record<string, string> {
  const values: Record<Official, string | null> = {
    'api.url': running.url,
    'api.rest_url': `${running.url}/rest/v1`,
    'api.functions_url': `${running.url}/functions/v1`,
    'auth.anon_key': running.anonKey,
    'auth.service_role_key': running.serviceRoleKey,
    'auth.publishable_key': running.publishableKey,
    'auth.secret_key': running.secretKey,
    'auth.jwt_secret': running.jwtSecret,
    'db.url': running.dbUrl,
    'mailpit.url': running.mailbox,
    'inbucket.url': running.mailbox,
    'studio.url': running.dashboard,
  }
  return Object.fromEntries(
    Object.entries(values).flatMap(([path, value]) =>
      value === null ? [] : [[names[path as Official], value]],
    ),
  )
}

function readNames(overrides: string[]): Record<Official, string> {
  const names: Record<Official, string> = { ...officialNames }
  for (const override of overrides) {
    const [path = '', name = ''] = override.split('=')
    if (!Object.hasOwn(names, path) || !/^[A-Za-z_]\w*$/.test(name)) {
      const near = nearestName(path, Object.keys(names)) ?? 'api.url'
      throw new UsageError(`--override-name must be such as ${near}=MY_NAME, not "${override}".`)
    }
    names[path as Official] = name
  }
  return names
}

/** No figures: a file made of this would differ each time, and a shell that reads it would keep them. */
function renderEnvironment(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n')
}

function renderPretty(running: Running, figures: StatusFigures | null, files: string[]): string {
  return [
    `Linnet runs at ${running.url} (process ${running.pids.server}, PostgreSQL ${running.pids.db}).`,
    ...(running.setupUrl === null ? [] : [`Set-up link  ${running.setupUrl}`]),
    `Owner's page ${running.dashboard}`,
    ...(running.mailbox === null ? [] : [`Mailbox      ${running.mailbox}`]),
    `Public key   ${running.publishableKey}`,
    `Database     ${running.dbUrl}`,
    ...(figures ? renderFigureLines(figures) : []),
    ...files,
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
    'override-name': {
      value: 'KEY=NAME',
      multiple: true,
      help: 'call a value of "-o env" otherwise: api.url=NEXT_PUBLIC_SUPABASE_URL',
    },
    verify: { help: 'read the bytes of every file and say which are not what was uploaded' },
    ...placeOptions,
  },
  async run({ dataDir, options: { output = 'pretty', 'override-name': overrides, verify } }) {
    const names = readNames(overrides)
    const running = readRunning(dataDir)
    if (running === null) {
      if (output === 'json') process.stdout.write(`${JSON.stringify({ running: false })}\n`)
      else process.stderr.write(`Nothing runs on ${dataDir}.\n`)
      return 1
    }
    const read = await readFigures(running.metrics)
    const figures = typeof read === 'string' ? null : toStatusFigures(read, Date.now())
    const values = officialValues(running, names)
    // A shell that reads addresses waits for no folder to be gone through.
    const asks = output !== 'env' && figures?.databaseUp !== false
    const files = asks ? await readDifference(running.dbUrl, dataDir) : null
    const damage = asks && verify ? await readDamage(running.dbUrl, dataDir) : undefined
    const partitions = asks ? await readMissingPartitions(running.dbUrl) : null
    const rendered = {
      json: () =>
        JSON.stringify({
          running: true,
          answers: read !== 'silent',
          ...running,
          ...values,
          figures,
          files,
          missingPartitions: partitions,
          ...(verify && { damage }),
        }),
      env: () => renderEnvironment(values),
      pretty: () =>
        renderPretty(running, figures, [
          ...renderMissingPartitions(partitions),
          ...renderDifference(files),
          ...(damage === undefined ? [] : renderDamage(damage)),
        ]),
    }[output]()
    process.stdout.write(`${rendered}\n`)
    if (read !== 'silent') return 0
    process.stderr.write('It runs, but does not answer.\n')
    return 1
  },
})
