import type { Client } from 'pg'
import type { Statement } from './splitStatements.ts'

const services = new Set(['auth', 'storage', 'realtime'])
const optional = new Set(['if', 'exists', 'only'])

/** The table of an `alter table … enable row level security`; null for other statements. */
function tableOf({ tokens }: Statement): [schema: string, table: string] | null {
  const words = tokens.map((token) => token.value)
  if (words[0] !== 'alter' || words[1] !== 'table') return null
  let at = 2
  while (tokens[at]?.kind === 'word' && optional.has(words[at]!)) at++
  const rest = words.slice(at)
  return rest[1] === '.' && rest.slice(3).join(' ') === 'enable row level security'
    ? [rest[0]!, rest[2]!]
    : null
}

/**
 * Whether a statement enables row security that a table of the services already has. Migrations written before 2025 do
 * so for `storage.objects`, when hosted projects still allowed it to postgres: refusing it would make them fail.
 */
export async function enablesExistingRowSecurity(client: Client, statement: Statement): Promise<boolean> {
  const table = tableOf(statement)
  if (table === null || !services.has(table[0])) return false
  const { rowCount } = await client.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relname = $2 and c.relrowsecurity`,
    table,
  )
  return rowCount === 1
}
