-- One's own order of things: sections of the sidebar, where channels stand in them, and whether one is to be
-- disturbed. No laws but constraints, so plain DML under policies and column grants.

-- Sections ------------------------------------------------------------------------------------------------

create table public.sections (
  id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null default app.my_profile_id(),
  name text not null
    constraint sections_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint sections_name_plain check (name !~ '[[:cntrl:]]'),
  position double precision not null
    constraint sections_position_finite check (position > '-infinity' and position < 'infinity'),
  collapsed boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (profile_id, id),
  constraint sections_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create unique index sections_name_unique
  on public.sections (profile_id, workspace_id, lower(normalize(btrim(name), nfkc)));
comment on table public.sections is
  'Parts of one''s own sidebar. Named by their person and an id of the client''s making, so that nobody can learn from a '
  'clash which ids others have taken.';
comment on constraint sections_position_finite on public.sections is
  'NaN sorts above infinity, so this refuses it too.';

create function app.bound_sections() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Two at once would each count without the other.
  perform from public.workspace_members w
  where w.workspace_id = new.workspace_id and w.profile_id = new.profile_id for no key update;
  if (select count(*) from public.sections s
    where s.profile_id = new.profile_id and s.workspace_id = new.workspace_id) >= 50
  then
    raise exception using errcode = '23514', schema = 'public', table = 'sections',
      constraint = 'sections_at_most_fifty',
      message = 'new row for relation "sections" violates check constraint "sections_at_most_fifty"';
  end if;
  return new;
end
$$;
comment on function app.bound_sections is 'Holds that a person has at most 50 sections, as a constraint would.';

create trigger sections_at_most_fifty before insert on public.sections
  for each row execute function app.bound_sections();

create function app.sections_as_json(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object('id', s.id, 'name', btrim(s.name), 'position', s.position, 'collapsed', s.collapsed)
      order by s.position, s.id)
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace
  ), '[]');
end
$$;
comment on function app.sections_as_json is 'Someone''s sections in a workspace, in their order.';

create function app.tell_sections() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_person(s.profile_id, 'sections', jsonb_build_object('workspace_id', s.workspace_id,
    'sections', app.sections_as_json(s.profile_id, s.workspace_id)))
  from (select distinct t.profile_id, t.workspace_id from touched t) s;
  return null;
end
$$;
comment on function app.tell_sections is 'Tells one''s other devices one''s sections, all of them, once a statement.';

create trigger sections_made_are_told after insert on public.sections referencing new table as touched
  for each statement execute function app.tell_sections();
create trigger sections_changed_are_told after update on public.sections referencing new table as touched
  for each statement execute function app.tell_sections();
create trigger sections_gone_are_told after delete on public.sections referencing old table as touched
  for each statement execute function app.tell_sections();

alter table public.sections enable row level security;

create policy "people order their own sidebar" on public.sections
  for all to authenticated
  using (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  with check (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people order their own sidebar" on public.sections is
  'How someone sorts what they read is nobody else''s business.';

revoke all on public.sections from public, anon, authenticated, service_role;
grant select, insert (id, workspace_id, name, position, collapsed), update (name, position, collapsed), delete
  on public.sections to authenticated;
grant select, insert, update, delete on public.sections to service_role;

-- Where channels stand ------------------------------------------------------------------------------------

-- PostgreSQL 15 would keep the grant of a column that is gone.
revoke update (section) on public.channel_state from authenticated;
alter table public.channel_state
  drop column section,
  add column section_id uuid,
  add column position double precision
    constraint channel_state_position_finite check (position > '-infinity' and position < 'infinity'),
  add constraint channel_state_own_section foreign key (profile_id, section_id)
    references public.sections (profile_id, id) on delete set null (section_id);
create index channel_state_section on public.channel_state (profile_id, section_id) where section_id is not null;
grant update (section_id, position) on public.channel_state to authenticated;

alter policy "people keep their own preferences" on public.channel_state
  with check (
    profile_id = (select app.my_profile_id())
    and (section_id is null or exists (
      select from public.sections s join public.channels c on c.workspace_id = s.workspace_id
      where s.id = channel_state.section_id and c.id = channel_state.channel_id))
  );
comment on policy "people keep their own preferences" on public.channel_state is
  'Preferences only, by column grants; pointers move by command, since they have laws. A section is one''s own, and of the '
  'same workspace.';

create or replace function app.state_as_json(state public.channel_state) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'last_read_seq', coalesce(state.last_read_seq, 0), 'read_version', coalesce(state.read_version, 0),
    'notify', coalesce(state.notify, 'mentions'), 'muted', coalesce(state.muted, false),
    'starred', coalesce(state.starred, false), 'section_id', state.section_id, 'position', state.position)
$$;

create or replace function app.tell_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reading record;
begin
  select * into reading from app.person_reading(new.profile_id, new.channel_id);
  -- The row outlives one's belonging; whoever left, or may no longer read, is told nothing of what goes on there.
  if reading.member is not true then return null; end if;
  if new.hidden <> old.hidden then
    perform app.tell_person(new.profile_id, 'membership', jsonb_build_object('channel_id', new.channel_id,
      'entry', case when not new.hidden then app.entry_as_json(new.profile_id, new.channel_id) end));
  else
    perform app.tell_person(new.profile_id, 'state', jsonb_build_object('channel_id', new.channel_id,
      'state', app.state_as_json(new), 'counts', app.unread_counts(new.profile_id, new.channel_id,
        greatest(new.last_read_seq, reading.history_from_seq - 1))));
  end if;
  return null;
end
$$;

-- Presence ------------------------------------------------------------------------------------------------

update public.profiles p
set status_text = regexp_replace(p.status_text, '[[:cntrl:]]', ' ', 'g'),
  status_expires_at = case when isfinite(p.status_expires_at) then p.status_expires_at end
where p.status_text ~ '[[:cntrl:]]' or not isfinite(p.status_expires_at);
-- A table of which something is still to be told can't be altered.
set constraints all immediate;

alter table public.profiles
  add column presence text not null default 'auto'
    constraint profiles_presence_known check (presence in ('auto', 'away', 'dnd')),
  add column presence_until timestamptz constraint profiles_presence_until_finite check (isfinite(presence_until)),
  add constraint profiles_status_text_plain check (status_text !~ '[[:cntrl:]]'),
  add constraint profiles_status_emoji_plain check (status_emoji !~ '[[:cntrl:][:space:]]'),
  add constraint profiles_status_expires_finite check (isfinite(status_expires_at));
comment on column public.profiles.presence is
  'What one says of oneself until presence_until, which passes without a word: readers compare it with their clock.';
grant select (presence, presence_until), update (presence, presence_until) on public.profiles to authenticated;

create or replace function app.profile_as_json(profile public.profiles) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', profile.id, 'kind', profile.kind, 'name', profile.name, 'avatar', profile.avatar,
    'status_emoji', profile.status_emoji, 'status_text', profile.status_text,
    'status_expires_at', profile.status_expires_at, 'presence', profile.presence,
    'presence_until', profile.presence_until)
$$;

revoke execute on all functions in schema app from public;
