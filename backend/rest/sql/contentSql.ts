import type { Output, Rendering } from '../plan/plan.ts'
import type { MediaHandler } from '../schemaCache/mediaHandlers.ts'
import type { Routine } from '../schemaCache/schemaCache.ts'
import { SCALAR } from './callSql.ts'
import { quoteNamed } from './quote.ts'

/** Alias of the rows from which the content is rendered. */
export const ROWS = '_pgrst_rows'

/** The expression that renders `ROWS`; `routine` is the function that returns them, if any. */
export function contentSql({ rendering }: Output, routine: Routine | null): string {
  const isScalar = routine !== null && !routine.isComposite
  const value = isScalar ? `${ROWS}.${SCALAR}` : ROWS
  if (routine?.isVoid) return noContentSql(`bool_and(${value} IS NULL)`)
  switch (rendering.kind) {
    case 'none':
      return isScalar && !routine.isSet ? noContentSql(`bool_and(${value} IS NULL)`) : 'NULL'
    case 'array':
      if (routine !== null && !routine.isSet) return oneSql(value, isScalar, rendering.isStripped)
      return `coalesce(${stripSql(`json_agg(${value})`, rendering.isStripped)}, '[]')`
    case 'object':
      return oneSql(value, isScalar, rendering.isStripped)
    case 'csv':
      return csvSql()
    case 'geojson':
      return featuresSql(quoteNamed(rendering.feature))
    case 'aggregate':
      return aggregateSql(rendering.handler, isScalar && !routine.isSet ? value : ROWS, isScalar)
    case 'value':
      return bytesSql(`(array_agg(${value}))[1]`, rendering.isBytes)
  }
}

/** No content, but uses the value: PostgreSQL doesn't call a stable function whose result is unused. */
function noContentSql(condition: string): string {
  return `CASE WHEN ${condition} THEN NULL END`
}

/** A single row without a list: taking the first element of a JSON list would parse it again. */
function oneSql(value: string, isScalar: boolean, isStripped: boolean): string {
  const element = isScalar ? `to_json(${value})` : `row_to_json(${value})`
  return `coalesce(${stripSql(`(array_agg(${element}))[1]`, isStripped)}, 'null')`
}

/** The text form of a row is CSV, except for its parentheses; the header comes from the first row. */
function csvSql(): string {
  const first = `row_to_json((array_agg(${ROWS}))[1])`
  const names = `(SELECT string_agg(key, ',') FROM json_object_keys(${first}) AS key)`
  const lines = `string_agg(left(right(${ROWS}::text, -1), -1), E'\\n')`
  return `coalesce(${names}, '') || E'\\n' || coalesce(${lines}, '')`
}

function featuresSql(feature: string): string {
  const features = `coalesce(json_agg(${feature}(${ROWS})::json), '[]')`
  return `json_build_object('type', 'FeatureCollection', 'features', ${features})`
}

/** Casts rows to the table's type, which the aggregate requires. */
function aggregateSql({ routine, row, isBytes }: MediaHandler, value: string, isScalar: boolean): string {
  const argument = row && !isScalar ? `${value}::${quoteNamed(row)}` : value
  return bytesSql(`${quoteNamed(routine)}(${argument})`, isBytes)
}

/** Encodes bytes as hexadecimal, independent of `bytea_output`. */
function bytesSql(value: string, isBytes: boolean): string {
  return isBytes ? `encode(${value}, 'hex')` : value
}

function stripSql(json: string, isStripped: boolean): string {
  return isStripped ? `json_strip_nulls(${json})` : json
}

/** Whether `valueSql` can render a single value without an aggregate. */
export function canRenderValue({ kind }: Rendering): boolean {
  return kind === 'none' || kind === 'array' || kind === 'object' || kind === 'value'
}

/** The content if `ROWS` is a single value of a function. */
export function valueSql({ rendering }: Output, routine: Routine): string {
  const value = `${ROWS}.${SCALAR}`
  if (rendering.kind === 'none' || routine.isVoid) return noContentSql(`${value} IS NULL`)
  if (rendering.kind === 'value') return bytesSql(value, rendering.isBytes)
  const isStripped = 'isStripped' in rendering && rendering.isStripped
  return `coalesce(${stripSql(`to_json(${value})`, isStripped)}, 'null')`
}
