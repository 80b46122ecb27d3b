import type { Pool } from '../../postgres/pool.ts'
import { ROUTINES_SQL, TABLES_SQL } from './catalogueSql.ts'
import { loadRelationships } from './loadRelationships.ts'
import { indexHandlers } from './mediaHandlers.ts'
import type { MediaHandlerRows } from './mediaHandlers.ts'
import { MEDIA_HANDLERS_SQL } from './mediaHandlersSql.ts'
import { keyOf } from './schemaCache.ts'
import type { Column, Routine, SchemaCache, Table } from './schemaCache.ts'

type TableRow = Omit<Table, 'columns'> & { columns: Column[] }
type RoutineRow = Omit<Routine, 'settings'> & { config: string[] }

/** Settings of a function that must hold before its statement begins; the others it sets itself. */
const HOISTED = new Set(['statement_timeout', 'plan_filter.statement_cost_limit'])

/** Reads the catalogue in one snapshot, so that no half of a migration is seen. Throws pg's errors. */
export async function loadSchemaCache(
  pool: Pool,
  o: { schemas: string[]; extraSearchPath: string[] },
): Promise<SchemaCache> {
  return pool.withClient(async (client) => {
    await client.query(`begin isolation level repeatable read read only; set local search_path = ''`)
    try {
      const ask = async <T>(text: string): Promise<T> =>
        (await client.query<{ answer: T }>(text, [o.schemas])).rows[0]!.answer
      const tables = indexTables(await ask<TableRow[]>(TABLES_SQL))
      return {
        tables,
        relationships: await loadRelationships(client, tables, o),
        routines: indexRoutines(await ask<RoutineRow[]>(ROUTINES_SQL)),
        mediaHandlers: indexHandlers(await ask<MediaHandlerRows>(MEDIA_HANDLERS_SQL)),
      }
    } finally {
      await client.query('rollback')
    }
  })
}

function indexTables(rows: TableRow[]): Map<string, Table> {
  return new Map(
    rows.map((row) => {
      const columns = new Map(row.columns.map((column) => [column.name, column]))
      return [keyOf(row.schema, row.name), { ...row, columns }]
    }),
  )
}

function indexRoutines(rows: RoutineRow[]): Map<string, Routine[]> {
  const routines = new Map<string, Routine[]>()
  const sorted = rows.sort(byParameters)
  for (const { config, ...row } of sorted) {
    const settings = Object.fromEntries(config.map(splitSetting).filter(([name]) => HOISTED.has(name)))
    const key = keyOf(row.schema, row.name)
    const overloads = routines.get(key) ?? []
    overloads.push({ ...row, settings })
    routines.set(key, overloads)
  }
  return routines
}

/** Overloads in upstream's order, in which an ambiguity lists them: fewest parameters, then names and types. */
function byParameters({ parameters: ours }: RoutineRow, { parameters: theirs }: RoutineRow): number {
  const written = (parameters: Routine['parameters']): string =>
    parameters.map(({ name, type }) => `${name}\u0000${type}`).join('\u0000')
  if (ours.length !== theirs.length) return ours.length - theirs.length
  const [a, b] = [written(ours), written(theirs)]
  return a === b ? 0 : a < b ? -1 : 1
}

function splitSetting(setting: string): [string, string] {
  const equals = setting.indexOf('=')
  return [setting.slice(0, equals), setting.slice(equals + 1)]
}
