-- Bookmarks of channels: links, and files that messages carry.

-- Bookmarks --------------------------------------------------------------------------------------------

create table public.channel_bookmarks (
  id uuid primary key,
  channel_id uuid not null references public.channels (id) on delete cascade,
  position integer not null,
  title text
    constraint channel_bookmarks_title_length check (char_length(btrim(title)) between 1 and 80)
    constraint channel_bookmarks_title_legible check (app.is_legible(title)),
  url text
    constraint channel_bookmarks_url_form check (url ~* '^https?://[^[:space:][:cntrl:]]+$' and char_length(url) <= 2000),
  upload_channel_id uuid,
  upload_id uuid,
  author_id uuid not null references public.profiles (id),
  created_at timestamptz not null default now(),
  constraint channel_bookmarks_one_target check (
    (url is not null and title is not null and upload_id is null and upload_channel_id is null)
    or (url is null and title is null and upload_id is not null and upload_channel_id is not null))
);
create index channel_bookmarks_channel on public.channel_bookmarks (channel_id, position);
create index channel_bookmarks_author on public.channel_bookmarks (author_id);
comment on table public.channel_bookmarks is
  'Links and files at the head of a channel, at most 20. Commands change them and bump the channel''s meta_rev, so that '
  'clients fetch them again.';
comment on column public.channel_bookmarks.upload_id is
  'A file: that of an attachment. Its name is not stored here: who may not read a message that carries the file must not '
  'learn it. So there is no foreign key either; the file may be gone.';
alter table public.channel_bookmarks enable row level security;
create policy "readers of a channel see its bookmarks" on public.channel_bookmarks
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_readable_channels() r)
  );
comment on policy "readers of a channel see its bookmarks" on public.channel_bookmarks is
  'Titles and links are as visible as the topic of the channel; of a file only its id is.';
revoke all on public.channel_bookmarks from public, anon, authenticated, service_role;
grant select on public.channel_bookmarks to authenticated;
grant select, insert, update, delete on public.channel_bookmarks to service_role;

create function app.require_bookmarker(channel uuid) returns app.channel_access
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_participant(channel);
begin
  if access.workspace_role = 'guest' or (access.posting = 'admins' and not app.can_manage_channel(access)) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.lock_channels(array[channel]);
  -- Checked again under the lock, which removing a member takes as well.
  return app.require_participant(channel);
end
$$;
comment on function app.require_bookmarker is
  'The access of a caller who may change the bookmarks of a channel: those who may post, without guests, as with pins. '
  'Locks the channel.';

create function app.bookmarked_channel(bookmark uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_channel uuid;
begin
  select b.channel_id into found_channel from public.channel_bookmarks b where b.id = bookmark;
  perform app.require_reader(found_channel);
  return found_channel;
end
$$;
comment on function app.bookmarked_channel is
  'The channel of a bookmark; fails with not_found where the caller may not read it.';

create function app.bookmarks_as_json(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('channel_id', channel, 'bookmarks', coalesce((
    select jsonb_agg(jsonb_build_object('id', b.id, 'title', b.title, 'url', b.url,
      'upload_channel_id', b.upload_channel_id, 'upload_id', b.upload_id) order by b.position, b.id)
    from public.channel_bookmarks b where b.channel_id = channel), '[]'));
end
$$;
comment on function app.bookmarks_as_json is 'The bookmarks of a channel in their order.';

create function app.require_bookmark_link(title text, url text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if title is null or char_length(btrim(title)) not between 1 and 80 or not app.is_legible(title)
    or url is null or url !~* '^https?://[^[:space:][:cntrl:]]+$' or char_length(url) > 2000
  then
    raise exception using errcode = 'PT400', message = 'bad_bookmark';
  end if;
end
$$;
comment on function app.require_bookmark_link is
  'Fails with bad_bookmark unless it is a title of 1 to 80 characters and an http or https link.';

create function public.add_bookmark(
  id uuid, channel uuid, title text default null, url text default null, upload uuid default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_bookmarker(channel);
  existing public.channel_bookmarks;
  file public.attachments;
begin
  if add_bookmark.id is null then raise exception using errcode = 'PT400', message = 'bad_bookmark'; end if;
  select * into existing from public.channel_bookmarks b where b.id = add_bookmark.id;
  if existing.id is not null then
    if existing.channel_id <> channel or existing.author_id <> access.profile_id then
      raise exception using errcode = 'PT409', message = 'conflict';
    end if;
    return app.bookmarks_as_json(channel);
  end if;
  if (select count(*) from public.channel_bookmarks b where b.channel_id = channel) >= 20 then
    raise exception using errcode = 'PT409', message = 'too_many_bookmarks';
  end if;
  if upload is null then
    perform app.require_bookmark_link(title, url);
  else
    -- Of the messages that carry the file, one that the caller may read.
    select a.* into file from public.attachments a
    join public.messages m on m.id = a.message_id and m.deleted_at is null
    where a.upload_id = upload and (app.channel_access_of(m.channel_id)).history_from_seq <= m.history_seq
    limit 1;
    if file.upload_id is null then raise exception using errcode = 'PT404', message = 'not_found'; end if;
  end if;
  insert into public.channel_bookmarks (id, channel_id, position, title, url, upload_channel_id, upload_id, author_id)
  values (add_bookmark.id, channel,
    (select coalesce(max(b.position) + 1, 0) from public.channel_bookmarks b where b.channel_id = add_bookmark.channel),
    case when upload is null then btrim(add_bookmark.title) end, case when upload is null then add_bookmark.url end,
    file.upload_channel_id, file.upload_id, access.profile_id);
  perform app.increment_meta_rev(channel);
  return app.bookmarks_as_json(channel);
end
$$;
comment on function public.add_bookmark is
  'Adds a link, or a file that the caller may read, after the other bookmarks of a channel. A repeated request changes '
  'nothing.';

create function public.change_bookmark(id uuid, title text, url text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  channel constant uuid := app.bookmarked_channel(change_bookmark.id);
  access constant app.channel_access := app.require_bookmarker(channel);
begin
  perform app.require_bookmark_link(change_bookmark.title, change_bookmark.url);
  update public.channel_bookmarks b set title = btrim(change_bookmark.title), url = change_bookmark.url
  where b.id = change_bookmark.id and b.upload_id is null and access.member
    and (b.title, b.url) is distinct from (btrim(change_bookmark.title), change_bookmark.url);
  if found then perform app.increment_meta_rev(channel); end if;
  return app.bookmarks_as_json(channel);
end
$$;
comment on function public.change_bookmark is 'Changes the title and the address of a link.';

create function public.move_bookmark(id uuid, "position" integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  channel constant uuid := app.bookmarked_channel(move_bookmark.id);
  access constant app.channel_access := app.require_bookmarker(channel);
  others uuid[] := array(
    select b.id from public.channel_bookmarks b
    where b.channel_id = channel and b.id <> move_bookmark.id order by b.position, b.id);
  before_it constant integer := least(greatest(coalesce(move_bookmark.position, 0), 0), cardinality(others));
begin
  others := others[:before_it] || move_bookmark.id || others[before_it + 1:];
  update public.channel_bookmarks b set position = array_position(others, b.id)
  where b.channel_id = channel and access.member and b.position <> array_position(others, b.id);
  if found then perform app.increment_meta_rev(channel); end if;
  return app.bookmarks_as_json(channel);
end
$$;
comment on function public.move_bookmark is
  'Moves a bookmark so that `position` others precede it; beyond the last it becomes the last.';

create function public.delete_bookmark(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  channel constant uuid := app.bookmarked_channel(delete_bookmark.id);
  access constant app.channel_access := app.require_bookmarker(channel);
begin
  delete from public.channel_bookmarks b where b.id = delete_bookmark.id and access.member;
  if found then perform app.increment_meta_rev(channel); end if;
  return app.bookmarks_as_json(channel);
end
$$;
comment on function public.delete_bookmark is 'Removes a bookmark. The file of one stays with its messages.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.add_bookmark, public.change_bookmark, public.move_bookmark, public.delete_bookmark
  from public, anon, authenticated, service_role;
grant execute on function public.add_bookmark, public.change_bookmark, public.move_bookmark, public.delete_bookmark
  to authenticated;
