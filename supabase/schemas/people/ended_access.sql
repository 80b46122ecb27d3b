-- Why and when access ended: of a session, and of a membership. A page whose access has ended shows it. Decision 103 gives the
-- reasons.

-- Sessions ---------------------------------------------------------------------------------------------

create table public.ended_sessions (
  session_id uuid primary key,
  reason text not null
    constraint ended_sessions_reason_known check (reason in ('signed_out', 'ended_elsewhere', 'ended_by_admin', 'password_changed',
      'factor_added', 'recovery_code_used', 'deletion_requested', 'account_deleted', 'left', 'removed', 'deactivated', 'expired')),
  workspace_name text,
  ended_at timestamptz not null default now()
);
create index ended_sessions_oldest on public.ended_sessions (ended_at);
comment on table public.ended_sessions is
  'Why sessions ended, for 40 days: a browser stores the cookie of a session for at most 30. Not linked to an account, so that '
  'the row outlives it. Read by ended_session. No access for clients.';
comment on column public.ended_sessions.reason is
  '`signed_out` also stands for an end by the auth service that no other reason explains. The reasons from `left` on are those '
  'of the last membership, whose end has ended the session.';
comment on column public.ended_sessions.workspace_name is
  'The name that the workspace had then, for the reasons of memberships. A former member does not see later names.';
alter table public.ended_sessions enable row level security;
revoke all on public.ended_sessions from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.ended_sessions to service_role;

create function app.record_ended_sessions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ended_sessions (session_id, reason, workspace_name)
  select s.id, case
      -- The sessions of a deleted account end after its row.
      when u.id is null or u.deleted_at is not null then 'account_deleted'
      when current_setting('linnet.account_of_new_factor', true) = s.user_id::text then 'factor_added'
      else coalesce(nullif(current_setting('linnet.session_end', true), ''), 'signed_out') end,
    nullif(current_setting('linnet.ended_workspace', true), '')
  from ended s left join auth.users u on u.id = s.user_id
  where s.oauth_client_id is null
  on conflict (session_id) do nothing;
  return null;
end
$$;
comment on function app.record_ended_sessions is
  'Records why sessions of people ended. The commands set the reason in `linnet.session_end` before they delete a session.';
create trigger ended_sessions_are_recorded after delete on auth.sessions
  referencing old table as ended for each statement execute function app.record_ended_sessions();

create function app.explain_ended_sessions(reason text, workspace_name text default '') returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform set_config('linnet.session_end', reason, true), set_config('linnet.ended_workspace', workspace_name, true);
end
$$;
comment on function app.explain_ended_sessions is
  'Sets the reason of the sessions that this transaction ends from now on; an empty one for the reason `signed_out`.';

create function app.explain_changed_password() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.explain_ended_sessions('password_changed');
  return null;
end
$$;
comment on function app.explain_changed_password is
  'The auth service changes a password and ends the other sessions in one transaction.';
create trigger changed_passwords_explain_ended_sessions after update of encrypted_password on auth.users
  for each row when (old.encrypted_password is distinct from new.encrypted_password)
  execute function app.explain_changed_password();

create function public.ended_session(session uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (select jsonb_build_object('reason', e.reason, 'workspace_name', e.workspace_name, 'ended_at', e.ended_at)
      from public.ended_sessions e where e.session_id = session),
    -- The auth service deletes the row of a session days after its end.
    (select jsonb_build_object('reason', case
          when u.deleted_at is not null then 'account_deleted' when u.banned_until > now() then 'account_blocked'
          else 'timed_out' end,
        'workspace_name', null, 'ended_at', case when s.not_after <= now() then s.not_after end)
      from auth.sessions s join auth.users u on u.id = s.user_id
      where s.id = session and s.oauth_client_id is null));
end
$$;
comment on function public.ended_session is
  'Why and when a session ended, for the page that had it; null if nothing is known. Its access token may have expired, so that '
  'no token is used: the id of a session is random, and only its own account receives it. Nobody learns who ended it.';

-- Memberships ------------------------------------------------------------------------------------------

create table public.ended_memberships (
  user_id uuid not null references auth.users (id) on delete cascade,
  workspace_id uuid not null,
  workspace_name text not null,
  reason text not null
    constraint ended_memberships_reason_known check (reason in ('left', 'removed', 'deactivated', 'expired', 'workspace_deleted')),
  ended_at timestamptz not null default now(),
  primary key (user_id, workspace_id)
);
create index ended_memberships_oldest on public.ended_memberships (ended_at);
comment on table public.ended_memberships is
  'The workspaces that an account was in, for a year after the end. Read by my_ended_memberships. No access for clients.';
comment on column public.ended_memberships.workspace_id is 'Without a foreign key: the row outlives the workspace.';
comment on column public.ended_memberships.workspace_name is
  'The name that the workspace had then. A former member does not see later names.';
alter table public.ended_memberships enable row level security;
revoke all on public.ended_memberships from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.ended_memberships to service_role;

create function app.membership_end_reason(member public.workspace_members) returns text
language sql immutable set search_path = ''
as $$
  select coalesce(member.ended, case when member.deactivated_at = member.expires_at then 'expired' else 'deactivated' end)
$$;
comment on function app.membership_end_reason is 'Why a membership that is not active ended.';

create function app.record_ended_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  account constant uuid := (select p.user_id from public.profiles p where p.id = new.profile_id and p.kind = 'person');
begin
  if account is null then return null; end if;
  if new.state = 'active' then
    delete from public.ended_memberships e where e.user_id = account and e.workspace_id = new.workspace_id;
    return null;
  end if;
  insert into public.ended_memberships (user_id, workspace_id, workspace_name, reason, ended_at)
  select account, w.id, w.name, app.membership_end_reason(new), coalesce(new.deactivated_at, now())
  from public.workspaces w where w.id = new.workspace_id
  on conflict (user_id, workspace_id) do update
  set workspace_name = excluded.workspace_name, reason = excluded.reason, ended_at = excluded.ended_at
  where ended_memberships.user_id = excluded.user_id;
  return null;
end
$$;
comment on function app.record_ended_membership is
  'Records for the person why and when a membership ended, and forgets it once they are a member again.';
create trigger ended_memberships_are_recorded after update of state, ended on public.workspace_members
  for each row when (new.state <> old.state or new.ended is distinct from old.ended)
  execute function app.record_ended_membership();
comment on trigger ended_memberships_are_recorded on public.workspace_members is 'For each way in which a membership ends.';

create function app.record_deleted_workspace(workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.ended_memberships (user_id, workspace_id, workspace_name, reason)
  select p.user_id, w.id, w.name, 'workspace_deleted'
  from public.workspace_members m
  join public.workspaces w on w.id = m.workspace_id
  join public.profiles p on p.id = m.profile_id and p.kind = 'person' and p.user_id is not null
  where m.workspace_id = workspace and app.is_active_member(m)
  on conflict (user_id, workspace_id) do nothing;
end
$$;
comment on function app.record_deleted_workspace is
  'Records for its members that a workspace is about to be deleted. Called before the deletion, which ends the memberships.';

create function public.my_ended_memberships() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_own_session();
  return coalesce((
    select jsonb_agg(to_jsonb(e) order by e.ended_at desc, e.workspace_id)
    from (
      select o.* from (
        select e.workspace_id, e.workspace_name, e.reason, e.ended_at
        from public.ended_memberships e where e.user_id = auth.uid()
        union all
        -- A job of each minute ends expired memberships.
        select w.id, w.name, 'expired', m.expires_at
        from public.profiles p
        join public.workspace_members m on m.profile_id = p.id and m.state = 'active' and m.expires_at <= now()
        join public.workspaces w on w.id = m.workspace_id
        where p.user_id = auth.uid()
      ) o order by o.ended_at desc, o.workspace_id limit 20
    ) e), '[]');
end
$$;
comment on function public.my_ended_memberships is
  'The workspaces that the caller was in, why and when each membership ended; the 20 latest. Not who ended it.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.ended_session, public.my_ended_memberships from public, anon, authenticated, service_role;
grant execute on function public.ended_session to anon;
grant execute on function public.my_ended_memberships to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: forget ended access', '53 3 * * *', $$
  with old_sessions as (
    delete from public.ended_sessions e where e.ended_at < now() - interval '40 days')
  delete from public.ended_memberships e where e.ended_at < now() - interval '1 year'$$);
