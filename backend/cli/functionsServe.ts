import { join } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import { listFunctionSettings } from '../functions/load/functionSettings.ts'
import { renderEntry } from '../logging/logger.ts'
import { readRunning } from '../startup/running.ts'
import { defineCommand, type Call, type Options } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { readEntry } from './logs.ts'
import { readArguments } from './readArguments.ts'
import { followLines } from './readLog.ts'
import { start } from './start.ts'
import { startOptions } from './startOptions.ts'
import { UsageError } from './UsageError.ts'

/** Those of a start that concern functions. */
const options = {
  'env-file': startOptions['env-file'],
  'no-verify-jwt': startOptions['no-verify-jwt'],
  port: startOptions.port,
  ...placeOptions,
} as const satisfies Options

type ServeOptions = Call<typeof options>['options']

/** The words of `linnet start` that mean the same. */
function argumentsOfStart(o: ServeOptions): string[] {
  const valued = (['env-file', 'port', 'data', 'supabase'] as const).flatMap((name) =>
    o[name] === undefined ? [] : [`--${name}`, o[name]],
  )
  return ['--no-app', ...valued, ...(o['no-verify-jwt'] ? ['--no-verify-jwt'] : [])]
}

function announce(url: string, names: string[]): void {
  if (names.length === 0) console.log('There are no functions yet: linnet functions new <name>')
  for (const name of names) console.log(`${url}/functions/v1/${name}`)
}

/** Shows what functions say, that one alone where it is named, until Ctrl-C. */
async function follow(dataDir: string, name: string | undefined): Promise<void> {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  process.stdout.on('error', () => end.abort())
  await followLines(join(dataDir, 'logs'), end.signal, (line) => {
    const entry = readEntry(line)
    const speaker = entry?.['function']
    if (entry && typeof speaker === 'string' && (name === undefined || speaker === name))
      process.stdout.write(`${renderEntry(entry)}\n`)
  })
}

/** `linnet functions serve`: joins the server that runs on these data, else starts one. */
export const functionsServe = defineCommand({
  name: 'functions serve',
  group: 'Functions',
  summary: 'Serve functions and show what they say',
  help: `Where a server runs on these data its functions are served already: this says their
addresses and shows what they say, that of one alone where it is named. Else a server
is started, without the application, and ends with this command.`,
  args: ['[name]'],
  options,
  async run(call) {
    const { supabaseDir, dataDir, options: o } = call
    const [name] = call.args
    const config = loadConfig(supabaseDir)
    const names = listFunctionSettings(config)
      .filter((one) => one.enabled)
      .map((one) => one.name)
    if (name !== undefined && !names.includes(name)) throw new UsageError(`There is no function ${name}.`)
    const shown = name === undefined ? names : [name]
    const running = readRunning(dataDir)
    if (running === null) {
      // A port that the system chooses is told when the server is ready.
      if (o.port !== '0') announce(`http://127.0.0.1:${o.port ?? config.at('api.port', 4280)}`, shown)
      return start.run({ ...call, ...readArguments(start, argumentsOfStart(o)) })
    }
    const asked = (['env-file', 'port', 'no-verify-jwt'] as const).find((option) => o[option])
    if (asked !== undefined) {
      throw new UsageError(
        `--${asked} is for a server that starts, and one runs at ${running.url}. Stop it first: linnet stop`,
      )
    }
    announce(running.url, shown)
    await follow(dataDir, name)
    return 0
  },
})
