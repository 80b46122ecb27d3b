/** What a client asks for with `phx_join`. */
export interface JoinRequest {
  private: boolean
  broadcast: { ack: boolean; self: boolean; replicationReady: boolean }
  replay: { since: unknown; limit: unknown } | null
  presence: { enabled: boolean; key: string | null }
  postgresChanges: Record<string, unknown>[]
  /** How long (ms) the reply waits until changes are told; null: not at all. */
  changesWaitMs: number | null
  accessToken: string | null
}

/** How long a client may have its join wait for changes, and does unless it says (ms), as realtime-js has it. */
const changesWait = { mostMs: 20_000, usualMs: 15_000 }
/** Longer presence keys are cut: each is told to everyone in the topic. */
const longestKey = 255

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** Also "true" and "TRUE", as the hosted service reads them. */
function flag(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

/**
 * Reads a join's payload; null where it is no object. What does not fit in it is taken as absent, as the
 * hosted service does.
 */
export function parseJoinRequest(payload: unknown): JoinRequest | null {
  if (!isRecord(payload)) return null
  const join = payload
  const config = record(join['config'])
  const broadcast = record(config['broadcast'])
  const presence = record(config['presence'])
  const token = [join['user_token'], join['access_token']].find((value) => typeof value === 'string')
  const key = presence['key'] ?? ''
  const changes = config['postgres_changes']
  return {
    private: flag(config['private']),
    broadcast: {
      ack: flag(broadcast['ack']),
      self: flag(broadcast['self']),
      replicationReady: flag(broadcast['replication_ready']),
    },
    replay:
      'replay' in broadcast ? (record(broadcast['replay']) as { since: unknown; limit: unknown }) : null,
    presence: {
      enabled: flag(presence['enabled']),
      key: typeof key === 'object' || key === '' ? null : String(key).slice(0, longestKey),
    },
    postgresChanges: Array.isArray(changes) ? changes.filter((change) => change !== null).map(record) : [],
    changesWaitMs: readWait(record(config['postgres_changes_options'])),
    accessToken: (token as string | undefined) ?? null,
  }
}

function readWait({ wait, timeout }: Record<string, unknown>): number | null {
  if (!flag(wait)) return null
  const wanted = typeof timeout === 'number' && timeout > 0 ? timeout : changesWait.usualMs
  return Math.min(wanted, changesWait.mostMs)
}
