-- Searches that a person has saved under a name, on all their devices.
--
-- Constraints and triggers are all they need, so clients write them directly, under a policy and column grants.

-- Table ------------------------------------------------------------------------------------------------

create sequence app.saved_search_revs;

create table public.saved_searches (
  id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null default app.my_profile_id(),
  name text not null
    constraint saved_searches_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint saved_searches_name_legible check (app.is_legible(name)),
  query text not null
    constraint saved_searches_query_length check (char_length(query) <= 500 and btrim(query) <> '')
    constraint saved_searches_query_legible check (app.is_legible(query)),
  rev bigint not null,
  primary key (profile_id, id),
  constraint saved_searches_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index saved_searches_member on public.saved_searches (profile_id, workspace_id);
comment on table public.saved_searches is
  'Searches that a person has saved under a name, at most 50 in a workspace. The client chooses the id, which is unique '
  'per person: a global key would reveal by its errors which ids others use.';
comment on column public.saved_searches.query is 'As typed: words and filters, which the client parses.';
comment on column public.saved_searches.rev is 'Orders the changes for the devices that receive them. Set by a trigger.';
alter table public.saved_searches enable row level security;
create policy "people manage their own saved searches" on public.saved_searches
  for all to authenticated
  using (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  with check (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people manage their own saved searches" on public.saved_searches is
  'Nobody else sees what a person searches for.';
revoke all on public.saved_searches from public, anon, authenticated, service_role;
grant select, delete, insert (id, workspace_id, name, query), update (name) on public.saved_searches to authenticated;
grant select, insert, update, delete on public.saved_searches to service_role;

-- Triggers ---------------------------------------------------------------------------------------------

create function app.limit_saved_searches() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Without this lock two concurrent inserts would not count each other.
  perform from public.workspace_members w
  where w.workspace_id = new.workspace_id and w.profile_id = new.profile_id for no key update;
  if (select count(*) from public.saved_searches s
    where s.profile_id = new.profile_id and s.workspace_id = new.workspace_id) >= 50
  then
    raise exception using errcode = '23514', schema = 'public', table = 'saved_searches',
      constraint = 'saved_searches_at_most_fifty',
      message = 'new row for relation "saved_searches" violates check constraint "saved_searches_at_most_fifty"';
  end if;
  return new;
end
$$;
comment on function app.limit_saved_searches is
  'Enforces 50 saved searches per person and workspace, with the error of a check constraint.';
create trigger saved_searches_at_most_fifty before insert on public.saved_searches
  for each row execute function app.limit_saved_searches();

create function app.set_saved_search_rev() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.rev := nextval('app.saved_search_revs');
  return new;
end
$$;
comment on function app.set_saved_search_rev is
  'Numbers a change. A default would need a right on the sequence for those who insert.';
create trigger saved_searches_are_numbered before insert or update on public.saved_searches
  for each row execute function app.set_saved_search_rev();

create function app.saved_search_as_json(search public.saved_searches) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', search.id, 'name', search.name, 'query', search.query, 'rev', search.rev)
$$;
comment on function app.saved_search_as_json is 'A saved search as its owner''s devices get it.';

create function app.notify_saved_search() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.saved_searches := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'search',
    case when tg_op = 'DELETE' then jsonb_build_object('id', changed.id, 'state', null)
      else app.saved_search_as_json(changed) end
    || jsonb_build_object('workspace_id', changed.workspace_id));
  return null;
end
$$;
comment on function app.notify_saved_search is 'Sends a changed saved search to the devices of its owner.';
create trigger saved_searches_are_broadcast after insert or update or delete on public.saved_searches
  for each row execute function app.notify_saved_search();
