import { join } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import { listFunctionSettings } from '../functions/load/functionSettings.ts'
import { renderEntry } from '../logging/logger.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand, type Invocation, type Options } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { readEntry } from './logs.ts'
import { readArguments } from './readArguments.ts'
import { followLines } from './readLog.ts'
import { start } from './start.ts'
import { startOptions } from './startOptions.ts'
import { commandName } from '../runtime/commandName.ts'

/** The options of `linnet start` that apply to functions. */
const options = {
  'env-file': startOptions['env-file'],
  'no-verify-jwt': startOptions['no-verify-jwt'],
  port: startOptions.port,
  ...projectOptions,
} as const satisfies Options

type ServeOptions = Invocation<typeof options>['options']

/** The equivalent arguments of `linnet start`. */
function toStartArguments(o: ServeOptions): string[] {
  const withValues = (['env-file', 'port', 'data', 'supabase'] as const).flatMap((name) =>
    o[name] === undefined ? [] : [`--${name}`, o[name]],
  )
  return ['--no-app', '--verbose', ...withValues, ...(o['no-verify-jwt'] ? ['--no-verify-jwt'] : [])]
}

function printUrls(url: string, names: string[]): void {
  if (names.length === 0) console.log(`There are no functions yet: ${commandName()} functions new <name>`)
  for (const name of names) console.log(`${url}/functions/v1/${name}`)
}

/** Prints log lines of all functions, or of the named one, until Ctrl-C. */
async function follow(dataDir: string, name: string | undefined): Promise<void> {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  process.stdout.on('error', () => end.abort())
  await followLines(join(dataDir, 'logs'), end.signal, (line) => {
    const entry = readEntry(line)
    const source = entry?.['function']
    if (entry && typeof source === 'string' && (name === undefined || source === name))
      process.stdout.write(`${renderEntry(entry)}\n`)
  })
}

/** `linnet functions serve`: uses the server that runs on this data directory, else starts one. */
export const functionsServe = defineCommand({
  name: 'functions serve',
  group: 'Functions',
  summary: 'Serve functions and show their logs',
  help: `Starts a server without the application, which ends with this command. If a server is
already running on this data directory, only prints the URLs of its functions and
follows their logs, or those of the named function.`,
  args: ['[name]'],
  options,
  async run(invocation) {
    const { supabaseDir, dataDir, options: o } = invocation
    const [name] = invocation.args
    const config = loadConfig(supabaseDir, dataDir)
    const names = listFunctionSettings(config)
      .filter((listed) => listed.enabled)
      .map((listed) => listed.name)
    if (name !== undefined && !names.includes(name)) throw new UsageError(`There is no function ${name}.`)
    const selected = name === undefined ? names : [name]
    const running = readRunningServer(dataDir)
    if (running === null) {
      // With port 0 the system chooses the port, which the server prints when it is ready.
      if (o.port !== '0')
        printUrls(
          `http://127.0.0.1:${o.port ?? config.at('server.port', config.at('api.port', 4280))}`,
          selected,
        )
      return start.run({ ...invocation, ...readArguments(start, toStartArguments(o)) })
    }
    const conflicting = (['env-file', 'port', 'no-verify-jwt'] as const).find((option) => o[option])
    if (conflicting !== undefined) {
      throw new UsageError(
        `--${conflicting} has no effect on the server that is running at ${running.url}. Stop it first: ${commandName()} stop`,
      )
    }
    printUrls(running.url, selected)
    await follow(dataDir, name)
    return 0
  },
})
