-- Second factors, and where one is signed in.
--
-- Whoever has a verified second factor is nobody here until a session has shown it: to policies as to commands. The
-- sessions themselves belong to auth; on hosted Supabase too `postgres`, who owns these functions, may select and
-- delete in auth.sessions and select from auth.mfa_factors, and passes by their row security.

-- Whether there is a factor to show, beside the profile that each question reads anyway: to look into auth.mfa_factors
-- instead made a page of messages a tenth dearer.
alter table public.profiles add column second_factor boolean not null default false;
comment on column public.profiles.second_factor is
  'Whether the account has a verified second factor, which its sessions must have shown. Kept by triggers.';

create function app.has_second_factor(account uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from auth.mfa_factors f where f.user_id = account and f.status = 'verified')
$$;
comment on function app.has_second_factor is 'Whether an account has a second factor that was verified.';

create function app.keep_second_factor() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid;
begin
  -- Two where a factor changed hands.
  for account in
    select distinct a from unnest(array[
      case when tg_op <> 'INSERT' then old.user_id end, case when tg_op <> 'DELETE' then new.user_id end]) a
    where a is not null
  loop
    -- Whoever makes the profile meanwhile holds a share of this row: one of the two sees what the other did.
    perform 1 from auth.users u where u.id = account for update;
    update public.profiles p set second_factor = not p.second_factor
    where p.user_id = account and p.second_factor <> app.has_second_factor(account);
  end loop;
  return null;
end
$$;
comment on function app.keep_second_factor is 'Keeps profiles.second_factor when the factors of an account change.';
create trigger keep_second_factor after insert or delete or update of status, user_id on auth.mfa_factors
  for each row execute function app.keep_second_factor();

create function app.begin_second_factor() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform 1 from auth.users u where u.id = new.user_id for key share;
  new.second_factor := new.user_id is not null and app.has_second_factor(new.user_id);
  return new;
end
$$;
comment on function app.begin_second_factor is 'Sets profiles.second_factor for an account that had a factor before.';
create trigger begin_second_factor before insert or update of user_id on public.profiles
  for each row execute function app.begin_second_factor();

update public.profiles p set second_factor = true where app.has_second_factor(p.user_id);
set constraints all immediate;

-- Asked in each of the questions below, in one form of words:
--
--   (not p.second_factor or (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')))
--
-- The row alone would let in a token that was taken before the factor was shown; the token alone one whose factor is
-- gone while another one stands. It is written out, since as a function it would cost each request another call.

create or replace function app.session_alive() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown boolean;
begin
  -- Of the factors themselves: who has no profile yet may have one too.
  select (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')) or not app.has_second_factor(s.user_id)
  into shown
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  where s.id = (auth.jwt() ->> 'session_id')::uuid
    and s.user_id = auth.uid()
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null;
  if not found then return false; end if;
  if shown is not true then
    raise exception using errcode = 'PT403', message = 'second_factor_missing';
  end if;
  return true;
end
$$;
comment on function app.session_alive is
  'Whether the caller''s token belongs to a session that has not ended: signing out ends its tokens at once. Fails '
  'with second_factor_missing where it has not, and the caller''s second factor was not shown.';

create or replace function app.my_profile_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.user_id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid
      and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
      and (not p.second_factor or (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')))
  );
end
$$;
comment on function app.my_profile_id is
  'The caller''s profile while their session lives and has shown the second factor that they have, else null.';

create or replace function app.my_reach() returns table (channel_id uuid, history_from_seq bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- One statement, since policies ask it in each request.
  return query
    with me as materialized (
      select w.profile_id, w.workspace_id, w.role
      from auth.sessions s
      join auth.users u on u.id = s.user_id
      join public.profiles p on p.user_id = s.user_id
      join public.workspace_members w on w.profile_id = p.id
      where s.id = (auth.jwt() ->> 'session_id')::uuid
        and s.user_id = auth.uid()
        and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
        and (not p.second_factor or (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')))
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    )
    -- Full members read the whole of every public channel, whatever floor a membership row may carry.
    select c.id, 1::bigint
    from me join public.channels c on c.workspace_id = me.workspace_id and c.kind = 'public'
    where me.role <> 'guest'
    union all
    select c.id, m.history_from_seq
    from me
    join public.channel_members m on m.profile_id = me.profile_id
    join public.channels c on c.id = m.channel_id and c.workspace_id = me.workspace_id
    where (m.expires_at is null or m.expires_at > now()) and (c.kind <> 'public' or me.role = 'guest');
end
$$;

create or replace function app.reading_of(channel uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  found app.reading;
begin
  select p.id, c.workspace_id, w.role, c.kind, c.posting, c.archived_at, m.profile_id is not null, m.role,
    case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
  into found
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  join public.profiles p on p.user_id = s.user_id
  join public.channels c on c.id = channel
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = p.id
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = p.id
    and (m.expires_at is null or m.expires_at > now())
  where s.id = (auth.jwt() ->> 'session_id')::uuid
    and s.user_id = auth.uid()
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not p.second_factor or (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')))
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
  return found;
end
$$;

-- Where one is signed in ------------------------------------------------------------------------------------

create function public.my_sessions() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  this constant uuid := auth.jwt() ->> 'session_id';
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
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
comment on function public.my_sessions is
  'Where the caller is signed in: this session first, then those used last; at most 100.';

create function public.end_session(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted constant uuid := id;
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  -- Its refresh tokens go with it, and its sockets hear of it by the trigger on auth.sessions.
  delete from auth.sessions s where s.id = wanted and s.user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object('id', wanted);
end
$$;
comment on function public.end_session is
  'Signs the caller out of one of their sessions, this one too; fails with not_found, the same for another''s.';

revoke execute on function public.my_sessions, public.end_session from public, anon, authenticated, service_role;
grant execute on function public.my_sessions, public.end_session to authenticated;
revoke execute on all functions in schema app from public;
