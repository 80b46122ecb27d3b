import type pg from 'pg'
import { readTargets } from './readTargets.ts'
import { type TracedView, traceViews, type ViewRow } from './traceViews.ts'

/**
 * Views with their stored query trees, to trace their columns; run with an empty search_path. In batches: trees are
 * large, and those of a thousand views would exhaust memory.
 * `$1` are the schemas, `$2` the last id, `$3` the batch size.
 */
const VIEWS_SQL = `
select
  c.oid::int8 as id, n.nspname as schema, c.relname as name, r.ev_action as tree,
  (select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname = any ($1::text[]) and c.oid > $2::oid
order by c.oid limit $3`

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
