import type { Output } from '../plan/plan.ts'
import type { Routine } from '../schemaCache/schemaCache.ts'
import { SCALAR } from './callSql.ts'

/** What the rows of an answer are called where its content is made of them. */
export const ROWS = '_pgrst_rows'

/** The expression that makes the answer's content of all `ROWS`; `routine` is the function that gave them. */
export function contentSql(output: Output, routine: Routine | null): string {
  const isScalar = routine !== null && !routine.isComposite
  const value = isScalar ? `${ROWS}.${SCALAR}` : ROWS
  const strip = (json: string): string => (output.isStripped ? `json_strip_nulls(${json})` : json)
  if (output.rendering === 'none' || routine?.isVoid) return 'NULL'
  if (output.rendering === 'csv') return csvSql()
  const isSingle = output.rendering === 'object' || (routine !== null && !routine.isSet)
  // Of a single row no list is made: taking the first of a JSON list would parse it again.
  if (isSingle) {
    const one = isScalar ? `to_json(${value})` : `row_to_json(${value})`
    return `coalesce(${strip(`(array_agg(${one}))[1]`)}, 'null')`
  }
  return `coalesce(${strip(`json_agg(${value})`)}, '[]')`
}

/** A row's own text form is CSV but for its parentheses; names come from the first row. */
function csvSql(): string {
  const names = `(SELECT string_agg(key, ',') FROM json_object_keys((array_agg(row_to_json(${ROWS})))[1]) AS key)`
  const lines = `string_agg(substring(${ROWS}::text, 2, length(${ROWS}::text) - 2), E'\\n')`
  return `coalesce(${names}, '') || E'\\n' || coalesce(${lines}, '')`
}

/** The content where `ROWS` are the one value of a function. */
export function valueSql(output: Output, routine: Routine): string {
  if (output.rendering === 'none' || routine.isVoid) return 'NULL'
  const json = `to_json(${ROWS}.${SCALAR})`
  return `coalesce(${output.isStripped ? `json_strip_nulls(${json})` : json}, 'null')`
}
