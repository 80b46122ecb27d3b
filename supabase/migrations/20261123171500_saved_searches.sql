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
    constraint saved_searches_name_plain check (name !~ '[[:cntrl:]]')
    constraint saved_searches_name_legible check (app.is_legible(name)),
  query text not null
    constraint saved_searches_query_length check (char_length(query) <= 500 and btrim(query) <> ''),
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
grant select, insert (id, workspace_id, name, query), update (name), delete on public.saved_searches to authenticated;
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

-- Differences ------------------------------------------------------------------------------------------

create or replace function app.own_differences(viewer uuid, workspace uuid, stored jsonb, changed app.differences)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  digest text;
  buckets integer[];
begin
  changed.own := '{}';
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(d.id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(d.id, d.rev, d.change_id), 0)) as hash
    from public.drafts d join public.channels c on c.id = d.channel_id
    where d.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'drafts' then
    buckets := app.changed_buckets(stored ->> 'drafts', digest);
    changed.digests := changed.digests || jsonb_build_object('drafts', digest);
    changed.own := changed.own || jsonb_build_object('drafts', coalesce((
      select jsonb_agg(app.draft_as_json(d)) from public.drafts d join public.channels c on c.id = d.channel_id
      where d.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(d.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.message_id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(s.message_id, s.rev, s.state), 0)) as hash
    from public.saved_messages s join public.channels c on c.id = s.channel_id
    where s.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'saved' then
    buckets := app.changed_buckets(stored ->> 'saved', digest);
    changed.digests := changed.digests || jsonb_build_object('saved', digest);
    changed.own := changed.own || jsonb_build_object('saved', coalesce((
      select jsonb_agg(app.saved_message_as_json(s))
      from public.saved_messages s join public.channels c on c.id = s.channel_id
      where s.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(s.message_id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(r.id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(r.id, r.rev), 0)) as hash
    from public.command_responses r join public.channels c on c.id = r.channel_id
    where r.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'responses' then
    buckets := app.changed_buckets(stored ->> 'responses', digest);
    changed.digests := changed.digests || jsonb_build_object('responses', digest);
    changed.own := changed.own || jsonb_build_object('responses', coalesce((
      select jsonb_agg(app.command_response_as_json(r))
      from public.command_responses r join public.channels c on c.id = r.channel_id
      where r.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(r.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(s.id, s.rev), 0)) as hash
    from public.saved_searches s
    where s.profile_id = viewer and s.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'searches' then
    buckets := app.changed_buckets(stored ->> 'searches', digest);
    changed.digests := changed.digests || jsonb_build_object('searches', digest);
    changed.own := changed.own || jsonb_build_object('searches', coalesce((
      select jsonb_agg(app.saved_search_as_json(s)) from public.saved_searches s
      where s.profile_id = viewer and s.workspace_id = workspace
        and get_byte(uuid_send(s.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  return changed;
end
$$;

-- People -----------------------------------------------------------------------------------------------

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
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.saved_searches s where s.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
