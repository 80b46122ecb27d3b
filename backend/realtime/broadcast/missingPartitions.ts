import type { ClientBase } from 'pg'

/**
 * Today and tomorrow (UTC), if no partition of realtime.messages contains them. The bounds of partitions are read, since
 * installations name them differently; a table that is not partitioned contains every day, a missing one none.
 */
const query = `
with bounds as (
  select pg_catalog.pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = pg_catalog.to_regclass('realtime.messages')
), ranges as (
  select bound = 'DEFAULT' as is_default,
    (pg_catalog.regexp_match(bound, $$FROM \\('([^']+)'\\)$$))[1]::timestamp as lower,
    (pg_catalog.regexp_match(bound, $$TO \\('([^']+)'\\)$$))[1]::timestamp as upper
  from bounds
)
select pg_catalog.to_char(day, 'YYYY-MM-DD') as day
from (select (pg_catalog.now() at time zone 'UTC')::date + ahead as day from pg_catalog.generate_series(0, 1) ahead) days
where not exists (
    select from pg_catalog.pg_class
    where oid = pg_catalog.to_regclass('realtime.messages') and relkind <> 'p')
  and not exists (
    select from ranges where is_default
      or (coalesce(lower, '-infinity') <= day and coalesce(upper, 'infinity') >= day + 1))
order by day`

/**
 * Which of today and tomorrow (UTC, "2026-11-22") realtime.messages cannot store broadcasts of: realtime.send drops
 * those with a mere warning.
 */
export async function missingPartitions(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>(query)
  return rows.map(({ day }) => day)
}
