/** What only the description needs to know of a schema: read when someone asks for it, kept out of the hot cache. */
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
  /** Without modifiers; of a domain over a type of PostgreSQL's own, that type. */
  type: string
  isNullable: boolean
  /** Characters at most; null is no limit. */
  maxLength: number | null
  /** Of an enum, else none. */
  labels: string[]
}

export interface RoutineDetails {
  comment: string | null
  /** The parameters' types in order, those of the schema itself without its name. */
  types: string[]
}

/** What a caller may use of a schema: names of tables and views, oids of functions. */
export interface Access {
  tables: Set<string>
  routines: Set<string>
}
