import type { Explain, Media } from '../parse/parseMedia.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { Aggregate, JsonStep, Operation, RowRange } from '../parse/query.ts'
import type { MediaHandler } from '../schemaCache/mediaHandlers.ts'
import type { QualifiedName } from '../schemaCache/qualifiedName.ts'
import type { Column, Relationship, Routine } from '../schemaCache/schemaCache.ts'

/** A field with the conversions that its type needs. */
export interface PlannedField {
  name: string
  path: JsonStep[]
  /** Whether to convert for the arrow operators; json and jsonb stay unconverted, so that indexes can be used. */
  toJson: boolean
  /** Whether to convert for text search, unless it is a tsvector. */
  toTsVector: boolean
}

export interface PlannedAggregate {
  name: Aggregate
  cast: string | null
  /** Name in the response. */
  alias: string
}

export interface PlannedSelect {
  field: PlannedField
  /** Function of the column's representation that converts to JSON, if any. */
  format: QualifiedName | null
  /** Cast of the value before aggregation. */
  cast: string | null
  aggregate: PlannedAggregate | null
  /** Null if PostgreSQL's default name is right. */
  alias: string | null
}

export interface PlannedFilter {
  kind: 'filter'
  field: PlannedField
  negated: boolean
  operation: Operation
  /** Function of the column's representation that parses the operand, if any. */
  parse: QualifiedName | null
}

/** `clients=not.is.null`: whether the embed has rows. */
export interface EmbedFilter {
  kind: 'embed'
  hasRows: boolean
  embed: ReadNode
}

export interface PlannedGroup {
  kind: 'and' | 'or'
  negated: boolean
  items: PlannedLogic[]
}

export type PlannedLogic = PlannedFilter | EmbedFilter | PlannedGroup

export interface PlannedOrder {
  /** The embed that has the field, else null for the node itself. */
  embed: ReadNode | null
  field: PlannedField
  direction: 'asc' | 'desc' | null
  nulls: 'first' | 'last' | null
}

/** How an embed is joined to its parent. */
export interface Attachment {
  relationship: Relationship
  isInner: boolean
  isSpread: boolean
  /** Name in the response. */
  name: string
  /** Alias of its rows in the parent's statement. */
  rows: string
  /** Alias of the junction table, for many-to-many. */
  junction: string | null
}

/** The size of the rows of all nodes that have this limit. A list is counted on each level that contains it. */
export interface ByteLimit {
  /** Of the response. */
  maxBytes: number
  /** Nested levels that are counted. */
  levels: number
}

/** One SELECT: the resource itself or an embed. */
export interface ReadNode {
  /** Null: the rows of the preceding write or call. */
  from: QualifiedName | null
  alias: string
  fields: PlannedSelect[]
  embeds: ReadNode[]
  where: PlannedLogic[]
  order: PlannedOrder[]
  range: RowRange | null
  /**
   * The columns of its rows if `range` applies before embeds are joined; null if it applies to the joined rows, since
   * embeds may change their number or order, or refer to more than columns.
   */
  limitedColumns: string[] | null
  /** For rows that contain lists, whose product `range` does not bound; else null. */
  byteLimit: ByteLimit | null
  attachment: Attachment | null
  /** Target name in `select`; `alternative` is the alias. */
  relation: string
  alternative: string | null
}

/** How rows are rendered. */
export type Rendering =
  /** No content was requested. */
  | { kind: 'none' }
  | { kind: 'array' | 'object'; isStripped: boolean }
  | { kind: 'csv' }
  /** A FeatureCollection; the function converts a row to a feature. */
  | { kind: 'geojson'; feature: QualifiedName }
  /** By an aggregate in the database. */
  | { kind: 'aggregate'; handler: MediaHandler }
  /** The value of a function is the content. */
  | { kind: 'value'; isBytes: boolean }

export interface Output {
  rendering: Rendering
  /** Media type of the response. */
  media: Media
  /** Whether the response must have exactly one row (else 406). */
  isSingular: boolean
  /** Returns the statement's plan instead of its result. */
  explain: Explain | null
}

interface PlanBase {
  root: ReadNode
  output: Output
  preferences: Preferences
  /** Embeds with an alias that were filtered by table name: [table, alias]. */
  legacyNames: [string, string][]
}

export interface ReadPlan extends PlanBase {
  kind: 'read'
}

export type WriteColumn = Pick<Column, 'name' | 'type' | 'default' | 'representation'>

export interface WritePlan extends PlanBase {
  kind: 'insert' | 'update' | 'delete' | 'put'
  table: QualifiedName
  columns: WriteColumn[]
  bodyIsObject: boolean
  where: PlannedLogic[]
  /** Columns to return; `*` for all; empty if only the row count is needed. */
  returning: string[]
  primaryKey: string[]
  conflict: { columns: string[]; resolution: 'merge-duplicates' | 'ignore-duplicates' } | null
  usesDefaults: boolean
  /** Whether the status 201 or 200 depends on the number of inserted rows. */
  countsInserted: boolean
  wantsLocation: boolean
}

/** Source of a function's arguments. */
export type Arguments =
  | { kind: 'none' }
  | { kind: 'body' }
  | { kind: 'json'; isObject: boolean }
  | { kind: 'inputs'; inputs: Map<string, number[]> }

export interface CallPlan extends PlanBase {
  kind: 'call'
  routine: Routine
  /** Names of the given arguments; the others have defaults. */
  given: string[]
  arguments: Arguments
  returning: string[]
  isReadOnly: boolean
}

export type Plan = ReadPlan | WritePlan | CallPlan
