import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import type { Table } from './readTables.ts'

/** What a server has outside of the schema of its database, by kind. */
const outsideOfSchema = `
  select 'database ' || datname as name from pg_database
  where datname not in ('postgres', 'template0', 'template1', 'linnet_adoption')
  union all
  select 'tablespace ' || spcname from pg_tablespace where spcname not in ('pg_default', 'pg_global')
  union all
  select 'prepared transaction ' || gid from pg_prepared_xacts
  union all
  select 'subscription ' || subname from pg_subscription
  union all
  select 'user mapping of ' || usename || ' for ' || srvname from pg_user_mappings
  union all
  select 'large object ' || min(oid) || case when count(*) > 1 then ' and ' || count(*) - 1 || ' more' else '' end
  from pg_largeobject_metadata having count(*) > 0
  union all
  select 'privileges on the database postgres: ' || (select string_agg(item::text, ', ' order by item::text collate "C")
    from unnest(coalesce(datacl, acldefault('d', datdba))) item)
  from pg_database where datname = current_database()
  union all
  select 'privileges on the setting ' || parname || ': ' || (select string_agg(item::text, ', ' order by item::text collate "C")
    from unnest(paracl) item)
  from pg_parameter_acl`

async function readNames(client: ClientBase, query: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(query)
  return new Set(rows.map(({ name }) => name))
}

/** The lines of a configuration file without comments. */
function configurationLines(data: string, file: string): string[] {
  const path = join(data, file)
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
}

const configurationFiles = ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf']

const systemSettings = `select name from pg_file_settings
  where sourcefile like '%/postgresql.auto.conf' and name is not null`

/**
 * Names what the new server would lose although no migration is responsible for it: other databases, large objects, lines of
 * configuration files, settings that the new version does not have, and columns with internal numbers.
 * @param o.tables the tables of the source
 * @param o.newTables the tables of the new server, by name
 */
export async function findUnmovable(o: {
  source: ClientBase
  sourceData: string
  tables: readonly Table[]
  target: ClientBase
  targetData: string
  newTables: ReadonlyMap<string, Table>
}): Promise<string[]> {
  const [found, known] = [
    await readNames(o.source, outsideOfSchema),
    await readNames(o.target, outsideOfSchema),
  ]
  const names = [...found].filter((name) => !known.has(name))
  for (const file of configurationFiles) {
    const usual = new Set(configurationLines(o.targetData, file))
    for (const line of configurationLines(o.sourceData, file))
      if (!usual.has(line)) names.push(`line of ${file}: ${line}`)
  }
  const settings = await readNames(o.target, 'select name from pg_settings')
  for (const name of await readNames(o.source, systemSettings))
    if (!settings.has(name) && !name.includes('.')) names.push(`setting of "alter system": ${name}`)
  for (const table of o.tables) names.push(...(await findUnmovableColumns(table, o.newTables, o.source)))
  return names
}

async function findUnmovableColumns(
  table: Table,
  newTables: ReadonlyMap<string, Table>,
  source: ClientBase,
): Promise<string[]> {
  const { name, columns, internalColumns, partition } = table
  if (internalColumns.length > 0)
    return internalColumns.map((column) => `column ${name}.${column}, whose values are internal to a server`)
  const created = newTables.get(name)
  if (created !== undefined) {
    const known = new Set(created.columns)
    return columns.filter((column) => !known.has(column)).map((column) => `column ${name}.${column}`)
  }
  // The move creates the partitions, which depend on the day.
  if (partition !== null) return []
  const { rows } = await source.query(`select from ${name} limit 1`)
  return rows.length > 0 ? [`table ${name}`] : []
}
