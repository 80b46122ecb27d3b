import type { WriteColumn } from '../plan/plan.ts'
import { literal, quote, quoteNamed } from './quote.ts'
import type { Binds } from './Binds.ts'

type BodyColumn = Pick<WriteColumn, 'name' | 'type' | 'representation'>

export interface BodyOptions {
  /** Columns and types of the body's rows. */
  columns: BodyColumn[]
  isObject: boolean
  /** Columns whose defaults are used for missing keys; null if not requested. */
  defaults: WriteColumn[] | null
  /** Only the first row of a list. */
  isSingle: boolean
}

/** A FROM item `pgrst_body`: the rows of the JSON body, converted by PostgreSQL. */
export function bodySql(o: BodyOptions, binds: Binds): string {
  // `{}` is one row of defaults, `[{}, {}]` two.
  if (o.columns.length === 0 && o.isObject) return '(VALUES (1)) AS pgrst_body'
  const body = binds.add({ from: 'body' })
  if (o.columns.length === 0) return `json_array_elements(${body}::json) AS pgrst_body`
  const types = o.columns.map(typedSql).join(', ')
  const kind = o.defaults ? 'jsonb' : 'json'
  const json = o.defaults ? `(${withDefaultsSql(o.defaults, o.isObject, body)})` : `${body}::json`
  const reader = o.isObject ? `${kind}_to_record` : `${kind}_to_recordset`
  const rows = `${reader}(${json}) AS`
  const isWhole = o.isObject || !o.isSingle
  const isAsRead = !o.columns.some(({ representation }) => representation?.fromJson)
  if (isWhole && isAsRead) return `${rows} pgrst_body(${types})`
  const values = isAsRead ? '*' : o.columns.map(parsedSql).join(', ')
  return `(SELECT ${values} FROM ${rows} pgrst_rows(${types})${isWhole ? '' : ' LIMIT 1'}) AS pgrst_body`
}

function typedSql({ name, type, representation }: BodyColumn): string {
  return `${quote(name)} ${representation?.fromJson ? 'json' : type}`
}

/** A value, parsed by its column's representation. */
function parsedSql({ name, representation }: BodyColumn): string {
  const parse = representation?.fromJson
  return parse ? `${quoteNamed(parse)}(${quote(name)}) AS ${quote(name)}` : quote(name)
}

/** A default in the form of the body's values: converted to the column's representation, if any. */
function defaultSql({ type, representation }: WriteColumn, value: string): string {
  const format = representation?.fromJson && representation.toJson
  return format ? `${quoteNamed(format)}((${value})::${type})` : value
}

function withDefaultsSql(columns: WriteColumn[], isObject: boolean, body: string): string {
  const pairs = columns.flatMap((column) =>
    column.default === null ? [] : [`${literal(column.name)}, ${defaultSql(column, column.default)}`],
  )
  const defaults = `jsonb_build_object(${pairs.join(', ')})`
  if (isObject) return `SELECT ${defaults} || ${body}::jsonb`
  return `SELECT jsonb_agg(${defaults} || pgrst_row) FROM jsonb_array_elements(${body}::jsonb) AS pgrst_row`
}
