import type pg from 'pg'
import { readTargets } from './readTargets.ts'
import { traceViews } from './traceViews.ts'
import type { TracedView, ViewRow } from './traceViews.ts'
import { VIEWS_SQL } from './viewKeysSql.ts'

const PORTION = 100

/**
 * Reads the views of the exposed schemas and traces their columns, through views of `searchPath` too. Only as much
 * of each query tree is kept as says where its columns come from. Throws pg's errors.
 */
export async function loadViews(
  client: Pick<pg.ClientBase, 'query'>,
  exposed: string[],
  searchPath: string[],
): Promise<TracedView[]> {
  const schemas = [...new Set([...exposed, ...searchPath])]
  const views: ViewRow[] = []
  let last = 0
  for (;;) {
    const { rows } = await client.query<Omit<ViewRow, 'targets'> & { tree: string }>(VIEWS_SQL, [
      schemas,
      last,
      PORTION,
    ])
    for (const { tree, ...view } of rows) {
      last = Number(view.id)
      views.push({ ...view, id: last, targets: readTargets(tree) })
    }
    if (rows.length < PORTION) break
  }
  return traceViews(views, ({ schema }) => exposed.includes(schema))
}
