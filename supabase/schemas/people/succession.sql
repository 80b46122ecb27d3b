-- Succession: who manages a workspace or channel when the last person who did loses the account or the membership.
-- Decision 22 gives the reasons.

insert into public.settings (key, value) values ('temporary_ban_days', '30');

create function app.has_lost_account(person uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.profiles p join auth.users u on u.id = p.user_id
    where p.id = person and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now() + make_interval(
      days => (select s.value::integer from public.settings s where s.key = 'temporary_ban_days'))))
$$;
comment on function app.has_lost_account is
  'Whether a person''s account was deleted, or is banned for longer than a temporary ban lasts.';

create function app.has_usable_account(person uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.profiles p join auth.users u on u.id = p.user_id
    where p.id = person and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))
$$;
comment on function app.has_usable_account is 'Whether a person has an account that is neither deleted nor banned now.';

create function app.appoint_owner(workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- If two owners lose their accounts concurrently, the second transaction sees the result of the first.
  perform from public.workspaces w where w.id = workspace for no key update;
  if exists (
    select from public.workspace_members m
    where m.workspace_id = workspace and m.role = 'owner' and m.state = 'active'
      and (m.expires_at is null or m.expires_at > now()) and not app.has_lost_account(m.profile_id)
  ) then
    return;
  end if;
  update public.workspace_members m set role = 'owner'
  where m.workspace_id = workspace and m.profile_id = (
    select n.profile_id from public.workspace_members n
    where n.workspace_id = workspace and n.role in ('admin', 'member') and n.state = 'active'
      and (n.expires_at is null or n.expires_at > now()) and app.has_usable_account(n.profile_id)
    order by n.role = 'admin' desc, n.created_at, n.profile_id limit 1);
end
$$;
comment on function app.appoint_owner is
  'Makes the longest-serving admin, else member, the owner of a workspace that has none with an account. Never a '
  'guest.';

create function app.appoint_owners() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.appoint_owner(w.id) from public.workspaces w
  where not exists (
    select from public.workspace_members m
    where m.workspace_id = w.id and m.role = 'owner' and m.state = 'active'
      and (m.expires_at is null or m.expires_at > now()) and not app.has_lost_account(m.profile_id))
  order by w.id;
end
$$;
comment on function app.appoint_owners is
  'For what no statement changes: a membership that expires, and a ban that ends after there was nobody to appoint.';

create function app.appoint_channel_admins(person uuid, workspace uuid default null) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  their_channels constant uuid[] := array(
    select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
    where m.profile_id = person and c.workspace_id = coalesce(appoint_channel_admins.workspace, c.workspace_id)
    order by c.id);
  unmanaged_channel uuid;
  appointed uuid;
begin
  -- Locks all of them first: the rest of this transaction locks some of them again, in any order.
  perform app.lock_channels(their_channels);
  for unmanaged_channel in
    select c.id from public.channels c
    where c.id = any (their_channels) and c.kind in ('public', 'private') and app.is_unmanaged(c.id) order by c.id
  loop
    update public.channel_members m set role = 'admin'
    where m.channel_id = unmanaged_channel and m.profile_id = (
      select n.profile_id from public.channel_members n
      join public.channels c on c.id = n.channel_id
      join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = n.profile_id
        and w.role <> 'guest' and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      where n.channel_id = unmanaged_channel and (n.expires_at is null or n.expires_at > now())
        and app.has_usable_account(n.profile_id)
      order by n.created_at, n.profile_id limit 1)
    returning m.profile_id into appointed;
    if appointed is not null then perform app.increment_meta_rev(unmanaged_channel); end if;
  end loop;
end
$$;
comment on function app.appoint_channel_admins is
  'Makes the longest-serving full member the admin of each channel that nobody manages since this person lost the '
  'account or the membership.';

create function app.appoint_after_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid;
begin
  if tg_relid = 'public.profiles'::regclass then
    person := new.id;
  else
    person := (select p.id from public.profiles p where p.user_id = new.id);
  end if;
  if person is null or not app.has_lost_account(person) then return null; end if;
  perform app.appoint_channel_admins(person);
  perform app.appoint_owner(m.workspace_id) from (
    select w.workspace_id from public.workspace_members w
    where w.profile_id = person and w.role = 'owner' order by w.workspace_id) m;
  return null;
end
$$;
comment on function app.appoint_after_account is 'Appoints successors when an account is deleted or banned for long.';
create trigger accounts_end_with_successors after update of user_id on public.profiles
  for each row when (old.user_id is not null and new.user_id is null)
  execute function app.appoint_after_account();
comment on trigger accounts_end_with_successors on public.profiles is
  'The foreign key sets user_id to null when the account is deleted.';
create trigger appoint_successors after update of banned_until, deleted_at on auth.users
  for each row when ((old.banned_until, old.deleted_at) is distinct from (new.banned_until, new.deleted_at))
  execute function app.appoint_after_account();

create function app.appoint_after_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' or new.state <> 'active' or new.role = 'guest' then
    perform app.appoint_channel_admins(old.profile_id, old.workspace_id);
  end if;
  if old.role = 'owner' then perform app.appoint_owner(old.workspace_id); end if;
  return null;
end
$$;
comment on function app.appoint_after_membership is
  'Appoints successors when a full membership ends or an owner loses the role.';
create trigger memberships_end_with_successors after delete or update of role, state on public.workspace_members
  for each row when (old.role <> 'guest' and old.state = 'active')
  execute function app.appoint_after_membership();
comment on trigger memberships_end_with_successors on public.workspace_members is
  'In the transaction of the removal, so that no workspace and no channel is without an owner or admin in between.';

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: appoint owners', '47 * * * *', 'select app.appoint_owners()');
