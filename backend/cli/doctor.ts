import { version } from '../../package.json'
import { readMailSettings } from '../auth/settings/mailSettings.ts'
import { createSettingsReader } from '../auth/settings/createSettingsReader.ts'
import { ConfigError } from '../config/loadConfig.ts'
import type { LocalFinding } from '../health/LocalFinding.ts'
import { planRepairs } from '../health/planRepairs.ts'
import { readChecks, type Installation } from '../health/readChecks.ts'
import { describeFindings, renderFindings } from '../health/renderFindings.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { validateConfig } from '../startup/validateConfig.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { readStartOptions, startOptions } from './startOptions.ts'
import type { Invocation } from './Command.ts'

/** The options of a start without options: the settings files decide. */
const noOptions = { 'trusted-proxy': [] as string[] } as Invocation<typeof startOptions>['options']

/** Describes an installation to the checks. */
export function describeInstallation(project: { dataDir: string; supabaseDir: string }): Installation {
  return {
    dataDir: project.dataDir,
    supabaseDir: project.supabaseDir,
    version,
    validate(config) {
      validateConfig(config, [])
      try {
        readStartOptions(noOptions, config)
      } catch (error) {
        if (error instanceof UsageError) throw new ConfigError(error.message)
        throw error
      }
    },
    readListening: (config) => readStartOptions(noOptions, config),
    readSmtp: (config) => readMailSettings(createSettingsReader(config)).smtp,
  }
}

function countProblems(findings: readonly LocalFinding[]): number {
  return findings.filter(({ state }) => state === 'problem').length
}

function readDbUrl(dataDir: string): string | null {
  try {
    return readRunningServer(dataDir)?.dbUrl ?? null
  } catch {
    return null
  }
}

/** Makes the repairs one after the other. Returns a sentence for each repair that failed. */
async function repair(findings: readonly LocalFinding[], dataDir: string): Promise<string[]> {
  const failures: string[] = []
  for (const { text, details, run } of planRepairs(findings, { dataDir, dbUrl: readDbUrl(dataDir) })) {
    process.stderr.write(`${[text, ...details.map((line) => `  ${line}`)].join('\n')}\n`)
    try {
      await run()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (!(error instanceof StartError) && code === undefined) throw error
      failures.push(`This repair failed: ${message}`)
    }
  }
  return failures
}

/** `linnet doctor`: the exit code is 1 if there is a problem, else 0. */
export const doctor = defineCommand({
  name: 'doctor',
  group: 'Server',
  summary: 'Check the installation: what is wrong, and what to do',
  help: `Checks the disk, permissions, settings, PostgreSQL, the public address, mail, queues and
stored files. It also works while the server is stopped, or does not start. The exit code
is 1 if there is a problem. --repair changes only what is safe at any time: it restricts
the modes of files with keys, removes what interrupted work has left behind, creates
missing partitions, and moves files without a row in the database aside.`,
  options: {
    repair: { help: 'repair what is safe to repair, then check again' },
    output: {
      value: 'FORMAT',
      short: 'o',
      choices: ['text', 'json'],
      help: 'output format (default: text)',
    },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const installation = describeInstallation({ dataDir, supabaseDir })
    let findings = await readChecks(installation, { isFresh: true })
    const failures = options.repair ? await repair(findings, dataDir) : []
    if (options.repair) findings = await readChecks(installation, { isFresh: true })
    const problems = countProblems(findings)
    if (options.output === 'json') {
      const response = { problems, dataDir, findings: describeFindings(findings, options), failures }
      process.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
    } else {
      const summary =
        problems === 0 ? 'No problems.' : problems === 1 ? 'One problem.' : `${problems} problems.`
      process.stdout.write(
        `${[`${summary} The data are in ${dataDir}.`, renderFindings(findings, options)].join('\n\n')}\n`,
      )
      for (const failure of failures) process.stderr.write(`${failure}\n`)
    }
    return problems === 0 && failures.length === 0 ? 0 : 1
  },
})
