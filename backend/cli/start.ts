import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { writeInstallationTemplate } from '../config/installationTemplate.ts'
import { loadConfig, type Config } from '../config/loadConfig.ts'
import { createLineWriter } from '../logging/createLineWriter.ts'
import { createLogger, type Logger } from '../logging/logger.ts'
import type { Linnet } from '../main.ts'
import { asStartError } from '../postgres/server/dataFolder.ts'
import { readRestoreMarker } from '../restore/marker.ts'
import { removeRunningServer, writeRunningServer } from '../startup/runningServer.ts'
import { rootOfRelease } from '../upgrade/installedReleases.ts'
import { StoppedByParent, connectToParent } from '../upgrade/parentServer.ts'
import {
  findProgramRoot,
  runReleases,
  type PendingSwitch,
  type ReleaseArguments,
} from '../upgrade/runReleases.ts'
import { checkStart, triedPorts } from './checkStart.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandLine, publicCommandName } from '../runtime/commandName.ts'
import { createSettingsRestart, restartRequest, stopForSettings } from './createSettingsRestart.ts'
import { createSwitching } from './createSwitching.ts'
import { prepareDemo } from './demo.ts'
import { projectOptions } from './findProject.ts'
import { renderGreeting } from './greet.ts'
import { createProgress, type Progress } from './progress.ts'
import { uploadBucketFiles } from './uploadBucketFiles.ts'
import { readLogFormat, readStartOptions, startOptions } from './startOptions.ts'
import { createTerminalLog } from './terminalLog.ts'
import { watchProject } from './watchProject.ts'

/** A rehearsal runs beside the server, on a copy of its data: it must not use the same ports. */
const rehearsalOptions = { host: '127.0.0.1', port: 0, dbPort: null, publicUrl: null, tls: null, acme: null }

/** `linnet start`: runs until a signal ends it, and returns the exit code. */
export const start = defineCommand({
  name: 'start',
  group: 'Server',
  summary: 'Start PostgreSQL and all services, and print the URL',
  options: { ...startOptions, ...projectOptions },
  async run({ root, prepareApp, dataDir, supabaseDir, isOwnSchema, isInProject, options }) {
    const parent = connectToParent()
    const readServerOptions = (from: Config) => ({
      ...readStartOptions(options, from),
      ...(parent?.kind === 'rehearsal' && rehearsalOptions),
    })
    let config = loadConfig(supabaseDir, dataDir)
    let serverOptions = readServerOptions(config)
    if (options.demo && !isOwnSchema) {
      throw new UsageError("--demo needs Linnet's own schema and can't be combined with --supabase.")
    }
    // The messenger does not work with the schema of another project.
    const app = isOwnSchema ? !options['no-app'] : options.app
    const isPortRequested =
      serverOptions.acme !== null ||
      options.port !== undefined ||
      ['server.port', 'api.port'].some((key) => config.at(key, -1) !== -1)
    // Loaded here, since other commands need none of the services.
    const { checkSettings, startLinnet } = await import('../main.ts')
    checkSettings(config, serverOptions.tls)
    // The version that runs still uses the port for which a release is started.
    const { port } = parent ? serverOptions : await checkStart({ dataDir, isPortRequested, ...serverOptions })
    if (app) await prepareApp()
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    // Programs that start a server, and services that collect its log, choose a format.
    const isQuiet =
      !options.verbose && !options.json && options.log === undefined && config.at('server.log', '') === ''
    const log: Logger = isQuiet
      ? createTerminalLog({
          print: progress.print,
          showChanges: options.dev,
          commandLine: (words) => commandLine(words, options),
        })
      : createLogger({
          format: readLogFormat(options.log, config),
          minLevel: 'info',
          // With --json, stdout contains one line only.
          write: createLineWriter(options.json ? process.stderr : process.stdout),
        })
    if (!isInProject)
      log.info('server.project_missing', {
        reason: "no supabase folder here or in a parent directory: Linnet's own is used",
      })
    let usedPort = port
    const argumentsOf: ReleaseArguments = (release) => [
      ...process.argv.slice(process.argv.indexOf('start') + 1),
      '--data',
      dataDir,
      '--port',
      String(usedPort),
      ...(isOwnSchema ? ['--supabase', join(rootOfRelease(dataDir, release), 'supabase')] : []),
    ]
    const program = [process.execPath, process.argv[1]!]
    const installation = ['--data', dataDir, '--supabase', supabaseDir]
    const settings = createSettingsRestart(dataDir)
    let isRestart = false
    /** Runs the server until it ends. */
    const serve = async (): Promise<number | PendingSwitch | 'again' | 'restart'> => {
      settings.begin()
      config = loadConfig(supabaseDir, dataDir)
      serverOptions = readServerOptions(config)
      log.info('server.starting', { dataDir })
      const switching = createSwitching({ dataDir, parent, argumentsOf })
      const linnet = await startLinnet({
        dataDir,
        supabaseDir,
        config,
        seed: isOwnSchema ? options.demo : config.at('db.seed.enabled', true),
        ...serverOptions,
        port: usedPort,
        // Another program may have opened the port since the check.
        lastPort: isPortRequested ? usedPort : serverOptions.port + triedPorts,
        appDir: app ? join(root, 'dist', 'app') : null,
        linnetCommand: program,
        backupCommands: {
          backup: [...program, 'backup', ...installation],
          verify: [...program, 'backup', 'verify', '--quick', ...installation],
        },
        usePublicUrlAsSiteUrl: app || isOwnSchema,
        onLockLost: () => {
          process.stderr.write(
            `Another server has taken over ${dataDir} while this one was suspended, so this one has stopped. ` +
              'Stop the other one before you start this one again.\n',
          )
          // Without a clean shutdown, which would write to data that the other server uses now.
          process.exit(1)
        },
        settingsOfCommand: {
          options: options['public-url'] === undefined ? {} : { 'server.public_url': '--public-url' },
          check: (candidate) => void readServerOptions(candidate),
          restart: settings.request,
          undone: settings.undone(),
        },
        ...(parent && {
          isRehearsal: parent.kind === 'rehearsal',
          isSwitch: parent.kind === 'switch' && !isRestart,
          // The parent waits for the first start only.
          beforeListen: async () => {
            if (!isRestart) await parent.waitToServe()
          },
        }),
        controlActions: {
          describe: async () => ({ version, root, supabaseDir, isOwnSchema }),
          switch: switching.request,
        },
        ...(isQuiet ? { onStep: progress.step, onBytes: progress.advance } : {}),
        log,
      }).catch((error: unknown) => {
        progress.fail()
        throw error
      })
      const { running } = linnet
      usedPort = Number(new URL(linnet.localUrl).port)
      // Before the URL is printed, so that every later change is detected.
      const watcher = options.dev
        ? watchProject({ supabaseDir, dataDir, dbUrl: running.dbUrl, log: linnet.log })
        : null
      const signalled = waitForSignal()
      linnet.onDatabase((pids) => writeRunningServer(dataDir, { ...running, pids }))
      let links: { name: string; url: string }[] = []
      try {
        // The directory contains keys and may be inside a git repository.
        if (linnet.isNew) {
          writeFileSync(join(dataDir, '.gitignore'), '*\n')
          writeInstallationTemplate(dataDir, publicCommandName())
        }
        if (isQuiet && options.demo && linnet.isNew) progress.step('Uploading the files of the demo')
        if (linnet.isNew) await uploadBucketFiles(linnet, config)
        if (options.demo) links = await prepareDemo(linnet, { dataDir, supabaseDir })
        writeRunningServer(dataDir, running)
      } catch (error) {
        progress.fail()
        // Otherwise the server would go on, and no command would find it.
        await watcher?.close()
        await linnet.stop()
        throw asStartError(error, dataDir)
      }
      settings.succeed()
      if (isRestart) {
        progress.done()
        if (isQuiet) progress.print('Linnet has restarted.')
      } else if (options.json) process.stdout.write(`${JSON.stringify(running)}\n`)
      else {
        progress.done()
        const usualPort = isPortRequested || usedPort === serverOptions.port ? null : serverOptions.port
        process.stdout.write(
          renderGreeting(running, {
            links,
            isOwnSchema,
            usualPort,
            isRestored: readRestoreMarker(dataDir) !== null,
            commandLine: (words) => commandLine(words, options),
          }),
        )
      }
      if (!isRestart) await parent?.reportReady({ url: linnet.localUrl, secretKey: running.secretKey })
      const end = await Promise.race([signalled.signal, switching.requested, settings.requested()])
      const result = await (end === restartRequest
        ? stopForSettings(linnet, signalled.signal, log)
        : typeof end === 'string'
          ? stopServer({ linnet, signal: end, progress: isQuiet ? progress : null, log })
          : switching.stopFor(linnet, end, signalled.signal, log))
      signalled.stopListening()
      await watcher?.close()
      removeRunningServer(dataDir)
      return result
    }
    try {
      await parent?.waitForStart()
      for (;;) {
        const end = await serve().catch((error: unknown) => {
          if (!settings.undo(error)) throw error
          log.error('server.settings_undone', { reason: (error as Error).message })
          return 'restart' as const
        })
        if (typeof end === 'number') return end
        isRestart = end === 'restart'
        if (end === 'again' || end === 'restart') continue
        const programRoot = findProgramRoot(dataDir, root)
        const code = await runReleases({ dataDir, programRoot, first: end, argumentsOf, log })
        if (code !== null) return code
      }
    } catch (error) {
      if (error instanceof StoppedByParent) return 0
      await parent?.reportFailure((error as Error).message)
      throw error
    }
  },
})

/** Waits for a signal that ends the server. */
function waitForSignal(): { signal: Promise<string>; stopListening(): void } {
  // The terminal was closed (SIGHUP): without a shutdown PostgreSQL would keep running.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let end = (_signal: string): void => {}
  const signal = new Promise<string>((resolve) => {
    end = resolve
  })
  // A second signal ends the process at once.
  for (const name of signals) process.once(name, end)
  return {
    signal,
    stopListening() {
      for (const name of signals) process.off(name, end)
    },
  }
}

async function stopServer(o: {
  linnet: Linnet
  signal: string
  progress: Progress | null
  log: Logger
}): Promise<number> {
  o.log.info('server.stopping', { signal: o.signal })
  o.progress?.step('Stopping')
  try {
    await o.linnet.stop()
    o.progress?.done()
    return 0
  } catch (error) {
    o.progress?.fail()
    o.log.error('server.stop_failed', { reason: String(error) })
    return 1
  }
}
