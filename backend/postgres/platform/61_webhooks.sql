-- What a database webhook calls: a trigger on any table, with the address, method, headers, parameters and timeout
-- as its arguments, whose requests go through pg_net.

create schema if not exists supabase_functions;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on schema supabase_functions to supabase_functions_admin;
grant supabase_functions_admin to postgres;
alter role supabase_functions_admin set search_path to supabase_functions;

-- Filled as it is made and never again: postgres may hang anything on what belongs to supabase_functions_admin, and
-- who runs this is a superuser.
do $$
begin
  if to_regclass('supabase_functions.migrations') is null then
    create table supabase_functions.migrations (
      version text primary key,
      inserted_at timestamptz not null default now()
    );
    insert into supabase_functions.migrations (version) values ('initial'), ('20210809183423_update_grants');
  end if;
end
$$;

create table if not exists supabase_functions.hooks (
  id bigserial primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);
create index if not exists supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index if not exists supabase_functions_hooks_h_table_id_h_name_idx
  on supabase_functions.hooks (hook_table_id, hook_name);
comment on table supabase_functions.hooks is 'Supabase Functions Hooks: Audit trail for triggered hooks.';

create or replace function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- Each may be absent, or the word null.
  url text := nullif(tg_argv[0], 'null');
  method text := nullif(tg_argv[1], 'null');
  headers jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}')::jsonb;
  params jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}')::jsonb;
  timeout_ms integer := coalesce(nullif(tg_argv[4], 'null'), '1000')::integer;
  sent bigint;
begin
  if url is null then
    raise exception 'url argument is missing';
  end if;
  case method
    when 'GET' then
      sent := net.http_get(url, params, headers, timeout_ms);
    when 'POST' then
      sent := net.http_post(url, pg_catalog.jsonb_build_object(
        'type', tg_op, 'schema', tg_table_schema, 'table', tg_table_name, 'record', new, 'old_record', old
      ), params, headers, timeout_ms);
    else
      if method is null then
        raise exception 'method argument is missing';
      end if;
      raise exception 'method argument % is invalid', method;
  end case;
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid, tg_name, sent);
  -- Upstream gives null for a DELETE, with which a BEFORE trigger would prevent it.
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

alter table supabase_functions.migrations owner to supabase_functions_admin;
alter table supabase_functions.hooks owner to supabase_functions_admin;
alter function supabase_functions.http_request() owner to supabase_functions_admin;
grant all on all tables in schema supabase_functions to postgres, service_role;
grant all on all sequences in schema supabase_functions to postgres, service_role;
revoke execute on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;
