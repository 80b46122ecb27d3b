-- Invocations of Edge Functions by the database. The server reads them after the commit and passes them to the functions
-- without HTTP, with the key of the service role. So only roles that may do everything in a project can add one.

create table if not exists supabase_functions.invocations (
  id bigint generated always as identity primary key,
  function_name text not null
    constraint invocations_function_name_valid check (function_name ~ '^[A-Za-z][A-Za-z0-9_-]{0,99}$'),
  -- A frame between the server and a function has at most 1 MiB.
  body jsonb not null constraint invocations_body_small check (octet_length(body::text) <= 1000000)
);
comment on table supabase_functions.invocations is
  'Invocations of Edge Functions that have not ended yet. The server deletes each when its function has responded.';

-- Security definer: a role that may add invocations can't read the bodies of others.
create or replace function supabase_functions.invoke(function_name text, body jsonb default '{}') returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into supabase_functions.invocations (function_name, body) values ($1, $2);
end
$$;
comment on function supabase_functions.invoke(text, jsonb) is
  'Invokes an Edge Function once this transaction has committed, by POST with this body and the key of the service role. Equal '
  'invocations that wait at the same time are merged. An invocation may be repeated after a crash of the server.';

alter table supabase_functions.invocations owner to supabase_functions_admin;
alter function supabase_functions.invoke(text, jsonb) owner to supabase_functions_admin;
revoke all on table supabase_functions.invocations from public, anon, authenticated, service_role;
revoke execute on function supabase_functions.invoke(text, jsonb) from public, anon, authenticated;
grant execute on function supabase_functions.invoke(text, jsonb) to postgres, service_role;

-- The WAL wakes the server: NOTIFY would make all commits that send it wait for each other.
do $$
begin
  if not exists (
    select from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
    where p.pubname = 'supabase_realtime_messages_publication'
      and r.prrelid = 'supabase_functions.invocations'::regclass)
  then
    alter publication supabase_realtime_messages_publication add table supabase_functions.invocations;
  end if;
end
$$;
