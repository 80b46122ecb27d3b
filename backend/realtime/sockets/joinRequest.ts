/** The payload of `phx_join`. */
export interface JoinRequest {
  private: boolean
  broadcast: { ack: boolean; self: boolean; replicationReady: boolean }
  replay: { since: unknown; limit: unknown } | null
  presence: { enabled: boolean; key: string | null }
  postgresChanges: Record<string, unknown>[]
  /** How long (ms) the reply waits for the subscription to changes; null for not at all. */
  changesWaitMs: number | null
  accessToken: string | null
}

/** Maximum and default of that time (ms), as in realtime-js. */
const changesWait = { maxMs: 20_000, defaultMs: 15_000 }
/** Longer presence keys are truncated: each is sent to all subscribers of the topic. */
const maxPresenceKeyLength = 255

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** Also "true" and "TRUE", as the hosted service reads them. */
function toBoolean(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

/**
 * Parses the payload of a join; null if it is not an object. Invalid members count as absent, as in the hosted service.
 */
export function parseJoinRequest(payload: unknown): JoinRequest | null {
  if (!isRecord(payload)) return null
  const join = payload
  const config = toRecord(join['config'])
  const broadcast = toRecord(config['broadcast'])
  const presence = toRecord(config['presence'])
  const token = [join['user_token'], join['access_token']].find((value) => typeof value === 'string')
  const key = presence['key'] ?? ''
  const changes = config['postgres_changes']
  return {
    private: toBoolean(config['private']),
    broadcast: {
      ack: toBoolean(broadcast['ack']),
      self: toBoolean(broadcast['self']),
      replicationReady: toBoolean(broadcast['replication_ready']),
    },
    replay:
      'replay' in broadcast ? (toRecord(broadcast['replay']) as { since: unknown; limit: unknown }) : null,
    presence: {
      enabled: toBoolean(presence['enabled']),
      key: typeof key === 'object' || key === '' ? null : String(key).slice(0, maxPresenceKeyLength),
    },
    postgresChanges: Array.isArray(changes) ? changes.filter((change) => change !== null).map(toRecord) : [],
    changesWaitMs: readWait(toRecord(config['postgres_changes_options'])),
    accessToken: (token as string | undefined) ?? null,
  }
}

function readWait({ wait, timeout }: Record<string, unknown>): number | null {
  if (!toBoolean(wait)) return null
  const requested = typeof timeout === 'number' && timeout > 0 ? timeout : changesWait.defaultMs
  return Math.min(requested, changesWait.maxMs)
}
