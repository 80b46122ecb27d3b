import type { Target } from './readTargets.ts'
import type { Named } from './named.ts'

/** A view, what its columns are called, and the columns they show. */
export interface ViewRow extends Named {
  id: number
  /** Names by number. */
  columns: Record<string, string>
  targets: Target[]
}

/** A view with the columns of each table beneath it, as far as it shows them. */
export interface TracedView extends Named {
  /** By the id of the table, by the number of its column: the view's names for it, in the view's order. */
  tables: Map<number, Map<number, string[]>>
}

/**
 * Follows the columns of `views` down to tables, through views of views. All of `views` may lie beneath another;
 * `isWanted` says which are asked for.
 */
export function traceViews(views: ViewRow[], isWanted: (view: Named) => boolean): TracedView[] {
  const byId = new Map(views.map((view) => [view.id, view]))
  return views.filter(isWanted).map((view) => {
    const traced: TracedView = { schema: view.schema, name: view.name, tables: new Map() }
    for (const { column, originTable, originColumn } of [...view.targets].sort(
      (a, b) => a.column - b.column,
    )) {
      const name = view.columns[column]
      const origin = followColumn(byId, originTable, originColumn)
      if (name !== undefined && origin) addName(traced, origin, name)
    }
    return traced
  })
}

type Origin = [table: number, column: number]

/** Each step down must reach a view not yet passed: a replaced view can stand on itself. */
function followColumn(byId: Map<number, ViewRow>, table: number, column: number): Origin | null {
  const passed = new Set<number>()
  let origin: Origin = [table, column]
  for (let view = byId.get(table); view; view = byId.get(origin[0])) {
    if (passed.has(view.id)) return null
    passed.add(view.id)
    const target = view.targets.find((each) => each.column === origin[1])
    if (!target) return null
    origin = [target.originTable, target.originColumn]
  }
  return origin
}

function addName({ tables }: TracedView, [table, column]: Origin, name: string): void {
  const columns = tables.get(table) ?? new Map<number, string[]>()
  tables.set(table, columns)
  const names = columns.get(column)
  if (names) names.push(name)
  else columns.set(column, [name])
}
