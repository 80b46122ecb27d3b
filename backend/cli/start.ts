import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeInstallationTemplate } from '../config/installationTemplate.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { createLineWriter } from '../logging/createLineWriter.ts'
import { createLogger, type Logger } from '../logging/logger.ts'
import { asStartError } from '../postgres/server/dataFolder.ts'
import { removeRunningServer, writeRunningServer } from '../startup/runningServer.ts'
import { checkStart } from './checkStart.ts'
import { UsageError, defineCommand } from './Command.ts'
import { commandName } from './commandName.ts'
import { prepareDemo } from './demo.ts'
import { projectOptions } from './findProject.ts'
import { renderGreeting } from './greet.ts'
import { createProgress } from './progress.ts'
import { uploadBucketFiles } from './uploadBucketFiles.ts'
import { readLogFormat, readStartOptions, startOptions } from './startOptions.ts'
import { createTerminalLog } from './terminalLog.ts'
import { watchProject } from './watchProject.ts'

/** `linnet start`: runs until a signal ends it, and returns the exit code. */
export const start = defineCommand({
  name: 'start',
  group: 'Server',
  summary: 'Start PostgreSQL and all services, and print the URL',
  options: { ...startOptions, ...projectOptions },
  async run({ root, prepareApp, dataDir, supabaseDir, isOwnSchema, isInProject, options }) {
    const config = loadConfig(supabaseDir, dataDir)
    const serverOptions = readStartOptions(options, config)
    if (options.demo && !isOwnSchema) {
      throw new UsageError("--demo needs Linnet's own schema and can't be combined with --supabase.")
    }
    // The messenger does not work with the schema of another project.
    const app = isOwnSchema ? !options['no-app'] : options.app
    const isPortRequested =
      options.port !== undefined || ['server.port', 'api.port'].some((key) => config.at(key, -1) !== -1)
    // Loaded here, since other commands need none of the services.
    const { checkSettings, startLinnet } = await import('../main.ts')
    checkSettings(config, serverOptions.tls)
    const { port } = await checkStart({ dataDir, isPortRequested, ...serverOptions })
    if (app) await prepareApp()
    // A full disk or a closed pipe behind these must not end the server. The log file has all events.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    // Programs that start a server, and services that collect its log, choose a format.
    const isQuiet =
      !options.verbose && !options.json && options.log === undefined && config.at('server.log', '') === ''
    const log: Logger = isQuiet
      ? createTerminalLog({
          print: progress.print,
          showChanges: options.dev,
          hint: `"${commandName()} logs -f" shows all events.`,
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
    log.info('server.starting', { dataDir })
    const linnet = await startLinnet({
      dataDir,
      supabaseDir,
      seed: isOwnSchema ? options.demo : config.at('db.seed.enabled', true),
      ...serverOptions,
      port,
      appDir: app ? join(root, 'dist', 'app') : null,
      backupCommand: [
        process.execPath,
        process.argv[1]!,
        'backup',
        '--data',
        dataDir,
        '--supabase',
        supabaseDir,
      ],
      usePublicUrlAsSiteUrl: app || isOwnSchema,
      onLockLost: () => {
        process.stderr.write(
          `Another server has taken over ${dataDir} while this one was suspended, so this one has stopped. ` +
            'Stop the other one before you start this one again.\n',
        )
        // Without a clean shutdown, which would write to data that the other server uses now.
        process.exit(1)
      },
      ...(isQuiet ? { onStep: progress.step, onBytes: progress.advance } : {}),
      log,
    }).catch((error: unknown) => {
      progress.fail()
      throw error
    })
    const { running } = linnet
    // Before the URL is printed, so that every later change is detected.
    const watcher = options.dev
      ? watchProject({ supabaseDir, dataDir, dbUrl: running.dbUrl, log: linnet.log })
      : null
    const ended = new Promise<number>((resolve) => {
      const end = (signal: string): void => {
        log.info('server.stopping', { signal })
        if (isQuiet) progress.step('Stopping')
        linnet.stop().then(
          () => {
            progress.done()
            resolve(0)
          },
          (error: unknown) => {
            progress.fail()
            log.error('server.stop_failed', { reason: String(error) })
            resolve(1)
          },
        )
      }
      process.once('SIGINT', end)
      process.once('SIGTERM', end)
      // The terminal was closed: without a shutdown PostgreSQL would keep running.
      process.once('SIGHUP', end)
    })
    linnet.onDatabase((pids) => writeRunningServer(dataDir, { ...running, pids }))
    let links: { name: string; url: string }[] = []
    try {
      // The directory contains keys and may be inside a git repository.
      if (linnet.isNew) {
        writeFileSync(join(dataDir, '.gitignore'), '*\n')
        writeInstallationTemplate(dataDir)
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
    if (options.json) process.stdout.write(`${JSON.stringify(running)}\n`)
    else {
      progress.done()
      const usualPort = port === serverOptions.port ? null : serverOptions.port
      process.stdout.write(renderGreeting(running, { links, isOwnSchema, usualPort, command: commandName() }))
    }
    const code = await ended
    await watcher?.close()
    removeRunningServer(dataDir)
    return code
  },
})
