import type { DatabaseReader } from '../readDatabase.ts'

/** A function or procedure in an exposed schema. */
export interface Routine {
  schema: string
  name: string
  arguments: string
  result: string
  /** Whether it is SECURITY DEFINER. */
  asOwner: boolean
  /** Whether it sets `search_path`. */
  hasSearchPath: boolean
  anon: boolean
  authenticated: boolean
  comment: string | null
}

/**
 * Functions of the exposed schemas, at most 1,000, without those of extensions and triggers. Throws ReadError.
 */
export function readRoutines(database: DatabaseReader, schemas: string[]): Promise<Routine[]> {
  return database.read<Routine & Record<string, unknown>>(
    `select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
       coalesce(pg_get_function_result(p.oid), '') as result, p.prosecdef as "asOwner",
       coalesce(p.proconfig::text like '%search_path=%', false) as "hasSearchPath",
       has_schema_privilege('anon', n.oid, 'usage') and has_function_privilege('anon', p.oid, 'execute') as anon,
       has_schema_privilege('authenticated', n.oid, 'usage')
         and has_function_privilege('authenticated', p.oid, 'execute') as authenticated,
       obj_description(p.oid, 'pg_proc') as comment
     from pg_proc p
     join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = any ($1) and p.prokind in ('f', 'p')
       and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
       and not exists (
         select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by n.nspname, p.proname, 3
     limit 1000`,
    [schemas],
  )
}
