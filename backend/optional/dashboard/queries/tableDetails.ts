import type { DatabaseReader } from '../readDatabase.ts'

export interface Policy {
  name: string
  permissive: boolean
  roles: string[]
  command: string
  using: string | null
  check: string | null
}

export interface Column {
  name: string
  type: string
  nullable: boolean
  fallback: string | null
  comment: string | null
}

export interface TableDetails {
  columns: Column[]
  policies: Policy[]
  indexes: string[]
  constraints: { name: string; definition: string }[]
  triggers: { name: string; definition: string; enabled: boolean }[]
}

const regclass = `(select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2)`

/** Columns, policies, indexes, constraints and triggers of a table or view. Throws ReadError. */
export async function readTableDetails(
  database: DatabaseReader,
  { schema, name }: { schema: string; name: string },
): Promise<TableDetails> {
  const parameters = [schema, name]
  const [columns, policies, indexes, constraints, triggers] = await Promise.all([
    database.read<Column>(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
         pg_get_expr(d.adbin, d.adrelid) as fallback, col_description(a.attrelid, a.attnum) as comment
       from pg_attribute a
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = ${regclass} and a.attnum > 0 and not a.attisdropped
       order by a.attnum`,
      parameters,
    ),
    database.read<Policy>(
      `${policiesSql} where schemaname = $1 and tablename = $2 order by policyname`,
      parameters,
    ),
    database.read<{ definition: string }>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = ${regclass}
       order by indisprimary desc, 1 limit 100`,
      parameters,
    ),
    database.read<TableDetails['constraints'][number]>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid = ${regclass} and contype in ('p', 'u', 'f', 'c', 'x')
       order by array_position('{p,f,u,c,x}', contype), conname limit 200`,
      parameters,
    ),
    database.read<TableDetails['triggers'][number]>(
      `select tgname as name, pg_get_triggerdef(oid) as definition, tgenabled <> 'D' as enabled from pg_trigger
       where tgrelid = ${regclass} and not tgisinternal order by tgname limit 100`,
      parameters,
    ),
  ])
  return { columns, policies, indexes: indexes.map(({ definition }) => definition), constraints, triggers }
}

const policiesSql = `
  select schemaname as schema, tablename as table, policyname as name, permissive = 'PERMISSIVE' as permissive,
    roles::text[] as roles, cmd as command, qual as using, with_check as check
  from pg_policies`

/** The policies of the exposed schemas, at most 2,000. Throws ReadError. */
export function readPolicies(
  database: DatabaseReader,
  schemas: string[],
): Promise<(Policy & { schema: string; table: string })[]> {
  return database.read(`${policiesSql} where schemaname = any ($1) limit 2000`, [schemas])
}
