import type { Pool } from './pool.ts'

type Settings = [name: string, value: string][]

interface Known {
  byRole: Map<string, Settings>
  /** Milliseconds since 1970. */
  readAt: number
}

const known = new WeakMap<Pool, Promise<Known>>()
const staleAfterMs = 10_000
const none: Settings = []

/**
 * What `alter role … set …` gives a role, such as its statement timeout. PostgreSQL applies that at log-in only,
 * and an API role never logs in, so that the settings have to be applied with it, as PostgREST does
 * ("impersonated role settings"). Changed ones are seen after some seconds.
 */
export async function roleSettings(pool: Pool, role: string): Promise<Settings> {
  let reading = known.get(pool)
  if (!reading) {
    reading = read(pool)
    known.set(pool, reading)
    reading.catch(() => known.delete(pool))
  }
  const { byRole, readAt } = await reading
  if (Date.now() - readAt > staleAfterMs && known.get(pool) === reading) {
    // The old settings serve until the new ones are there: nobody waits.
    const fresh = read(pool)
    known.set(pool, Promise.resolve({ byRole, readAt: Date.now() }))
    fresh.then(
      () => known.set(pool, fresh),
      () => {},
    )
  }
  return byRole.get(role) ?? none
}

/** Settings that every role may change; `search_path` belongs to the request. */
async function read(pool: Pool): Promise<Known> {
  const { rows } = await pool.query<{ rolname: string; name: string; value: string }>(`
    select rolname, split_part(pair, '=', 1) as name, substr(pair, strpos(pair, '=') + 1) as value
    from pg_roles, unnest(rolconfig) as pair
    left join pg_settings on pg_settings.name = split_part(pair, '=', 1)
    where coalesce(pg_settings.context, 'user') = 'user'
      and split_part(pair, '=', 1) not in ('search_path', 'role', 'session_authorization')
      and pg_has_role(rolname, 'member')`)
  const byRole = new Map<string, Settings>()
  for (const { rolname, name, value } of rows) {
    const settings = byRole.get(rolname) ?? []
    settings.push([name, value])
    byRole.set(rolname, settings)
  }
  return { byRole, readAt: Date.now() }
}
