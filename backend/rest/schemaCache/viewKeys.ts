import type { ForeignKey } from './buildRelationships.ts'
import type { ColumnPairs } from './schemaCache.ts'
import type { TracedView } from './traceViews.ts'

/** A foreign key that still knows its tables and columns by number, which is how views refer to them. */
export interface CatalogueKey extends ForeignKey {
  tableId: number
  foreignTableId: number
  /** Pairs of column numbers, in the order of `columns`. */
  columnNumbers: [number, number][]
}

/**
 * The keys of tables, and of views that show all columns of a key: a view takes the place of either table or of
 * both. A view that shows a column several times has the key as many times, one for each choice.
 */
export function withViewKeys(keys: CatalogueKey[], views: TracedView[]): ForeignKey[] {
  const overTable = indexByTable(views)
  return keys.flatMap((key) => {
    const from = placesOf(overTable.get(key.tableId), key, 0)
    const to = placesOf(overTable.get(key.foreignTableId), key, 1)
    return from.flatMap((here) => to.map((there) => between(key, here, there)))
  })
}

/** The primary key of a view: the keys of the tables beneath it, where it shows them whole. By table id. */
export function viewPrimaryKey(view: TracedView, primaryKeys: Map<number, number[]>): string[] {
  return [...view.tables].flatMap(([table, columns]) => {
    const names = (primaryKeys.get(table) ?? []).map((number) => columns.get(number)?.[0])
    return names.every((name) => name !== undefined) ? names : []
  })
}

/** Where one side of a key is to be found: the table itself (`view` null) or a view of it. */
interface Place {
  view: TracedView | null
  columns: string[]
}

function placesOf(views: TracedView[] | undefined, key: CatalogueKey, side: 0 | 1): Place[] {
  const table: Place = { view: null, columns: key.columns.map((pair) => pair[side]) }
  const tableId = side === 0 ? key.tableId : key.foreignTableId
  const inViews = (views ?? []).flatMap((view) => {
    const shown = view.tables.get(tableId)!
    const names = key.columnNumbers.map((pair) => shown.get(pair[side]) ?? [])
    return choices(names).map((columns) => ({ view, columns }))
  })
  return [table, ...inViews]
}

/** Every way to take one of each list; none when a list is empty. */
function choices(lists: string[][]): string[][] {
  return lists.reduce<string[][]>(
    (taken, list) => taken.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  )
}

function between(key: CatalogueKey, here: Place, there: Place): ForeignKey {
  return {
    constraint: key.constraint,
    schema: here.view?.schema ?? key.schema,
    table: here.view?.name ?? key.table,
    foreignSchema: there.view?.schema ?? key.foreignSchema,
    foreignTable: there.view?.name ?? key.foreignTable,
    columns: here.columns.map((column, at) => [column, there.columns[at]!]) satisfies ColumnPairs,
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
