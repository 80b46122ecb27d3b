-- Channels: public and private ones, direct and group conversations; who belongs, and where each one reads.

-- Tables ------------------------------------------------------------------------------------------------

create table public.channels (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  kind text not null
    constraint channels_kind_known check (kind in ('public', 'private', 'direct', 'group')),
  name text
    constraint channels_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint channels_name_plain check (name !~ '[[:cntrl:]]'),
  topic text not null default ''
    constraint channels_topic_length check (char_length(topic) <= 250),
  posting text not null default 'everyone'
    constraint channels_posting_known check (posting in ('everyone', 'admins')),
  direct_key text,
  archived_at timestamptz,
  first_seq bigint not null default 1,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint channels_direct_stay_direct check (
    (kind in ('direct', 'group')) = (direct_key is not null)
    and (kind in ('direct', 'group')) = (name is null)
  ),
  constraint channels_one_direct_each unique (workspace_id, direct_key)
);
create unique index channels_name_unique on public.channels (workspace_id, lower(normalize(btrim(name), nfkc)));
create index channels_public on public.channels (workspace_id) where kind = 'public';
create index channels_created_by on public.channels (created_by);
comment on table public.channels is 'Where people talk. Direct and group conversations are channels without a name.';
comment on column public.channels.direct_key is
  'Who is in it: sorted profile ids, a digest for groups. Makes one conversation for the same people.';
comment on column public.channels.first_seq is 'Messages below were removed by retention.';

create table public.channel_counters (
  channel_id uuid primary key references public.channels (id) on delete cascade,
  last_seq bigint not null default 0,
  rev bigint not null default 0,
  meta_rev bigint not null default 0,
  epoch bigint not null default 1,
  last_at timestamptz
) with (fillfactor = 50);
comment on table public.channel_counters is
  'The narrow row that numbers everything. Its lock is a channel''s order: take numbers only under it.';
comment on column public.channel_counters.last_at is 'When the newest message came; no later one is dated before.';

create table public.channel_members (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  role text not null default 'member'
    constraint channel_members_role_known check (role in ('admin', 'member')),
  history_from_seq bigint not null default 1
    constraint channel_members_floor_positive check (history_from_seq >= 1),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (channel_id, profile_id)
);
create index channel_members_profile on public.channel_members (profile_id);
create index channel_members_floors on public.channel_members (channel_id, history_from_seq)
  where history_from_seq > 1;
create index channel_members_expiring on public.channel_members (expires_at) where expires_at is not null;
comment on table public.channel_members is 'Who belongs to a channel, and from which message on they may read.';

create table public.channel_state (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  last_read_seq bigint not null default 0,
  read_version bigint not null default 0,
  notify text not null default 'mentions'
    constraint channel_state_notify_known check (notify in ('all', 'mentions', 'nothing')),
  muted boolean not null default false,
  starred boolean not null default false,
  section text constraint channel_state_section_length check (char_length(section) between 1 and 80),
  hidden boolean not null default false,
  primary key (channel_id, profile_id)
) with (fillfactor = 80);
create index channel_state_profile on public.channel_state (profile_id);
create index channel_state_hidden on public.channel_state (channel_id) where hidden;
comment on table public.channel_state is
  'One''s own pointer and preferences in a channel. Apart from membership, since row security hides rows, not columns.';

create table public.channel_removals (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  removed_at timestamptz not null default now(),
  primary key (channel_id, profile_id)
);
create index channel_removals_profile on public.channel_removals (profile_id);
comment on table public.channel_removals is
  'Who was put out of a channel and when, so that a link they still hold does not lead back in.';

create table public.invitation_channels (
  invitation_id uuid not null references public.invitations (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  primary key (invitation_id, channel_id)
);
create index invitation_channels_channel on public.invitation_channels (channel_id);
comment on table public.invitation_channels is 'Channels that an invitation opens.';

-- Helpers -----------------------------------------------------------------------------------------------

create function app.my_reach() returns table (channel_id uuid, history_from_seq bigint)
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
comment on function app.my_reach is
  'Every channel the caller may read now, once, and from which message on. Policies use it as a set, made once a '
  'statement.';

create type app.reading as (
  profile_id uuid, workspace_id uuid, workspace_role text, kind text, posting text, archived_at timestamptz,
  member boolean, channel_role text, history_from_seq bigint
);
comment on type app.reading is 'What the caller is to a channel that they may read.';

create function app.reading_of(channel uuid) returns app.reading
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
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
  return found;
end
$$;
comment on function app.reading_of is
  'What the caller is to a channel, all null when they may not read it. One statement for the busiest question.';

create function app.require_reader(channel uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.reading_of(channel);
begin
  if reading.profile_id is null then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return reading;
end
$$;
comment on function app.require_reader is
  'What the caller is to a channel; fails with not_found, the same for a wall and for nothing behind it.';

create function app.require_participant(channel uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if not reading.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if reading.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  return reading;
end
$$;
comment on function app.require_participant is
  'As require_reader, and the caller belongs to the channel, which is not archived.';

create function app.manages(reading app.reading) returns boolean
language sql immutable set search_path = ''
as $$
  select reading.member and reading.kind in ('public', 'private')
    and (reading.channel_role = 'admin' or reading.workspace_role in ('owner', 'admin'))
$$;
comment on function app.manages is
  'Whether the caller may change a channel and its people: its admins, and the workspace''s who belong to it.';

create function app.channel_readers(channel uuid) returns table (profile_id uuid, history_from_seq bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select w.profile_id, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
    from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = w.profile_id
      and (m.expires_at is null or m.expires_at > now())
    where c.id = channel
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.channel_readers is
  'Everyone who may read a channel now, and from where: what the policies say, asked the other way round.';

-- Row security ------------------------------------------------------------------------------------------

alter table public.channels enable row level security;
alter table public.channel_counters enable row level security;
alter table public.channel_members enable row level security;
alter table public.channel_state enable row level security;
alter table public.channel_removals enable row level security;
alter table public.invitation_channels enable row level security;

create policy "readers see their channels" on public.channels
  for select to authenticated using (id in (select r.channel_id from app.my_reach() r));
comment on policy "readers see their channels" on public.channels is
  'Not even the name of a private channel goes beyond its members, owners included.';

create policy "readers see where a channel stands" on public.channel_counters
  for select to authenticated using (channel_id in (select r.channel_id from app.my_reach() r));
comment on policy "readers see where a channel stands" on public.channel_counters is
  'The epoch names the topic to listen on, so it is for readers alone.';

create policy "readers see who belongs" on public.channel_members
  for select to authenticated using (channel_id in (select r.channel_id from app.my_reach() r));
comment on policy "readers see who belongs" on public.channel_members is
  'Who may read a channel should know who else does.';

create policy "people see their own state" on public.channel_state
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_reach() r)
  );
comment on policy "people see their own state" on public.channel_state is
  'What someone has read, starred or muted is nobody else''s business.';

create policy "people keep their own preferences" on public.channel_state
  for update to authenticated
  using (profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_reach() r))
  with check (profile_id = (select app.my_profile_id()));
comment on policy "people keep their own preferences" on public.channel_state is
  'Preferences only, by column grants; pointers move by command, since they have laws.';

create policy "admins see what invitations open" on public.invitation_channels
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_reach() r)
    and invitation_id in (
      select i.id from public.invitations i where i.workspace_id in (select app.my_managed_workspace_ids())
    )
  );
comment on policy "admins see what invitations open" on public.invitation_channels is
  'An admin outside a private channel must not learn of it from another''s invitation.';

revoke all on public.channels, public.channel_counters, public.channel_members, public.channel_state,
  public.channel_removals, public.invitation_channels from public, anon, authenticated, service_role;
grant select on public.channels, public.channel_counters, public.channel_members, public.channel_state,
  public.invitation_channels to authenticated;
grant update (notify, muted, starred, section) on public.channel_state to authenticated;
grant select, insert, update, delete on public.channels, public.channel_counters, public.channel_members,
  public.channel_state, public.channel_removals, public.invitation_channels to service_role;

revoke execute on all functions in schema app from public;
grant execute on function app.my_reach to authenticated;
