import type { QualifiedName } from './qualifiedName.ts'
import type { Target } from './readTargets.ts'

/** A view, with the names and origins of its columns. */
export interface ViewRow extends QualifiedName {
  id: number
  /** Column names by number. */
  columns: Record<string, string>
  targets: Target[]
}

/** A view with the columns of tables that it contains. */
export interface TracedView extends QualifiedName {
  /** By table id and column number: the column's names in the view, in order. */
  tables: Map<number, Map<number, string[]>>
}

/**
 * Traces the columns of `views` to tables, also through other views in `views`. Returns those for which `isWanted` is
 * true.
 */
export function traceViews(views: ViewRow[], isWanted: (view: QualifiedName) => boolean): TracedView[] {
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

/** Stops at cycles: a replaced view can refer to itself. */
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
