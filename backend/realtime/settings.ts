import { join } from 'node:path'
import { ConfigError, type Config } from '../config/loadConfig.ts'

/** Limits, by the names that the hosted service keeps for each project; rates are averaged over 60 s. */
export interface RealtimeSettings {
  maxConcurrentUsers: number
  /** Connections of one network address, or of one IPv6 network. */
  maxConnectionsPerAddress: number
  /** Connections that joined as one person. */
  maxConnectionsPerPerson: number
  /** A message sent counts once, and once for each who receives it. */
  maxEventsPerSecond: number
  /** The same for what one caller sends: a person, or without one a network. */
  maxClientEventsPerSecond: number
  maxJoinsPerSecond: number
  maxPresenceEventsPerSecond: number
  /** Topics of one connection. */
  maxChannelsPerClient: number
  maxPayloadBytes: number
  /** Of each frame before the first successful join of its connection. */
  maxJoinBytes: number
  /** A connection that has not joined a topic after this time is closed. */
  joinTimeoutMs: number
  /** Presence calls of one topic on one connection within `clientPresenceWindowMs`. */
  maxClientPresenceEvents: number
  clientPresenceWindowMs: number
  /** Refuse public topics. */
  privateOnly: boolean
  /** Sites whose pages may connect; null: all. */
  allowedOrigins: ReadonlySet<string> | null
  /** How often the policies of each private topic are asked again; Infinity: only when something says so. */
  recheckIntervalMs: number
  /** How much of PostgreSQL's log may wait to be read. */
  maxWalLagBytes: number
}

const defaults = {
  max_concurrent_users: 10_000,
  /** Half of all places unless said, so that no address takes them all; thousands behind one router fit. */
  max_connections_per_address: 0,
  max_connections_per_person: 100,
  max_events_per_second: 0,
  /** A seventh of a core: a delivery costs about 10 µs. */
  max_client_events_per_second: 10_000,
  max_joins_per_second: 2_500,
  /** Each diff counts once for each who receives it. */
  max_presence_events_per_second: 10_000,
  max_channels_per_client: 100,
  max_payload_size_in_kb: 3_000,
  /** Four times the longest token that is verified. */
  max_join_size_in_kb: 64,
  join_timeout_in_s: 60,
  max_client_presence_events_per_window: 5,
  client_presence_window_ms: 30_000,
  private_only: false,
  allowed_origins: [] as string[],
  recheck_interval_in_s: 30,
  /** Below what PostgreSQL keeps for a slot at most (1 GB): we give up before it does, and say so. */
  max_log_behind_in_mb: 512,
}
type Name = keyof typeof defaults
type Limit = { [N in Name]: (typeof defaults)[N] extends number ? N : never }[Name]

/** What a day's worth of milliseconds or a machine's memory bounds, not taste. */
const bounds: Partial<Record<Limit, [least: number, most: number]>> = {
  max_payload_size_in_kb: [1, 50_000],
  max_join_size_in_kb: [1, 50_000],
  join_timeout_in_s: [0, 86_400],
  client_presence_window_ms: [1, 86_400_000],
  recheck_interval_in_s: [0, 86_400],
}
/** Other names are left alone: the section has some that other servers read. */
const ownNames = /^(max|client|private|allowed|recheck|join)_/

/**
 * Reads `[realtime]`. Rates default to what one machine carries rather than to what a hosted plan sells;
 * 0 stands for no limit. Throws ConfigError on a value that is none, and on a name that looks like one of
 * these and isn't.
 */
export function readSettings(config: Config): RealtimeSettings {
  const file = join(config.dir, 'config.toml')
  const section = config.tree['realtime']
  const unknown = Object.keys(typeof section === 'object' && section !== null ? section : {}).find(
    (name) => ownNames.test(name) && !(name in defaults),
  )
  if (unknown !== undefined) {
    const known = Object.keys(defaults).join(', ')
    throw new ConfigError(`${file}: realtime.${unknown} is no setting; there are ${known}`)
  }
  const number = (name: Limit): number => {
    const value = config.at<number>(`realtime.${name}`, defaults[name])
    const [least, most] = bounds[name] ?? [0, Number.MAX_SAFE_INTEGER]
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
      throw new ConfigError(`${file}: realtime.${name} must be a whole number, ${range}, not ${value}`)
    }
    return value
  }
  const limit = (name: Limit): number => number(name) || Infinity
  const maxConcurrentUsers = limit('max_concurrent_users')
  const origins = config.at('realtime.allowed_origins', defaults.allowed_origins)
  return {
    maxConcurrentUsers,
    maxConnectionsPerAddress:
      number('max_connections_per_address') || Math.max(1, Math.floor(maxConcurrentUsers / 2)),
    maxConnectionsPerPerson: limit('max_connections_per_person'),
    maxEventsPerSecond: limit('max_events_per_second'),
    maxClientEventsPerSecond: limit('max_client_events_per_second'),
    maxJoinsPerSecond: limit('max_joins_per_second'),
    maxPresenceEventsPerSecond: limit('max_presence_events_per_second'),
    maxChannelsPerClient: limit('max_channels_per_client'),
    // The surplus is the hosted service's own: it leaves room for the envelope.
    maxPayloadBytes: number('max_payload_size_in_kb') * 1_000 + 500,
    maxJoinBytes: number('max_join_size_in_kb') * 1_000,
    joinTimeoutMs: limit('join_timeout_in_s') * 1_000,
    maxClientPresenceEvents: limit('max_client_presence_events_per_window'),
    clientPresenceWindowMs: number('client_presence_window_ms'),
    privateOnly: config.at('realtime.private_only', defaults.private_only),
    allowedOrigins: origins.length === 0 ? null : new Set(origins.map((origin) => toOrigin(origin, file))),
    recheckIntervalMs: limit('recheck_interval_in_s') * 1_000,
    maxWalLagBytes: limit('max_log_behind_in_mb') * 1024 * 1024,
  }
}

function toOrigin(text: string, file: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin
  throw new ConfigError(
    `${file}: realtime.allowed_origins holds ${JSON.stringify(text)}, which is no origin like "https://chat.example"`,
  )
}
