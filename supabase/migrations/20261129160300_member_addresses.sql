-- A second account is not admitted by its domain if a member has had its address. Before, only the address that an account had
-- when its membership ended was compared. A person could change the address before they were removed, register the old one
-- again, and become a full member at once. Decision 52 gives the reasons.

create table public.member_addresses (
  workspace_id uuid not null,
  profile_id uuid not null,
  address text not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, profile_id, address),
  constraint member_addresses_membership foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index member_addresses_address on public.member_addresses (workspace_id, address);
comment on table public.member_addresses is
  'Hashes (app.hash_mailbox) of the last 100 addresses that the account of a person has had since they joined a workspace. '
  'They are stored until an owner erases the person. Another account with one of them is not admitted by its domain. Read by '
  'app.admission_of and joining_settings. No access for clients.';
alter table public.member_addresses enable row level security;
revoke all on public.member_addresses from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.member_addresses to service_role;

insert into public.member_addresses (workspace_id, profile_id, address)
select m.workspace_id, m.profile_id, m.former_address
from public.workspace_members m where m.former_address is not null
union
select m.workspace_id, m.profile_id, app.hash_mailbox(m.workspace_id, u.email)
from public.workspace_members m
join public.profiles p on p.id = m.profile_id and p.kind = 'person'
join auth.users u on u.id = p.user_id
where m.state = 'active' and u.email <> '';

drop trigger note_former_address on public.workspace_members;
drop function app.note_former_address();
alter table public.workspace_members drop column former_address;

create function app.add_member_address(workspace uuid, person uuid, address text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.member_addresses (workspace_id, profile_id, address)
  values (workspace, person, app.hash_mailbox(workspace, add_member_address.address))
  on conflict (workspace_id, profile_id, address) do nothing;
  if not found then return; end if;
  delete from public.member_addresses a
  where a.workspace_id = workspace and a.profile_id = person and a.address in (
    select o.address from public.member_addresses o
    where o.workspace_id = workspace and o.profile_id = person order by o.noted_at desc, o.address offset 100);
end
$$;
comment on function app.add_member_address is
  'Stores the hash of an address of a member''s account. Removes the oldest hash if there are more than 100.';

create function app.record_address_of_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.add_member_address(new.workspace_id, new.profile_id, u.email)
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.id = new.profile_id and p.kind = 'person' and u.email <> '';
  return null;
end
$$;
comment on function app.record_address_of_membership is 'Stores the hash of the address that a person joins with.';
create trigger record_address_of_membership after insert or update of state on public.workspace_members
  for each row when (new.state = 'active') execute function app.record_address_of_membership();
comment on trigger record_address_of_membership on public.workspace_members is
  'It also fires when a membership becomes active again after the person was erased.';

create function app.record_address_of_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.add_member_address(m.workspace_id, m.profile_id, new.email)
  from public.profiles p join public.workspace_members m on m.profile_id = p.id
  where p.user_id = new.id and p.kind = 'person'
    -- Nothing is stored about a person whom the owner of the workspace has erased.
    and (m.state = 'active' or exists (
      select from public.member_addresses a where a.workspace_id = m.workspace_id and a.profile_id = m.profile_id));
  return null;
end
$$;
comment on function app.record_address_of_account is
  'Stores the hash of the new address of an account for each workspace of the person, including former ones. The person could '
  'otherwise change the address once more and register it with another account.';
create trigger record_address_of_account after update of email on auth.users
  for each row when (new.email <> '' and new.email is distinct from old.email)
  execute function app.record_address_of_account();

create or replace function app.admission_of(account auth.users, workspace uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    -- Members are in already. Those who were deactivated, or whose access expired, are reactivated by an admin or not: also
    -- where they have another account.
    when known.is_excluded then null
    -- An admin decides about people who left, were removed, or have another account that is a member.
    when d.admission = 'join' and known.is_known then 'request'
    when d.admission is not null then d.admission
    when w.open_requests then 'request' end
  from public.workspaces w
  left join public.workspace_domains d on d.workspace_id = w.id and d.domain = app.mail_domain(account.email)
  left join public.profiles p on p.user_id = account.id
  cross join lateral (
    select count(*) > 0 as is_known,
      bool_or(o.ended is null and (o.profile_id is not distinct from p.id or not app.is_active_member(o))) as is_excluded
    from public.workspace_members o
    where o.workspace_id = w.id and o.profile_id in (
      select p.id
      union all
      select a.profile_id from public.member_addresses a
      where a.workspace_id = w.id and a.address = app.hash_mailbox(w.id, account.email))) known
  where w.id = admission_of.workspace
$$;
comment on function app.admission_of is
  'Whether the person of an account may join a workspace (join) or request to (request); null: neither. An account with an '
  'address that a member has or had never joins at once.';

create or replace function app.joining_settings_as_json(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'domains', coalesce((
      select jsonb_agg(jsonb_build_object('domain', d.domain, 'admission', d.admission) order by d.domain)
      from public.workspace_domains d where d.workspace_id = workspace), '[]'),
    'open_requests', (select w.open_requests from public.workspaces w where w.id = workspace),
    'default_channels', coalesce((
      select jsonb_agg(c.id order by c.created_at, c.id)
      from public.default_channels d join public.channels c on c.id = d.channel_id where d.workspace_id = workspace), '[]'),
    'requests', coalesce((
      select jsonb_agg(jsonb_build_object('id', r.id, 'name', p.name, 'email', r.email, 'note', r.note,
        'created_at', r.created_at, 'is_former', exists (
          select from public.workspace_members m
          where m.workspace_id = r.workspace_id and m.profile_id = r.profile_id
          union all
          select from public.member_addresses a
          where a.workspace_id = r.workspace_id and a.address = app.hash_mailbox(r.workspace_id, r.email))
        ) order by r.created_at, r.id)
      from public.join_requests r
      join public.profiles p on p.id = r.profile_id
      where r.workspace_id = workspace and r.state = 'waiting' and app.has_usable_account(r.profile_id)), '[]'));
end
$$;
comment on function app.joining_settings_as_json is
  'Who may join a workspace without an invitation, where newcomers start, and who asks, oldest first.';

create or replace function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Former member', is_erased = true, avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null, pronouns = null
  where p.id = person;
  delete from public.member_addresses a where a.workspace_id = erase_person.workspace and a.profile_id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.reminders r where r.profile_id = person;
  delete from public.scheduled_messages s where s.profile_id = person;
  delete from public.user_group_members g where g.profile_id = person;
  delete from public.saved_searches s where s.profile_id = person;
  delete from public.notification_preferences f where f.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.activity_markers a where a.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  delete from public.push_subscriptions s where s.profile_id = person;
  delete from public.join_requests r where r.profile_id = person and r.workspace_id = erase_person.workspace;
  -- Their address is in the account, in invitations to it, and in requests for an account.
  if erased.kind = 'person' and not exists (
    select from public.workspace_members w where w.profile_id = person and w.workspace_id <> workspace
  ) then
    delete from public.sign_up_requests r using auth.users u where u.id = erased.user_id and r.email = lower(u.email);
    -- Other workspaces decide about their own invitations.
    delete from public.invitations i using auth.users u
    where u.id = erased.user_id and i.workspace_id = workspace and i.email = lower(u.email);
    delete from auth.users u where u.id = erased.user_id;
  end if;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.erase_person is
  'Removes the personal data of somebody who left or whose account is gone, at their request: name, avatar, status, what was '
  'theirs alone, and the account with its address unless it belongs to another workspace too. Their messages stay '
  'readable, under the name "Former member". For owners.';

revoke execute on all functions in schema app from public;
