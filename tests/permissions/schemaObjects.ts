import type { TestTransaction } from '../../supabase/tests/support/fixture.ts'
import type { Matrix } from './readMatrix.ts'

/** All objects of the schema that a caller could reach: `kind name`. */
export async function schemaObjects(session: TestTransaction): Promise<string[]> {
  const rows = await session.rows<{ object: string }>(`
      select 'column ' || c.relname || '.' || a.attname as object
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      union all
      select 'table ' || c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      union all
      select 'function ' || p.proname || '(' || coalesce(array_to_string(p.proargnames, ', '), '') || ')'
      from pg_proc p where p.pronamespace = 'public'::regnamespace
      union all
      select 'bucket ' || id from storage.buckets
      union all
      select 'policy on ' || polrelid::regclass || ': ' || polname from pg_policy p
      join pg_class c on c.oid = p.polrelid
      where c.relnamespace in ('storage'::regnamespace, 'realtime'::regnamespace, 'auth'::regnamespace)
      union all
      select 'published ' || schemaname || '.' || tablename from pg_publication_tables
      -- The server reads these for itself. No socket can subscribe to their rows.
      where schemaname not in ('realtime', 'supabase_functions')
      union all
      -- Topics that the policy permits, and topics that functions send to.
      select 'topic ' || kind from (
        select unnest(string_to_array(substring(prosrc from '\\^\\(([a-z|]+)\\):'), '|')) as kind
        from pg_proc where pronamespace = 'app'::regnamespace and proname = 'can_subscribe'
        union
        select found[1] from pg_proc p, regexp_matches(p.prosrc, '''([a-z_]+):''', 'g') found
        where p.pronamespace in ('public'::regnamespace, 'app'::regnamespace) and p.prosrc ~ 'realtime\\.send'
      ) kinds where kind is not null
      order by 1`)
  return rows.map((row) => row.object)
}

/** The objects of all rows, as `schemaObjects` names them; a function counts with the arguments that rows pass. */
export function declaredObjects({ rows, named }: Matrix): {
  has(object: string): boolean
} {
  const existing = new Set(named)
  const given = new Map<string, Set<string>>()
  for (const { kind, target } of rows) {
    const [object, operation = ''] = target as [string, string]
    if (kind === 'topic') existing.add(`topic ${object.split(':')[0]}`)
    else existing.add(`${kind} ${object}`)
    if (kind === 'table') {
      for (const word of operation.matchAll(/\w+/g)) existing.add(`column ${object}.${word[0]}`)
    }
    if (kind === 'function') {
      const all = given.get(object) ?? new Set()
      given.set(object, all)
      for (const [, name] of operation.matchAll(/(?:^|\s)(\w+)[\w.]*=/g)) all.add(name!)
    }
  }
  return {
    has(object) {
      const [, name, list] = /^function (\w+)\((.*)\)$/.exec(object) ?? []
      if (name === undefined) return existing.has(object)
      const tried = given.get(name)
      return (
        tried !== undefined && list!.split(', ').every((argument) => argument === '' || tried.has(argument))
      )
    },
  }
}
