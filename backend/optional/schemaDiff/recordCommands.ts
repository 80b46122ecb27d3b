import type { Client } from 'pg'

/** An object that a statement of the schema files has created, changed or described. */
export interface RecordedCommand {
  /** As PostgreSQL names the command: `CREATE FUNCTION`, `GRANT`, `COMMENT`. */
  tag: string
  /** The key of the object's fact (`function public.f(integer)`); null for an object without a fact of its own. */
  key: string | null
  /** The object as the facts of comments and of rare objects name it (`function public.f(integer)`). */
  identity: string | null
  /** The text that the client sent. */
  query: string
  /** The innermost statement of a DO block or function that ran the command; null if the client sent the command itself. */
  inner: string | null
}

/**
 * GRANT and REVOKE don't name their objects to event triggers. They write the row of each object, also if nothing changes:
 * the rows of this transaction that are newer than the last recorded command.
 */
const install = `
  create table linnet_platform.recorded_commands (
    id bigint generated always as identity primary key, tag text, classid oid, objid oid, identity text, query text, context text
  );
  create function linnet_platform.record_command() returns event_trigger
  language plpgsql security definer set search_path = '' as $body$
  declare
    context text;
    transaction xid := pg_catalog.pg_current_xact_id()::xid;
    last bigint;
  begin
    get diagnostics context = pg_context;
    if tg_tag in ('GRANT', 'REVOKE') then
      select coalesce(max(cmin::text::bigint), -1) into last
      from linnet_platform.recorded_commands where xmin = transaction;
      insert into linnet_platform.recorded_commands (tag, classid, objid, query, context)
      select tg_tag, classid, objid, current_query(), context
      from (
        select tableoid as classid, oid as objid from pg_class where xmin = transaction and cmin::text::bigint > last
        union
        select 'pg_class'::regclass, attrelid from pg_attribute where xmin = transaction and cmin::text::bigint > last
        union
        select tableoid, oid from pg_proc where xmin = transaction and cmin::text::bigint > last
        union
        select tableoid, oid from pg_type where xmin = transaction and cmin::text::bigint > last
        union
        select tableoid, oid from pg_namespace where xmin = transaction and cmin::text::bigint > last
      ) changed
      order by classid, objid;
    else
      insert into linnet_platform.recorded_commands (tag, classid, objid, identity, query, context)
      select command_tag, classid, objid, object_type || ' ' || object_identity, current_query(), context
      from pg_event_trigger_ddl_commands() where not coalesce(in_extension, false);
    end if;
    -- So that the next command sees only what is newer, even if this one has changed nothing.
    insert into linnet_platform.recorded_commands (tag) values (null);
  end
  $body$;
  create event trigger linnet_record_commands on ddl_command_end execute function linnet_platform.record_command();
  alter event trigger linnet_record_commands enable always`

/** The keys of facts by the ids of their objects. */
const keys = `
  select tableoid as classid, oid as objid,
    case relkind when 'v' then 'view ' when 'm' then 'view ' when 'S' then 'sequence ' when 'i' then 'index '
      when 'I' then 'index ' when 'c' then 'composite_type ' else 'table ' end
    || case when relkind in ('i', 'I') then oid::regclass::text else format('%I.%I', relnamespace::regnamespace::name, relname) end as key
  from pg_class where relkind in ('r', 'p', 'f', 'v', 'm', 'S', 'i', 'I', 'c')
  union all
  select tableoid, oid, format('function %I.%I(%s)', pronamespace::regnamespace::name, proname, pg_get_function_identity_arguments(oid))
  from pg_proc
  union all
  select tableoid, oid, format('%s %I.%I', case typtype when 'd' then 'domain' when 'r' then 'range_type' when 'c' then 'composite_type' else 'type' end,
    typnamespace::regnamespace::name, typname)
  from pg_type
  union all
  select tableoid, oid, 'policy "' || polname || '" on ' || polrelid::regclass from pg_policy
  union all
  select tableoid, oid, 'trigger ' || quote_ident(tgname) || ' on ' || tgrelid::regclass from pg_trigger
  union all
  select tableoid, oid, 'rule ' || quote_ident(rulename) || ' on ' || ev_class::regclass from pg_rewrite
  union all
  select tableoid, oid, 'schema ' || nspname from pg_namespace
  union all
  select tableoid, oid, format('statistics %I.%I', stxnamespace::regnamespace::name, stxname) from pg_statistic_ext
  union all
  select tableoid, oid, 'event_trigger ' || evtname from pg_event_trigger
  union all
  select tableoid, oid, 'publication_details ' || pubname from pg_publication
  union all
  select r.tableoid, r.oid, 'publication ' || r.prrelid::regclass from pg_publication_rel r
  join pg_publication p on p.oid = r.prpubid and p.pubname = 'supabase_realtime'`

/** Records every DDL command from now on. @param admin of supabase_admin */
export async function startRecording(admin: Client): Promise<void> {
  await admin.query(install)
}

/** Ends the recording and returns the commands in order. */
export async function finishRecording(admin: Client): Promise<RecordedCommand[]> {
  await admin.query("drop event trigger linnet_record_commands; set search_path to ''")
  const { rows } = await admin.query<Omit<RecordedCommand, 'inner'> & { context: string }>(
    `select c.tag, k.key, c.identity, c.query, c.context
     from linnet_platform.recorded_commands c
     left join (${keys}) k on k.classid = c.classid and k.objid = c.objid
     where c.tag is not null order by c.id`,
  )
  return rows.map(({ tag, key, identity, query, context }) => ({
    tag,
    key,
    identity,
    query,
    inner: innerStatement(context),
  }))
}

/** The first statement in a call stack of PL/pgSQL, below the recording function itself. */
function innerStatement(context: string): string | null {
  const stack = context.slice(context.indexOf('\n') + 1)
  if (!context.includes('\n')) return null
  return /^SQL statement "(.*?)"\n(?:PL\/pgSQL|SQL) function /s.exec(`${stack}\n`)?.[1] ?? null
}
