-- Retention: how long messages are kept, and receipts of what was deleted. Decision 51 has the reasons.
--
-- Rules apply by the age of each message in its channel, pinned and saved ones included. A cron job erases what is older in
-- batches, as delete_message does, and raises first_seq of the channel. Each batch adds one receipt in its transaction: a
-- run that is killed continues without a gap, and records nothing twice.

-- Tables -----------------------------------------------------------------------------------------------

create table public.retention_rules (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  scope text not null
    constraint retention_rules_scope_known check (scope in ('channels', 'conversations', 'channel')),
  channel_id uuid references public.channels (id) on delete cascade,
  keep text not null
    constraint retention_rules_keep_known check (keep in ('default', 'forever', 'days')),
  keep_days integer
    constraint retention_rules_keep_days_range check (keep_days between 1 and 3650),
  starts_at timestamptz not null,
  constraint retention_rules_once unique nulls not distinct (workspace_id, scope, channel_id),
  constraint retention_rules_channel_named check ((scope = 'channel') = (channel_id is not null)),
  constraint retention_rules_days_named check ((keep = 'days') = (keep_days is not null)),
  constraint retention_rules_default_of_channels check (keep <> 'default' or scope = 'channel')
);
create index retention_rules_channel on public.retention_rules (channel_id) where channel_id is not null;
comment on table public.retention_rules is
  'How long messages are kept: in all channels of a workspace, in its direct and group conversations, and in single '
  'channels. Without a rule they are kept forever. No access for clients.';
comment on column public.retention_rules.keep is
  '`default` follows the rule for all channels; its row stays, since starts_at delays the deletion there too.';
comment on column public.retention_rules.starts_at is
  'Nothing is deleted before: a waiting period begins when a rule starts to delete, or to delete earlier.';
alter table public.retention_rules enable row level security;
revoke all on public.retention_rules from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.retention_rules to service_role;

create table public.retention_chains (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  last_number bigint not null default 0,
  last_hash text not null default repeat('0', 64)
    constraint retention_chains_hash_form check (last_hash ~ '^[0-9a-f]{64}$')
);
comment on table public.retention_chains is
  'The last receipt of each workspace that ever had a rule. Its lock admits one batch, or one change of rules, at a time. No '
  'access for clients.';
alter table public.retention_chains enable row level security;
revoke all on public.retention_chains from public, anon, authenticated, service_role;
grant select on public.retention_chains to service_role;

create table public.retention_receipts (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  number bigint not null,
  deleted_at timestamptz not null default clock_timestamp(),
  channel_id uuid not null,
  from_seq bigint not null,
  until_seq bigint not null,
  messages integer not null,
  files integer not null,
  bytes bigint not null,
  sent_before timestamptz not null,
  scope text not null,
  keep_days integer not null,
  previous_hash text not null,
  hash text not null,
  primary key (workspace_id, number),
  constraint retention_receipts_range check (from_seq <= until_seq),
  constraint retention_receipts_counts check (messages > 0 and files >= 0 and bytes >= 0)
);
comment on table public.retention_receipts is
  'What retention has deleted, one row for each batch, chained by hashes. Only appended to: triggers number and chain each '
  'row and refuse every other change; rows end with their workspace. No access for clients.';
comment on column public.retention_receipts.channel_id is
  'Without a foreign key: the receipt remains when the channel is deleted.';
comment on column public.retention_receipts.from_seq is
  'The lowest history_seq that was deleted: of a message its own seq, of a reply that of its root.';
comment on column public.retention_receipts.sent_before is 'Messages that were older than this were deleted.';
alter table public.retention_receipts enable row level security;
revoke all on public.retention_receipts from public, anon, authenticated, service_role;
grant select on public.retention_receipts to service_role;

-- Receipts ---------------------------------------------------------------------------------------------

create function app.receipt_line(receipt public.retention_receipts) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(' ', 'linnet-retention-1', receipt.workspace_id, receipt.number,
    to_char(receipt.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt.channel_id,
    receipt.from_seq, receipt.until_seq, receipt.messages, receipt.files, receipt.bytes,
    to_char(receipt.sent_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt.scope, receipt.keep_days,
    receipt.previous_hash)
$$;
comment on function app.receipt_line is
  'The canonical form of a receipt, whose SHA-256 is its hash: its fields in the order of docs/retention.md, separated by '
  'one space, times in UTC with microseconds, without a line break.';

create function app.chain_receipt() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  select k.last_number + 1, k.last_hash into new.number, new.previous_hash
  from public.retention_chains k where k.workspace_id = new.workspace_id for update;
  new.hash := encode(sha256(convert_to(app.receipt_line(new), 'UTF8')), 'hex');
  update public.retention_chains k set last_number = new.number, last_hash = new.hash
  where k.workspace_id = new.workspace_id;
  return new;
end
$$;
comment on function app.chain_receipt is 'Numbers a receipt and computes its hashes, under the lock of the chain.';
create trigger receipts_are_chained before insert on public.retention_receipts
  for each row execute function app.chain_receipt();
comment on trigger receipts_are_chained on public.retention_receipts is 'Whoever inserts one: none is outside the chain.';

create function app.refuse_record_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The foreign key deletes records after their workspace.
  if tg_op = 'DELETE' and not exists (select from public.workspaces w where w.id = old.workspace_id) then
    return old;
  end if;
  raise exception using errcode = 'PT403', message = 'not_allowed';
end
$$;
comment on function app.refuse_record_change is
  'Refuses, whatever the role, to change or delete receipts and entries of the audit log before their workspace is deleted.';
create trigger receipts_are_append_only before update or delete on public.retention_receipts
  for each row execute function app.refuse_record_change();
comment on trigger receipts_are_append_only on public.retention_receipts is
  'A trigger, since privileges do not bind the owner of the table.';
create trigger receipts_are_not_truncated before truncate on public.retention_receipts
  for each statement execute function app.refuse_record_change();
comment on trigger receipts_are_not_truncated on public.retention_receipts is 'Truncating fires no trigger of rows.';

create function app.receipt_as_json(receipt public.retention_receipts) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('number', receipt.number, 'deleted_at', receipt.deleted_at, 'channel_id', receipt.channel_id,
    'from_seq', receipt.from_seq, 'until_seq', receipt.until_seq, 'messages', receipt.messages, 'files', receipt.files,
    'bytes', receipt.bytes, 'sent_before', receipt.sent_before, 'scope', receipt.scope, 'keep_days', receipt.keep_days,
    'hash', receipt.hash, 'line', app.receipt_line(receipt))
$$;
comment on function app.receipt_as_json is 'A receipt with its canonical line, which contains the hash of its predecessor.';

-- Rules ------------------------------------------------------------------------------------------------

create function app.retention_of(channels uuid[]) returns table (
  channel_id uuid, scope text, keep_days integer, starts_at timestamptz
)
language sql stable security definer set search_path = ''
as $$
  select c.id, case when own.keep in ('days', 'forever') then own.scope else common.scope end,
    case own.keep when 'days' then own.keep_days when 'forever' then null else common.keep_days end,
    greatest(own.starts_at, case when own.keep in ('days', 'forever') then null else common.starts_at end)
  from public.channels c
  left join public.retention_rules own
    on own.workspace_id = c.workspace_id and own.scope = 'channel' and own.channel_id = c.id
  left join public.retention_rules common on common.workspace_id = c.workspace_id and common.channel_id is null
    and common.scope = case when c.kind in ('public', 'private') then 'channels' else 'conversations' end
  where c.id = any (channels)
$$;
comment on function app.retention_of is
  'The rule that applies to each of these channels: its own, else that of its workspace; keep_days null: forever.';

create function app.channels_in_scope(workspace uuid, scope text, channel uuid) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select c.id from public.channels c
    left join public.retention_rules own
      on own.workspace_id = c.workspace_id and own.scope = 'channel' and own.channel_id = c.id
    where c.workspace_id = workspace and case channels_in_scope.scope
      when 'channel' then c.id = channel
      when 'channels' then c.kind in ('public', 'private') and coalesce(own.keep, 'default') = 'default'
      else c.kind in ('direct', 'group') end)
$$;
comment on function app.channels_in_scope is 'The channels to which a rule of this scope applies.';

create function app.require_retention_scope(workspace uuid, scope text, channel uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if scope is null or scope not in ('channels', 'conversations', 'channel') or (scope = 'channel') <> (channel is not null)
  then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  if scope = 'channel' and not exists (
    select from public.channels c join app.my_readable_channels() r on r.channel_id = c.id
    where c.id = channel and c.workspace_id = workspace and c.kind in ('public', 'private'))
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
end
$$;
comment on function app.require_retention_scope is
  'Fails unless the scope is known; with not_found for a channel that the caller may not read, and for conversations.';

create function app.retention_as_json(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'channels', (select jsonb_build_object('keep_days', r.keep_days, 'starts_at', r.starts_at)
        from public.retention_rules r where r.workspace_id = workspace and r.scope = 'channels' and r.keep = 'days'),
      'conversations', (select jsonb_build_object('keep_days', r.keep_days, 'starts_at', r.starts_at)
        from public.retention_rules r where r.workspace_id = workspace and r.scope = 'conversations' and r.keep = 'days'),
      'own', coalesce((
        select jsonb_agg(jsonb_build_object('channel_id', o.channel_id, 'name', o.name, 'keep_days', o.keep_days,
          'starts_at', o.starts_at) order by lower(o.name), o.channel_id)
        from (
          select r.channel_id, c.name, r.keep_days, r.starts_at
          from public.retention_rules r
          join public.channels c on c.id = r.channel_id
          join app.my_readable_channels() a on a.channel_id = r.channel_id
          where r.workspace_id = workspace and r.scope = 'channel' and r.keep <> 'default'
          order by lower(c.name), r.channel_id limit 500
        ) o), '[]'),
      'receipts', coalesce((select k.last_number from public.retention_chains k where k.workspace_id = workspace), 0),
      'last_hash', (select k.last_hash from public.retention_chains k where k.workspace_id = workspace and k.last_number > 0))
  );
end
$$;
comment on function app.retention_as_json is
  'The rules of a workspace: null keeps forever. `own` has the channels with a rule of their own that the caller may read, '
  'at most 500.';

create function public.retention(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner', 'admin');
  return app.retention_as_json(workspace);
end
$$;
comment on function public.retention is 'How long messages of a workspace are kept, for its owners and admins.';

create function public.preview_retention(workspace uuid, scope text, keep_days integer, channel uuid default null)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  max_examined constant integer := 10000;
  cutoff timestamptz;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  perform app.require_retention_scope(workspace, preview_retention.scope, preview_retention.channel);
  if coalesce(preview_retention.keep_days, 0) not between 1 and 3650 then
    raise exception using errcode = 'PT400', message = 'bad_retention';
  end if;
  cutoff := now() - make_interval(days => preview_retention.keep_days);
  return (
    with examined as materialized (
      select m.id, m.channel_id, m.created_at
      from unnest(app.channels_in_scope(workspace, preview_retention.scope, preview_retention.channel)) c (id)
      join public.messages m on m.channel_id = c.id and m.deleted_at is null and m.created_at < cutoff
      limit max_examined
    ), carried as (
      select distinct on (a.upload_channel_id, a.upload_id) a.size
      from examined e join public.attachments a on a.message_id = e.id
    )
    select jsonb_build_object(
      'messages', (select count(*) from examined),
      'channels', (select count(distinct e.channel_id) from examined e),
      'oldest', (select min(e.created_at) from examined e),
      'files', (select count(*) from carried),
      'bytes', (select coalesce(sum(c.size), 0) from carried c),
      'pinned', (select count(*) from examined e join public.pins p on p.message_id = e.id),
      'more', (select count(*) from examined) = max_examined)
  );
end
$$;
comment on function public.preview_retention is
  'What a rule would delete today, for owners and admins: counts over at most 10,000 messages, `more` if there are others. '
  'Of channels that they may not read only as part of the sum.';

create function public.set_retention(workspace uuid, scope text, keep text, keep_days integer default null, channel uuid default null)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  waiting constant interval := '7 days';
  before record;
  default_days integer;
  days_before integer;
  days_after integer;
  is_channel_scope constant boolean := set_retention.scope = 'channel';
begin
  perform app.require_role(workspace, 'owner');
  perform app.require_retention_scope(workspace, set_retention.scope, set_retention.channel);
  if set_retention.keep is null or set_retention.keep not in ('default', 'forever', 'days')
    or (set_retention.keep = 'default' and not is_channel_scope)
    or (set_retention.keep = 'days') <> (set_retention.keep_days is not null)
    or set_retention.keep_days not between 1 and 3650
  then
    raise exception using errcode = 'PT400', message = 'bad_retention';
  end if;
  insert into public.retention_chains (workspace_id) values (workspace) on conflict do nothing;
  -- A batch in progress ends first; the next one follows the new rule.
  perform from public.retention_chains k where k.workspace_id = workspace for update;
  select r.keep_days into default_days from public.retention_rules r
  where r.workspace_id = workspace and r.scope = 'channels';
  select r.keep, r.keep_days, r.starts_at into before from public.retention_rules r
  where r.workspace_id = workspace and r.scope = set_retention.scope
    and r.channel_id is not distinct from set_retention.channel;
  days_before := case when coalesce(before.keep, 'default') = 'default' and is_channel_scope then default_days
    else before.keep_days end;
  days_after := case when set_retention.keep = 'default' then default_days else set_retention.keep_days end;
  insert into public.retention_rules as r (workspace_id, scope, channel_id, keep, keep_days, starts_at)
  values (workspace, set_retention.scope, set_retention.channel, set_retention.keep, set_retention.keep_days,
    case when days_after < coalesce(days_before, 4000) then now() + waiting
      -- A default that still waits makes its channels wait, also with a longer rule of their own.
      else coalesce(greatest(before.starts_at, (select d.starts_at from public.retention_rules d
        where is_channel_scope and d.workspace_id = workspace and d.scope = 'channels')), now()) end)
  on conflict on constraint retention_rules_once do update
  set keep = excluded.keep, keep_days = excluded.keep_days, starts_at = excluded.starts_at
  where r.scope = excluded.scope;
  return app.retention_as_json(workspace);
end
$$;
comment on function public.set_retention is
  'Sets how long messages are kept, for owners: in all channels, in conversations, or in one channel that they may read. A '
  'rule that starts to delete, or to delete earlier, waits for seven days; one that keeps longer applies at once.';

create function app.record_retention_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  was constant jsonb := case when tg_op = 'UPDATE' then jsonb_build_object('keep', old.keep, 'keep_days', old.keep_days) end;
begin
  perform app.record_action(new.workspace_id, 'retention.changed', jsonb_strip_nulls(jsonb_build_object(
    'scope', new.scope, 'channel_id', new.channel_id,
    'kind', (select c.kind from public.channels c where c.id = new.channel_id)))
    || jsonb_build_object('from', was, 'to', jsonb_build_object('keep', new.keep, 'keep_days', new.keep_days)));
  return null;
end
$$;
comment on function app.record_retention_change is 'Records who changed how long messages are kept.';
create trigger retention_changes_are_recorded after insert or update on public.retention_rules
  for each row execute function app.record_retention_change();
comment on trigger retention_changes_are_recorded on public.retention_rules is 'For each way of changing a rule.';

create function public.list_retention_receipts(workspace uuid, after bigint default 0, "limit" integer default 100)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_retention_receipts."limit", 100), 1), 1000);
  listed public.retention_receipts[];
begin
  perform app.require_role(workspace, 'owner', 'admin');
  listed := array(
    select r from public.retention_receipts r
    where r.workspace_id = workspace and r.number > coalesce(list_retention_receipts.after, 0)
    order by r.number limit size);
  return jsonb_build_object(
    'receipts', coalesce((select jsonb_agg(app.receipt_as_json(r) order by r.number) from unnest(listed) r), '[]'),
    'after', case when cardinality(listed) = size then (listed[size]).number end);
end
$$;
comment on function public.list_retention_receipts is
  'Receipts of what retention has deleted, in their order after a number, for owners and admins; at most 1,000. A channel is '
  'named by its id alone.';

-- Deleting ---------------------------------------------------------------------------------------------

create function app.erase_messages(
  channel uuid, sent_before timestamptz, max_messages integer, out erased integer, out from_seq bigint,
  out until_seq bigint, out files integer, out bytes bigint
)
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids uuid[];
  message public.messages;
  first bigint;
begin
  ids := array(
    select m.id from public.messages m
    where m.channel_id = channel and m.deleted_at is null and m.created_at < sent_before
    order by m.created_at limit max_messages);
  -- Messages with their roots, then the channel: the order of all commands.
  perform from public.messages m
  where m.id = any (ids)
    or m.id in (select r.thread_root from public.messages r where r.id = any (ids) and r.thread_root is not null)
  order by m.id for no key update;
  perform app.lock_channels(array[channel]);
  -- What somebody has deleted meanwhile is not counted.
  ids := array(select m.id from public.messages m where m.id = any (ids) and m.deleted_at is null);
  -- Files that no other message carries.
  select count(*), coalesce(sum(f.size), 0) into files, bytes
  from (
    select distinct on (a.upload_channel_id, a.upload_id) a.size
    from public.attachments a
    where a.message_id = any (ids) and not exists (
      select from public.attachments other
      where other.upload_channel_id = a.upload_channel_id and other.upload_id = a.upload_id
        and other.message_id <> all (ids))
  ) f;
  erased := 0;
  for message in select m.* from public.messages m where m.id = any (ids) order by m.created_at, m.id loop
    perform app.erase_message(message, null);
    erased := erased + 1;
    from_seq := least(from_seq, message.history_seq);
    until_seq := greatest(until_seq, message.history_seq);
  end loop;
  -- Up to the first message that is still there, has replies that are, or is not as old.
  select coalesce((
    select m.seq from public.messages m
    where m.channel_id = channel and m.seq >= c.first_seq
      and (m.deleted_at is null or m.reply_count > 0 or m.created_at >= sent_before)
    order by m.seq limit 1), k.last_seq + 1) into first
  from public.channels c join public.channel_counters k on k.channel_id = c.id where c.id = channel;
  update public.channels c set first_seq = first where c.id = channel and c.first_seq < first;
end
$$;
comment on function app.erase_messages is
  'Erases the oldest messages of a channel that are older than a time, replies too, and raises first_seq. A root whose '
  'replies are younger stays as a tombstone. Returns counts, the range of history_seq, and the bytes of files that go.';

create function app.erase_expired_messages(max_messages integer default 200) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  chain public.retention_chains;
  due record;
  cutoff timestamptz;
  gone record;
begin
  for chain in select k.* from public.retention_chains k for update skip locked loop
    select r.channel_id, r.scope, r.keep_days into due
    from app.retention_of(array(select c.id from public.channels c where c.workspace_id = chain.workspace_id)) r
    where r.keep_days is not null and r.starts_at <= now() and exists (
      select from public.messages m where m.channel_id = r.channel_id and m.deleted_at is null
        and m.created_at < now() - make_interval(days => r.keep_days))
    limit 1;
    continue when due.channel_id is null;
    cutoff := now() - make_interval(days => due.keep_days);
    select * into gone from app.erase_messages(due.channel_id, cutoff, max_messages);
    if gone.erased > 0 then
      insert into public.retention_receipts (workspace_id, channel_id, from_seq, until_seq, messages, files, bytes,
        sent_before, scope, keep_days)
      values (chain.workspace_id, due.channel_id, gone.from_seq, gone.until_seq, gone.erased, gone.files, gone.bytes,
        cutoff, due.scope, due.keep_days);
    end if;
    return true;
  end loop;
  return false;
end
$$;
comment on function app.erase_expired_messages is
  'Erases one batch of messages of one channel that are older than its rule, oldest first, and adds its receipt; false if '
  'nothing is due, or another batch is in progress.';

create procedure app.run_retention()
language plpgsql
as $$
begin
  for _ in 1..100 loop
    exit when not app.erase_expired_messages();
    -- A transaction for each: the locks of a channel end with its batch, and its receipt is stored with it.
    commit;
  end loop;
end
$$;
comment on procedure app.run_retention is
  'Erases at most 20,000 messages that are older than the rules. Every five minutes. Neither security definer nor a search '
  'path: a procedure with one of them cannot commit.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.retention, public.preview_retention, public.set_retention,
  public.list_retention_receipts from public, anon, authenticated, service_role;
grant execute on function public.retention, public.preview_retention, public.set_retention,
  public.list_retention_receipts to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: retention', '*/5 * * * *', 'call app.run_retention()');
