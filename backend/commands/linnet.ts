import { ConfigError } from '../config/loadConfig.ts'
import { ListenError } from '../gateway/ListenError.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { parseOptions, UsageError } from './options.ts'
import { reset } from './reset.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'

const usage = `Linnet: a team messenger that a group owns, and its backend.

  linnet start     start PostgreSQL and the services, print the address
  linnet status    say what runs (-o env or -o json for programs)
  linnet stop      end it cleanly
  linnet reset     delete the data and begin again (asks first; --yes does not)

Options of start
  --demo               fill a new workspace that looks lived in, print sign-in links
  --port N             4280 unless said; 0 lets the system choose
  --host ADDRESS       127.0.0.1 unless said
  --public-url URL     where browsers reach it, behind a proxy or with TLS
  --tls-cert, --tls-key FILE   serve https
  --data DIR           .linnet unless said
  --supabase DIR       the folder with config.toml, migrations and seed.sql to serve
  --no-app             the backend alone
  --db-port N          also open PostgreSQL on TCP, loopback; 0 lets the system choose
  --log json|text      how log lines look
  --json               one line when ready, nothing else on stdout

Options of all others: --data DIR
`

const commands = { start, status, stop, reset }

/**
 * Runs one command line (`['start', '--demo']`). Answers the exit code. A person's mistake is a sentence on
 * stderr and the code 1; anything else is a defect and throws.
 * @param root the checkout, which holds `dist/app` and `supabase`
 */
export async function runCommand(argv: string[], root: string): Promise<number> {
  const [name = '', ...rest] = argv
  if (name === '' || name === 'help' || argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(usage)
    return name === '' ? 1 : 0
  }
  if (!Object.hasOwn(commands, name)) {
    process.stderr.write(`Linnet has no command "${name}".\n\n${usage}`)
    return 1
  }
  try {
    return await commands[name as keyof typeof commands](parseOptions(rest, root))
  } catch (error) {
    const told = [UsageError, StartError, ListenError, ConfigError].some((kind) => error instanceof kind)
    if (!told) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    return 1
  }
}
