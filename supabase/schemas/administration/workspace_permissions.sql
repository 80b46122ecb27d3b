-- Options of a workspace about who may do what, its icon, and its deletion after a waiting period. Decision 46 gives the
-- reasons.
--
-- The icon is an object of the bucket `avatars` under `<workspace>/`, each version under its own name, as the avatars of
-- people.

-- Options ----------------------------------------------------------------------------------------------

create function public.set_workspace_options(
  workspace uuid, custom_emoji_by text default null, read_receipts text default null, link_previews boolean default null,
  groups_by text default null, channels_by text default null, invitations_by text default null, mention_everyone_by text default null,
  deletions_by text default null, edit_history_by text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if set_workspace_options.custom_emoji_by not in ('admins', 'members')
    or set_workspace_options.read_receipts not in ('off', 'members', 'everyone')
    or set_workspace_options.groups_by not in ('admins', 'members')
    or set_workspace_options.channels_by not in ('admins', 'members')
    or set_workspace_options.invitations_by not in ('admins', 'members')
    or set_workspace_options.mention_everyone_by not in ('admins', 'members', 'everyone')
    or set_workspace_options.deletions_by not in ('authors', 'admins', 'channel_admins')
    or set_workspace_options.edit_history_by not in ('authors', 'admins', 'members')
  then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w
  set custom_emoji_by = coalesce(set_workspace_options.custom_emoji_by, w.custom_emoji_by),
    read_receipts = coalesce(set_workspace_options.read_receipts, w.read_receipts),
    link_previews = coalesce(set_workspace_options.link_previews, w.link_previews),
    groups_by = coalesce(set_workspace_options.groups_by, w.groups_by),
    channels_by = coalesce(set_workspace_options.channels_by, w.channels_by),
    invitations_by = coalesce(set_workspace_options.invitations_by, w.invitations_by),
    mention_everyone_by = coalesce(set_workspace_options.mention_everyone_by, w.mention_everyone_by),
    deletions_by = coalesce(set_workspace_options.deletions_by, w.deletions_by),
    edit_history_by = coalesce(set_workspace_options.edit_history_by, w.edit_history_by)
  where w.id = workspace and me is not null;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_workspace_options is
  'Changes options of a workspace, for its owners and admins; null leaves one as it is.';

create function public.set_workspace_language(workspace uuid, language text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if set_workspace_language.language !~ '^[a-z]{2,3}$' then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w set language = set_workspace_language.language
  where w.id = workspace and me is not null and w.language is distinct from set_workspace_language.language;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_workspace_language is
  'Sets the language of a workspace, such as `en`, or none (null), for its owners and admins. Clients display texts in English '
  'if they have none in this language.';

create function app.require_channel_creation() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Without a caller the server creates it, such as the first channel or one of the demo.
  if app.my_role(new.workspace_id) = 'member' and exists (
    select from public.workspaces w where w.id = new.workspace_id and w.channels_by = 'admins')
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return new;
end
$$;
comment on function app.require_channel_creation is
  'Fails with not_allowed if a member creates a channel in a workspace where only owners and admins may.';
create trigger require_channel_creation before insert on public.channels
  for each row when (new.kind in ('public', 'private')) execute function app.require_channel_creation();
comment on trigger require_channel_creation on public.channels is 'For every command that creates a channel.';

create function app.may_mention_everyone(person uuid, channel uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.channels c
    join public.workspaces w on w.id = c.workspace_id
    left join public.workspace_members m
      on m.workspace_id = c.workspace_id and m.profile_id = person and app.is_active_member(m)
    left join public.channel_members cm on cm.channel_id = c.id and cm.profile_id = person
    where c.id = channel and c.kind in ('public', 'private') and coalesce(m.role, 'guest') not in ('owner', 'admin')
      and (w.mention_everyone_by = 'admins' and cm.role is distinct from 'admin'
        or w.mention_everyone_by = 'members' and coalesce(m.role, 'guest') = 'guest'))
$$;
comment on function app.may_mention_everyone is
  'Whether the workspace allows a person to write @channel and @here in a channel. Somebody who is no longer a member counts as a '
  'guest.';

create function app.require_mention_of_everyone() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_importing() then return new; end if;
  -- The author, who may write it later by a scheduled message, without a session. What a message mentions already, it
  -- mentions also after an edit or a move.
  if not app.may_mention_everyone(new.author_id, new.channel_id) and not exists (
    select from public.mentions n where n.message_id = new.message_id and n.kind = new.kind
  ) and not exists (
    select from public.messages m where m.id = new.message_id and m.extras ? 'moved'
  ) and not exists (
    select from public.messages m join public.incoming_webhooks h on h.id = (m.extras ->> 'webhook')::uuid
    where m.id = new.message_id and app.notifies_everyone(h)
  ) then
    raise exception using errcode = 'PT403', message = 'mention_everyone_not_allowed';
  end if;
  return new;
end
$$;
comment on function app.require_mention_of_everyone is
  'Fails with mention_everyone_not_allowed if neither the author nor the webhook of a message may write @channel and @here in '
  'this channel.';
create trigger require_mention_of_everyone before insert on public.mentions
  for each row when (new.kind in ('channel', 'here')) execute function app.require_mention_of_everyone();
comment on trigger require_mention_of_everyone on public.mentions is
  'Sent, edited, scheduled, or by a webhook. In direct and group conversations everyone may.';

-- Icon -------------------------------------------------------------------------------------------------

create function app.workspace_in_icon_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(webp|jpg)$'
    then split_part(path, '/', 1)::uuid end
$$;
comment on function app.workspace_in_icon_path is
  'The first part of the path of an icon, which is its workspace. Paths of avatars have the same form, with a person.';

create function app.can_upload_icon(path text, metadata jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  workspace constant uuid := app.workspace_in_icon_path(path);
begin
  return workspace in (select app.my_managed_workspace_ids()) and app.size_of_object(metadata) <= 262144;
end
$$;
comment on function app.can_upload_icon is
  'Whether the caller may store an icon of a workspace here: at most 256 KB. limit_pictures counts the versions.';

create function app.can_read_icon(path text, owner text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (owner = auth.uid()::text and app.workspace_in_icon_path(path) in (select app.my_managed_workspace_ids()))
    or exists (
      select from public.workspaces w where w.icon = path and w.id in (select app.my_workspace_ids()));
end
$$;
comment on function app.can_read_icon is
  'Whether this is the icon of one of the caller''s workspaces, or one that the caller has just uploaded.';

create policy "owners and admins upload the icon of their workspace" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.workspace_in_icon_path(name) is not null and app.can_upload_icon(name, metadata)
  );
create policy "members see the icon of their workspace" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.workspace_in_icon_path(name) is not null and app.can_read_icon(name, owner_id)
  );

create function public.set_workspace_icon(workspace uuid, icon text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if set_workspace_icon.icon is not null and (
    app.workspace_in_icon_path(set_workspace_icon.icon) is distinct from workspace or not exists (
      select from storage.objects o
      where o.bucket_id = 'avatars' and o.name = set_workspace_icon.icon and o.owner_id = auth.uid()::text
        and not exists (
          select from public.file_deletion_queue q where q.bucket_id = 'avatars' and q.name = o.name)))
  then
    raise exception using errcode = 'PT409', message = 'attachments_missing';
  end if;
  update public.workspaces w set icon = set_workspace_icon.icon
  where w.id = workspace and me is not null and w.icon is distinct from set_workspace_icon.icon;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_workspace_icon is
  'Shows an image that the caller has uploaded as the icon of a workspace, or none. For its owners and admins.';

-- Deletion of a workspace ------------------------------------------------------------------------------

insert into public.settings (key, value) values ('workspace_deletion_days', '14');

create function public.schedule_workspace_deletion(workspace uuid, name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  update public.workspaces w
  set deletes_at = coalesce(w.deletes_at, now() + make_interval(
    days => (select s.value::integer from public.settings s where s.key = 'workspace_deletion_days')))
  where w.id = workspace and me is not null and btrim(w.name) = btrim(schedule_workspace_deletion.name);
  if not found then
    raise exception using errcode = 'PT400', message = 'other_workspace_name';
  end if;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.schedule_workspace_deletion is
  'Lets a workspace be deleted with everything in it after the waiting period (setting workspace_deletion_days), for an owner '
  'who enters its name.';

create function public.cancel_workspace_deletion(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  update public.workspaces w set deletes_at = null
  where w.id = workspace and me is not null and w.deletes_at > now();
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.cancel_workspace_deletion is 'Ends the waiting period: the workspace stays. For its owners.';

create function app.keep_first_workspace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not app.is_first_workspace(old.id) then return old; end if;
  insert into public.settings (key, value)
  select 'first_workspace', to_jsonb(coalesce((
    select w.id from public.workspaces w
    where w.id <> old.id and (
      select bool_and(exists (
        select from public.workspace_members m
        where m.workspace_id = old.id and m.profile_id = o.profile_id and m.role = 'owner' and m.state = 'active'))
      from public.workspace_members o where o.workspace_id = w.id and o.role = 'owner' and o.state = 'active')
    order by w.created_at, w.id limit 1), old.id))
  on conflict (key) do update set value = excluded.value where settings.key = excluded.key;
  return old;
end
$$;
comment on function app.keep_first_workspace is
  'After the deletion of the first workspace, the oldest one whose owners all owned it is the first. If there is none, no workspace '
  'is: the owners of another one would administer the server.';
create trigger deleted_workspaces_pass_nothing_on before delete on public.workspaces
  for each row execute function app.keep_first_workspace();
comment on trigger deleted_workspaces_pass_nothing_on on public.workspaces is 'For each way in which a workspace is deleted.';

create procedure app.delete_due_workspaces()
language plpgsql
as $$
declare
  due uuid;
  channel uuid;
  people uuid[];
begin
  loop
    select w.id into due from public.workspaces w where w.deletes_at <= now() order by w.deletes_at limit 1;
    exit when due is null;
    loop
      select c.id into channel from public.channels c where c.workspace_id = due order by c.id limit 1;
      exit when channel is null;
      call app.delete_channel_rows(channel);
    end loop;
    perform app.delete_bot_account(b.profile_id) from public.bots b where b.workspace_id = due;
    people := array(
      select m.profile_id from public.workspace_members m where m.workspace_id = due
      -- A claimed person is no member any more.
      union select i.profile_id from public.imported_people i where i.workspace_id = due);
    perform app.record_deleted_workspace(due);
    delete from public.workspaces w where w.id = due and w.deletes_at <= now();
    delete from public.profiles p
    where p.id = any (people) and not exists (
      select from public.workspace_members m where m.profile_id = p.id);
    commit;
  end loop;
end
$$;
comment on procedure app.delete_due_workspaces is
  'Deletes workspaces whose waiting period has passed, with their files and the profiles of those who are in no other. Their '
  'accounts stay: they belong to the people.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_workspace_options, public.set_workspace_language, public.set_workspace_icon,
  public.schedule_workspace_deletion, public.cancel_workspace_deletion from public, anon, authenticated, service_role;
grant execute on function app.workspace_in_icon_path, app.can_upload_icon, app.can_read_icon,
  public.set_workspace_options, public.set_workspace_language, public.set_workspace_icon,
  public.schedule_workspace_deletion, public.cancel_workspace_deletion to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete workspaces', '7 * * * *', 'call app.delete_due_workspaces()');
