-- Imports of other products: what each has created, its receipt, and its undo. Decision 109 gives the reasons.
--
-- An importer runs as the role postgres. It calls app.begin_import, writes the id of the import to each channel (`import_id`) and each
-- person without an account (`imported_people`) that it creates, and calls app.finish_import.

-- Tables -----------------------------------------------------------------------------------------------

create table public.imports (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  product text not null
    constraint imports_product_form check (product ~ '^[a-z][a-z0-9_]{0,30}$'),
  source_name text not null
    constraint imports_source_name_length check (char_length(btrim(source_name)) between 1 and 200)
    constraint imports_source_name_legible check (app.is_legible(source_name)),
  imported_by uuid references public.profiles (id) on delete set null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  receipt jsonb constraint imports_receipt_size check (octet_length(receipt::text) <= 8388608),
  undone_at timestamptz,
  undone_by uuid,
  removed_at timestamptz
);
create index imports_newest on public.imports (workspace_id, started_at);
create index imports_imported_by on public.imports (imported_by);
create index imports_undone on public.imports (undone_at) where undone_at is not null and removed_at is null;
comment on table public.imports is
  'Imports that have created channels or people of a workspace, at most 1,000. Read by list_imports and import_receipt. No access '
  'for clients.';
comment on column public.imports.source_name is 'The name that the workspace or server has in the other product.';
comment on column public.imports.imported_by is 'The owner who has started it in the app; null: the operator of the server.';
comment on column public.imports.finished_at is 'Null: the import is running or was interrupted.';
comment on column public.imports.receipt is
  'What was read, written and skipped. It has names of private channels, so that only owners read it.';
comment on column public.imports.undone_by is 'Without a foreign key, as channels.deleted_by.';
comment on column public.imports.removed_at is
  'When everything that the import has created was removed after its undo. From then on the same export can be imported again.';
alter table public.imports enable row level security;
revoke all on public.imports from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.imports to service_role;

create table public.imported_people (
  profile_id uuid primary key references public.profiles (id) on delete cascade,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  import_id uuid,
  email text
    constraint imported_people_email_form check (char_length(email) between 3 and 255 and email = lower(email))
    constraint imported_people_email_legible check (app.is_legible(email)),
  claimed_by uuid references public.profiles (id) on delete set null,
  claimed_at timestamptz,
  merged_at timestamptz
);
create index imported_people_workspace on public.imported_people (workspace_id, profile_id);
create index imported_people_import on public.imported_people (import_id);
create index imported_people_claimed_by on public.imported_people (claimed_by);
create index imported_people_merging on public.imported_people (claimed_at) where claimed_at is not null and merged_at is null;
comment on table public.imported_people is
  'People of exports who have no account: profiles of the kind `imported`. No access for clients.';
comment on column public.imported_people.import_id is
  'The import that created the profile. Without a foreign key, as channels.import_id.';
comment on column public.imported_people.email is
  'The mail address that the export has. It is no proof of who somebody is, and nobody receives mail there.';
comment on column public.imported_people.claimed_by is 'The member who has the messages of this person now.';
comment on column public.imported_people.merged_at is 'When the last message was given to the member.';
alter table public.imported_people enable row level security;
revoke all on public.imported_people from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.imported_people to service_role;

-- Recording an import ----------------------------------------------------------------------------------

create function app.begin_import(workspace uuid, product text, source_name text, imported_by uuid default null) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  begun uuid;
begin
  -- One transaction at a time for a workspace.
  perform from public.workspaces w where w.id = workspace for no key update;
  if exists (
    select from public.imports i where i.workspace_id = workspace and i.undone_at is not null and i.removed_at is null)
  then
    return null;
  end if;
  select i.id into begun from public.imports i
  where i.workspace_id = workspace and i.product = begin_import.product and i.source_name = begin_import.source_name
    and i.finished_at is null and i.undone_at is null
  order by i.started_at desc limit 1;
  if begun is not null then return begun; end if;
  if (select count(*) from public.imports i where i.workspace_id = workspace) >= 1000 then
    raise exception using errcode = 'PT409', message = 'too_many';
  end if;
  insert into public.imports (workspace_id, product, source_name, imported_by)
  values (workspace, begin_import.product, begin_import.source_name, begin_import.imported_by) returning id into begun;
  return begun;
end
$$;
comment on function app.begin_import is
  'Records that an import begins, and returns its id: that of an interrupted import of the same source, which then continues. '
  'Returns null while the undo of an earlier import has rows to remove, since the ids of a second import of the same export are '
  'the same. For the role postgres.';

create function app.has_created_rows(import public.imports) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.channels c where c.import_id = import.id and c.workspace_id = import.workspace_id)
  or exists (
    select from public.imported_people p where p.import_id = import.id and p.workspace_id = import.workspace_id)
$$;
comment on function app.has_created_rows is 'Whether a channel or person that an import has created exists.';

create function app.finish_import(import uuid, receipt jsonb) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  finished public.imports;
begin
  select * into finished from public.imports i where i.id = import for update;
  if not app.has_created_rows(finished) then
    delete from public.imports i where i.id = import;
    return false;
  end if;
  update public.imports i
  set finished_at = clock_timestamp(), receipt = finish_import.receipt,
    -- It was undone while it was running: what it has written since is removed too.
    removed_at = null
  where i.id = import;
  insert into public.audit_log (workspace_id, actor_id, action, target)
  values (finished.workspace_id, finished.imported_by, 'import.finished', jsonb_build_object(
    'import_id', import, 'product', finished.product));
  -- It may have written more of people whom members have claimed.
  update public.imported_people p set merged_at = null
  where p.workspace_id = finished.workspace_id and p.claimed_by is not null and p.merged_at is not null;
  return true;
end
$$;
comment on function app.finish_import is
  'Records the end of an import with its receipt, of at most 8 MiB. Returns false for an import that has created nothing, such as '
  'a second one of the same export, and removes its row. For the role postgres.';

-- Reading ----------------------------------------------------------------------------------------------

create function app.import_as_json(import public.imports) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', import.id, 'product', import.product, 'source_name', import.source_name, 'imported_by', import.imported_by,
    'started_at', import.started_at, 'finished_at', import.finished_at, 'undone_at', import.undone_at,
    'removed_at', import.removed_at, 'undo_until', app.undo_end(import),
    'channels', (
      select count(*) from public.channels c
      where c.import_id = import.id and c.workspace_id = import.workspace_id and c.deleted_at is null),
    'people', (
      select count(*) from public.imported_people p
      where p.import_id = import.id and p.workspace_id = import.workspace_id));
end
$$;
comment on function app.import_as_json is 'An import without its receipt, as owners and admins see it.';

create function app.undo_end(import public.imports) returns timestamptz
language sql stable set search_path = ''
as $$ select coalesce(import.finished_at, import.started_at) + interval '30 days' $$;
comment on function app.undo_end is 'Until when an import can be undone.';

create function public.list_imports(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  perform app.require_role(workspace, 'owner', 'admin');
  return jsonb_build_object('imports', coalesce((
    select jsonb_agg(app.import_as_json(i) order by i.started_at desc, i.id)
    from public.imports i where i.workspace_id = workspace), '[]'));
end
$$;
comment on function public.list_imports is
  'The imports of a workspace, newest first, with the number of channels and people that each has created. For owners and admins.';

create function app.require_import(import uuid) returns public.imports
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_import public.imports;
begin
  select * into found_import from public.imports i where i.id = import;
  perform app.require_role(found_import.workspace_id, 'owner');
  return found_import;
end
$$;
comment on function app.require_import is 'An import of a workspace that the caller owns; fails with not_found outside the workspace.';

create function public.import_receipt(import uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('receipt', (app.require_import(import)).receipt);
end
$$;
comment on function public.import_receipt is 'The receipt of an import; null before its end. For owners.';

-- Undo -------------------------------------------------------------------------------------------------

create function app.later_messages(import public.imports, out messages bigint, out people bigint)
language sql stable security definer set search_path = ''
as $$
  select count(*), count(distinct l.author_id)
  from (
    select m.author_id from public.channels c join public.messages m on m.channel_id = c.id
    where c.import_id = import.id and c.workspace_id = import.workspace_id and c.deleted_at is null
      and m.deleted_at is null and m.created_at > import.started_at and m.kind = 'text'
    limit 100000) l
$$;
comment on function app.later_messages is
  'The number of messages in the channels of an import that people have written since, and the number of these people. Counts to '
  '100,000.';

create function public.preview_undo(import uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  undone constant public.imports := app.require_import(import);
  later constant record := app.later_messages(undone);
begin
  return jsonb_build_object('later_messages', later.messages, 'later_people', later.people)
    || (
      select jsonb_build_object('channels', count(*), 'bytes', coalesce(sum(s.used_bytes), 0))
      from public.channels c left join public.channel_storage s on s.channel_id = c.id
      where c.import_id = undone.id and c.workspace_id = undone.workspace_id and c.deleted_at is null)
    || jsonb_build_object('messages', (
      select count(*) from (
        select from public.channels c join public.messages m on m.channel_id = c.id
        where c.import_id = undone.id and c.workspace_id = undone.workspace_id and c.deleted_at is null
        limit 1000000) counted))
    || jsonb_build_object('people', (
      select count(*) from public.imported_people p
      where p.import_id = undone.id and p.workspace_id = undone.workspace_id and p.claimed_by is null));
end
$$;
comment on function public.preview_undo is
  'What the undo of an import would delete: channels, messages, messages that people have written since, bytes of files, and '
  'imported people. Counts messages to 1,000,000. For owners.';

create function app.withdraw_imported_channels(import uuid, max_channels integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  undone public.imports;
  chosen uuid[];
begin
  select * into undone from public.imports i where i.id = import;
  chosen := array(
    select c.id from public.channels c
    where c.import_id = undone.id and c.workspace_id = undone.workspace_id and c.deleted_at is null
    order by c.id limit max_channels);
  perform app.lock_channels(chosen);
  perform app.withdraw_channel(c.id, undone.undone_by)
  from public.channels c where c.id = any (chosen) and c.deleted_at is null;
  return cardinality(chosen);
end
$$;
comment on function app.withdraw_imported_channels is
  'Takes the next channels of an undone import from everybody. Returns how many; 0 at the end.';

create function public.undo_import(import uuid, accepted_messages integer default 0) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  undone public.imports := app.require_import(import);
  me constant uuid := app.my_profile_id();
  begun constant timestamptz := clock_timestamp();
begin
  -- A running import holds this lock.
  if undone.undone_at is null
    and not pg_try_advisory_xact_lock(hashtextextended('import/' || undone.workspace_id, 0))
  then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  select * into undone from public.imports i where i.id = import for update;
  if undone.undone_at is not null then return app.import_as_json(undone); end if;
  if app.undo_end(undone) < now() then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif (app.later_messages(undone)).messages > coalesce(accepted_messages, 0) then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  update public.imports i set undone_at = now(), undone_by = me where i.id = import;
  perform app.record_action(undone.workspace_id, 'import.undone', jsonb_build_object(
    'import_id', import, 'product', undone.product));
  -- A request has a time limit. The job does the rest.
  loop
    exit when app.withdraw_imported_channels(import, 10) = 0 or clock_timestamp() > begun + interval '2 seconds';
  end loop;
  select * into undone from public.imports i where i.id = import;
  return app.import_as_json(undone);
end
$$;
comment on function public.undo_import is
  'Deletes the channels of an import with everything in them, and imported people whom nothing else refers to. For owners, within '
  '30 days. Fails with conflict while an import is running, or if people have written more than `accepted_messages` since. A '
  'repeated request changes nothing. A job deletes the rows and files.';

create procedure app.withdraw_undone_imports()
language plpgsql
as $$
declare
  undone uuid;
begin
  for undone in
    select i.id from public.imports i where i.undone_at is not null and i.removed_at is null order by i.undone_at
  loop
    while app.withdraw_imported_channels(undone, 20) > 0 loop
      commit;
    end loop;
  end loop;
end
$$;
comment on procedure app.withdraw_undone_imports is
  'Takes the remaining channels of undone imports from everybody. Called before the rows of deleted channels are deleted.';

create function app.remove_imported_emoji(import uuid) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  undone public.imports;
  used text[];
  chosen uuid[];
begin
  select * into undone from public.imports i where i.id = import;
  if not exists (
    select from public.custom_emoji e where e.import_id = undone.id and e.workspace_id = undone.workspace_id)
  then
    return 0;
  end if;
  -- The messages of the import are deleted by now.
  used := array(
    select btrim(r.emoji, ':') from public.reactions r
    join public.messages m on m.id = r.message_id join public.channels c on c.id = m.channel_id
    where c.workspace_id = undone.workspace_id and r.emoji like ':%:'
    union
    select f.name from public.channels c join public.messages m on m.channel_id = c.id
    cross join lateral (
      select g[1] as name from regexp_matches(m.body, ':([a-z0-9][a-z0-9_-]{1,31}):', 'g') g) f
    where c.workspace_id = undone.workspace_id and m.created_at > undone.started_at and m.body like '%:%:%');
  -- Names of a workspace change under its lock.
  perform from public.workspaces w where w.id = undone.workspace_id for no key update;
  chosen := array(
    select e.id from public.custom_emoji e
    where e.import_id = undone.id and e.workspace_id = undone.workspace_id and not (array[e.name] || e.aliases) && used);
  delete from public.custom_emoji e where e.id = any (chosen);
  insert into public.file_deletion_queue (bucket_id, name)
  select 'avatars', undone.workspace_id || '/' || c from unnest(chosen) c on conflict do nothing;
  if cardinality(chosen) > 0 then perform app.change_emoji_version(undone.workspace_id); end if;
  return cardinality(chosen);
end
$$;
comment on function app.remove_imported_emoji is
  'Deletes the custom emoji of an undone import. Keeps an emoji that another message has in a reaction, or in a text that was written '
  'after the import began. Returns the number of deleted emoji.';

create function app.remove_imported_people(import uuid, max_people integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  undone public.imports;
  chosen uuid[];
begin
  select * into undone from public.imports i where i.id = import;
  -- Thousands of people who leave are one event: see app.finish_undone_imports. The audit log has the undo.
  perform set_config('linnet.is_importing', 'true', true);
  chosen := array(
    select p.id from public.imported_people i join public.profiles p on p.id = i.profile_id
    where i.import_id = undone.id and i.workspace_id = undone.workspace_id and i.claimed_by is null
      and p.kind = 'imported' and p.user_id is null
      and not exists (select from public.workspace_members w where w.profile_id = p.id and w.workspace_id <> undone.workspace_id)
      and not exists (select from public.messages m where m.author_id = p.id)
      and not exists (select from public.mentions m where m.profile_id = p.id or m.author_id = p.id)
      and not exists (select from public.reactions r where r.profile_id = p.id)
      and not exists (select from public.pins n where n.pinned_by = p.id)
      and not exists (select from public.channel_members m where m.profile_id = p.id)
      and not exists (select from public.channels c where c.created_by = p.id)
      and not exists (select from public.channel_bookmarks b where b.author_id = p.id)
      and not exists (select from public.custom_emoji e where e.author_id = p.id)
      and not exists (select from public.user_groups g where g.created_by = p.id)
      and not exists (select from public.user_group_members g where g.profile_id = p.id)
      and not exists (select from public.reports r where r.author_id = p.id)
    order by p.id limit max_people);
  insert into public.file_deletion_queue (bucket_id, name)
  select 'avatars', p.avatar from public.profiles p where p.id = any (chosen) and p.avatar is not null
  on conflict do nothing;
  delete from public.profiles p where p.id = any (chosen);
  return cardinality(chosen);
end
$$;
comment on function app.remove_imported_people is
  'Deletes imported people of an undone import whom nothing refers to any more. Returns how many; 0 at the end.';

create procedure app.finish_undone_imports()
language plpgsql
as $$
declare
  undone public.imports;
  has_removed boolean;
begin
  for undone in
    select * from public.imports i where i.undone_at is not null and i.removed_at is null order by i.undone_at
  loop
    has_removed := app.remove_imported_emoji(undone.id) > 0;
    commit;
    while app.remove_imported_people(undone.id, 100) > 0 loop
      has_removed := true;
      commit;
    end loop;
    commit;
    if has_removed then
      perform app.notify_workspace(undone.workspace_id, 'workspace_changed',
        jsonb_build_object('workspace', app.workspace_as_json(undone.workspace_id)));
    end if;
    -- A second import stores files with the same names, which must not be deleted afterwards.
    update public.imports i set removed_at = clock_timestamp()
    where i.id = undone.id
      and not exists (
        select from public.channels c where c.import_id = i.id and c.workspace_id = i.workspace_id)
      and not exists (
        select from public.file_deletion_queue q
        where q.bucket_id = 'files' and q.queued_at >= i.undone_at
          and not exists (select from public.channels c where c.id = app.channel_in_path(q.name)));
    commit;
  end loop;
end
$$;
comment on procedure app.finish_undone_imports is
  'Removes the custom emoji and people of undone imports. Called after the rows of deleted channels were deleted. The undo ends '
  'once their files are deleted too.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_imports, public.import_receipt, public.preview_undo, public.undo_import
  from public, anon, authenticated, service_role;
grant execute on function public.list_imports, public.import_receipt, public.preview_undo, public.undo_import to authenticated;
