-- What costs more than it must: rights that were evaluated once a column, a change of a message that rewrote all of its
-- indexes, and an hourly job that compared every stored object.

create or replace function app.require_message(message uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading app.reading;
begin
  -- In FROM: as `(function).*` it would be evaluated once for each of its columns.
  select r.* into reading
  from public.messages m cross join lateral app.reading_of(m.channel_id) r
  where m.id = message and m.base_seq >= r.history_from_seq;
  if reading.profile_id is null then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return reading;
end
$$;

-- The rev of a message changes with each reaction, pin and reply. Out of the indexes of messages, such a change rewrites
-- none of them.

create table public.message_changes (
  message_id uuid primary key references public.messages (id) on delete cascade,
  channel_id uuid not null,
  rev bigint not null,
  base_seq bigint not null,
  constraint message_changes_rev_once unique (channel_id, rev)
) with (fillfactor = 80);
comment on table public.message_changes is
  'The rev of each message, in the order of changes: a narrow row apart, so that a reaction rewrites no index of messages.';

comment on column public.message_changes.base_seq is 'That of the message, which never changes: compared with a history start.';

alter table public.message_changes enable row level security;
revoke all on public.message_changes from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_changes to service_role;

insert into public.message_changes (message_id, channel_id, rev, base_seq)
select m.id, m.channel_id, m.rev, m.base_seq from public.messages m;
alter table public.messages drop constraint messages_rev_once;
-- Room beside each row for its next version, which would need new entries in every index on another page.
alter table public.messages set (fillfactor = 90);

create function app.note_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.message_changes (message_id, channel_id, rev, base_seq)
  values (new.id, new.channel_id, new.rev, new.base_seq)
  on conflict (message_id) do update set rev = excluded.rev where message_changes.message_id = excluded.message_id;
  return null;
end
$$;
comment on function app.note_change is 'Keeps message_changes as the revs of messages are.';
create trigger changes_are_noted after insert or update of rev on public.messages
  for each row execute function app.note_change();
comment on trigger changes_are_noted on public.messages is 'Under the lock of the channel''s counters, as the rev itself.';

create or replace function public.channel_changes(channel uuid, after_rev bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  reading constant app.reading := app.require_reader(channel);
  now_at public.channel_counters;
  ids uuid[];
begin
  select * into now_at from public.channel_counters k where k.channel_id = channel;
  if after_rev between 0 and now_at.rev then
    ids := array(
      select c.message_id
      from public.message_changes c
      where c.channel_id = channel and c.rev > after_rev and c.base_seq >= reading.history_from_seq
      order by c.rev limit 301);
  end if;
  -- A rev that this server never reached comes from before a restore: nothing known then can be trusted.
  if ids is null or cardinality(ids) > 300 then
    return jsonb_build_object('channel_id', channel, 'reset', true,
      'entry', app.entry_as_json(reading.profile_id, channel), 'epoch', now_at.epoch, 'rev', now_at.rev);
  end if;
  return jsonb_build_object('channel_id', channel, 'reset', false,
    'messages', app.messages_as_json(ids, reading.profile_id),
    'entry', case when now_at.meta_rev > after_rev then app.entry_as_json(reading.profile_id, channel) end,
    'epoch', now_at.epoch, 'rev', now_at.rev);
end
$$;

-- The hourly job ------------------------------------------------------------------------------------------

create function app.queue_unused(bucket text, max_objects integer default 10000) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  place constant text := 'sweep_' || bucket;
  after_name text := coalesce((select s.value #>> '{}' from public.settings s where s.key = place), '');
  last_name text;
begin
  with looked as (
    select o.name, o.created_at from storage.objects o
    where o.bucket_id = bucket and o.name collate "C" > after_name collate "C"
    order by o.name collate "C" limit max_objects
  ), queued as (
    insert into public.file_removals (bucket_id, name)
    select bucket, l.name from looked l
    where l.created_at < now() - interval '1 day 1 hour'
      and not exists (select from public.attachments a where bucket = 'files' and a.upload_id = app.upload_in_path(l.name))
      and not exists (select from public.profiles p
        where bucket = 'avatars' and p.id::text = split_part(l.name, '/', 1) and p.avatar = l.name)
    on conflict do nothing
  )
  select max(l.name collate "C") into last_name from looked l having count(*) = max_objects;
  insert into public.settings (key, value) values (place, to_jsonb(coalesce(last_name, '')))
  on conflict (key) do update set value = excluded.value where settings.key = excluded.key;
end
$$;
comment on function app.queue_unused is
  'Queues objects of a bucket that nothing has named within a day. Looks at so many a call, from where the last call '
  'ended, so that its cost does not grow with what is stored; at the end it begins anew.';

create or replace function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- The day is what attaching allows.
  perform app.queue_unused('files');
  perform app.queue_unused('avatars');
  -- Invitations that can no longer be used, with the addresses they were for. A month, so that whoever still holds a
  -- link is told what became of it.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  delete from public.rate_limits r where r.full_at < now();
  -- pg_cron keeps each run for ever; pg_net deletes its responses by itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
end
$$;
comment on function app.sweep is
  'Ends what has expired: uploads and avatars that nothing names, unusable invitations, old heartbeats, allowances that '
  'are whole again, and old runs of jobs.';

revoke execute on all functions in schema app from public;
