-- Asynchronous HTTP: the tables, types and functions of pg_net 0.20.4. The requests are sent by Linnet's own
-- process, which listens on the channel linnet_net.

-- Run by a superuser in a schema that somebody else may own.
set local search_path to pg_catalog, pg_temp;

create schema net;

create domain net.http_method as text check (value ilike 'get' or value ilike 'post' or value ilike 'delete');
create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
create type net.http_response as (status_code integer, headers jsonb, body text);
create type net.http_response_result as (status net.request_status, message text, response net.http_response);

-- Upstream's two are unlogged and emptied by a crash of PostgreSQL; these lose nothing.
create table net.http_request_queue (
  id bigserial,
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds integer not null
);
create index on net.http_request_queue (id);

create table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);
create index on net._http_response (id);

create function net.check_worker_is_up() returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (
    select from pg_catalog.pg_stat_activity
    where application_name = 'pg_net 0.20.4' and usename = 'supabase_functions_admin'
  ) then
    raise exception using
      message = 'the pg_net background worker is not up',
      detail = 'the pg_net background worker is down due to an internal error and cannot process requests',
      hint = 'make sure that you didn''t modify any of pg_net internal tables';
  end if;
end
$$;
comment on function net.check_worker_is_up() is
  'raises an exception if the pg_net background worker is not up, otherwise it doesn''t return anything';

create function net.wait_until_running() returns void
language plpgsql set search_path = '' as $$
begin
  loop
    begin
      perform net.check_worker_is_up();
      return;
    exception when raise_exception then
      perform pg_catalog.pg_sleep(0.05);
      perform pg_catalog.pg_stat_clear_snapshot();
    end;
  end loop;
end
$$;
comment on function net.wait_until_running() is 'waits until the worker is running';

-- Received once, when the transaction commits, however often it is called.
create function net.wake() returns void
language sql set search_path = '' as $$
  select pg_catalog.pg_notify('linnet_net', 'wake')
$$;

create function net.worker_restart() returns boolean
language sql set search_path = '' as $$
  select pg_catalog.pg_notify('linnet_net', 'restart') is not null
$$;

create function net._urlencode_string(string character varying) returns text
language sql immutable strict set search_path = '' as $$
  select coalesce(pg_catalog.string_agg(
    case
      when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
        then pg_catalog.chr(byte)
      else '%' || pg_catalog.upper(pg_catalog.lpad(pg_catalog.to_hex(byte), 2, '0'))
    end, '' order by place), '')
  from (
    select place, pg_catalog.get_byte(bytes, place) as byte
    from pg_catalog.convert_to(string, 'UTF8') as bytes,
      pg_catalog.generate_series(0, pg_catalog.length(bytes) - 1) as place
  ) as each_byte
$$;

create function net._encode_url_with_params_array(url text, params_array text[]) returns text
language plpgsql immutable strict set search_path = '' as $$
declare
  scheme text := pg_catalog.lower(pg_catalog.substring(url, '^([a-zA-Z][a-zA-Z0-9+.-]*):'));
  reason text := case
    when url ~ '[\x01-\x20\x7f]' then 'Malformed input to a URL function'
    when scheme is null then 'Bad scheme'
    when scheme not in ('http', 'https') then 'Unsupported URL scheme'
    when url !~* '^https?:/{1,3}[^/?#]' then 'No host part in the URL'
  end;
  params text := pg_catalog.array_to_string(params_array, '&');
  -- As far as the fragment, and that.
  parts text[] := pg_catalog.regexp_match(url, '^([^#]*)(.*)$');
begin
  if reason is not null then
    raise exception 'invalid URL "%": %', url, reason;
  end if;
  if params = '' then
    return url;
  end if;
  return parts[1]
    || case
      when parts[1] !~ '\?' then '?'
      when parts[1] ~ '[?&]$' then ''
      else '&'
    end
    || params || parts[2];
end
$$;

-- Security definer: a role that may enqueue requests can't read those of others.
create function net._enqueue(
  method text, url text, params jsonb, headers jsonb, body jsonb, timeout_milliseconds integer
) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  request_id bigint;
begin
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    $1,
    net._encode_url_with_params_array($2, (
      select coalesce(pg_catalog.array_agg(net._urlencode_string(key) || '=' || net._urlencode_string(value)), '{}')
      from pg_catalog.jsonb_each_text($3)
    )),
    $4,
    pg_catalog.convert_to($5::text, 'UTF8'),
    $6
  )
  returning id into request_id;
  perform net.wake();
  return request_id;
end
$$;

create function net.http_get(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000
) returns bigint
language sql security definer set search_path = '' as $$
  select net._enqueue('GET', url, params, headers, null, timeout_milliseconds)
$$;

create function net.http_post(
  url text,
  body jsonb default '{}',
  params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds integer default 5000
) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  content_type text := (
    select value from pg_catalog.jsonb_each_text(coalesce(headers, '{}'))
    where pg_catalog.lower(key) = 'content-type' limit 1
  );
begin
  if content_type <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  if content_type is null then
    headers := headers || '{"Content-Type": "application/json"}';
  end if;
  return net._enqueue('POST', url, params, headers, body, timeout_milliseconds);
end
$$;

create function net.http_delete(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint
language sql security definer set search_path = '' as $$
  select net._enqueue('DELETE', url, params, headers, body, timeout_milliseconds)
$$;

create function net._await_response(request_id bigint) returns boolean
language plpgsql set search_path = '' as $$
begin
  while not exists (select from net._http_response where id = request_id) loop
    perform pg_catalog.pg_sleep(0.05);
  end loop;
  return true;
end
$$;

create function net._http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language plpgsql set search_path = '' as $$
declare
  response net._http_response;
begin
  if not async then
    perform net._await_response(request_id);
  end if;
  select * into response from net._http_response where id = request_id;
  if not found or response.error_msg is not null then
    return row(
      'ERROR', coalesce(response.error_msg, 'request matching request_id not found'), null
    )::net.http_response_result;
  end if;
  return row(
    'SUCCESS', 'ok', row(response.status_code, response.headers, response.content)::net.http_response
  )::net.http_response_result;
end
$$;

-- Upstream's fails, for want of a place for its result.
create function net.http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language plpgsql set search_path = '' as $$
begin
  raise notice 'The net.http_collect_response function is deprecated.';
  return net._http_collect_response(request_id, async);
end
$$;

-- As in upstream, any role may enqueue a request. API roles can't read requests and responses, which contain other
-- callers' headers and data.
grant usage on schema net to public;
grant usage on schema net to postgres, service_role, supabase_functions_admin with grant option;
revoke execute on function net._enqueue(text, text, jsonb, jsonb, jsonb, integer) from public;
grant execute on function
  net.http_get(text, jsonb, jsonb, integer),
  net.http_post(text, jsonb, jsonb, jsonb, integer),
  net.http_delete(text, jsonb, jsonb, integer, jsonb)
  to postgres with grant option;
-- Not all: both tables are a superuser's, and so are the functions that fill the queue. A trigger of postgres' would
-- run with their rights, as would the casts of a foreign key. Answers are written by a worker with rights of its own,
-- so that a trigger may wait for them.
grant select, insert, update, delete, truncate on table net.http_request_queue, net._http_response
  to postgres with grant option;
grant trigger on table net._http_response to postgres with grant option;
grant all on sequence net.http_request_queue_id_seq to postgres with grant option;
grant select, insert, update, delete, truncate on table net.http_request_queue, net._http_response to service_role;
grant all on sequence net.http_request_queue_id_seq to service_role;
-- The worker's.
grant select, delete on table net.http_request_queue to supabase_functions_admin;
grant select, insert, delete on table net._http_response to supabase_functions_admin;
