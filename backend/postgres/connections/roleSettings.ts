import type { ClientBase } from 'pg'
import type { Pool } from './pool.ts'

/** Isolation levels other than the default; they must be set before the first query of a transaction. */
export type Isolation = 'repeatable read' | 'serializable'

interface RoleSettings {
  settings: [name: string, value: string][]
  /** Null for PostgreSQL's default, read committed. */
  isolation: Isolation | null
  /** Milliseconds of `statement_timeout`; null without a limit. */
  timeoutMs: number | null
}

interface CachedSettings {
  byRole: Map<string, RoleSettings>
  /** Milliseconds since 1970. */
  readAt: number
}

const cache = new WeakMap<Pool, Promise<CachedSettings>>()
const staleAfterMs = 10_000
const noSettings: RoleSettings = { settings: [], isolation: null, timeoutMs: null }

/**
 * Settings of `alter role … set …`, such as a statement timeout. PostgreSQL applies them only at login, and an API role
 * never logs in, so they are applied with the role, as PostgREST does ("impersonated role settings"). Changes take
 * effect after some seconds.
 */
export async function getRoleSettings(pool: Pool, role: string): Promise<RoleSettings> {
  let reading = cache.get(pool)
  if (!reading) {
    reading = read(pool)
    cache.set(pool, reading)
    reading.catch(() => cache.delete(pool))
  }
  const { byRole, readAt } = await reading
  if (Date.now() - readAt > staleAfterMs && cache.get(pool) === reading) {
    // The old settings are used until the new ones are read, so that no request waits.
    const fresh = read(pool)
    cache.set(pool, Promise.resolve({ byRole, readAt: Date.now() }))
    fresh.then(
      () => cache.set(pool, fresh),
      () => {},
    )
  }
  return byRole.get(role) ?? noSettings
}

/** Reads the current settings on a connection that is already acquired, so that no request waits for one. */
export async function refreshRoleSettings(pool: Pool, client: Pick<ClientBase, 'query'>): Promise<void> {
  cache.set(pool, Promise.resolve(await read(client)))
}

/** Parses the value of a setting such as `default_transaction_isolation`. */
export function parseIsolation(value: string | undefined): Isolation | null {
  const level = value?.toLowerCase()
  return level === 'repeatable read' || level === 'serializable' ? level : null
}

const unitMs: Record<string, number> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Parses the value of a setting such as `statement_timeout` to milliseconds; null without a limit. */
export function parseTimeout(value: string | undefined): number | null {
  const [, number, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(value ?? '') ?? []
  const timeoutMs = Number(number ?? 0) * unitMs[unit]!
  // A timer counts 31 bits; a longer timeout is none.
  return timeoutMs > 0 && timeoutMs < 100_000_000 ? timeoutMs : null
}

/**
 * Settings that every role may change, or that the login role was granted (they are set before the role);
 * `search_path` belongs to the request.
 */
async function read(on: Pool | Pick<ClientBase, 'query'>): Promise<CachedSettings> {
  const { rows } = await (on as Pool).query<{ rolname: string; name: string; value: string }>(`
    select rolname, split_part(pair, '=', 1) as name, substr(pair, strpos(pair, '=') + 1) as value
    from pg_roles, unnest(rolconfig) as pair
    left join pg_settings on pg_settings.name = split_part(pair, '=', 1)
    where (coalesce(pg_settings.context, 'user') = 'user'
        or has_parameter_privilege(pg_settings.name, 'set'))
      and split_part(pair, '=', 1) not in ('search_path', 'role', 'session_authorization')
      and pg_has_role(rolname, 'member')`)
  const byRole = new Map<string, RoleSettings>()
  for (const { rolname, name, value } of rows) {
    const role = byRole.get(rolname) ?? { settings: [], isolation: null, timeoutMs: null }
    if (name === 'statement_timeout') role.timeoutMs = parseTimeout(value)
    if (name === 'default_transaction_isolation') role.isolation = parseIsolation(value)
    else role.settings.push([name, value])
    byRole.set(rolname, role)
  }
  return { byRole, readAt: Date.now() }
}
