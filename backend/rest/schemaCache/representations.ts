import type { Named } from './named.ts'

/** How a domain is told to callers and read from them, by the functions of its casts; null is the usual way. */
export interface Representation {
  toJson: Named | null
  fromJson: Named | null
  /** Of filters. */
  fromText: Named | null
}

/** An implicit cast between a domain and json or text. Types are written with their schemas. */
export interface RepresentingCast {
  source: string
  target: string
  routine: Named
}

/**
 * The casts that stand for representations: implicit ones by functions that a caller may run. PostgreSQL itself
 * ignores casts of domains, so they can't mean anything else. Runs with an empty search_path.
 */
export const REPRESENTING_CASTS_SQL = `
select coalesce(json_agg(x), '[]') as answer from (
  select
    pg_catalog.format_type(c.castsource, null) as source,
    pg_catalog.format_type(c.casttarget, null) as target,
    json_build_object('schema', n.nspname, 'name', p.proname) as routine
  from pg_catalog.pg_cast c
  join pg_catalog.pg_proc p on p.oid = c.castfunc
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_type s on s.oid = c.castsource
  join pg_catalog.pg_type t on t.oid = c.casttarget
  where c.castcontext = 'i' and c.castmethod = 'f'
    and ((s.typtype = 'd' and t.oid = 'pg_catalog.json'::pg_catalog.regtype)
      or (t.typtype = 'd' and s.oid in ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.text'::pg_catalog.regtype)))
    and exists (
      select from pg_catalog.pg_roles r
      where pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
        and pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE'))
) x`

/** Representations by the type of a column, as it is written in SQL. */
export function indexRepresentations(casts: RepresentingCast[]): Map<string, Representation> {
  const index = new Map<string, Representation>()
  const of = (type: string): Representation => {
    let known = index.get(type)
    if (!known) index.set(type, (known = { toJson: null, fromJson: null, fromText: null }))
    return known
  }
  for (const { source, target, routine } of casts) {
    if (target === 'json') of(source).toJson = routine
    else if (source === 'json') of(target).fromJson = routine
    else of(target).fromText = routine
  }
  return index
}
