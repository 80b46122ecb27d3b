import { readBackupState, type BackupState } from '../backup/state.ts'
import { nearestName } from '../config/nearestName.ts'
import { createLocalFinding } from '../health/LocalFinding.ts'
import { readChecks } from '../health/readChecks.ts'
import { describeFindings, type DescribedFinding } from '../health/renderFindings.ts'
import { readRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandLine } from '../runtime/commandName.ts'
import { readUsage, renderDamagedObjects, verifyObjects } from './dataChecks.ts'
import { describeBackups } from './describeBackups.ts'
import { describeInstallation } from './doctor.ts'
import { projectOptions } from './findProject.ts'
import { renderColumns } from './greet.ts'
import { readMetrics } from './readMetrics.ts'
import { renderDuration, renderMetricLines, toStatusMetrics, type StatusMetrics } from './statusMetrics.ts'

/** The values that `--override-name` of the official CLI can rename, with their default names. */
const officialVariables = {
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
type OfficialKey = keyof typeof officialVariables

/** The variables that `supabase status` prints, for scripts that were written for it. */
function officialValues(running: RunningServer, names: Record<OfficialKey, string>): Record<string, string> {
  const values: Record<OfficialKey, string | null> = {
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
      value === null ? [] : [[names[path as OfficialKey], value]],
    ),
  )
}

function readOverrides(overrides: string[]): Record<OfficialKey, string> {
  const names: Record<OfficialKey, string> = { ...officialVariables }
  for (const override of overrides) {
    const [path = '', name = ''] = override.split('=')
    if (!Object.hasOwn(names, path) || !/^[A-Za-z_]\w*$/.test(name)) {
      const near = nearestName(path, Object.keys(names)) ?? 'api.url'
      throw new UsageError(`--override-name must have a form such as ${near}=MY_NAME, not "${override}".`)
    }
    names[path as OfficialKey] = name
  }
  return names
}

/** Omits metrics, so that a file with this output stays the same. */
function renderEnvironment(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n')
}

/** The first sentence of a finding on one line; `linnet doctor` prints the rest. */
function renderProblem({ title, text }: DescribedFinding): string {
  return `${title}: ${/^.*?\.(?= |$)/.exec(text)?.[0] ?? text}`
}

/** A row for the first value, which has the name, and one for each other value. */
function toRows(name: string, [first = 'none', ...others]: readonly string[]): [string, string][] {
  return [[name, first], ...others.map((value): [string, string] => ['', value])]
}

/** Renders the status for people. It contains no passwords and no secret keys. */
function renderPretty(o: {
  running: RunningServer
  metrics: StatusMetrics | null
  peopleOnline: number | null
  backups: BackupState
  findings: DescribedFinding[]
  /** The command that shows what to do. */
  doctor: string
  isVerbose: boolean
  damage: string[]
}): string {
  const { running, metrics } = o
  // The row "Last backup" replaces the notices about backups.
  const findings = o.findings.filter(({ code, state }) => state === 'problem' || !code.startsWith('backups.'))
  const select = (state: 'problem' | 'notice'): string[] =>
    findings.filter((finding) => finding.state === state).map(renderProblem)
  const notices = select('notice')
  const rows: [string, string][] = [
    [
      'Version',
      metrics === null
        ? running.version
        : `${running.version}, running for ${renderDuration(metrics.uptimeSeconds)}`,
    ],
  ]
  if (o.peopleOnline !== null) rows.push(['People online', String(o.peopleOnline)])
  rows.push(...toRows('Last backup', describeBackups(o.backups, Date.now())))
  rows.push(...toRows('Problems', select('problem')))
  if (notices.length > 0) rows.push(...toRows('Recommended', notices))
  if (findings.length > 0) rows.push(['', `"${o.doctor}" shows what to do.`])
  if (running.networkUrl) rows.push(['In your network', running.networkUrl])
  if (running.setupUrl !== null) rows.push(['Setup link', running.setupUrl])
  if (running.mailbox !== null) rows.push(['Mailbox', running.mailbox])
  rows.push(['Administration', running.dashboard])
  return [
    `Linnet is running at ${running.url}`,
    '',
    ...renderColumns(rows),
    ...(o.isVerbose && metrics
      ? [
          '',
          `Processes    server ${running.pids.server}, PostgreSQL ${running.pids.db}`,
          ...renderMetricLines(metrics),
        ]
      : []),
    ...(o.damage.length > 0 ? ['', ...o.damage] : []),
  ].join('\n')
}

/** `linnet status`: the exit code is 0 if the server is running and responds, else 1. */
export const status = defineCommand({
  name: 'status',
  group: 'Server',
  summary: 'Show the address and the state of the running server',
  help: `The exit code is 0 if the server is running and responds, else 1. "-o env" and "-o json"
print its keys and the URL of the database too. "-o env" uses the names of "supabase status
-o env".`,
  options: {
    output: {
      value: 'FORMAT',
      short: 'o',
      choices: ['pretty', 'env', 'json'],
      help: 'output format (default: pretty)',
    },
    'override-name': {
      value: 'KEY=NAME',
      multiple: true,
      help: 'rename a value of "-o env": api.url=NEXT_PUBLIC_SUPABASE_URL',
    },
    verbose: { short: 'v', help: 'also show technical values: connections, requests, memory, WAL' },
    verify: { help: 'read every stored file and list those that are damaged' },
    ...projectOptions,
  },
  async run({
    dataDir,
    supabaseDir,
    options: { output = 'pretty', 'override-name': overrides, verify, verbose, ...place },
  }) {
    const names = readOverrides(overrides)
    let running = readRunningServer(dataDir)
    if (running === null) {
      if (output === 'json') process.stdout.write(`${JSON.stringify({ running: false })}\n`)
      else
        process.stderr.write(`No server is running on ${dataDir}. Start it: ${commandLine('start', place)}\n`)
      return 1
    }
    const values = officialValues(running, names)
    const read = await readMetrics(running.metrics)
    const responds = read !== 'unreachable'
    if (output === 'env') process.stdout.write(`${renderEnvironment(values)}\n`)
    else {
      const metrics = typeof read === 'string' ? null : toStatusMetrics(read, Date.now())
      const canQuery = metrics?.databaseUp !== false
      const findings = describeFindings(
        responds
          ? await readChecks(describeInstallation({ dataDir, supabaseDir }), { isFresh: false })
          : [createLocalFinding('server.unresponsive', {})],
        place,
      ).filter(({ state }) => state === 'problem' || state === 'notice')
      const usage = canQuery ? await readUsage(running.dbUrl) : null
      const peopleOnline = usage?.peopleOnline ?? null
      // The server has stored the link when it started, and a workspace was created since.
      if (usage?.hasWorkspace === true) running = { ...running, setupUrl: null }
      const damage = canQuery && verify ? await verifyObjects(running.dbUrl, dataDir) : undefined
      const backups = readBackupState(dataDir)
      process.stdout.write(
        output === 'json'
          ? `${JSON.stringify({
              running: true,
              responds,
              ...running,
              ...values,
              stats: metrics,
              peopleOnline,
              backups,
              problems: findings,
              ...(verify && { damage }),
            })}\n`
          : `${renderPretty({
              running,
              metrics,
              peopleOnline,
              backups,
              findings,
              doctor: commandLine('doctor', place),
              isVerbose: verbose,
              damage: damage === undefined ? [] : renderDamagedObjects(damage),
            })}\n`,
      )
    }
    if (responds) return 0
    process.stderr.write('The server is running but does not respond.\n')
    return 1
  },
})
