-- The signal that makes REST read the schema again.

-- REST listens for this and reads the schema again, as PostgREST does.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands()
    where coalesce(schema_name, '') not in ('pg_temp', 'auth', 'storage', 'realtime')
      and object_identity not like '%pg\_temp.%'
      and object_type not in ('policy', 'publication', 'index')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects()
    where not is_temporary
      and coalesce(schema_name, '') not in ('auth', 'storage', 'realtime')
      and object_type in ('schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'type',
        'table column', 'table constraint', 'rule', 'trigger', 'aggregate', 'cast')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
  end if;
end
$$;

-- Dumps of data set session_replication_role, which must not stop the signal.
alter event trigger pgrst_ddl_watch enable always;
alter event trigger pgrst_drop_watch enable always;
