import { generateTypescript, sortGeneratorMetadata } from '@supabase/postgrest-typegen/generation'
import { introspect } from '@supabase/postgrest-typegen/introspection'
import type { Client } from 'pg'

interface TypesOptions {
  schemas: readonly string[]
  /** The version in `__InternalSupabase`, from which the client library derives its behaviour; null omits it. */
  postgrestVersion: string | null
}

/**
 * Generates the TypeScript type `Database` of `schemas`, with the generator of `supabase gen types`. `missing` lists
 * the schemas that do not exist or that the user of the database can't access. It runs in one read-only transaction,
 * so that a concurrent migration is visible completely or not at all. Throws errors of PostgreSQL.
 */
export async function generateTypes(
  client: Client,
  o: TypesOptions,
): Promise<{ types: string; missing: string[] }> {
  await client.query('begin transaction isolation level repeatable read read only')
  try {
    const metadata = await introspect({ query: queryOneByOne(client) }, { includedSchemas: [...o.schemas] })
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

/** Runs queries one after the other, as a connection requires. The introspection runs ten in parallel. */
function queryOneByOne(client: Client): (sql: string) => Promise<{ rows: Record<string, unknown>[] }> {
  let last: Promise<unknown> = Promise.resolve()
  return (sql) => {
    const result = last.then(() => client.query<Record<string, unknown>>(sql))
    last = result.catch(() => {})
    return result
  }
}
