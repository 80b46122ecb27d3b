import { errors } from '../errors.ts'
import type { Body } from '../parse/parseBody.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { Query } from '../parse/query.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { SchemaCache, Table } from '../schemaCache/schemaCache.ts'
import { planRead, requiredColumns } from './planRead.ts'
import { planFilter, planLogic } from './planFields.ts'
import type { ChooseOutput } from './negotiate.ts'
import type { PlannedLogic, WriteColumn, WritePlan } from './plan.ts'

export interface WriteOptions {
  cache: SchemaCache
  settings: RestSettings
  kind: WritePlan['kind']
  table: Table
  query: Query
  preferences: Preferences
  body: Body | null
  role: string
  chooseOutput: ChooseOutput
}

/** Plans an insert, update, delete or PUT, and the SELECT of its response. */
export function planWrite(o: WriteOptions): WritePlan {
  const { kind, table, query, preferences, body } = o
  const { root, legacyNames } = planRead({
    cache: o.cache,
    target: table,
    query,
    role: o.role,
    range: null,
    settings: o.settings,
    source: 'write',
  })
  const where = planWhere(table, query)
  const columns = (body?.keys ?? []).map((name) => findColumn(table, name))
  if (kind === 'put') checkPut(table, query, body)
  else if (kind !== 'insert' && where.length === 0 && (kind === 'delete' || columns.length > 0)) {
    throw errors.whereClause(kind === 'delete' ? 'DELETE' : 'UPDATE')
  }
  const returnsRows = preferences.return === 'representation' || preferences.return === 'headers-only'
  return {
    kind,
    table: { schema: table.schema, name: table.name },
    columns,
    bodyIsObject: body?.isObject ?? false,
    where,
    returning: returnsRows ? requiredColumns(root, table.primaryKey) : [],
    primaryKey: table.primaryKey,
    conflict: planConflict(kind, table, query, preferences),
    countsInserted: kind === 'put' || (kind === 'insert' && preferences.resolution === 'merge-duplicates'),
    usesDefaults: preferences.missing === 'default' && kind !== 'put',
    wantsLocation: kind === 'insert' && preferences.return === 'headers-only' && table.primaryKey.length > 0,
    root,
    output: o.chooseOutput(table, root, null),
    preferences,
    legacyNames,
  }
}

function planWhere(table: Table, query: Query): PlannedLogic[] {
  const filters = query.filters.filter(({ path }) => path.length === 0)
  const logic = query.logic.filter(({ path }) => path.length === 0)
  return [
    ...filters.map(({ filter }) => planFilter(table, filter)),
    ...logic.map(({ tree }) => planLogic(table, tree, [])),
  ]
}

function findColumn(table: Table, name: string): WriteColumn {
  const column = table.columns.get(name)
  if (!column) throw errors.noColumn(table.name, name)
  return column
}

/** PUT filters exactly the primary key by equality. Throws PGRST105, and PGRST115 if the body lacks the key. */
function checkPut(table: Table, query: Query, body: Body | null): void {
  const key = table.primaryKey
  const namesKey =
    key.length > 0 &&
    query.logic.length === 0 &&
    query.filterNames.size === key.length &&
    key.every((name) => query.filterNames.has(name)) &&
    query.filters.every(
      ({ filter: { negated, operation } }) =>
        !negated &&
        operation.kind === 'compare' &&
        operation.operator === 'eq' &&
        operation.quantifier === null,
    )
  if (!namesKey) throw errors.putFilters()
  if (!key.every((name) => body?.keys.includes(name))) throw errors.putMismatch()
}

function planConflict(
  kind: WritePlan['kind'],
  table: Table,
  query: Query,
  preferences: Preferences,
): WritePlan['conflict'] {
  if (kind === 'put') return { columns: table.primaryKey, resolution: 'merge-duplicates' }
  const columns = query.onConflict ?? table.primaryKey
  if (kind !== 'insert' || !preferences.resolution || columns.length === 0) return null
  return { columns, resolution: preferences.resolution }
}
