import type { Aggregate, JsonStep, Operation, RowRange } from '../parse/query.ts'
import type { Explain, Media } from '../parse/parseMedia.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { MediaHandler } from '../schemaCache/mediaHandlers.ts'
import type { Column, Relationship, Routine } from '../schemaCache/schemaCache.ts'
import type { Named } from '../schemaCache/named.ts'

/** A field with what its type asks for in SQL. */
export interface PlannedField {
  name: string
  path: JsonStep[]
  /** Arrows need JSON on their left: other types are turned into it, json and jsonb are left to their indexes. */
  toJson: boolean
  /** Text search on anything but a tsvector. */
  toTsVector: boolean
}

export interface PlannedAggregate {
  name: Aggregate
  cast: string | null
  /** What its value is called in the answer. */
  alias: string
}

export interface PlannedSelect {
  field: PlannedField
  /** Writes the value as JSON, where the column's representation has its own way. */
  format: Named | null
  /** Of the value, before it is aggregated. */
  cast: string | null
  aggregate: PlannedAggregate | null
  /** Null where PostgreSQL's own name for the column is right. */
  alias: string | null
}

export interface PlannedFilter {
  kind: 'filter'
  field: PlannedField
  negated: boolean
  operation: Operation
  /** Reads the operand, where the column's representation has its own way. */
  parse: Named | null
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
  /** The embed whose field it is, else the node itself. */
  embed: ReadNode | null
  field: PlannedField
  direction: 'asc' | 'desc' | null
  nulls: 'first' | 'last' | null
}

/** How an embed hangs on the node above it. */
export interface Attachment {
  relationship: Relationship
  isInner: boolean
  isSpread: boolean
  /** Its name in the answer. */
  name: string
  /** What its rows are called in the parent's statement. */
  rows: string
  /** What the table between is called, in many-to-many. */
  junction: string | null
}

/** One SELECT: the resource itself or an embed. */
export interface ReadNode {
  /** Null: the rows of the write or call that runs before, whatever they are. */
  from: Named | null
  alias: string
  fields: PlannedSelect[]
  embeds: ReadNode[]
  where: PlannedLogic[]
  order: PlannedOrder[]
  range: RowRange | null
  attachment: Attachment | null
  /** Names it was given in `select`. */
  relation: string
  alternative: string | null
}

/** How the content is made from rows. */
export type Rendering =
  /** Not at all: no one asked for it. */
  | { kind: 'none' }
  | { kind: 'array' | 'object'; isStripped: boolean }
  | { kind: 'csv' }
  /** A FeatureCollection; the function makes a feature of a row. */
  | { kind: 'geojson'; feature: Named }
  /** By an aggregate of the database's own. */
  | { kind: 'aggregate'; handler: MediaHandler }
  /** The value that a function gives is the content. */
  | { kind: 'value'; isBytes: boolean }

export interface Output {
  rendering: Rendering
  /** What the answer is named as. */
  media: Media
  /** One row or 406. */
  isSingular: boolean
  /** Answers with the statement's plan instead of running it. */
  explain: Explain | null
}

interface PlanBase {
  root: ReadNode
  output: Output
  preferences: Preferences
  /** Embeds that were filtered by table name although they have an alias: [table, alias]. */
  legacyNames: [string, string][]
}

export interface ReadPlan extends PlanBase {
  kind: 'read'
}

export type WriteColumn = Pick<Column, 'name' | 'type' | 'default' | 'representation'>

export interface WritePlan extends PlanBase {
  kind: 'insert' | 'update' | 'delete' | 'put'
  table: Named
  columns: WriteColumn[]
  bodyIsObject: boolean
  where: PlannedLogic[]
  /** Columns to answer with; `*` for all; empty when only their number matters. */
  returning: string[]
  primaryKey: string[]
  conflict: { columns: string[]; resolution: 'merge-duplicates' | 'ignore-duplicates' } | null
  usesDefaults: boolean
  /** Whether 201 or 200 depends on how many of the rows were new. */
  countsInserted: boolean
  wantsLocation: boolean
}

/** Where a called function's arguments come from. */
export type Arguments =
  | { kind: 'none' }
  | { kind: 'body' }
  | { kind: 'json'; isObject: boolean }
  | { kind: 'inputs'; inputs: Map<string, number[]> }

export interface CallPlan extends PlanBase {
  kind: 'call'
  routine: Routine
  /** Names of those given; the others have defaults. */
  given: string[]
  arguments: Arguments
  returning: string[]
  isReadOnly: boolean
}

export type Plan = ReadPlan | WritePlan | CallPlan
