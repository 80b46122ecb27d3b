/** Details of a schema for its OpenAPI description only; not in the schema cache, as they are rarely used. */
export interface SchemaDetails {
  comment: string | null
  /** By name. */
  tables: Map<string, TableDetails>
  /** By oid. */
  routines: Map<string, RoutineDetails>
}

export interface TableDetails {
  comment: string | null
  /** By name. */
  columns: Map<string, ColumnDetails>
}

export interface ColumnDetails {
  comment: string | null
  /** Without modifiers; for a domain over a built-in type, that type. */
  type: string
  isNullable: boolean
  /** Maximum number of characters; null is no limit. */
  maxLength: number | null
  /** Labels of an enum, else empty. */
  labels: string[]
}

export interface RoutineDetails {
  comment: string | null
  /** Parameter types in order; types of the schema itself are not qualified. */
  types: string[]
}

/** Objects that a caller can use: names of tables and views, oids of functions. */
export interface SchemaAccess {
  tables: Set<string>
  routines: Set<string>
}

/** Splits a comment into its first line and the rest, without blank lines between them. */
export function splitComment(comment: string | null): { first?: string; rest?: string } {
  if (comment === null) return {}
  const end = comment.indexOf('\n')
  if (end < 0) return { first: comment }
  const rest = comment.slice(end).replace(/^\n+/, '')
  return { first: comment.slice(0, end), ...(rest !== '' && { rest }) }
}
