import { dirname, join } from 'node:path'
import { mark } from './systemdUnit.ts'

/** What a systemd unit of this installation contains. */
export interface ServiceUnit {
  /** The user that the service runs as; null for a unit of the caller's own service manager (`systemctl --user`). */
  user: string | null
  /** Absolute paths of Node and of the command `linnet`. */
  node: string
  program: string
  /** The arguments of `linnet start`. */
  dataDir: string
  /** The schema of another project, or null for Linnet's own. */
  supabaseDir: string | null
  /** Folders besides the data folder that the service may write to. They need not exist. */
  writable: readonly string[]
  /** Whether the service opens ports below 1024, such as 443. */
  opensLowPorts: boolean
}

/**
 * The settings that the service manager of a user supports. It has no privileges: it can filter system calls, but cannot
 * create the file system views of the other settings.
 */
const settingsOfUserUnits =
  /^(ExecStart|EnvironmentFile|WorkingDirectory|RuntimeDirectory\w*|Environment|KillMode|TimeoutStopSec|Restart\w*|LimitNOFILE|NoNewPrivileges|LockPersonality|SystemCall\w+|UMask)$/

/** Quotes an argument for systemd, which expands specifiers (`%h`), variables (`$HOME`) and backslashes. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('%', '%%')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`
}

/** A path of a setting other than `ExecStart`, where systemd expands specifiers but no variables. */
const quotePath = (path: string): string => quote(path).replaceAll('$$', '$')

const isInHome = (path: string): boolean => /^\/(home|root|run\/user)\//.test(`${path}/`)

/**
 * Renders the unit of an installation from `service/linnet.service`, the unit of docs/service.md.
 * @param template the text of that file
 */
export function renderServiceUnit(template: string, o: ServiceUnit): string {
  const command = [o.node, o.program, 'start', '--data', o.dataDir, '--log', 'json']
  if (o.supabaseDir !== null) command.push('--supabase', o.supabaseDir)
  const needsHome = [o.node, o.program, o.dataDir, ...o.writable].some(isInHome)
  const own: Record<string, readonly string[]> = {
    User: o.user === null ? [] : [`User=${o.user}`],
    ExecStart: [`ExecStart=${command.map(quote).join(' ')}`],
    EnvironmentFile: [
      o.user === null
        ? 'EnvironmentFile=-%h/.config/linnet/environment'
        : 'EnvironmentFile=-/etc/linnet/environment',
    ],
    StateDirectory: [],
    StateDirectoryMode: [],
    WorkingDirectory: [`WorkingDirectory=${o.dataDir.replaceAll('%', '%%')}`],
    Environment: ['Environment=TMPDIR=%t/linnet'],
    Documentation: [`Documentation=file:${quotePath(join(dirname(dirname(o.program)), 'docs/service.md'))}`],
    ProtectSystem: [
      'ProtectSystem=strict',
      `ReadWritePaths=${[quotePath(o.dataDir), ...o.writable.map((path) => quotePath(`-${path}`))].join(' ')}`,
    ],
    ProtectHome: [`ProtectHome=${needsHome ? 'no' : 'yes'}`],
    ...(o.opensLowPorts &&
      o.user !== null && {
        CapabilityBoundingSet: [
          'AmbientCapabilities=CAP_NET_BIND_SERVICE',
          'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
        ],
      }),
    WantedBy: [`WantedBy=${o.user === null ? 'default' : 'multi-user'}.target`],
  }
  let section = ''
  const lines = template.split('\n').flatMap((line) => {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section
    const name = /^(\w+)=/.exec(line)?.[1]
    // The comments describe the installation of docs/service.md.
    if (line.startsWith('#')) return []
    if (name === undefined) return [line]
    if (o.user === null) {
      if (section === 'Service' && !settingsOfUserUnits.test(name)) return []
      // The manager of a user has no target for the network.
      if (name === 'After' || name === 'Wants') return []
    }
    return own[name] ?? [line]
  })
  return [`${mark} Change it with "systemctl edit linnet".`, ...lines].join('\n')
}
