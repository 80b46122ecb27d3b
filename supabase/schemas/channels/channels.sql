-- Channels and their members. Direct messages and group conversations are channels without a name.
--
-- Every change of a channel takes a number under the lock of its row in channel_counters. Lock order: messages by id,
-- then counters by channel id, then everything else.
--
-- Each change also has a random id beside its number. After a backup was restored the numbers are used again, for other
-- changes: a client that has stored the number and the id of a change knows whether the server still has it.

-- Tables -----------------------------------------------------------------------------------------------

create table public.channels (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  kind text not null
    constraint channels_kind_known check (kind in ('public', 'private', 'direct', 'group')),
  name text
    constraint channels_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint channels_name_legible check (app.is_legible(name)),
  topic text not null default ''
    constraint channels_topic_length check (char_length(topic) <= 250)
    constraint channels_topic_legible check (app.is_legible(topic)),
  description text not null default ''
    constraint channels_description_length check (char_length(description) <= 1000)
    constraint channels_description_legible check (app.are_legible_lines(description)),
  posting text not null default 'everyone'
    constraint channels_posting_known check (posting in ('everyone', 'admins')),
  slow_seconds integer not null default 0
    constraint channels_slow_seconds_range check (slow_seconds between 0 and 21600),
  direct_key text,
  archived_at timestamptz,
  web_since timestamptz,
  web_after_seq bigint,
  first_seq bigint not null default 1,
  deleted_at timestamptz,
  deleted_by uuid,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  web_files_after_seq bigint,
  import_id uuid,
  constraint channels_direct_stay_direct check (
    (kind in ('direct', 'group')) = (direct_key is not null)
    and (kind in ('direct', 'group')) = (name is null)
  ),
  constraint channels_one_direct_each unique (workspace_id, direct_key),
  constraint channels_web_public check (web_since is null or (kind = 'public' and archived_at is null)),
  constraint channels_web_complete check ((web_since is null) = (web_after_seq is null)),
  constraint channels_web_files_within check (web_files_after_seq is null or web_files_after_seq >= web_after_seq),
  constraint channels_deleted_are_closed check (
    deleted_at is null or (kind = 'private' and archived_at is not null))
);
-- Private channels are left out: an error would reveal that one exists. Decision 23 gives the reasons.
create unique index channels_name_unique on public.channels (workspace_id, app.name_key(name)) where kind = 'public';
-- For app.my_fully_readable_channel_ids, as channel_members_readable.
create index channels_public on public.channels (workspace_id, id) where kind = 'public';
create index channels_created_by on public.channels (created_by);
create index channels_deleted on public.channels (deleted_at) where deleted_at is not null;
create index channels_import on public.channels (import_id) where import_id is not null;
comment on table public.channels is 'Channels of all kinds; direct messages and group conversations have no name.';
comment on column public.channels.description is
  'Purpose of the channel, longer than its topic; shown where people decide whether to join.';
comment on column public.channels.slow_seconds is
  'Slow mode: seconds between two messages of one person, except those who manage the channel and bots; 0 is off.';
comment on column public.channels.direct_key is
  'The members: their sorted profile ids, a digest for groups. Ensures one conversation for the same people.';
comment on column public.channels.web_since is
  'Since when anyone on the web can read what is written in the channel; null: only its readers.';
comment on column public.channels.web_after_seq is 'The last seq that is not on the web: what was written before stays internal. 0: the whole history is on the web.';
comment on column public.channels.web_files_after_seq is
  'The last seq whose files are not on the web, although its message may be; null: no files are on the web.';
comment on column public.channels.first_seq is 'Messages below this were removed by retention.';
comment on column public.channels.deleted_at is
  'When the channel was deleted; null: never. Its rows wait for a job: as a private, archived channel without members it has '
  'no readers.';
comment on column public.channels.deleted_by is
  'Who deleted it, for a repeated request. Without a foreign key: the row is gone soon.';
comment on column public.channels.import_id is
  'The import that created it: administration/imports.sql. Without a foreign key, which would accept an import of another workspace.';
alter table public.channels enable row level security;
create policy "readers see their channels" on public.channels
  for select to authenticated using (id in (select r.channel_id from app.my_readable_channels() r));
comment on policy "readers see their channels" on public.channels is
  'Even the name of a private channel is visible to its members only, not to owners.';
revoke all on public.channels from public, anon, authenticated, service_role;
grant select on public.channels to authenticated;
grant select, insert, update, delete on public.channels to service_role;

create table public.channel_counters (
  channel_id uuid primary key references public.channels (id) on delete cascade,
  last_seq bigint not null default 0,
  rev bigint not null default 0,
  change_id bigint not null default 0,
  previous_change_id bigint not null default 0,
  meta_rev bigint not null default 0,
  epoch bigint not null default 1,
  last_at timestamptz,
  epoch_transaction bigint
) with (fillfactor = 50);
comment on table public.channel_counters is
  'The counters of a channel in a narrow row, since every change updates it. Numbers are taken only under its lock, '
  'which so defines the order of the channel.';
comment on column public.channel_counters.change_id is
  'A random id of the change `rev`. Below 2^53, so that JavaScript reads it exactly.';
comment on column public.channel_counters.previous_change_id is
  'The id of the change `rev` - 1: a broadcast with it shows whether it continues what a client has.';
comment on column public.channel_counters.epoch_transaction is
  'A hash of the transaction that has incremented the epoch last: each transaction increments it once.';
comment on column public.channel_counters.last_at is
  'created_at of the latest message; later messages are never dated before it.';
alter table public.channel_counters enable row level security;
create policy "readers see the counters of a channel" on public.channel_counters
  for select to authenticated using (channel_id in (select r.channel_id from app.my_readable_channels() r));
comment on policy "readers see the counters of a channel" on public.channel_counters is
  'Readers only: the epoch is part of the name of the realtime topic.';
revoke all on public.channel_counters from public, anon, authenticated, service_role;
grant select on public.channel_counters to authenticated;
grant select, insert, update, delete on public.channel_counters to service_role;

create table public.channel_members (
  channel_id uuid not null references public.channels (id) on delete cascade,
  workspace_id uuid,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  role text not null default 'member'
    constraint channel_members_role_known check (role in ('admin', 'member')),
  history_from_seq bigint not null default 1
    constraint channel_members_history_start_positive check (history_from_seq >= 1),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (channel_id, profile_id)
);
create index channel_members_history_start on public.channel_members (channel_id, history_from_seq)
  where history_from_seq > 1;
create index channel_members_expiring on public.channel_members (expires_at) where expires_at is not null;
-- Index-only scans for app.my_fully_readable_channel_ids, which the policy of messages evaluates for every page, and for
-- app.channel_digests, which every heartbeat does: a membership names its workspace, so that the set needs no lookup of each
-- channel.
create index channel_members_readable on public.channel_members (profile_id, workspace_id, channel_id)
  include (history_from_seq, expires_at, role);
comment on table public.channel_members is 'Members of a channel, each with the first message that they may read.';
comment on column public.channel_members.workspace_id is
  'The workspace of the channel; maintained by triggers. Access by a membership needs an active membership of it too.';
alter table public.channel_members enable row level security;
create policy "readers see the members of a channel" on public.channel_members
  for select to authenticated using (channel_id in (select r.channel_id from app.my_readable_channels() r));
comment on policy "readers see the members of a channel" on public.channel_members is
  'Everyone who may read a channel may see who else does.';
revoke all on public.channel_members from public, anon, authenticated, service_role;
grant select on public.channel_members to authenticated;
grant select, insert, update, delete on public.channel_members to service_role;

create table public.channel_removals (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  removed_at timestamptz not null default now(),
  primary key (channel_id, profile_id)
);
create index channel_removals_profile on public.channel_removals (profile_id);
comment on table public.channel_removals is
  'Who was removed from a channel and when: an invitation that is older does not readmit them. No access for clients.';
alter table public.channel_removals enable row level security;
revoke all on public.channel_removals from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.channel_removals to service_role;

-- Channels ---------------------------------------------------------------------------------------------

create function app.channel_as_json(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', c.id, 'workspace_id', c.workspace_id, 'kind', c.kind, 'name', c.name, 'topic', c.topic,
      'description', c.description, 'posting', c.posting, 'archived_at', c.archived_at, 'first_seq', c.first_seq,
      'web_since', c.web_since, 'web_files', c.web_files_after_seq is not null, 'slow_seconds', c.slow_seconds,
      'created_by', c.created_by, 'created_at', c.created_at,
      'people', case when c.kind in ('direct', 'group') then (
        select jsonb_agg(m.profile_id order by m.profile_id) from public.channel_members m where m.channel_id = c.id
      ) end)
    from public.channels c where c.id = channel
  );
end
$$;
comment on function app.channel_as_json is 'A channel, the same for each of its readers.';

create function app.lock_channels(channels uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform from public.channel_counters k where k.channel_id = any (channels) order by k.channel_id for update;
end
$$;
comment on function app.lock_channels is
  'Locks the counters of channels, ordered by channel id. Messages are locked before. Any other order can deadlock.';

create function app.next_rev(channel uuid) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  taken bigint;
begin
  update public.channel_counters k set rev = k.rev + 1 where k.channel_id = channel returning k.rev into taken;
  return taken;
end
$$;
comment on function app.next_rev is 'Takes the channel''s next rev. The messages that change must be locked before.';

create function app.increment_meta_rev(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.channel_counters k set rev = k.rev + 1, meta_rev = k.rev + 1 where k.channel_id = channel;
end
$$;
comment on function app.increment_meta_rev is
  'Takes the next rev for a change of the channel itself, and stores it as its meta_rev. For its members: changes of the '
  'row of the channel take one by a trigger.';

create function app.number_channel_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.increment_meta_rev(new.id);
  return null;
end
$$;
comment on function app.number_channel_change is 'Takes a rev for a changed channel.';
create trigger channel_changes_are_numbered after update on public.channels
  for each row when (old.* is distinct from new.* and new.deleted_at is null)
  execute function app.number_channel_change();
comment on trigger channel_changes_are_numbered on public.channels is
  'A trigger, so that clients notice every change by the counters alone, which digests compare.';

create function app.set_change_id() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.previous_change_id := old.change_id;
  new.change_id := floor(random() * 9007199254740991)::bigint;
  return new;
end
$$;
comment on function app.set_change_id is 'Gives each change of a channel an id.';
create trigger changes_have_ids before update of rev on public.channel_counters
  for each row when (new.rev <> old.rev) execute function app.set_change_id();
comment on trigger changes_have_ids on public.channel_counters is
  'A trigger, since several functions take a rev. It runs under the lock of the row.';

create function app.is_unmanaged(channel uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not exists (
    select from public.channels c
    join public.channel_members m on m.channel_id = c.id and (m.expires_at is null or m.expires_at > now())
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = m.profile_id
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    where c.id = channel and w.role <> 'guest' and (m.role = 'admin' or w.role in ('owner', 'admin'))
      and not app.has_lost_account(m.profile_id)
  );
end
$$;
comment on function app.is_unmanaged is
  'Whether no member can manage a channel: its admins left or lost their accounts, and no owner or admin of the '
  'workspace is a member.';

-- Members ----------------------------------------------------------------------------------------------

create function app.set_member_workspace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.workspace_id := (select c.workspace_id from public.channels c where c.id = new.channel_id);
  return new;
end
$$;
comment on function app.set_member_workspace is
  'Sets channel_members.workspace_id, whatever the statement gives. A channel that does not exist fails by its foreign key.';
create trigger set_member_workspace before insert or update of channel_id, workspace_id
  on public.channel_members for each row execute function app.set_member_workspace();

create function app.move_channel_members() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.channel_members m set workspace_id = new.workspace_id where m.channel_id = new.id;
  return null;
end
$$;
comment on function app.move_channel_members is 'Updates channel_members.workspace_id when a channel moves.';
create trigger move_channel_members after update of workspace_id on public.channels
  for each row when (old.workspace_id is distinct from new.workspace_id)
  execute function app.move_channel_members();
