import { execFileSync, spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { loadConfig, type Config } from '../config/loadConfig.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { entryOf, readSelection, releasesDir } from '../upgrade/installedReleases.ts'
import { defineCommand, UsageError } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { readArguments } from './readArguments.ts'
import { renderServiceUnit } from './renderServiceUnit.ts'
import { start } from './start.ts'
import { mark, requireSystemd, runSystemctl, unitFile, unitName } from './systemdUnit.ts'
import { readStartOptions } from './startOptions.ts'
import { commandName } from '../runtime/commandName.ts'

interface Account {
  name: string
  uid: number
  gid: number
}

/** An account of this machine; null if there is none of this name or id. */
function findAccount(nameOrId: string): Account | null {
  const { status, stdout } = spawnSync('getent', ['passwd', nameOrId], { encoding: 'utf8' })
  const [name, , uid, gid] = stdout?.split(':') ?? []
  return status === 0 && name ? { name, uid: Number(uid), gid: Number(gid) } : null
}

/** The user of a system service: the named one, else the owner of the data, else `linnet`. Throws UsageError. */
function chooseAccount(named: string | undefined, dataDir: string): Account {
  const owner = existsSync(dataDir) ? statSync(dataDir).uid : 0
  const account = findAccount(named ?? (owner === 0 ? 'linnet' : String(owner)))
  if (account === null) {
    throw new UsageError(
      `There is no user ${named ?? 'linnet'}, as which the service would run. Create it, and run this command again: useradd --system ` +
        `--home-dir /var/lib/linnet --shell /usr/sbin/nologin ${named ?? 'linnet'}`,
    )
  }
  if (account.uid === 0)
    throw new UsageError('The service cannot run as root: name another user with --run-as.')
  return account
}

/** Throws UsageError if the user of the service cannot run a program, such as one that another user has installed for themselves. */
function requireReadable(path: string, { name, uid, gid }: Account): void {
  const { status } = spawnSync('test', ['-r', path], { uid, gid })
  if (status === 0) return
  throw new UsageError(
    `The user ${name} cannot read ${path}. Install it for all users, for example below /opt or /usr.`,
  )
}

/** Creates the data folder for the user of the service. */
function createDataDir(dataDir: string, { uid, gid }: Account): void {
  if (existsSync(dataDir)) return
  const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (created !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, created])
}

/** Writes the unit. Throws UsageError if the file is not one of this command. */
function writeUnit(file: string, text: string): void {
  if (existsSync(file) && !readFileSync(file, 'utf8').startsWith(mark))
    throw new UsageError(`${file} exists, and this command has not written it. Remove it first.`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o644 })
}

/** The first port that needs no privileges. */
function readFirstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  } catch {
    return 1_024
  }
}

const isLowPort = (port: number): boolean => port > 0 && port < readFirstFreePort()

/** The ports that a server with these settings opens. Throws ConfigError. */
function readPorts(config: Config): number[] {
  const { options } = readArguments(start, [])
  const { port, acme } = readStartOptions(options as Parameters<typeof readStartOptions>[0], config)
  return acme === null ? [port] : [port, acme.httpPort]
}

/**
 * The program that starts the server. A release that `linnet upgrade` has selected runs the commands, but would start itself
 * even after another upgrade. The program selects the release at each start.
 */
function programOf(root: string, dataDir: string): string {
  const releases = releasesDir(dataDir)
  const isRelease = existsSync(releases) && realpathSync(root).startsWith(`${realpathSync(releases)}${sep}`)
  return isRelease ? (readSelection(dataDir)?.program.root ?? root) : root
}

/** `linnet service install`: has systemd run the server from now on. */
export const serviceInstall = defineCommand({
  name: 'service install',
  group: 'Server',
  summary: 'Run the server with systemd, each time the machine starts',
  help: `As root, this command installs a service of the system, which runs as the owner of the data folder
or as --run-as. As any other user, it installs a service of this user. The unit has absolute paths,
starts the server again after a failure, and limits what the server can do. Settings of the server
belong in linnet.toml. If they use a port below 1024, a service of the system gets the right to open
it. Run the command again after you move the program or the data, or change the port.`,
  options: {
    ...projectOptions,
    'run-as': {
      value: 'USER',
      help: 'user of a system service (default: the owner of the data, else linnet)',
    },
    print: { help: 'print the unit, and install nothing' },
  },
  async run({ root: running, dataDir, supabaseDir, isOwnSchema, options }) {
    const isRoot = process.getuid?.() === 0
    const root = programOf(running, dataDir)
    if (options['run-as'] !== undefined && !isRoot) throw new UsageError('Only root can use --run-as.')
    if (isRoot && basename(dirname(realpathSync(root))) !== 'node_modules')
      throw new UsageError(
        'Root cannot install a service of a checkout: a checkout builds itself when it starts, and the service of a system must not ' +
          'be able to change its program. Run this command without sudo, as the owner of the checkout. Or install the package ' +
          'first: docs/service.md describes how.',
      )
    if (!options.print) requireSystemd(' --print prints the unit.')
    const opensLowPorts = readPorts(loadConfig(supabaseDir, dataDir)).some(isLowPort)
    if (!isRoot && opensLowPorts)
      throw new UsageError(
        `The service of a user cannot open ports below ${readFirstFreePort()}. Run this command as root, or set [server] port.`,
      )
    const account = isRoot ? chooseAccount(options['run-as'], dataDir) : null
    const node = realpathSync(process.execPath)
    const program = entryOf(root)
    if (account) for (const path of [node, program]) requireReadable(path, account)
    const unit = renderServiceUnit(readFileSync(join(root, 'service', unitName), 'utf8'), {
      user: account?.name ?? null,
      node,
      program,
      dataDir,
      supabaseDir: isOwnSchema ? null : supabaseDir,
      writable: [join(dirname(dataDir), 'backups')],
      opensLowPorts,
    })
    if (options.print) {
      process.stdout.write(unit)
      return 0
    }
    const file = unitFile(isRoot)
    if (readRunningServer(dataDir) !== null && !existsSync(file))
      throw new UsageError(`The server runs already. Stop it first: ${commandName()} stop`)
    if (account) createDataDir(dataDir, account)
    else mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (account === null) accessSync(dataDir, constants.W_OK)
    writeUnit(file, unit)
    for (const words of [['daemon-reload'], ['enable', unitName], ['restart', unitName]])
      runSystemctl(isRoot, words)
    // Otherwise the services of a user end when the user signs out, and start when the user signs in.
    const stays =
      account !== null || spawnSync('loginctl', ['enable-linger', userInfo().username]).status === 0
    process.stderr.write(
      [
        `Wrote ${file}.`,
        `The server runs, and starts each time the machine starts. "${commandName()} status" prints its address.`,
        ...(stays
          ? []
          : [
              `Run as root, so that it runs while nobody is signed in: loginctl enable-linger ${userInfo().username}`,
            ]),
        `The log: journalctl ${account ? '' : '--user '}-u linnet`,
        '',
      ].join('\n'),
    )
    return 0
  },
})
