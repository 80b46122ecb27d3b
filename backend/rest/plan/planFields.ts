import type { Field, Filter, LogicTree, SelectedField } from '../parse/query.ts'
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
  const field = planField(table, item.field)
  return { field, cast: item.cast, alias: item.alias ?? nameOfValue(item) }
}

/** `data->a->>0` is answered as `a`, the last key on its path; `data->0` as `data`. */
function nameOfValue({ field, cast }: SelectedField): string | null {
  if (field.path.length === 0) return cast ? field.name : null
  return field.path.findLast((step) => !step.isIndex)?.key ?? field.name
}

export function planFilter(table: Table | undefined, filter: Filter): PlannedLogic {
  const { negated, operation } = filter
  return {
    kind: 'filter',
    field: planField(table, filter.field, operation.kind === 'fts'),
    negated,
    operation,
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
