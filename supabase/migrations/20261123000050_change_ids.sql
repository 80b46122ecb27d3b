-- Each change of a channel has a random id beside its number. After a backup was restored the numbers are used again, for
-- other changes: a client that has stored the number and the id of a change knows whether the server still has it.

alter table public.channel_counters add column change_id bigint not null default 0;
comment on column public.channel_counters.change_id is
  'A random id of the change `rev`. Below 2^53, so that JavaScript reads it exactly.';
alter table public.channel_counters add column previous_change_id bigint not null default 0;
comment on column public.channel_counters.previous_change_id is
  'The id of the change `rev` - 1: a broadcast with it shows whether it continues what a client has.';
alter table public.message_changes add column change_id bigint not null default 0;
comment on column public.message_changes.change_id is 'channel_counters.change_id at this change.';

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

create or replace function app.record_message_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.message_changes (message_id, channel_id, rev, base_seq, change_id)
  values (new.id, new.channel_id, new.rev, new.base_seq,
    coalesce((select k.change_id from public.channel_counters k where k.channel_id = new.channel_id), 0))
  on conflict (message_id) do update set rev = excluded.rev, change_id = excluded.change_id
  where message_changes.message_id = excluded.message_id;
  return null;
end
$$;

create or replace function app.counters_as_json(counters public.channel_counters) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('last_seq', counters.last_seq, 'rev', counters.rev, 'meta_rev', counters.meta_rev,
    'epoch', counters.epoch, 'change_id', counters.change_id)
$$;

create or replace function app.notify_channel(channel uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  perform realtime.send(
    case when payload ->> 'rev' = k.rev::text then payload || jsonb_build_object(
      'change_id', k.change_id, 'previous_change_id', k.previous_change_id) else payload end,
    event, 'channel:' || channel || ':' || k.epoch, true)
  from public.channel_counters k where k.channel_id = channel;
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
