-- Deletion of channels. A command takes a channel from everybody at once; a job then deletes its rows in batches. Decision 57
-- gives the reasons.

-- The command ------------------------------------------------------------------------------------------

create function app.may_delete_channel(access app.channel_access) returns boolean
language sql stable security definer set search_path = ''
as $$
  select access.kind in ('public', 'private') and access.workspace_role <> 'guest' and exists (
    select from public.workspaces w
    where w.id = access.workspace_id and (
      w.deletions_by <> 'authors' and access.workspace_role in ('owner', 'admin')
      or w.deletions_by = 'channel_admins' and access.member and access.channel_role = 'admin'))
$$;
comment on function app.may_delete_channel is
  'Whether the caller may delete a channel that they read: those who may delete all messages of others in it, and owners and '
  'admins also where they have not joined.';

create function app.withdraw_channel(channel uuid, deleter uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Readers who are not members first: nothing more is published on the topic that they receive.
  if exists (select from public.channels c where c.id = channel and c.kind = 'public') then
    perform app.make_channel_private(channel);
  end if;
  update public.channels c
  set kind = 'private', name = coalesce(c.name, 'Conversation'), direct_key = null,
    archived_at = coalesce(c.archived_at, clock_timestamp()), deleted_at = clock_timestamp(), deleted_by = deleter
  where c.id = channel;
  delete from public.invitation_channels o where o.channel_id = channel;
  delete from public.incoming_webhooks h where h.channel_id = channel;
  delete from public.outgoing_webhooks h where h.channel_id = channel;
  -- Each member is notified, and loses the topic.
  delete from public.channel_members m where m.channel_id = channel;
end
$$;
comment on function app.withdraw_channel is
  'Takes a channel or conversation from everybody; a job deletes its rows. Checks no rights, and requires the lock of the channel.';

create function public.delete_channel(channel uuid, name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  access app.channel_access;
  before public.channels;
begin
  -- A repeated request.
  if exists (
    select from public.channels c
    where c.id = channel and c.deleted_at is not null and c.deleted_by = me and app.my_role(c.workspace_id) is not null)
  then
    return jsonb_build_object('channel_id', channel);
  end if;
  access := app.require_reader(channel);
  perform app.lock_channels(array[channel]);
  access := app.require_reader(channel);
  if not app.may_delete_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  select * into before from public.channels c where c.id = channel;
  if btrim(before.name) is distinct from btrim(delete_channel.name) then
    raise exception using errcode = 'PT400', message = 'other_channel_name';
  end if;
  perform app.withdraw_channel(channel, access.profile_id);
  return jsonb_build_object('channel_id', channel);
end
$$;
comment on function public.delete_channel is
  'Deletes a channel with its messages and files, for those who may delete messages of others in it and enter its name. At '
  'once nobody reads it any more, and its name is free; files that messages of other channels carry stay.';

create function app.refuse_change_of_deleted_channel() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.refuse_change_of_deleted_channel is 'A deleted channel does not come back.';
create trigger deleted_channels_stay_deleted before update on public.channels
  for each row when (old.deleted_at is not null) execute function app.refuse_change_of_deleted_channel();
comment on trigger deleted_channels_stay_deleted on public.channels is
  'For every command: of two concurrent ones, the second locked the channel after its deletion.';

-- The job ----------------------------------------------------------------------------------------------

create function app.delete_some_messages(channel uuid, max_messages integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- Replies before their root, which they reference.
  chosen constant uuid[] := array(
    select m.id from public.messages m where m.channel_id = channel
    order by m.thread_root is null, m.id limit max_messages);
begin
  insert into public.file_deletion_queue (bucket_id, name)
  select 'files', a.upload_channel_id || '/' || a.upload_id || '/' || part
  from public.attachments a, unnest(array['file', 'thumb']) part
  where a.message_id = any (chosen) and not exists (
    select from public.attachments other
    where other.upload_id = a.upload_id and other.upload_channel_id = a.upload_channel_id
      and other.message_id <> all (chosen))
  on conflict do nothing;
  delete from public.messages m where m.id = any (chosen);
  return cardinality(chosen);
end
$$;
comment on function app.delete_some_messages is
  'Deletes messages of a channel that nobody reads any more, and queues their files unless a message elsewhere carries them. '
  'Returns how many; fewer than the maximum were the last.';

create procedure app.delete_channel_rows(channel uuid)
language plpgsql
as $$
begin
  -- A transaction for each batch: a channel with years of messages locks nothing for long. What ends here is continued by
  -- the next run.
  while app.delete_some_messages(channel, 1000) = 1000 loop
    commit;
  end loop;
  -- Stored broadcasts have texts; nobody can subscribe to the topics any more.
  update realtime.messages b set event = 'rev', payload = '{}'
  where b.extension = 'broadcast' and b.topic like 'channel:' || channel || ':%' and b.payload <> '{}';
  delete from public.channels c where c.id = channel;
  commit;
end
$$;
comment on procedure app.delete_channel_rows is 'Deletes a channel and everything in it, in batches.';

create procedure app.delete_deleted_channels()
language plpgsql
as $$
declare
  due uuid;
  has_deleted boolean := false;
begin
  call app.withdraw_undone_imports();
  loop
    select c.id into due from public.channels c where c.deleted_at is not null order by c.deleted_at limit 1;
    exit when due is null;
    call app.delete_channel_rows(due);
    has_deleted := true;
  end loop;
  -- An undone import cannot be repeated until its files are deleted. One call of the function deletes 20,000 files.
  if exists (select from public.file_deletion_queue) and (
    has_deleted or exists (select from public.imports i where i.undone_at is not null and i.removed_at is null))
  then
    perform app.try_start_task('delete-files');
    commit;
  end if;
  call app.finish_undone_imports();
end
$$;
comment on procedure app.delete_deleted_channels is
  'Deletes the rows and files of channels that were deleted, also by the undo of an import.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.delete_channel from public, anon, authenticated, service_role;
grant execute on function public.delete_channel to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete channels', '* * * * *', 'call app.delete_deleted_channels()');
