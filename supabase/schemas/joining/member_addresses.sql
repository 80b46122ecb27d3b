-- The addresses that the accounts of members have had: another account with one of them is not admitted by its domain. A person
-- could otherwise change the address before they are removed, register the old one again, and become a full member at once.
-- Decision 52 gives the reasons.

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

create function app.hash_mailbox(workspace uuid, address text) returns text
language sql immutable set search_path = ''
as $$ select app.hash_token(workspace || ' ' || regexp_replace(lower(address), '[+][^@]*@', '@')) $$;
comment on function app.hash_mailbox is
  'The hash of an address in a workspace. Addresses that differ by a tag (`name+tag@…`) have the same: their mail arrives in '
  'one mailbox.';

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
