import type { ForeignKey } from './buildRelationships.ts'
import type { ColumnPairs } from './schemaCache.ts'
import type { TracedView } from './traceViews.ts'

/** A foreign key with the ids of its tables and columns, by which views refer to them. */
export interface CatalogueKey extends ForeignKey {
  tableId: number
  foreignTableId: number
  /** Pairs of column numbers, in the order of `columns`. */
  columnNumbers: [number, number][]
}

/**
 * Adds foreign keys for views that contain all columns of a key, in place of either table or of both. For repeated columns
 * there is one key for each combination.
 */
export function withViewKeys(keys: CatalogueKey[], views: TracedView[]): ForeignKey[] {
  const viewsByTable = indexByTable(views)
  return keys.flatMap((key) => {
    const from = sidesOf(viewsByTable.get(key.tableId), key, 0)
    const to = sidesOf(viewsByTable.get(key.foreignTableId), key, 1)
    return from.flatMap((fromSide) => to.map((toSide) => createKey(key, fromSide, toSide)))
  })
}

/** The primary key of a view: the complete primary keys of its tables. */
export function viewPrimaryKey(view: TracedView, primaryKeys: Map<number, number[]>): string[] {
  return [...view.tables].flatMap(([table, columns]) => {
    const names = (primaryKeys.get(table) ?? []).map((number) => columns.get(number)?.[0])
    return names.every((name) => name !== undefined) ? names : []
  })
}

/** One side of a key: the table itself (`view` null) or a view of it. */
interface KeySide {
  view: TracedView | null
  columns: string[]
}

function sidesOf(views: TracedView[] | undefined, key: CatalogueKey, side: 0 | 1): KeySide[] {
  const table: KeySide = { view: null, columns: key.columns.map((pair) => pair[side]) }
  const tableId = side === 0 ? key.tableId : key.foreignTableId
  const inViews = (views ?? []).flatMap((view) => {
    const shown = view.tables.get(tableId)!
    const names = key.columnNumbers.map((pair) => shown.get(pair[side]) ?? [])
    return combinations(names).map((columns) => ({ view, columns }))
  })
  return [table, ...inViews]
}

/** The Cartesian product of the lists. */
function combinations(lists: string[][]): string[][] {
  return lists.reduce<string[][]>(
    (taken, list) => taken.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  )
}

function createKey(key: CatalogueKey, fromSide: KeySide, toSide: KeySide): ForeignKey {
  return {
    constraint: key.constraint,
    schema: fromSide.view?.schema ?? key.schema,
    table: fromSide.view?.name ?? key.table,
    foreignSchema: toSide.view?.schema ?? key.foreignSchema,
    foreignTable: toSide.view?.name ?? key.foreignTable,
    columns: fromSide.columns.map((column, at) => [column, toSide.columns[at]!]) satisfies ColumnPairs,
    isUnique: key.isUnique,
  }
}

function indexByTable(views: TracedView[]): Map<number, TracedView[]> {
  const index = new Map<number, TracedView[]>()
  for (const view of views) {
    for (const table of view.tables.keys()) {
      const list = index.get(table)
      if (list) list.push(view)
      else index.set(table, [view])
    }
  }
  return index
}
