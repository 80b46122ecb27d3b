import type pg from 'pg'
import { readTargets } from './readTargets.ts'
import { traceViews } from './traceViews.ts'
import type { TracedView, ViewRow } from './traceViews.ts'
import { VIEWS_SQL } from './viewKeysSql.ts'

const BATCH_SIZE = 100

/**
 * Reads the views of the exposed schemas and traces their columns, also through views of `searchPath`. Keeps only the
 * origins of columns from each query tree. Throws pg's errors.
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
      BATCH_SIZE,
    ])
    for (const { tree, ...view } of rows) {
      last = Number(view.id)
      views.push({ ...view, id: last, targets: readTargets(tree) })
    }
    if (rows.length < BATCH_SIZE) break
  }
  return traceViews(views, ({ schema }) => exposed.includes(schema))
}
