import type { Aggregate, Field, Filter, LogicTree, SelectedField } from '../parse/query.ts'
import type { Representation } from '../schemaCache/representations.ts'
import type { Table } from '../schemaCache/schemaCache.ts'
import type { PlannedField, PlannedLogic, PlannedSelect, ReadNode } from './plan.ts'

/** An unknown column may be a computed one; if not, PostgreSQL reports it (42703). */
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
  const alias = item.alias ?? defaultName(item) ?? (format ? item.field.name : null)
  return { field: planField(table, item.field), format, cast: item.cast, aggregate: null, alias }
}

/** `column` is the name of the value before aggregation, which the parent may apply. */
export function planAggregate(
  table: Table | undefined,
  item: SelectedField & { aggregate: Aggregate },
  column: string,
): PlannedSelect {
  const aggregate = { name: item.aggregate, cast: item.aggregateCast, alias: item.alias ?? item.aggregate }
  return { field: planField(table, item.field), format: null, cast: item.cast, aggregate, alias: column }
}

/** Replaces `*` by its columns, for grouping, spreading or formatting. */
export function expandStar(table: Table | undefined, select: PlannedSelect): PlannedSelect[] {
  if (!table || select.field.name !== '*' || select.aggregate) return [select]
  const { cast, alias } = select
  return [...table.columns.keys()].map((name) => {
    const field = { name, path: [] }
    return planSelect(table, { kind: 'field', field, alias, cast, aggregate: null, aggregateCast: null })
  })
}

/** Whether a column of the table has a JSON representation. */
export function hasRepresentations(table: Table | undefined): boolean {
  return table !== undefined && [...table.columns.values()].some((column) => column.representation?.toJson)
}

/** Parts of a value (a JSON path) have no representation. */
function representationOf(table: Table | undefined, { name, path }: Field): Representation | undefined {
  return path.length === 0 ? table?.columns.get(name)?.representation : undefined
}

/** The default name: for `data->a->>0` the last key `a`; for `data->0` and empty keys `data`. */
function defaultName({ field, cast }: SelectedField): string | null {
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

/** Plans a filter or group; a filter can test by name whether one of `embeds` is empty. */
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
