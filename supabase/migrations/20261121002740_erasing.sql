-- Deleting what a channel says about itself, and the name of somebody who left.

create or replace function public.delete_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_message(delete_message.id);
  before constant public.messages := app.lock_message(delete_message.id);
begin
  -- What the channel says about itself, with the names and topics in it, is for those who manage it.
  if (before.kind <> 'text' or before.author_id <> reading.profile_id) and not app.manages(reading) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if before.deleted_at is null then
    -- The bytes go once nothing else names them.
    insert into public.file_removals (bucket_id, name)
    select 'files', a.upload_channel_id || '/' || a.upload_id || '/' || part
    from public.attachments a, unnest(array['file', 'thumb']) part
    where a.message_id = before.id and not exists (
      select from public.attachments other
      where other.upload_id = a.upload_id and other.upload_channel_id = a.upload_channel_id
        and other.message_id <> before.id)
    on conflict do nothing;
    delete from public.attachments a where a.message_id = before.id;
    delete from public.message_revisions r where r.message_id = before.id;
    delete from public.message_edits e where e.message_id = before.id;
    delete from public.message_search s where s.message_id = before.id;
    delete from public.mentions n where n.message_id = before.id;
    delete from public.reactions r where r.message_id = before.id;
    delete from public.pins p where p.message_id = before.id;
    perform app.empty_broadcasts(before);
    update public.messages m
    set body = '', system = null, deleted_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
    where m.id = before.id;
    if before.thread_root is not null then
      perform app.forget_reply(before.thread_root, app.next_rev(before.channel_id));
      perform app.forget_unread_reply(before);
    end if;
  end if;
  return app.one_message(before.id, reading.profile_id);
end
$$;
comment on function public.delete_message is
  'Empties a message: text, earlier texts, files, reactions and copies go, its numbers stay. One''s own, or any for those '
  'who manage the channel, system messages included.';

create or replace function app.remove_avatar_with_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.avatar = null;
  new.status_emoji = null;
  new.status_text = null;
  new.status_expires_at = null;
  new.presence = 'auto';
  new.presence_until = null;
  return new;
end
$$;
comment on function app.remove_avatar_with_account is
  'Removes the avatar and status of an account that is deleted. The name stays as the author of its messages, until '
  'erase_person removes it too.';

create function public.erase_person(workspace uuid, person uuid) returns jsonb
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
  -- Whoever still belongs somewhere changes their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.erase_person is
  'Removes the name, avatar and status of somebody who left or whose account is gone, at their request. Their messages '
  'stay readable, under the name "Deleted user". For owners.';

revoke execute on function public.erase_person from public, anon, authenticated, service_role;
grant execute on function public.erase_person to authenticated;
revoke execute on all functions in schema app from public;
