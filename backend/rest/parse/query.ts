/**
 * The syntax tree of a query string, independent of the schema.
 *
 * The grammar is PostgREST's (docs.postgrest.org, "URL grammar"). Operands of plain filters are separated as `inputs`, so
 * that requests that differ only in values share one plan and one statement.
 */

/** A value: text of the query, or the n-th input of the request. */
export type Operand = { text: string } | { input: number }

/** One step of a JSON path: `->key`, `->>key` (asText), `->0` (isIndex). */
export interface JsonStep {
  key: string
  isIndex: boolean
  asText: boolean
}

export interface Field {
  name: string
  path: JsonStep[]
}

export type Aggregate = 'sum' | 'avg' | 'count' | 'max' | 'min'

export interface SelectedField {
  kind: 'field'
  /** Name `*` means all columns. */
  field: Field
  alias: string | null
  cast: string | null
  aggregate: Aggregate | null
  /** Cast of the aggregate's result; `cast` is that of its argument. */
  aggregateCast: string | null
}

export interface SelectedEmbed {
  kind: 'embed'
  relation: string
  alias: string | null
  hint: string | null
  join: 'inner' | 'left' | null
  spread: boolean
  items: SelectItem[]
}

export type SelectItem = SelectedField | SelectedEmbed

export const COMPARISONS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'match',
  'imatch',
  'cs',
  'cd',
  'ov',
  'sl',
  'sr',
  'nxr',
  'nxl',
  'adj',
] as const

export type Comparison = (typeof COMPARISONS)[number]

export const TEXT_SEARCHES = ['fts', 'plfts', 'phfts', 'wfts'] as const

export type TextSearch = (typeof TEXT_SEARCHES)[number]

export const IS_VALUES = ['null', 'not_null', 'true', 'false', 'unknown'] as const

export type IsValue = (typeof IS_VALUES)[number]

export type Operation =
  | { kind: 'compare'; operator: Comparison; quantifier: 'any' | 'all' | null; operand: Operand }
  | { kind: 'in'; operand: { values: string[] } | { input: number } }
  | { kind: 'is'; value: IsValue }
  | { kind: 'isdistinct'; operand: Operand }
  | { kind: 'fts'; search: TextSearch; language: string | null; operand: Operand }

export interface Filter {
  kind: 'filter'
  field: Field
  negated: boolean
  operation: Operation
}

export interface LogicGroup {
  kind: 'and' | 'or'
  negated: boolean
  items: LogicTree[]
}

export type LogicTree = Filter | LogicGroup

export interface OrderTerm {
  /** The embed whose field orders the rows, as in `order=clients(name)`. */
  relation: string | null
  field: Field
  direction: 'asc' | 'desc' | null
  nulls: 'first' | 'last' | null
}

/** Names of nested embeds; empty for the resource itself. */
export type EmbedPath = string[]

/** Requested rows: `limit` null means all; a negative `limit` can't be satisfied. */
export interface RowRange {
  offset: number
  limit: number | null
}

export interface Query {
  select: SelectItem[]
  filters: { path: EmbedPath; filter: Filter }[]
  logic: { path: EmbedPath; tree: LogicTree }[]
  order: { path: EmbedPath; terms: OrderTerm[] }[]
  ranges: { path: EmbedPath; range: RowRange }[]
  onConflict: string[] | null
  /** `name=value` pairs without an operator: the arguments of a function called by GET. */
  args: { name: string; input: number }[]
  /** Names of all filtered fields as written, with JSON paths (PUT requires exactly the key). */
  filterNames: Set<string>
}
