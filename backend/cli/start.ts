import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import { createLineWriter } from '../logging/createLineWriter.ts'
import { createLogger } from '../logging/logger.ts'
import { startLinnet } from '../main.ts'
import { removeRunning, writeRunning } from '../startup/running.ts'
import { prepareDemo } from './demo.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { greet } from './greet.ts'
import { placeFiles } from './placeFiles.ts'
import { readStartOptions, startOptions } from './startOptions.ts'
import { UsageError } from './UsageError.ts'
import { watchProject } from './watchProject.ts'

/** `linnet start`: runs until it is told to end, or PostgreSQL can't be kept. Answers the exit code. */
export const start = defineCommand({
  name: 'start',
  group: 'The house',
  summary: 'Start PostgreSQL and the services, print the address',
  options: { ...startOptions, ...placeOptions },
  async run({ root, prepareApp, dataDir, supabaseDir, ownSchema, inProject, options }) {
    const config = loadConfig(supabaseDir)
    const serving = readStartOptions(options, config)
    if (options.demo && !ownSchema) {
      throw new UsageError("--demo fills Linnet's own schema; it can't go with --supabase.")
    }
    const log = createLogger({
      format: options.log ?? 'text',
      minLevel: 'info',
      // Stdout belongs to the one line of --json.
      write: createLineWriter(options.json ? process.stderr : process.stdout),
    })
    if (!inProject) log.info('no folder supabase here or above: this is the messenger')
    log.info('data', { folder: dataDir })
    // Another project's people would find a messenger whose tables are not there.
    const app = ownSchema ? !options['no-app'] : options.app
    if (app) await prepareApp()
    const linnet = await startLinnet({
      dataDir,
      supabaseDir,
      seed: ownSchema ? options.demo : config.at('db.seed.enabled', true),
      ...serving,
      appDir: app ? join(root, 'dist', 'app') : null,
      ownSite: app || ownSchema,
      onLockLost: () => {
        process.stderr.write(
          `Another server has taken over ${dataDir} while this one was suspended, so this one has stopped. ` +
            'Stop the other one before you start this one again.\n',
        )
        // Without an orderly end, which would write to data that are the other server's now.
        process.exit(1)
      },
      log,
    })
    // Keys are in there, and the folder may be in a project that keeps itself in git.
    if (linnet.isNew) writeFileSync(join(dataDir, '.gitignore'), '*\n')
    const { running } = linnet
    // Before anybody hears of the address, so that no change after that is taken for an old one.
    const watched = options.dev
      ? watchProject({ supabaseDir, dataDir, dbUrl: running.dbUrl, log: linnet.log })
      : null
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
    if (linnet.isNew) await placeFiles(linnet, config)
    const links = options.demo ? await prepareDemo(linnet, supabaseDir) : []
    writeRunning(dataDir, running)
    if (options.json) process.stdout.write(`${JSON.stringify(running)}\n`)
    else greet(running, links, ownSchema)
    const code = await ended
    await watched?.close()
    removeRunning(dataDir)
    return code
  },
})
