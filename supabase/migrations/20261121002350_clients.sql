-- Applications that people let in by OAuth hold tokens of theirs, and read and write here as they do. Where its person
-- is signed in is none of a client's business, and it signs them out nowhere.

create function app.require_own_session() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  if exists (
    select from auth.sessions s
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.oauth_client_id is not null
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
end
$$;
comment on function app.require_own_session is
  'Fails with session_ended unless the caller''s session lives, and with not_allowed where it is an OAuth client''s.';

create or replace function public.my_sessions() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  this constant uuid := auth.jwt() ->> 'session_id';
begin
  perform app.require_own_session();
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'created_at', s.created_at,
      -- Kept without a time zone by auth, and meant in UTC.
      'refreshed_at', s.refreshed_at at time zone 'UTC',
      'user_agent', s.user_agent, 'ip', host(s.ip), 'aal', coalesce(s.aal, 'aal1'), 'current', s.id = this)
      order by s.id = this desc, s.used_at desc, s.id)
    from (
      select o.*, coalesce(o.refreshed_at at time zone 'UTC', o.created_at) as used_at
      from auth.sessions o
      where o.user_id = auth.uid() and (o.not_after is null or o.not_after > now())
      order by o.id = this desc, used_at desc, o.id limit 100
    ) s), '[]');
end
$$;

create or replace function public.end_session(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted constant uuid := id;
begin
  perform app.require_own_session();
  -- Its refresh tokens go with it, and its sockets hear of it by the trigger on auth.sessions.
  delete from auth.sessions s where s.id = wanted and s.user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object('id', wanted);
end
$$;

revoke execute on all functions in schema app from public;
