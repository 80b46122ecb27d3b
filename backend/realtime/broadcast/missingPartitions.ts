import type { ClientBase } from 'pg'

/**
 * Today and tomorrow (UTC), as far as no partition of realtime.messages holds them. The bounds of partitions are read,
 * since installations name them differently; a table that is not partitioned takes every day, one that is absent none.
 */
const query = `
with bounds as (
  select pg_catalog.pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = pg_catalog.to_regclass('realtime.messages')
), held as (
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
    select from held where is_default
      or (coalesce(lower, '-infinity') <= day and coalesce(upper, 'infinity') >= day + 1))
order by day`

/**
 * Days (UTC, "2026-11-22") of today and tomorrow whose broadcasts realtime.messages cannot store: realtime.send drops
 * them with a warning that nobody sees.
 */
export async function missingPartitions(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>(query)
  return rows.map(({ day }) => day)
}
