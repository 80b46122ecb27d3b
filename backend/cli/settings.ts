import { describeSource } from '../config/Source.ts'
import { listSettings, type Setting } from '../config/listSettings.ts'
import { installationFile, loadConfig } from '../config/loadConfig.ts'
import {
  ownerOfSettings,
  parseSettings,
  readSettingsText,
  renderSettings as renderStoredSettings,
  settingsFile,
} from '../config/settingsFile.ts'
import { removeFileSync, replaceFileSync } from '../runtime/durableFiles.ts'
import { defineCommand, UsageError } from './Command.ts'
import { requireAddress } from './checkStart.ts'
import { projectOptions } from './findProject.ts'
import { createProgress } from './progress.ts'
import { readLogFormat, readStartOptions } from './startOptions.ts'
import { readArguments } from './readArguments.ts'
import { runInterruptible } from './runInterruptible.ts'
import { start } from './start.ts'

function renderSettings(settings: Setting[]): string[] {
  const rows = settings.map(({ key, value, isSecret, source }) => {
    return { key, value: isSecret ? '(set)' : JSON.stringify(value), source: describeSource(source) }
  })
  const width = (name: 'key' | 'value'): number => Math.max(0, ...rows.map((row) => row[name].length))
  const [keyWidth, valueWidth] = [width('key'), Math.min(width('value'), 40)]
  return rows.map(
    ({ key, value, source }) => `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}`,
  )
}

/** `linnet settings`: the settings that differ from the defaults, with the file or variable that contains them. */
export const settings = defineCommand({
  name: 'settings',
  group: 'Server',
  summary: 'List the settings of this installation and where each is set',
  help: `Lists the settings in linnet.toml and settings.json of the data directory, and in environment
variables such as LINNET_SERVER_PORT. The page "Server" writes settings.json. Never prints
passwords and keys. With another project, or with --all, also lists those in config.toml and
linnet.toml of the supabase folder. A running server uses the settings of its start.`,
  options: {
    output: {
      value: 'FORMAT',
      short: 'o',
      choices: ['pretty', 'json'],
      help: 'output format (default: pretty)',
    },
    all: { help: 'also list the settings in the supabase folder' },
    ...projectOptions,
  },
  async run({ supabaseDir, dataDir, isOwnSchema, options }) {
    const config = loadConfig(supabaseDir, dataDir)
    for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
    const found = listSettings(config, isOwnSchema && !options.all)
    if (options.output === 'json') process.stdout.write(`${JSON.stringify(found)}\n`)
    else if (found.length > 0) process.stdout.write(`${renderSettings(found).join('\n')}\n`)
    else
      process.stderr.write(
        `All settings have their defaults. Write settings into ${installationFile(dataDir)}.\n`,
      )
    return 0
  },
})

/** `linnet settings check`: finds mistakes before a restart. */
export const settingsCheck = defineCommand({
  name: 'settings check',
  group: 'Server',
  summary: 'Check the settings before you restart the server',
  help: `Starts a temporary server with these settings on an empty database, and removes both. Neither the
data of the installation nor a running server are used. The exit code is 1 if a server would not
start with these settings. Run this command before you restart a server:
"linnet settings check && systemctl restart linnet".`,
  options: projectOptions,
  async run({ supabaseDir, dataDir }) {
    const config = loadConfig(supabaseDir, dataDir)
    const { options } = readArguments(start, [])
    const { host, port, tls, acme } = readStartOptions(
      options as Parameters<typeof readStartOptions>[0],
      config,
    )
    readLogFormat(undefined, config)
    // Loaded here, since other commands need none of the services.
    const [{ checkSettings }, { rehearseSettings }] = await Promise.all([
      import('../main.ts'),
      import('./rehearseSettings.ts'),
    ])
    checkSettings(config, tls)
    await requireAddress(host, port)
    if (acme) await requireAddress(host, acme.httpPort)
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    progress.step('Starting a temporary server with these settings')
    const toError = (): Error => new UsageError('The check was interrupted.')
    await runInterruptible(progress, toError, async (signal) => {
      await rehearseSettings(config, supabaseDir)
      signal.throwIfAborted()
    })
    for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
    const { length } = config.warnings
    const summary = length === 0 ? '' : length === 1 ? ', with 1 warning' : `, with ${length} warnings`
    process.stderr.write(`The settings are valid${summary}.\n`)
    return 0
  },
})

/** `linnet settings reset`: removes settings that the page "Server" has stored. */
export const settingsReset = defineCommand({
  name: 'settings reset',
  group: 'Server',
  summary: 'Remove settings that owners have changed in the application',
  help: `Removes settings from settings.json of the data directory, which the page "Server" writes: the
settings with these keys, or all of them without keys. The defaults, or the values of
linnet.toml, then apply after a restart. Use it if a setting locks everybody out, for example
"linnet settings reset server.public_url && systemctl restart linnet".`,
  args: ['[key...]'],
  options: projectOptions,
  async run({ dataDir, args }) {
    const stored = parseSettings(readSettingsText(dataDir), dataDir)
    const unknown = args.find((key) => !Object.hasOwn(stored, key))
    if (unknown !== undefined) throw new UsageError(`${settingsFile(dataDir)} does not contain ${unknown}.`)
    const removed = args.length > 0 ? args : Object.keys(stored)
    if (removed.length === 0) {
      process.stderr.write('There are no settings to remove.\n')
      return 0
    }
    const kept = Object.fromEntries(Object.entries(stored).filter(([key]) => !removed.includes(key)))
    if (Object.keys(kept).length === 0) removeFileSync(settingsFile(dataDir))
    else replaceFileSync(settingsFile(dataDir), renderStoredSettings(kept), ownerOfSettings(dataDir))
    process.stderr.write(`Removed: ${removed.join(', ')}. Restart Linnet to apply this.\n`)
    return 0
  },
})
