import type { Client } from 'pg'
import type { Statement } from './splitStatements.ts'

const services = new Set(['auth', 'storage', 'realtime'])

/** The tables that a GRANT or REVOKE names; null for other statements, or where it names other objects too. */
function tablesOf({ tokens }: Statement): { schema: string; table: string }[] | null {
  const isWord = (at: number, ...words: string[]): boolean =>
    tokens[at]?.kind === 'word' && words.includes(tokens[at].value)
  if (!isWord(0, 'grant', 'revoke')) return null
  let at = tokens.findIndex((_, i) => isWord(i, 'on')) + 1
  if (at === 0) return null
  if (isWord(at, 'table')) at++
  const tables = []
  for (;;) {
    const [schema, dot, table] = tokens.slice(at, at + 3)
    if (!schema || dot?.value !== '.' || !table) return null
    tables.push({ schema: schema.value, table: table.value })
    at += 3
    if (isWord(at, 'to', 'from')) return tables
    if (tokens[at]?.value !== ',') return null
    at++
  }
}

/**
 * Whether a GRANT or REVOKE concerns only tables of the services that don't exist. Dumps of hosted projects have such
 * statements, for tables of features that Linnet lacks or that later versions of the services dropped.
 */
export async function grantsOnMissingTables(client: Client, statement: Statement): Promise<boolean> {
  const tables = tablesOf(statement)
  if (tables === null || !tables.every(({ schema }) => services.has(schema))) return false
  const { rows } = await client.query<{ present: number }>(
    `select count(*)::int as present from unnest($1::text[], $2::text[]) as named (schema, name)
      join pg_class c on c.relname = named.name join pg_namespace n on n.oid = c.relnamespace
        and n.nspname = named.schema`,
    [tables.map(({ schema }) => schema), tables.map(({ table }) => table)],
  )
  return rows[0]!.present === 0
}
