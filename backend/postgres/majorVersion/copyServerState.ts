import type { Client } from 'pg'
import { isOrdinarySchema, type Table } from './readTables.ts'

/** Creates the partitions that the source has for its days, with the owner and the row security that they have there. */
export async function createPartitions(o: {
  source: Client
  target: Client
  tables: readonly Table[]
  newTables: ReadonlyMap<string, Table>
}): Promise<void> {
  for (const { name, partition } of o.tables) {
    if (partition === null || o.newTables.has(name)) continue
    const { rows } = await o.source.query<{ owner: string; secured: boolean }>(
      'select relowner::regrole::text as owner, relrowsecurity as secured from pg_class where oid = $1::regclass',
      [name],
    )
    const [{ owner, secured }] = rows as [{ owner: string; secured: boolean }]
    await o.target.query(`create table ${name} (like ${partition.parent} including all)`)
    await o.target.query(`alter table ${name} owner to ${owner}`)
    if (secured) await o.target.query(`alter table ${name} enable row level security`)
    await o.target.query(`alter table ${partition.parent} attach partition ${name} ${partition.bound}`)
  }
}

/** Sets each sequence to its position on the source. */
export async function copySequences(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and c.relpersistence <> 't' and ${isOrdinarySchema}`)
  for (const { name } of rows) {
    const { rows: positions } = await source.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${name}`,
    )
    const [{ value, called }] = positions as [{ value: string; called: boolean }]
    await target.query('select setval($1::regclass, $2::bigint, $3)', [name, value, called])
  }
}

/** Computes the rows of materialized views, in the order in which the views were created. */
export async function refreshViews(target: Client): Promise<void> {
  const { rows } = await target.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'm' and relispopulated order by oid`,
  )
  for (const { name } of rows) await target.query(`refresh materialized view ${name}`)
}

/**
 * Copies the passwords and expiry dates of roles, and the settings of roles and of the database. The settings are rows of a
 * catalogue: a statement would quote the items of lists in another way.
 */
export async function copyRoles(source: Client, target: Client): Promise<void> {
  const { rows: roles } = await source.query<{ name: string; password: string | null; until: string | null }>(
    `select rolname as name, rolpassword as password, rolvaliduntil::text as until from pg_authid
     where rolname not like 'pg\\_%' and (rolpassword is not null or rolvaliduntil is not null)`,
  )
  for (const { name, password, until } of roles) {
    const [quotedPassword, quotedUntil] = [password, until].map((value) =>
      value === null ? null : target.escapeLiteral(value),
    )
    await target.query(
      `alter role ${target.escapeIdentifier(name)} password ${quotedPassword ?? 'null'}` +
        (quotedUntil === null ? '' : ` valid until ${quotedUntil}`),
    )
  }
  const { rows: settings } = await source.query<{ role: string | null; own: boolean; config: string[] }>(
    `select r.rolname as role, s.setdatabase <> 0 as own, s.setconfig as config
     from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole
     where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
  )
  await target.query('delete from pg_catalog.pg_db_role_setting')
  for (const { role, own, config } of settings) {
    await target.query(
      `insert into pg_catalog.pg_db_role_setting (setdatabase, setrole, setconfig)
       select case when $2 then (select oid from pg_database where datname = current_database()) else 0 end,
         case when $1::text is null then 0 else (select oid from pg_roles where rolname = $1) end, $3::text[]`,
      [role, own, config],
    )
  }
}
