import type pg from 'pg'
import { parseIsolation } from '../../postgres/connections/roleSettings.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import { loadRelationships } from './loadRelationships.ts'
import { type MediaHandlerRows, indexHandlers } from './mediaHandlers.ts'
import { MEDIA_HANDLERS_SQL } from './mediaHandlersSql.ts'
import { keyOf } from './qualifiedName.ts'
import {
  REPRESENTING_CASTS_SQL,
  type Representation,
  type RepresentingCast,
  indexRepresentations,
} from './representations.ts'
import { ROUTINES_SQL } from './routinesSql.ts'
import type { Column, Routine, SchemaCache, Table } from './schemaCache.ts'
import { TABLES_SQL } from './tablesSql.ts'

type TableRow = Omit<Table, 'columns'> & { columns: Column[] }
type RoutineRow = Omit<Routine, 'settings' | 'isolation'> & { config: string[] }

/** The setting of a function that applies to the start of its transaction. */
const ISOLATION = 'default_transaction_isolation'

/**
 * Reads the schema cache from PostgreSQL's catalogue. The caller provides a transaction with one snapshot and an
 * empty search path. Throws pg's errors.
 */
export async function loadSchemaCache(
  client: Pick<pg.ClientBase, 'query'>,
  o: Pick<RestSettings, 'schemas' | 'extraSearchPath' | 'hoistedTxSettings'>,
): Promise<SchemaCache> {
  const queryJson = async <T>(text: string): Promise<T> =>
    (await client.query<{ result: T }>(text, [o.schemas])).rows[0]!.result
  const casts = await client.query<{ result: RepresentingCast[] }>(REPRESENTING_CASTS_SQL)
  const representations = indexRepresentations(casts.rows[0]!.result)
  const tables = indexTables(await queryJson<TableRow[]>(TABLES_SQL), representations)
  return {
    tables,
    relationships: await loadRelationships(client, tables, o),
    routines: indexRoutines(await queryJson<RoutineRow[]>(ROUTINES_SQL), o.hoistedTxSettings),
    mediaHandlers: indexHandlers(await queryJson<MediaHandlerRows>(MEDIA_HANDLERS_SQL)),
  }
}

function indexTables(rows: TableRow[], representations: Map<string, Representation>): Map<string, Table> {
  return new Map(
    rows.map((row) => {
      const columns = new Map(
        row.columns.map((column) => {
          const representation = representations.get(column.type)
          return [column.name, representation ? { ...column, representation } : column]
        }),
      )
      return [keyOf(row.schema, row.name), { ...row, columns }]
    }),
  )
}

function indexRoutines(rows: RoutineRow[], hoisted: string[]): Map<string, Routine[]> {
  const routines = new Map<string, Routine[]>()
  const sorted = rows.sort(byParameters)
  for (const { config, ...row } of sorted) {
    const { [ISOLATION]: level, ...others } = Object.fromEntries(config.map(splitSetting))
    const settings = Object.fromEntries(Object.entries(others).filter(([name]) => hoisted.includes(name)))
    const key = keyOf(row.schema, row.name)
    const overloads = routines.get(key) ?? []
    overloads.push({ ...row, settings, isolation: parseIsolation(level) })
    routines.set(key, overloads)
  }
  return routines
}

/**
 * Compares overloads in upstream's order, in which errors list them: by number of parameters, then by names and
 * types.
 */
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
