import { generateTypescript, sortGeneratorMetadata } from '@supabase/postgrest-typegen/generation'
import { introspect } from '@supabase/postgrest-typegen/introspection'
import type { Client } from 'pg'

interface TypesOptions {
  schemas: readonly string[]
  /** Goes into `__InternalSupabase`, by which the client library chooses its rules; null leaves that out. */
  postgrestVersion: string | null
}

/**
 * TypeScript's `Database` type of `schemas`, as `supabase gen types` prints it: by the same generator.
 * `missing` names the schemas that the database doesn't have, or its user may not look into.
 * `client` is used for one read-only transaction, so that a migration at the same moment can't show half of
 * itself. Throws errors of PostgreSQL.
 */
export async function generateTypes(
  client: Client,
  o: TypesOptions,
): Promise<{ types: string; missing: string[] }> {
  await client.query('begin transaction isolation level repeatable read read only')
  try {
    const metadata = await introspect({ query: oneByOne(client) }, { includedSchemas: [...o.schemas] })
    const found = new Set(metadata.schemas.map(({ name }) => name))
    const types = await generateTypescript(sortGeneratorMetadata(metadata), {
      detectOneToOneRelationships: true,
      ...(o.postgrestVersion === null ? {} : { postgrestVersion: o.postgrestVersion }),
    })
    return { types, missing: o.schemas.filter((name) => !found.has(name)) }
  } finally {
    await client.query('rollback')
  }
}

/** The introspection asks ten questions at once; a connection answers one after another. */
function oneByOne(client: Client): (sql: string) => Promise<{ rows: Record<string, unknown>[] }> {
  let last: Promise<unknown> = Promise.resolve()
  return (sql) => {
    const asked = last.then(() => client.query<Record<string, unknown>>(sql))
    last = asked.catch(() => {})
    return asked
  }
}
