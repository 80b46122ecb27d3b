import { version } from '../../package.json'
import { ConfigError } from '../config/loadConfig.ts'
import { ListenError } from '../gateway/ListenError.ts'
import { nearestName } from '../config/nearestName.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { commandName } from '../runtime/commandName.ts'
import { UsageError, type Command } from './Command.ts'
import { backup } from './backup.ts'
import { backupKey, backupKeyRotate } from './backupKey.ts'
import { backupList } from './backupList.ts'
import { backupVerify } from './backupVerify.ts'
import { BackupError } from '../backup/BackupError.ts'
import { build } from './build.ts'
import { dbDump } from './dbDump.ts'
import { dbPsql } from './dbPsql.ts'
import { dbUrl } from './dbUrl.ts'
import { deploy } from './deploy.ts'
import { doctor } from './doctor.ts'
import { exportArchive } from './exportArchive.ts'
import { findProject, requireReadableData } from './findProject.ts'
import { functionsList } from './functionsList.ts'
import { functionsNew } from './functionsNew.ts'
import { functionsServe } from './functionsServe.ts'
import { importArchive } from './importArchive.ts'
import { importCommands } from './importExport.ts'
import { keysList, keysRevoke, keysRotate, keysStandby } from './keys.ts'
import { logs } from './logs.ts'
import { mailbox } from './mailbox.ts'
import { migrationDiff } from './migrationDiff.ts'
import { migrationList } from './migrationList.ts'
import { migrationNew } from './migrationNew.ts'
import { migrationUp } from './migrationUp.ts'
import { explainOfficialCommand } from './officialCommands.ts'
import { readArguments } from './readArguments.ts'
import { renderCommand, renderCommandFamily, renderOverview } from './renderHelp.ts'
import { reset } from './reset.ts'
import { restore } from './restore.ts'
import { resume } from './resume.ts'
import { findSelectedRelease, runInRelease } from './runInRelease.ts'
import { serviceInstall } from './serviceInstall.ts'
import { serviceUninstall } from './serviceUninstall.ts'
import { settings, settingsCheck, settingsReset } from './settings.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { testDb } from './testDb.ts'
import { types } from './types.ts'
import { upgrade } from './upgrade.ts'
import { verifyReceipts } from './verifyReceipts.ts'

/** In the order of `linnet --help`. */
export const commands: readonly Command[] = [
  start,
  status,
  stop,
  doctor,
  logs,
  mailbox,
  settings,
  settingsCheck,
  settingsReset,
  serviceInstall,
  serviceUninstall,
  upgrade,
  reset,
  resume,
  backup,
  backupList,
  backupKey,
  backupKeyRotate,
  backupVerify,
  restore,
  exportArchive,
  importArchive,
  keysList,
  keysStandby,
  keysRotate,
  keysRevoke,
  dbUrl,
  dbPsql,
  dbDump,
  migrationNew,
  migrationDiff,
  migrationList,
  migrationUp,
  testDb,
  types,
  ...importCommands,
  verifyReceipts,
  build,
  deploy,
  functionsNew,
  functionsList,
  functionsServe,
]

const isHelpFlag = (word: string): boolean => word === '--help' || word === '-h'

/** Finds the command with the longest name that `argv` starts with, and the remaining arguments. */
function findCommand(argv: string[]): { command: Command; rest: string[] } | null {
  for (let length = argv.length; length > 0; length--) {
    const name = argv.slice(0, length).join(' ')
    const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name))
    if (command) return { command, rest: argv.slice(length) }
  }
  return null
}

function unknownCommand(argv: string[]): UsageError {
  const nameParts = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0)
  const [first = ''] = nameParts
  const official = explainOfficialCommand(nameParts)
  if (official !== null) return new UsageError(official)
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  const near = nearestName(nameParts.slice(0, 2).join(' '), names) ?? nearestName(first, names)
  const hint = near === null ? '' : ` Did you mean "${commandName()} ${near}"?`
  return new UsageError(
    `Linnet has no command "${nameParts.join(' ') || argv[0]}".${hint} See "${commandName()} --help".`,
  )
}

/** The command `linnet` before one of its commands or options, but not as the end of a path or of `npx linnet`. */
const namedCommand = new RegExp(
  `(?<![\\w/.-]|npx )linnet (?=(?:${[...new Set(commands.map(({ name }) => name.split(' ')[0]))].join('|')}|<command>|--version)(?![\\w-]))`,
  'g',
)

/** A text with the commands as a person types them: `bin/linnet start` in a checkout. */
const nameCommands = (text: string): string => text.replace(namedCommand, () => `${commandName()} `)

/** Renders the help for these arguments; null if they name no command. */
function renderHelp(argv: string[]): string | null {
  const nameParts = argv.filter((word) => !isHelpFlag(word))
  if (nameParts.length === 0) return renderOverview(commands)
  const found = findCommand(nameParts)
  if (found) return renderCommand(found.command)
  const family = commands.filter((command) => command.name.startsWith(`${nameParts[0]} `))
  return family.length > 0 ? renderCommandFamily(nameParts[0]!, family) : null
}

/** The command that `argv` names, with its options and arguments. Throws UsageError. */
export function parseCommandLine(argv: string[]): { command: Command } & ReturnType<typeof readArguments> {
  const found = findCommand(argv)
  if (!found) throw unknownCommand(argv)
  return { command: found.command, ...readArguments(found.command, found.rest) }
}

/** The help of all commands, which `bin/help.txt` contains for checkouts that are not built yet. */
export function renderAllHelp(): string {
  return [renderOverview(commands), ...commands.map(renderCommand)].join('----\n')
}

async function run(argv: string[], root: string, prepareApp: () => Promise<void>): Promise<number> {
  if (argv[0] === '--version') {
    process.stdout.write(`${version}\n`)
    return 0
  }
  // Words after "--" are arguments of another program.
  const ownArguments = argv.slice(0, argv.indexOf('--') >>> 0)
  const helpArguments = argv[0] === 'help' ? argv.slice(1) : argv
  const isHelp = helpArguments !== argv || argv.length === 0 || ownArguments.some(isHelpFlag)
  // The first word of several commands (`linnet migration`) prints the help of all of them.
  if (isHelp || (argv.length === 1 && !findCommand(argv))) {
    const help = renderHelp(helpArguments)
    if (help === null) throw unknownCommand(helpArguments)
    process.stdout.write(nameCommands(help))
    return isHelp && argv.length > 0 ? 0 : 1
  }
  const { command, options, args } = parseCommandLine(argv)
  const { data, supabase } = options as { data?: string; supabase?: string }
  const project = findProject(root, { data, supabase })
  if ('data' in command.options) {
    // "doctor" lists the files that this user cannot read.
    if (command !== doctor) requireReadableData(project.dataDir)
    const selected = findSelectedRelease(root, project.dataDir)
    if (selected.root !== null) return runInRelease(selected.root, command, argv, project)
    if (selected.unusedReason !== '' && command.name === 'start')
      process.stderr.write(`${nameCommands(selected.unusedReason)}\n`)
  }
  return command.run({ root, prepareApp, ...project, options, args })
}

/**
 * The reader of the output has closed the pipe (`linnet upgrade --check | head`), or a disk is full. The work of the command
 * goes on.
 */
function ignoreOutputError(): void {}

/**
 * Runs one command line (`['start', '--demo']`) and returns the exit code. A mistake of the user prints a sentence on
 * stderr and returns 1; any other error is a defect and is thrown.
 * @param root the checkout, which contains `dist/app` and `supabase`
 * @param prepareApp builds `dist/app` if it is missing or stale
 */
export async function runCommand(
  argv: string[],
  root: string,
  prepareApp: () => Promise<void> = async () => {},
): Promise<number> {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreOutputError)) stream.on('error', ignoreOutputError)
  try {
    return await run(argv, root, prepareApp)
  } catch (error) {
    const isUserError = [UsageError, StartError, ListenError, ConfigError, BackupError].some(
      (type) => error instanceof type,
    )
    if (!isUserError) throw error
    process.stderr.write(`${nameCommands((error as Error).message)}\n`)
    return 1
  }
}
