import type { QualifiedName } from './qualifiedName.ts'
import type { Isolation } from '../../postgres/connections/roleSettings.ts'
import type { MediaHandlers, MediaType } from './mediaHandlers.ts'
import type { Representation } from './representations.ts'

/** The objects of the database to which a plan can refer. A cache is immutable; a reload creates a new one. */
export interface SchemaCache {
  /** The tables and views of exposed schemas, by `keyOf(schema, name)`. */
  tables: Map<string, Table>
  /** The relationships by the key of the origin table. */
  relationships: Map<string, Relationship[]>
  /** The overloads by the key of their name, fewest parameters first. */
  routines: Map<string, Routine[]>
  mediaHandlers: MediaHandlers
}

export interface Column {
  name: string
  /** SQL type with modifiers: `character varying(20)`. */
  type: string
  /** The type without domains and modifiers. */
  baseType: string
  /** SQL expression from the catalogue; null if there is no default or the column is generated. */
  default: string | null
  /** Representation of its domain, if any. */
  representation?: Representation
}

export interface Table extends QualifiedName {
  isView: boolean
  /** Whether its rows may depend on the caller: it has row security, or is a view. */
  hidesRows: boolean
  insertable: boolean
  updatable: boolean
  deletable: boolean
  primaryKey: string[]
  columns: Map<string, Column>
  /** The API roles with a privilege on it. Only these get its name as a suggestion. */
  roles: string[]
}

export type ForeignCardinality = 'many-to-one' | 'one-to-many' | 'one-to-one'

/** Pairs of a column of `table` and a column of `foreign`. */
export type ColumnPairs = [string, string][]

export interface ForeignRelationship {
  kind: ForeignCardinality
  table: QualifiedName
  foreign: QualifiedName
  constraint: string
  columns: ColumnPairs
  /** Whether `foreign` has the foreign key. For one-to-one relationships the kind doesn't show this. */
  isParent: boolean
}

export interface JunctionRelationship {
  kind: 'many-to-many'
  table: QualifiedName
  foreign: QualifiedName
  junction: QualifiedName
  /** The junction's two constraints: to `table`, to `foreign`. */
  constraints: [string, string]
  /** Pairs of a column of `table` and one of the junction. */
  columns: ColumnPairs
  /** Pairs of a column of `foreign` and one of the junction. */
  foreignColumns: ColumnPairs
}

/** A function that takes a row of `table` and returns rows of `foreign`. */
export interface ComputedRelationship {
  kind: 'computed'
  table: QualifiedName
  foreign: QualifiedName
  routine: QualifiedName
  isSingle: boolean
}

export type Relationship = ForeignRelationship | JunctionRelationship | ComputedRelationship

export interface Parameter {
  /** Empty if unnamed. */
  name: string
  type: string
  /** The type for casts: `bit` and `character` would truncate an argument to one character. */
  readAs: string
  isRequired: boolean
  isVariadic: boolean
}

export interface Routine extends QualifiedName {
  /** Id in the catalogue; distinguishes overloads. */
  oid: string
  parameters: Parameter[]
  isSet: boolean
  isComposite: boolean
  isVoid: boolean
  /** The media type of its result, if the type is named like one. */
  media: MediaType | null
  /** The table or composite type of the result, else the scalar type. */
  returns: QualifiedName
  volatility: 'immutable' | 'stable' | 'volatile'
  /**
   * The settings that must apply before the statement starts. PostgreSQL applies the other settings of the function.
   */
  settings: Record<string, string>
  isolation: Isolation | null
  roles: string[]
}

/** Whether a relationship leads to at most one row. */
export function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === 'computed') return relationship.isSingle
  return relationship.kind === 'many-to-one' || relationship.kind === 'one-to-one'
}
