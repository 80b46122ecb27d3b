-- The schema of GraphQL, which migrations grant access to and set default privileges for. As on hosted where pg_graphql
-- is not installed, its function returns an error.

create schema if not exists graphql_public;
grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
grant create on schema graphql_public to postgres;

create or replace function graphql_public.graphql(
  "operationName" text default null, query text default null, variables jsonb default null, extensions jsonb default null
) returns jsonb
language sql immutable set search_path = '' as $$
  select '{"errors": [{"message": "pg_graphql extension is not enabled."}]}'::jsonb
$$;
comment on function graphql_public.graphql(text, text, jsonb, jsonb) is
  'Returns an error: this server has no pg_graphql.';
