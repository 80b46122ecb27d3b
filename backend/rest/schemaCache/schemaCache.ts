import type { Isolation } from '../../postgres/connections/roleSettings.ts'
import type { MediaHandlers, MediaType } from './mediaHandlers.ts'
import type { Named } from './named.ts'
import type { Representation } from './representations.ts'

/**
 * What the service knows of the database: everything that a plan may name. A cache is built whole and
 * never changed; a reload makes the next one.
 */
export interface SchemaCache {
  /** By `keyOf(schema, name)`; exposed schemas only. */
  tables: Map<string, Table>
  /** By the key of the table they start from. */
  relationships: Map<string, Relationship[]>
  /** Overloads by the key of their name, fewest parameters first. */
  routines: Map<string, Routine[]>
  mediaHandlers: MediaHandlers
}

export interface Column {
  name: string
  /** As written in SQL, modifiers included: `character varying(20)`. */
  type: string
  /** Its type without domains and modifiers. */
  baseType: string
  /** An SQL expression of the database's own; null where a value must be given or is generated. */
  default: string | null
  /** Where its domain has one. */
  representation?: Representation
}

export interface Table extends Named {
  isView: boolean
  /** Its rows may differ from caller to caller: it has row security, or is a view of what may have. */
  hidesRows: boolean
  insertable: boolean
  updatable: boolean
  deletable: boolean
  primaryKey: string[]
  columns: Map<string, Column>
  /** API roles with any right on it: names are suggested to no one else. */
  roles: string[]
}

export type ForeignCardinality = 'many-to-one' | 'one-to-many' | 'one-to-one'

/** Pairs of columns: ours, theirs. */
export type ColumnPairs = [string, string][]

export interface ForeignRelationship {
  kind: ForeignCardinality
  table: Named
  foreign: Named
  constraint: string
  columns: ColumnPairs
  /** Whether the foreign key is the other table's: in one-to-one the kind doesn't say it. */
  isParent: boolean
}

export interface JunctionRelationship {
  kind: 'many-to-many'
  table: Named
  foreign: Named
  junction: Named
  /** The junction's two constraints: towards `table`, towards `foreign`. */
  constraints: [string, string]
  /** Pairs of a column of `table` and one of the junction. */
  columns: ColumnPairs
  /** Pairs of a column of `foreign` and one of the junction. */
  foreignColumns: ColumnPairs
}

/** A function of one row of `table` that gives rows of `foreign`. */
export interface ComputedRelationship {
  kind: 'computed'
  table: Named
  foreign: Named
  routine: Named
  isSingle: boolean
}

export type Relationship = ForeignRelationship | JunctionRelationship | ComputedRelationship

export interface Parameter {
  /** Empty when it has none. */
  name: string
  type: string
  /** Its type without a length of one: `bit` and `character` alone would cut an argument to one place. */
  readAs: string
  isRequired: boolean
  isVariadic: boolean
}

export interface Routine extends Named {
  /** In the catalogue; tells overloads apart. */
  oid: string
  parameters: Parameter[]
  isSet: boolean
  isComposite: boolean
  isVoid: boolean
  /** What its value is, where its type is named as a media type. */
  media: MediaType | null
  /** The table or type whose rows come back, else the name of a scalar type. */
  returns: Named
  volatility: 'immutable' | 'stable' | 'volatile'
  /** Those of its own settings that must hold before its statement begins; the others it sets itself. */
  settings: Record<string, string>
  isolation: Isolation | null
  roles: string[]
}

export function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === 'computed') return relationship.isSingle
  return relationship.kind === 'many-to-one' || relationship.kind === 'one-to-one'
}
