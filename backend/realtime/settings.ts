import { knownKeys } from '../config/knownKeys.ts'
import type { Config } from '../config/loadConfig.ts'
import { parseUrl } from '../runtime/parseUrl.ts'

/** Limits, named as the hosted service's settings of a project; rates are averaged over 60 s. */
export interface RealtimeSettings {
  maxConcurrentUsers: number
  /** Connections of one network address, or of one IPv6 network. */
  maxConnectionsPerAddress: number
  /** Connections that joined as one user. */
  maxConnectionsPerPerson: number
  /** A message counts once when sent, and once per recipient. */
  maxEventsPerSecond: number
  /** The same for messages of one caller: a user, or else a network. */
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
  /** Origins whose pages may connect; null for all. */
  allowedOrigins: ReadonlySet<string> | null
  /** How often the policies of each private topic are checked again; Infinity for only on notification. */
  recheckIntervalMs: number
  /** How much unread WAL is allowed. */
  maxWalLagBytes: number
}

const defaults = {
  max_concurrent_users: 10_000,
  /** 0 for half of all connections, so that no address can use them all; thousands behind one router fit. */
  max_connections_per_address: 0,
  max_connections_per_person: 100,
  max_events_per_second: 0,
  /** A seventh of a core: a delivery costs about 10 µs. */
  max_client_events_per_second: 10_000,
  max_joins_per_second: 2_500,
  /** Each diff counts once per recipient. */
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
  /** Below max_slot_wal_keep_size (1 GB): the reader abandons the slot, with a log line, before PostgreSQL invalidates it. */
  max_log_behind_in_mb: 512,
}
type Name = keyof typeof defaults
type Limit = { [N in Name]: (typeof defaults)[N] extends number ? N : never }[Name]

/** Bounds that follow from a day in milliseconds or from memory. */
const bounds: Partial<Record<Limit, [min: number, max: number]>> = {
  max_payload_size_in_kb: [1, 50_000],
  max_join_size_in_kb: [1, 50_000],
  join_timeout_in_s: [0, 86_400],
  client_presence_window_ms: [1, 86_400_000],
  recheck_interval_in_s: [0, 86_400],
}
/** Only these prefixes are validated: the section contains settings of other servers too. */
const ownNames = /^(max|client|private|allowed|recheck|join)_/

/**
 * Reads `[realtime]`. Rates default to what one machine can process rather than to those of a hosted plan; 0 means no
 * limit. Throws ConfigError for an invalid value, and for an unknown name that resembles one of these.
 */
export function readSettings(config: Config): RealtimeSettings {
  const section = config.tree['realtime']
  const unknown = Object.keys(typeof section === 'object' && section !== null ? section : {}).find(
    (name) => ownNames.test(name) && !(name in defaults) && !(`realtime.${name}` in knownKeys),
  )
  if (unknown !== undefined) {
    const known = Object.keys(defaults).join(', ')
    throw config.errorAt(`realtime.${unknown}`, `is not a setting. Valid names: ${known}`)
  }
  const number = (name: Limit): number => {
    const value = config.at<number>(`realtime.${name}`, defaults[name])
    const [min, max] = bounds[name] ?? [0, Number.MAX_SAFE_INTEGER]
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
      throw config.errorAt(`realtime.${name}`, `must be a whole number, ${range}, not ${value}`)
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
    // The hosted service adds the same 500 bytes for the envelope.
    maxPayloadBytes: number('max_payload_size_in_kb') * 1_000 + 500,
    maxJoinBytes: number('max_join_size_in_kb') * 1_000,
    joinTimeoutMs: limit('join_timeout_in_s') * 1_000,
    maxClientPresenceEvents: limit('max_client_presence_events_per_window'),
    clientPresenceWindowMs: number('client_presence_window_ms'),
    privateOnly: config.at('realtime.private_only', defaults.private_only),
    allowedOrigins: origins.length === 0 ? null : new Set(origins.map((origin) => toOrigin(origin, config))),
    recheckIntervalMs: limit('recheck_interval_in_s') * 1_000,
    maxWalLagBytes: limit('max_log_behind_in_mb') * 1024 * 1024,
  }
}

function toOrigin(text: string, config: Config): string {
  const url = parseUrl(text)
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin
  throw config.errorAt(
    'realtime.allowed_origins',
    `contains ${JSON.stringify(text)}, which is not an origin like "https://chat.example"`,
  )
}
