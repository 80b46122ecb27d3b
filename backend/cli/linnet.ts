import { ConfigError } from '../config/loadConfig.ts'
import { ListenError } from '../gateway/ListenError.ts'
import { nearestName } from '../nearestName.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { build } from './build.ts'
import type { Command } from './Command.ts'
import { dbUrl } from './dbUrl.ts'
import { deploy } from './deploy.ts'
import { findProject } from './findProject.ts'
import { functionsList } from './functionsList.ts'
import { functionsNew } from './functionsNew.ts'
import { functionsServe } from './functionsServe.ts'
import { keysList } from './keysList.ts'
import { keysRevoke } from './keysRevoke.ts'
import { keysRotate } from './keysRotate.ts'
import { keysStandby } from './keysStandby.ts'
import { logs } from './logs.ts'
import { migrationList } from './migrationList.ts'
import { migrationNew } from './migrationNew.ts'
import { migrationUp } from './migrationUp.ts'
import { officialName } from './officialNames.ts'
import { readArguments } from './readArguments.ts'
import { renderCommand, renderFamily, renderOverview } from './renderHelp.ts'
import { reset } from './reset.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { types } from './types.ts'
import { UsageError } from './UsageError.ts'

/** In the order of `linnet --help`. */
const commands: readonly Command[] = [
  start,
  status,
  stop,
  logs,
  reset,
  keysList,
  keysStandby,
  keysRotate,
  keysRevoke,
  dbUrl,
  migrationNew,
  migrationList,
  migrationUp,
  types,
  build,
  deploy,
  functionsNew,
  functionsList,
  functionsServe,
]

const asksHelp = (word: string): boolean => word === '--help' || word === '-h'

/** The words of the longest command that `argv` begins with, and what follows them. */
function findCommand(argv: string[]): { command: Command; rest: string[] } | null {
  for (let length = argv.length; length > 0; length--) {
    const name = argv.slice(0, length).join(' ')
    const command = commands.find((one) => one.name === name || one.aliases?.includes(name))
    if (command) return { command, rest: argv.slice(length) }
  }
  return null
}

function unknownCommand(argv: string[]): UsageError {
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0)
  const [first = ''] = words
  const official = officialName(words)
  if (official !== null) return new UsageError(official)
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  const near = nearestName(words.slice(0, 2).join(' '), names) ?? nearestName(first, names)
  const hint = near === null ? '' : ` Did you mean "linnet ${near}"?`
  return new UsageError(`Linnet has no command "${words.join(' ') || argv[0]}".${hint} See "linnet --help".`)
}

/** What the help says of these words, or null where they name nothing. */
function renderHelp(argv: string[]): string | null {
  const words = argv.filter((word) => !asksHelp(word))
  if (words.length === 0) return renderOverview(commands)
  const found = findCommand(words)
  if (found) return renderCommand(found.command)
  const family = commands.filter((command) => command.name.startsWith(`${words[0]} `))
  return family.length > 0 ? renderFamily(words[0]!, family) : null
}

async function run(argv: string[], root: string, prepareApp: () => Promise<void>): Promise<number> {
  const asked = argv[0] === 'help' ? argv.slice(1) : argv
  const isHelp = asked !== argv || argv.length === 0 || argv.some(asksHelp)
  const found = findCommand(argv)
  // A word alone that begins several commands (`linnet migration`) asks what there is.
  if (isHelp || (!found && argv.length === 1)) {
    const help = renderHelp(asked)
    if (help === null) throw unknownCommand(asked)
    process.stdout.write(help)
    return isHelp && argv.length > 0 ? 0 : 1
  }
  if (!found) throw unknownCommand(argv)
  const { options, args } = readArguments(found.command, found.rest)
  const { data, supabase } = options as { data?: string; supabase?: string }
  return found.command.run({ root, prepareApp, ...findProject(root, { data, supabase }), options, args })
}

/**
 * Runs one command line (`['start', '--demo']`). Answers the exit code. A person's mistake is a sentence on
 * stderr and the code 1; anything else is a defect and throws.
 * @param root the checkout, which holds `dist/app` and `supabase`
 * @param prepareApp builds `dist/app` where it is missing or stale
 */
export async function runCommand(
  argv: string[],
  root: string,
  prepareApp: () => Promise<void> = async () => {},
): Promise<number> {
  try {
    return await run(argv, root, prepareApp)
  } catch (error) {
    const told = [UsageError, StartError, ListenError, ConfigError].some((kind) => error instanceof kind)
    if (!told) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    return 1
  }
}
