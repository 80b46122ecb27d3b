import type { WriteColumn } from '../plan/plan.ts'
import { literal, quote } from './quote.ts'
import type { Binds } from './Binds.ts'

export interface BodyOptions {
  /** Names and types that the body's rows are read as. */
  columns: Pick<WriteColumn, 'name' | 'type'>[]
  isObject: boolean
  /** Defaults of columns that a row doesn't have; none unless asked for. */
  defaults: WriteColumn[] | null
  /** Only the first row of a list. */
  isSingle: boolean
}

/** A FROM item `pgrst_body`: the rows of the JSON body, typed by PostgreSQL. */
export function bodySql(o: BodyOptions, binds: Binds): string {
  // `{}` is one row of defaults, `[{}, {}]` two.
  if (o.columns.length === 0 && o.isObject) return '(VALUES (1)) AS pgrst_body'
  const body = binds.add({ from: 'body' })
  if (o.columns.length === 0) return `json_array_elements(${body}::json) AS pgrst_body`
  const types = o.columns.map(({ name, type }) => `${quote(name)} ${type}`).join(', ')
  const kind = o.defaults ? 'jsonb' : 'json'
  const json = o.defaults ? `(${withDefaultsSql(o.defaults, o.isObject, body)})` : `${body}::json`
  const reader = o.isObject ? `${kind}_to_record` : `${kind}_to_recordset`
  const rows = `${reader}(${json}) AS ${o.isSingle && !o.isObject ? 'pgrst_rows' : 'pgrst_body'}(${types})`
  return o.isSingle && !o.isObject ? `(SELECT * FROM ${rows} LIMIT 1) AS pgrst_body` : rows
}

function withDefaultsSql(columns: WriteColumn[], isObject: boolean, body: string): string {
  const pairs = columns.flatMap(({ name, default: value }) =>
    value === null ? [] : [`${literal(name)}, ${value}`],
  )
  const defaults = `jsonb_build_object(${pairs.join(', ')})`
  if (isObject) return `SELECT ${defaults} || ${body}::jsonb`
  return `SELECT jsonb_agg(${defaults} || pgrst_row) FROM jsonb_array_elements(${body}::jsonb) AS pgrst_row`
}
