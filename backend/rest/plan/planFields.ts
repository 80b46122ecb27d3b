import type { Aggregate, Field, Filter, LogicTree, SelectedField } from '../parse/query.ts'
import type { Representation } from '../schemaCache/representations.ts'
import type { Table } from '../schemaCache/schemaCache.ts'
import type { PlannedField, PlannedLogic, PlannedSelect, ReadNode } from './plan.ts'

/** A column the cache doesn't know may be a computed one: PostgreSQL answers for it (42703 if not). */
export function planField(table: Table | undefined, field: Field, isSearched = false): PlannedField {
  const column = table?.columns.get(field.name)
  const type = column?.type
  return {
    name: field.name,
    path: field.path,
    toJson: type !== 'json' && type !== 'jsonb',
    toTsVector:
      isSearched && column !== undefined && (column.baseType !== 'tsvector' || field.path.length > 0),
  }
}

export function planSelect(table: Table | undefined, item: SelectedField): PlannedSelect {
  const format = representationOf(table, item.field)?.toJson ?? null
  const alias = item.alias ?? nameOfValue(item) ?? (format ? item.field.name : null)
  return { field: planField(table, item.field), format, cast: item.cast, aggregate: null, alias }
}

/** `column` is what the value is called until it is aggregated, maybe by the node above. */
export function planAggregate(
  table: Table | undefined,
  item: SelectedField & { aggregate: Aggregate },
  column: string,
): PlannedSelect {
  const aggregate = { name: item.aggregate, cast: item.aggregateCast, alias: item.alias ?? item.aggregate }
  return { field: planField(table, item.field), format: null, cast: item.cast, aggregate, alias: column }
}

/** `*` as the columns that it stands for: to group by each, to name each in another statement, or to format one. */
export function expandStar(table: Table | undefined, select: PlannedSelect): PlannedSelect[] {
  if (!table || select.field.name !== '*' || select.aggregate) return [select]
  const { cast, alias } = select
  return [...table.columns.keys()].map((name) => {
    const field = { name, path: [] }
    return planSelect(table, { kind: 'field', field, alias, cast, aggregate: null, aggregateCast: null })
  })
}

/** Whether a column of the table is told in its own way. */
export function hasFormats(table: Table | undefined): boolean {
  return table !== undefined && [...table.columns.values()].some((column) => column.representation?.toJson)
}

/** A part of a value has none: it is what is within the representation of the whole. */
function representationOf(table: Table | undefined, { name, path }: Field): Representation | undefined {
  return path.length === 0 ? table?.columns.get(name)?.representation : undefined
}

/** `data->a->>0` is answered as `a`, the last key on its path; `data->0` as `data`. An empty key can't name it. */
function nameOfValue({ field, cast }: SelectedField): string | null {
  if (field.path.length === 0) return cast ? field.name : null
  return field.path.findLast((step) => !step.isIndex)?.key || field.name
}

export function planFilter(table: Table | undefined, filter: Filter): PlannedLogic {
  const { negated, operation } = filter
  return {
    kind: 'filter',
    field: planField(table, filter.field, operation.kind === 'fts'),
    negated,
    operation,
    parse: representationOf(table, filter.field)?.fromText ?? null,
  }
}

/** Plans a filter or group; `embeds` are those whose emptiness a filter may ask for by their name. */
export function planLogic(table: Table | undefined, tree: LogicTree, embeds: ReadNode[]): PlannedLogic {
  if (tree.kind !== 'filter') {
    return {
      kind: tree.kind,
      negated: tree.negated,
      items: tree.items.map((item) => planLogic(table, item, embeds)),
    }
  }
  const { field, operation } = tree
  if (field.path.length === 0 && operation.kind === 'is' && operation.value === 'null') {
    const embed = embeds.find((node) => (node.alternative ?? node.relation) === field.name)
    if (embed) return { kind: 'embed', hasRows: tree.negated, embed }
  }
  return planFilter(table, tree)
}
