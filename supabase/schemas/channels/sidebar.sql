-- A person's own view of their channels: read marker, notification settings, and the sections of the sidebar.
--
-- Sections and preferences need no invariants beyond constraints, so clients write them directly, under policies and
-- column grants. Read markers are moved by commands (mark_read, mark_unread).

-- Tables -----------------------------------------------------------------------------------------------

create table public.sections (
  id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null default app.my_profile_id(),
  name text not null
    constraint sections_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint sections_name_legible check (app.is_legible(name)),
  position double precision not null
    constraint sections_position_finite check (position > '-infinity' and position < 'infinity'),
  collapsed boolean not null default false,
  created_at timestamptz not null default now(),
  rev bigint not null default 0,
  primary key (profile_id, id),
  constraint sections_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create unique index sections_name_unique on public.sections (profile_id, workspace_id, app.name_key(name));
comment on table public.sections is
  'Sections of a person''s sidebar. The client chooses the id, which is unique per person: a global key would reveal '
  'by its errors which ids others use.';
comment on column public.sections.rev is 'Counts the changes of the row, and orders them for the devices that receive them.';
comment on constraint sections_position_finite on public.sections is 'Also refuses NaN, which sorts above infinity.';
alter table public.sections enable row level security;
create policy "people manage their own sections" on public.sections
  for all to authenticated
  using (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  with check (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people manage their own sections" on public.sections is
  'Nobody else sees how a person sorts their channels.';
revoke all on public.sections from public, anon, authenticated, service_role;
grant select, delete, insert (id, workspace_id, name, position, collapsed), update (name, position, collapsed) on
  public.sections to authenticated;
grant select, insert, update, delete on public.sections to service_role;

create table public.channel_member_state (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  last_read_seq bigint not null default 0,
  read_version bigint not null default 0,
  notify text not null default 'default'
    constraint channel_member_state_notify_known check (notify in ('default', 'all', 'mentions', 'nothing')),
  muted boolean not null default false,
  starred boolean not null default false,
  hidden boolean not null default false,
  section_id uuid,
  position double precision
    constraint channel_member_state_position_finite check (position > '-infinity' and position < 'infinity'),
  rev bigint not null default 0,
  primary key (channel_id, profile_id),
  constraint channel_member_state_own_section foreign key (profile_id, section_id)
    references public.sections (profile_id, id) on delete set null (section_id)
) with (fillfactor = 80);
create index channel_member_state_profile on public.channel_member_state (profile_id);
create index channel_member_state_hidden on public.channel_member_state (channel_id) where hidden;
create index channel_member_state_section on public.channel_member_state (profile_id, section_id)
  where section_id is not null;
comment on table public.channel_member_state is
  'A person''s read marker and preferences in a channel. Separate from channel_members, since row security hides rows, '
  'not columns. The row outlives the membership, so that read_version never decreases: a device that was offline '
  'cannot take an old read marker for a new one.';
comment on column public.channel_member_state.notify is
  'Of which messages the person is notified. `default`: of all in direct conversations, in channels as '
  'notification_preferences.level.';
comment on column public.channel_member_state.rev is
  'Counts the changes of the row, and orders them for the devices that receive them.';
alter table public.channel_member_state enable row level security;
create policy "people see their own state" on public.channel_member_state
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_readable_channels() r)
  );
comment on policy "people see their own state" on public.channel_member_state is
  'Nobody else sees what a person has read, starred or muted.';
create policy "people change their own preferences" on public.channel_member_state
  for update to authenticated
  using (
    profile_id = (select app.my_profile_id())
    and channel_id in (select r.channel_id from app.my_readable_channels() r)
  )
  with check (
    profile_id = (select app.my_profile_id())
    and (section_id is null or exists (
      select from public.sections s join public.channels c on c.workspace_id = s.workspace_id
      where s.id = channel_member_state.section_id and c.id = channel_member_state.channel_id))
  );
comment on policy "people change their own preferences" on public.channel_member_state is
  'Column grants permit preferences only: read markers are moved by commands, which keep their invariants. A section '
  'must be the person''s own and of the same workspace.';
revoke all on public.channel_member_state from public, anon, authenticated, service_role;
grant select, update (notify, muted, starred, section_id, position) on public.channel_member_state to authenticated;
grant select, insert, update, delete on public.channel_member_state to service_role;

-- Sections ---------------------------------------------------------------------------------------------

create function app.sections_as_json(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object('id', s.id, 'name', btrim(s.name), 'position', s.position, 'collapsed', s.collapsed,
        'rev', s.rev)
      order by s.position, s.id)
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace
  ), '[]');
end
$$;
comment on function app.sections_as_json is 'A person''s sections in a workspace, in their order.';

create function app.limit_sections() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Without this lock two concurrent inserts would not count each other.
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
comment on function app.limit_sections is 'Enforces 50 sections per person, with the error of a check constraint.';
create trigger sections_at_most_fifty before insert on public.sections
  for each row execute function app.limit_sections();

-- Channel state ----------------------------------------------------------------------------------------

create function app.channel_member_state_as_json(state public.channel_member_state) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'last_read_seq', coalesce(state.last_read_seq, 0), 'read_version', coalesce(state.read_version, 0),
    'notify', coalesce(state.notify, 'default'), 'muted', coalesce(state.muted, false),
    'starred', coalesce(state.starred, false), 'section_id', state.section_id, 'position', state.position,
    'rev', coalesce(state.rev, 0))
$$;
comment on function app.channel_member_state_as_json is
  'A person''s read marker and preferences in a channel; defaults where there is no row.';

-- Numbers of changes ------------------------------------------------------------------------------------

create function app.increment_rev() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.rev := old.rev + 1;
  return new;
end
$$;
comment on function app.increment_rev is
  'Counts a change of a row. Changes of one row wait for each other, so that the number has the order of the commits.';
create trigger channel_member_states_are_counted before update on public.channel_member_state
  for each row when (old.* is distinct from new.*) execute function app.increment_rev();
create trigger sections_are_counted before update on public.sections
  for each row when (old.* is distinct from new.*) execute function app.increment_rev();
