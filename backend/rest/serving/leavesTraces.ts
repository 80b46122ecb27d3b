import type pg from 'pg'

/**
 * Functions of the database's own (not of the platform or an extension) whose text has what may outlive a
 * transaction. Rather one too many: dynamic SQL may hold anything, and so may other languages.
 */
const TRACES_SQL = `
select exists (
  select from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_language l on l.oid = p.prolang,
  lateral (select coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc) as body) b
  where n.nspname !~ '^pg_' and n.nspname not in
      ('information_schema', 'auth', 'storage', 'realtime', 'extensions', 'linnet_platform')
    and not exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e')
    and (l.lanname not in ('sql', 'plpgsql', 'c', 'internal')
      or body ~* '(^|;|''|\\m(begin|then|else|loop)\\M)\\s*(re)?set\\s+(?!local\\M|constraints\\M|transaction\\M)'
      or body ~* '\\m(execute|temp|temporary|listen|prepare|discard|with\\s+hold|pg_(try_)?advisory_lock\\w*)\\M'
      or pg_catalog.regexp_count(body, 'set_config\\s*\\(', 1, 'i')
        <> pg_catalog.regexp_count(body, 'set_config\\s*?\\([^;]*?,\\s*?(is_local\\s*?(=>|:=)\\s*?)?true\\s*?\\)', 1, 'i'))
) as answer`

/** Whether anything that a request may run leaves something to its session, so that this has to be tidied. */
export async function leavesTraces(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  return (await client.query<{ answer: boolean }>(TRACES_SQL)).rows[0]!.answer
}
