-- Custom emoji: images with names, which a workspace adds to the standard ones, and who may add them.
--
-- A text or a reaction contains `:name:`, so that it still shows the name once the emoji is deleted. The image is an object
-- in the bucket `avatars` at `<workspace>/<emoji>`. Clients fetch the table when `workspaces.emoji_version` has changed.

-- Tables -----------------------------------------------------------------------------------------------

create table public.custom_emoji (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  name text not null,
  aliases text[] not null default '{}'
    constraint custom_emoji_aliases_count check (cardinality(aliases) <= 10),
  author_id uuid not null references public.profiles (id),
  created_at timestamptz not null default now(),
  import_id uuid,
  constraint custom_emoji_name_unique unique (workspace_id, name),
  constraint custom_emoji_name_form check (
    array_to_string(array[name] || aliases, ' ', '-') ~ '^[a-z0-9][a-z0-9_-]{1,31}( [a-z0-9][a-z0-9_-]{1,31})*$')
);
create index custom_emoji_author on public.custom_emoji (author_id);
comment on table public.custom_emoji is
  'Custom emoji of a workspace, at most 500. Commands change them under the lock of the workspace, which keeps names and '
  'aliases unique.';
comment on column public.custom_emoji.aliases is
  'Other names. A renamed emoji keeps its previous name here, since messages and reactions contain it.';
comment on column public.custom_emoji.import_id is
  'The import that created the emoji. Without a foreign key, as channels.import_id.';
alter table public.custom_emoji enable row level security;
create policy "members see the custom emoji of their workspaces" on public.custom_emoji
  for select to authenticated using (workspace_id in (select app.my_workspace_ids()));
comment on policy "members see the custom emoji of their workspaces" on public.custom_emoji is
  'Guests too: the messages that they read contain them.';
revoke all on public.custom_emoji from public, anon, authenticated, service_role;
grant select on public.custom_emoji to authenticated;
grant select, insert, update, delete on public.custom_emoji to service_role;
create trigger silenced_people_add_no_emoji before insert or update of name, aliases on public.custom_emoji
  for each row execute function app.refuse_silenced_caller();

-- Names ------------------------------------------------------------------------------------------------

create function app.require_emoji_names(workspace uuid, emoji uuid, names text[]) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if names is null or cardinality(names) > 11
    or exists (select from unnest(names) n where n is null or n !~ '^[a-z0-9][a-z0-9_-]{1,31}$')
    or (select count(distinct n) from unnest(names) n) < cardinality(names)
  then
    raise exception using errcode = 'PT400', message = 'bad_emoji_name';
  elsif array(select replace(n, '-', '_') from unnest(names) n) && app.standard_emoji_names() then
    raise exception using errcode = 'PT409', message = 'emoji_name_standard';
  elsif exists (
    select from public.custom_emoji e
    where e.workspace_id = workspace and e.id <> emoji and (array[e.name] || e.aliases) && names
  ) then
    raise exception using errcode = 'PT409', message = 'emoji_name_taken';
  end if;
end
$$;
comment on function app.require_emoji_names is
  'Fails with bad_emoji_name, emoji_name_standard or emoji_name_taken unless an emoji may have these names: one and up to '
  'ten aliases, which no standard emoji and no other emoji of the workspace has. Under the lock of the workspace.';

-- Rights -----------------------------------------------------------------------------------------------

create function app.may_add_emoji(workspace uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select app.my_role(workspace) = any (case
    when (select w.custom_emoji_by from public.workspaces w where w.id = workspace) = 'members'
      then array['owner', 'admin', 'member'] else array['owner', 'admin'] end)
    -- An emoji can be an insult.
    and not exists (
      select from public.silences s
      where s.workspace_id = may_add_emoji.workspace and s.profile_id = app.my_profile_id() and s.until > now())
$$;
comment on function app.may_add_emoji is 'Whether the caller may add custom emoji to a workspace.';

create function app.workspace_in_emoji_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then split_part(path, '/', 1)::uuid end
$$;
comment on function app.workspace_in_emoji_path is
  'The first part of the path of an emoji''s image, which is its workspace; null for other paths, such as those of avatars, '
  'which have an extension.';

create function app.can_upload_emoji(path text, metadata jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  workspace constant uuid := app.workspace_in_emoji_path(path);
begin
  return workspace is not null and app.may_add_emoji(workspace) and app.size_of_object(metadata) <= 262144
    and not exists (select from public.custom_emoji e where e.id = split_part(path, '/', 2)::uuid);
end
$$;
comment on function app.can_upload_emoji is
  'Whether the caller may store the image of a new emoji here: at most 256 KB. limit_pictures counts those that '
  'no emoji uses yet.';

create function app.can_read_emoji(path text, owner text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (owner = auth.uid()::text and app.may_add_emoji(app.workspace_in_emoji_path(path))) or exists (
    select from public.custom_emoji e
    where e.id = split_part(path, '/', 2)::uuid and e.workspace_id = app.workspace_in_emoji_path(path)
      and e.workspace_id in (select app.my_workspace_ids()));
end
$$;
comment on function app.can_read_emoji is 
  'Whether this is the image of an emoji of one of the caller''s workspaces, or one that the caller has just uploaded.';

create policy "those who may add emoji upload their images" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.workspace_in_emoji_path(name) is not null and app.can_upload_emoji(name, metadata)
  );
create policy "members see the images of custom emoji" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.workspace_in_emoji_path(name) is not null and app.can_read_emoji(name, owner_id)
  );

-- Commands ---------------------------------------------------------------------------------------------

create function app.emoji_as_json(emoji public.custom_emoji) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', emoji.id, 'workspace_id', emoji.workspace_id, 'name', emoji.name,
    'aliases', to_jsonb(emoji.aliases), 'author_id', emoji.author_id)
$$;
comment on function app.emoji_as_json is 'A custom emoji as clients store it.';

create function app.change_emoji_version(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.workspaces w
  set emoji_version = coalesce(nullif(floor(random() * 2147483647)::integer, w.emoji_version), w.emoji_version - 1)
  where w.id = workspace;
  return app.workspace_as_json(workspace);
end
$$;
comment on function app.change_emoji_version is
  'Notes that the custom emoji have changed, which is broadcast with the workspace. Returns the workspace.';

create function app.require_emoji(emoji uuid) returns public.custom_emoji
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
  found_emoji public.custom_emoji;
  caller_role text;
begin
  select * into found_emoji from public.custom_emoji e where e.id = emoji;
  caller_role := app.my_role(found_emoji.workspace_id);
  if caller_role is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif not (caller_role in ('owner', 'admin')
    or (found_emoji.author_id = me and app.may_add_emoji(found_emoji.workspace_id)))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform from public.workspaces w where w.id = found_emoji.workspace_id for no key update;
  select * into found_emoji from public.custom_emoji e where e.id = emoji;
  if found_emoji.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return found_emoji;
end
$$;
comment on function app.require_emoji is
  'A custom emoji that the caller may change: its author while they may add emoji, owners and admins. Locks the '
  'workspace. Fails with not_found where the caller is no member.';

create function public.add_emoji(id uuid, workspace uuid, name text, aliases text[] default '{}') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  image storage.objects;
  added public.custom_emoji;
begin
  if not app.may_add_emoji(workspace) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform from public.workspaces w where w.id = workspace for no key update;
  select * into added from public.custom_emoji e where e.id = add_emoji.id;
  if added.id is not null then
    if added.author_id <> me or added.workspace_id <> workspace then
      raise exception using errcode = 'PT409', message = 'conflict';
    end if;
    return jsonb_build_object('emoji', app.emoji_as_json(added), 'workspace', app.workspace_as_json(workspace));
  end if;
  perform app.require_emoji_names(workspace, add_emoji.id, array[add_emoji.name] || coalesce(add_emoji.aliases, '{}'));
  if (select count(*) from public.custom_emoji e where e.workspace_id = workspace) >= 500 then
    raise exception using errcode = 'PT409', message = 'too_many_emoji';
  end if;
  select * into image from storage.objects o
  where o.bucket_id = 'avatars' and o.name = workspace || '/' || add_emoji.id and o.owner_id = auth.uid()::text
    and not exists (select from public.file_deletion_queue q where q.bucket_id = 'avatars' and q.name = o.name);
  if image.id is null then
    raise exception using errcode = 'PT409', message = 'attachments_missing';
  elsif app.size_of_object(image.metadata) > 262144
    or coalesce(image.metadata ->> 'mimetype', '') not in ('image/png', 'image/gif', 'image/webp')
  then
    raise exception using errcode = 'PT400', message = 'bad_emoji_image';
  end if;
  insert into public.custom_emoji (id, workspace_id, name, aliases, author_id)
  values (add_emoji.id, workspace, add_emoji.name, coalesce(add_emoji.aliases, '{}'), me)
  returning * into added;
  return jsonb_build_object('emoji', app.emoji_as_json(added), 'workspace', app.change_emoji_version(workspace));
end
$$;
comment on function public.add_emoji is
  'Adds a custom emoji, whose image the caller has uploaded to `<workspace>/<id>`: PNG, GIF or WebP of at most 256 KB. A '
  'repeated request changes nothing.';

create function public.change_emoji(id uuid, name text, aliases text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  before constant public.custom_emoji := app.require_emoji(change_emoji.id);
  others text[] := array_remove(coalesce(change_emoji.aliases, '{}'), change_emoji.name);
  after public.custom_emoji;
begin
  if change_emoji.name <> before.name and not before.name = any (others) then others := others || before.name; end if;
  perform app.require_emoji_names(before.workspace_id, before.id, array[change_emoji.name] || others);
  if (before.name, before.aliases) is not distinct from (change_emoji.name, others) then
    return jsonb_build_object('emoji', app.emoji_as_json(before), 'workspace',
      app.workspace_as_json(before.workspace_id));
  end if;
  update public.custom_emoji e set name = change_emoji.name, aliases = others
  where e.id = before.id returning * into after;
  return jsonb_build_object('emoji', app.emoji_as_json(after), 'workspace',
    app.change_emoji_version(before.workspace_id));
end
$$;
comment on function public.change_emoji is
  'Changes the name and the aliases of a custom emoji. The previous name remains as an alias, since messages and reactions '
  'contain it; a later change can remove it.';

create function public.delete_emoji(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  deleted constant public.custom_emoji := app.require_emoji(delete_emoji.id);
begin
  delete from public.custom_emoji e where e.id = deleted.id;
  insert into public.file_deletion_queue (bucket_id, name)
  values ('avatars', deleted.workspace_id || '/' || deleted.id) on conflict do nothing;
  return jsonb_build_object('id', deleted.id, 'workspace', app.change_emoji_version(deleted.workspace_id));
end
$$;
comment on function public.delete_emoji is
  'Deletes a custom emoji and its image. Messages and reactions show its name from then on.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.add_emoji, public.change_emoji, public.delete_emoji
  from public, anon, authenticated, service_role;
grant execute on function app.workspace_in_emoji_path, app.can_upload_emoji, app.can_read_emoji, public.add_emoji,
  public.change_emoji, public.delete_emoji to authenticated;
