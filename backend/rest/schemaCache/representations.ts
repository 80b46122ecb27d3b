import type { QualifiedName } from './qualifiedName.ts'

/** The conversions of a domain to and from callers, by the functions of its casts; null is the default. */
export interface Representation {
  toJson: QualifiedName | null
  fromJson: QualifiedName | null
  /** For operands of filters. */
  fromText: QualifiedName | null
}

/** An implicit cast between a domain and json or text. Types are qualified. */
export interface RepresentingCast {
  source: string
  target: string
  routine: QualifiedName
}

/**
 * The casts that define representations: implicit ones with functions that a caller can execute. PostgreSQL itself ignores
 * casts of domains, so they have no other purpose. Runs with an empty search_path.
 */
export const REPRESENTING_CASTS_SQL = `
select coalesce(json_agg(x), '[]') as result from (
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

/** Representations by column type, as in SQL. */
export function indexRepresentations(casts: RepresentingCast[]): Map<string, Representation> {
  const index = new Map<string, Representation>()
  const getOrCreate = (type: string): Representation => {
    let entry = index.get(type)
    if (!entry) index.set(type, (entry = { toJson: null, fromJson: null, fromText: null }))
    return entry
  }
  for (const { source, target, routine } of casts) {
    if (target === 'json') getOrCreate(source).toJson = routine
    else if (source === 'json') getOrCreate(target).fromJson = routine
    else getOrCreate(target).fromText = routine
  }
  return index
}
