import type pg from 'pg'

/**
 * Functions of the project (not of the platform or an extension) whose text may change session state. Includes false
 * positives: dynamic SQL and other languages may do anything.
 */
const SESSION_STATE_SQL = `
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
) as result`

/** Whether a request may leave session state behind, so that the session has to be reset after it. */
export async function leavesSessionState(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  return (await client.query<{ result: boolean }>(SESSION_STATE_SQL)).rows[0]!.result
}
