-- The schema of GraphQL, which migrations grant access to and set default privileges for. As on hosted where pg_graphql
-- is not installed, its function returns an error.

create schema if not exists graphql_public;
grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
grant create on schema graphql_public to postgres;
alter default privileges for role supabase_admin in schema graphql_public
  grant execute on functions to postgres, anon, authenticated, service_role;

create or replace function graphql_public.graphql(
  "operationName" text default null, query text default null, variables jsonb default null, extensions jsonb default null
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  response jsonb;
begin
  if pg_catalog.to_regprocedure('graphql.resolve(text, jsonb, text, jsonb)') is null then
    return pg_catalog.jsonb_build_object('errors', pg_catalog.jsonb_build_array(
      pg_catalog.jsonb_build_object('message', 'pg_graphql extension is not enabled.')));
  end if;
  execute 'select graphql.resolve($1, coalesce($2, ''{}''), $3, $4)' into response
    using query, variables, "operationName", extensions;
  return response;
end
$$;
comment on function graphql_public.graphql(text, text, jsonb, jsonb) is
  'Runs a GraphQL request with pg_graphql, where it is installed.';
