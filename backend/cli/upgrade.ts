import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { quoteArgument } from '../runtime/quoteArgument.ts'
import { ControlUnavailable, sendControl } from '../control/sendControl.ts'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { readApplied } from '../postgres/schema/readApplied.ts'
import { lockData } from '../postgres/server/dataLock.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { carrySettings } from '../upgrade/carrySettings.ts'
import { installRelease } from '../upgrade/installRelease.ts'
import {
  hashProgram,
  isTrusted,
  listReleases,
  releasesDir,
  removeOldReleases,
  rootOfRelease,
  workDirectory,
} from '../upgrade/installedReleases.ts'
import { findSource, openSource } from '../upgrade/openSource.ts'
import { planUpgrade, renderPlan } from '../upgrade/planUpgrade.ts'
import { findProgramRoot } from '../upgrade/runReleases.ts'
import { upgradeRunningServer } from '../upgrade/upgradeRunningServer.ts'
import { upgradeStoppedServer } from '../upgrade/upgradeStoppedServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { createProgress, type Progress } from './progress.ts'
import { commandName } from '../runtime/commandName.ts'

/** Milliseconds for the migrations and the start of the new version, at least. */
const minTimeoutMs = 3_600_000

/** A move of the data may take this many times as long as estimated. */
const maxSlowdown = 10

/** What runs before the upgrade. */
interface Current {
  version: string
  root: string
  supabaseDir: string
  isOwnSchema: boolean
}

/** What the running server reports about itself. Throws StartError for an older version, which can't be exchanged while it runs. */
async function describeServer(running: RunningServer): Promise<Current> {
  try {
    return await sendControl<Current>(running.dashboard, 'describe', null, 10_000)
  } catch (error) {
    if (!(error instanceof ControlUnavailable)) throw error
    throw new StartError(
      "The server can't be upgraded while it runs: its version does not support this, or another program uses its port at 127.0.0.1. " +
        `Stop it with "${commandName()} stop" and run this command again.`,
      { cause: error },
    )
  }
}

/** The versions of the migrations that the database has. */
async function readMigrations(dbUrl: string): Promise<string[] | null> {
  const client = await connectToUrl(dbUrl, 'linnet upgrade')
  return readApplied(client).finally(() => client.end())
}

/** Locks the releases for this process. Throws UsageError while another upgrade runs. */
async function lockReleases(dataDir: string): Promise<() => void> {
  const folder = releasesDir(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  try {
    const lock = await lockData(folder)
    return () => lock.release()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new UsageError(`Another upgrade of ${dataDir} is in progress. Wait until it has ended.`)
  }
}

/** Runs the upgrade with the releases locked, and returns the exit code. */
async function upgradeLocked(o: {
  argument: string | undefined
  isCheck: boolean
  dataDir: string
  program: Current
  workDir: string
  progress: Progress
}): Promise<number> {
  const { dataDir, progress, workDir } = o
  const running = readRunningServer(dataDir)
  const current = running ? await describeServer(running) : o.program
  const source = findSource(o.argument, o.program.root)
  if (source.kind === 'registry') progress.step(`Downloading ${source.name}`)
  const open = await openSource(source, workDir)
  progress.done()
  const plan = planUpgrade({
    open,
    dataDir,
    current,
    supabaseDir: current.supabaseDir,
    isOwnSchema: current.isOwnSchema,
    applied: running ? await readMigrations(running.dbUrl) : null,
  })
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  renderPlan(plan).forEach(write)
  if (o.isCheck) return 0
  write('')
  progress.step(source.kind === 'checkout' ? 'Building and installing' : 'Installing')
  const before = new Set(listReleases(dataDir))
  const release = await installRelease(open, dataDir, workDir)
  const root = rootOfRelease(dataDir, release)
  if (hashProgram(root) === hashProgram(current.root)) {
    progress.done()
    write(`${plan.to} is installed already: its files are the same.`)
    return 0
  }
  try {
    if (current.isOwnSchema) carrySettings(current.root, root)
    const supabaseDir = current.isOwnSchema ? join(root, 'supabase') : current.supabaseDir
    const args = ['--supabase', supabaseDir]
    const onStep = (title: string): void => progress.step(title)
    const isMove = plan.moveSeconds !== null
    const timeoutMs = Math.max(minTimeoutMs, maxSlowdown * 1000 * (plan.moveSeconds ?? 0))
    const common = { dataDir, release, args, isMove, timeoutMs, onStep }
    const printCleanupHint = (): void => {
      if (isMove)
        write(
          `Once the server works, remove the old data of PostgreSQL ${plan.postgres.from}: rm -r ${quoteArgument(plan.formerData)}`,
        )
    }
    if (running === null) {
      await upgradeStoppedServer({ ...common, programRoot: findProgramRoot(dataDir, o.program.root) })
      progress.done()
      write(`Upgraded to ${plan.to}. The next start of the server runs this version.`)
      printCleanupHint()
      removeOldReleases(dataDir, [release])
      return 0
    }
    const outcome = await upgradeRunningServer({ ...common, running })
    if (outcome.result === 'switched') {
      progress.done(`${(outcome.withoutServiceMs / 1000).toFixed(1)} s without service`)
      write(`Upgraded to ${plan.to}.`)
      printCleanupHint()
      return 0
    }
    throw new StartError(outcome.reason)
  } catch (error) {
    progress.fail()
    if (!before.has(release)) rmSync(join(releasesDir(dataDir), release), { recursive: true, force: true })
    throw error
  }
}

/** `linnet upgrade`: installs another version and exchanges it with the one that runs. */
export const upgrade = defineCommand({
  name: 'upgrade',
  group: 'Server',
  summary: 'Install another version, start it on a copy of the database, and then switch to it',
  help: `[version] is a version such as 1.2.3 or "latest", a file that "npm run pack" has written, or a
checkout. The default is the newest version, or the current state of the checkout that runs.

The command backs up the database, installs the version into the data directory and starts
it on a copy of the database. Only then does the running server stop, and the new version
continues on the same port. If anything fails before that, the old version keeps running and
nothing has changed. Once the new version runs, only a restore of the backup leads back.`,
  args: ['[version]'],
  options: {
    check: { help: 'print what would be done, and change nothing' },
    ...projectOptions,
  },
  async run({ root, dataDir, supabaseDir, isOwnSchema, options, args: [argument] }) {
    if (!existsSync(join(dataDir, 'postgres'))) {
      throw new UsageError(`There is no installation in ${dataDir}. Name its data directory with --data.`)
    }
    if (!isTrusted(dataDir) && existsSync(releasesDir(dataDir))) {
      throw new UsageError(
        `Another user owns or can change ${dataDir}. Run this command as the user who runs the server.`,
      )
    }
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    const unlock = await lockReleases(dataDir)
    removeOldReleases(dataDir, [])
    const workDir = workDirectory(dataDir, 'installing')
    mkdirSync(workDir, { recursive: true, mode: 0o755 })
    try {
      return await upgradeLocked({
        argument,
        isCheck: options.check,
        dataDir,
        program: { version, root, supabaseDir, isOwnSchema },
        workDir,
        progress,
      })
    } catch (error) {
      progress.fail()
      if (!(error instanceof StartError)) throw error
      const state =
        readRunningServer(dataDir) === null ? 'Nothing has changed.' : 'The old version runs as before.'
      throw new StartError(`Not upgraded: ${error.message}\n${options.check ? '' : state}`.trimEnd(), {
        cause: error,
      })
    } finally {
      rmSync(workDir, { recursive: true, force: true })
      unlock()
    }
  },
})
