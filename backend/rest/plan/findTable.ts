import { errors } from '../errors.ts'
import { keyOf } from '../schemaCache/qualifiedName.ts'
import type { SchemaCache, Table } from '../schemaCache/schemaCache.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

/** The exposed table or view with this name. Throws PGRST205. */
export function findTable(cache: SchemaCache, schema: string, name: string, role: string): Table {
  const table = cache.tables.get(keyOf(schema, name))
  if (table) return table
  const accessible = [...cache.tables.values()].filter(
    (each) => each.schema === schema && each.roles.includes(role),
  )
  throw errors.noTable(
    schema,
    name,
    suggestName(
      name,
      accessible.map((each) => each.name),
    ),
  )
}
