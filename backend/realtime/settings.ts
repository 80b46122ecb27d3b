import type { Config } from '../config.ts'

/** Limits, by the names that the hosted service keeps for each project; rates are averaged over 60 s. */
export interface RealtimeSettings {
  maxConcurrentUsers: number
  /** A message sent counts once, and once for each who receives it. */
  maxEventsPerSecond: number
  maxJoinsPerSecond: number
  maxPresenceEventsPerSecond: number
  /** Topics of one connection. */
  maxChannelsPerClient: number
  maxPayloadBytes: number
  /** Presence calls of one topic on one connection within `clientPresenceWindowMs`. */
  maxClientPresenceEvents: number
  clientPresenceWindowMs: number
  /** Refuse public topics. */
  privateOnly: boolean
}

/**
 * Reads `[realtime]`. Rates default to what one machine carries rather than to what a hosted plan sells;
 * 0 stands for no limit. Throws ConfigError where a value has another type.
 */
export function readSettings(config: Config): RealtimeSettings {
  const limit = (name: string, fallback: number): number =>
    config.at(`realtime.${name}`, fallback) || Infinity
  return {
    maxConcurrentUsers: limit('max_concurrent_users', 10_000),
    maxEventsPerSecond: limit('max_events_per_second', 0),
    maxJoinsPerSecond: limit('max_joins_per_second', 2_500),
    maxPresenceEventsPerSecond: limit('max_presence_events_per_second', 1_000),
    maxChannelsPerClient: limit('max_channels_per_client', 100),
    // The surplus is the service's own: it leaves room for the envelope.
    maxPayloadBytes: config.at('realtime.max_payload_size_in_kb', 3_000) * 1_000 + 500,
    maxClientPresenceEvents: limit('max_client_presence_events_per_window', 5),
    clientPresenceWindowMs: config.at('realtime.client_presence_window_ms', 30_000),
    privateOnly: config.at('realtime.private_only', false),
  }
}
