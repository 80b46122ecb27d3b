import type pg from 'pg'
import { DatabaseError } from 'pg'
import { describeRequest, type ChangeRequest, type Filter } from './changeRequest.ts'
import { matchesPattern } from './tablePattern.ts'
import type { CheckedFilter } from './testFilter.ts'
import type { ValueType, ValueTypes } from './ValueTypes.ts'

/** A request and its filters, by the OID of each table that matches now. */
export interface CheckedRequest {
  request: ChangeRequest
  tables: Map<number, CheckedFilter[]>
}

/** A refused request; `message` is the contract's. */
export class ChangeRequestRefused extends Error {
  override name = 'ChangeRequestRefused'
}

/** A database error about a request, in the form of the hosted service's driver. */
export class DatabaseRefusal extends Error {
  constructor(code: string, message: string) {
    super(`ERROR ${code} (${conditions[code] ?? 'unknown'}) ${message}`)
  }
}

/** Names of PostgreSQL's conditions that a value, a column or a role may cause. */
const conditions: Record<string, string> = {
  '22003': 'numeric_value_out_of_range',
  '22007': 'invalid_datetime_format',
  '22008': 'datetime_field_overflow',
  '2201B': 'invalid_regular_expression',
  '22P02': 'invalid_text_representation',
  '23514': 'check_violation',
  '42501': 'insufficient_privilege',
  '42704': 'undefined_object',
  '57014': 'query_canceled',
  P0001: 'raise_exception',
}

const maxInValues = 100

/** A table of the publication. */
export interface PublishedTable {
  id: number
  schema: string
  name: string
}

/** What a role may read of the publication, as far as it was loaded. */
export interface ReadableTables {
  role: string
  /** Null if the role does not exist. */
  tables: PublishedTable[] | null
  /** By table. */
  columns: Map<number, Column[]>
}

export interface Column {
  table: number
  name: string
  type: number
  readable: boolean
  likes: boolean
  matches: boolean
  imatches: boolean
}

/**
 * Checks a request as the hosted service does: its tables are in the publication, the role may read the columns of
 * filters and `select`, operators match their types, values can be cast. Throws ChangeRequestRefused, DatabaseRefusal,
 * and errors of the database.
 */
export async function checkRequest(
  client: pg.ClientBase,
  types: ValueTypes,
  readable: ReadableTables,
  request: ChangeRequest,
): Promise<CheckedRequest> {
  const { role, tables } = readable
  if (!tables) throw new DatabaseRefusal('42704', `role "${role}" does not exist`)
  const matching = tables.filter(
    ({ schema, name }) => matchesPattern(schema, request.schema) && matchesPattern(name, request.table),
  )
  if (matching.length === 0) {
    throw new ChangeRequestRefused(
      `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${describeRequest(request)}`,
    )
  }
  const checked: CheckedRequest = { request, tables: new Map(matching.map(({ id }) => [id, []])) }
  if (request.filters.length === 0 && request.select === null) return checked
  await readColumns(client, types, readable, matching)
  for (const { id } of matching) {
    const columns = new Map(
      readable.columns.get(id)!.flatMap((column) => (column.readable ? [[column.name, column]] : [])),
    )
    for (const filter of request.filters) {
      const column = columns.get(filter.column)
      if (!column) throw new DatabaseRefusal('P0001', `invalid column for filter ${filter.column}`)
      checked.tables.get(id)!.push(await checkFilter(client, types, column, filter))
    }
    for (const name of request.select ?? []) {
      if (!columns.has(name)) throw new DatabaseRefusal('P0001', `invalid column for select ${name}`)
    }
  }
  return checked
}

async function readColumns(
  client: pg.ClientBase,
  types: ValueTypes,
  { role, columns }: ReadableTables,
  tables: PublishedTable[],
): Promise<void> {
  const unread = tables.map(({ id }) => id).filter((id) => !columns.has(id))
  if (unread.length === 0) return
  const { rows } = await client.query<Column & Record<string, unknown>>({
    name: 'realtime_filter_columns',
    text: `select a.attrelid::int8::float8 as table, a.attname as name, a.atttypid::int8::float8 as type,
             has_column_privilege($2::name, a.attrelid, a.attnum, 'select') as readable,
             exists (select from pg_catalog.pg_operator where oprname = '~~' and oprleft = a.atttypid) as likes,
             exists (select from pg_catalog.pg_operator where oprname = '~'
               and oprleft = a.atttypid and oprright = a.atttypid and oprresult = 'bool'::regtype) as matches,
             exists (select from pg_catalog.pg_operator where oprname = '~*'
               and oprleft = a.atttypid and oprright = a.atttypid and oprresult = 'bool'::regtype) as imatches
           from pg_catalog.pg_attribute a
           where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped`,
    values: [unread, role],
  })
  await types.load(
    client,
    rows.map((column) => column.type),
  )
  for (const id of unread) columns.set(id, [])
  for (const column of rows) columns.get(column.table)?.push(column)
}

async function checkFilter(
  client: pg.ClientBase,
  types: ValueTypes,
  column: Column,
  filter: Filter,
): Promise<CheckedFilter> {
  const type = types.get(column.type)
  if (!type) throw new DatabaseRefusal('P0001', `failed to lookup type for column ${filter.column}`)
  const checked: CheckedFilter = { ...filter, typeId: column.type, type, texts: [filter.value] }
  switch (filter.operator) {
    case 'in':
      checked.texts = await castAll(client, type.sqlName, filter.value)
      break
    case 'is':
      checkIs(filter.value, type)
      break
    case 'like':
    case 'ilike':
      if (!column.likes) throw typeMismatch(filter, type)
      break
    case 'match':
    case 'imatch':
      if (!(filter.operator === 'match' ? column.matches : column.imatches)) throw typeMismatch(filter, type)
      await checkPattern(client, filter)
      break
    default: {
      const { rows } = await client.query<{ text: string }>(
        `select $1::text::${type.sqlName}::text as text`,
        [filter.value],
      )
      checked.texts = [rows[0]!.text]
    }
  }
  return checked
}

async function castAll(client: pg.ClientBase, type: string, literal: string): Promise<(string | null)[]> {
  const { rows } = await client.query<{ texts: (string | null)[] }>(
    `select array(select value::text from unnest($1::text::${type}[]) value) as texts`,
    [literal],
  )
  const { texts } = rows[0]!
  if (texts.length > maxInValues) {
    throw new DatabaseRefusal('P0001', `too many values for \`in\` filter. Maximum ${maxInValues}`)
  }
  return texts
}

function checkIs(value: string, type: ValueType): void {
  if (!['null', 'true', 'false', 'unknown'].includes(value)) {
    throw new DatabaseRefusal('P0001', 'invalid value for is filter: must be null, true, false, or unknown')
  }
  if (value !== 'null' && !type.isBoolean) {
    throw new DatabaseRefusal('P0001', `is ${value} filter requires a boolean column, got ${type.label}`)
  }
}

async function checkPattern(client: pg.ClientBase, { operator, value }: Filter): Promise<void> {
  try {
    await client.query(`select '' ~ $1::text`, [value])
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new DatabaseRefusal('P0001', `invalid regular expression for ${operator} filter: ${error.message}`)
  }
}

function typeMismatch({ operator }: Filter, type: ValueType): DatabaseRefusal {
  return new DatabaseRefusal(
    'P0001',
    `operator ${operator} requires a text-compatible column type, got ${type.label}`,
  )
}
