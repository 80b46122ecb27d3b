/** The payload of `phx_join`. */
export interface JoinRequest {
  private: boolean
  broadcast: { ack: boolean; self: boolean; replicationReady: boolean }
  replay: { since: unknown; limit: unknown } | null
  /** All of `config`, for plugins. */
  config: Record<string, unknown>
  accessToken: string | null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** Also "true" and "TRUE", as the hosted service reads them. */
export function toBoolean(value: unknown): boolean {
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
  const token = [join['user_token'], join['access_token']].find((value) => typeof value === 'string')
  return {
    private: toBoolean(config['private']),
    broadcast: {
      ack: toBoolean(broadcast['ack']),
      self: toBoolean(broadcast['self']),
      replicationReady: toBoolean(broadcast['replication_ready']),
    },
    replay:
      'replay' in broadcast ? (toRecord(broadcast['replay']) as { since: unknown; limit: unknown }) : null,
    config,
    accessToken: (token as string | undefined) ?? null,
  }
}
