-- Commands for channels: creating, changing, joining, leaving, managing members, archiving.
--
-- Each command first checks the caller's right, then locks the channel and checks it again: of two concurrent commands
-- the second sees the result of the first. Errors are names, which the app turns into sentences.

-- Creating ---------------------------------------------------------------------------------------------

create function app.require_valid_channel(channel public.channels) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if channel.kind is null or channel.kind not in ('public', 'private') then
    raise exception using errcode = 'PT400', message = 'channels_kind_known';
  elsif channel.posting is null or channel.posting not in ('everyone', 'admins') then
    raise exception using errcode = 'PT400', message = 'channels_posting_known';
  elsif char_length(channel.topic) > 250 then
    raise exception using errcode = 'PT400', message = 'channels_topic_length';
  elsif char_length(channel.description) > 1000 then
    raise exception using errcode = 'PT400', message = 'channels_description_length';
  end if;
end
$$;
comment on function app.require_valid_channel is
  'Fails with the name of the constraint that the requested values would violate.';

create function app.require_free_name(workspace uuid, requested text, own uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  key constant text := app.name_key(requested);
begin
  if exists (
    select from public.channels c
    where c.workspace_id = workspace and c.id <> own and c.kind = 'public' and app.name_key(c.name) = key
  ) or exists (
    select from app.my_readable_channels() r join public.channels c on c.id = r.channel_id
    where c.workspace_id = workspace and c.id <> own and c.kind = 'private' and app.name_key(c.name) = key
  ) then
    raise exception using errcode = 'PT409', message = 'channels_name_unique';
  end if;
end
$$;
comment on function app.require_free_name is
  'Fails if another channel that the caller reads has this name. Callers are full members, who read every public '
  'channel.';

create function app.insert_channel(
  id uuid, workspace uuid, kind text, name text, topic text, actor uuid, description text default '',
  posting text default 'everyone'
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  seq bigint;
begin
  insert into public.channels (id, workspace_id, kind, name, topic, description, posting, created_by)
  values (insert_channel.id, workspace, insert_channel.kind, insert_channel.name, insert_channel.topic,
    insert_channel.description, insert_channel.posting, actor);
  insert into public.channel_counters (channel_id) values (insert_channel.id);
  insert into public.channel_members (channel_id, profile_id, role) values (insert_channel.id, actor, 'admin');
  seq := app.post_system_message(insert_channel.id, actor, '{"event": "created"}');
  insert into public.channel_member_state (channel_id, profile_id, last_read_seq) values (insert_channel.id, actor, seq);
  perform app.increment_meta_rev(insert_channel.id);
end
$$;
comment on function app.insert_channel is 'Creates a named channel with its first admin.';

create function app.limit_created_channels() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (
    select from public.workspace_members w
    where w.workspace_id = new.workspace_id and w.profile_id = new.created_by and w.role in ('member', 'guest'))
  then
    return new;
  end if;
  -- Two of one person are counted together.
  perform from public.profiles p where p.id = new.created_by for no key update;
  if 500 <= (
    select count(*) from public.channels c
    where c.created_by = new.created_by and c.workspace_id = new.workspace_id and c.deleted_at is null
      and case new.kind when 'group' then c.kind = 'group' else c.kind in ('public', 'private') end)
  then
    raise exception using errcode = 'PT409', message = 'too_many_channels_created';
  end if;
  return new;
end
$$;
comment on function app.limit_created_channels is
  'Fails with too_many_channels_created for members and guests who have created 500 channels, or 500 group conversations.';
create trigger created_channels_are_limited before insert on public.channels
  for each row when (new.created_by is not null and new.kind <> 'direct') execute function app.limit_created_channels();
comment on trigger created_channels_are_limited on public.channels is
  'Each is in the list and in every start of all people whom its creator adds, who can only hide or leave it.';

create function public.create_channel(
  id uuid, workspace uuid, kind text, name text, topic text default '', description text default '',
  posting text default 'everyone'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  requested public.channels;
begin
  if create_channel.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  requested.name := app.require_name(create_channel.name, 'channels_name_length');
  requested.kind := create_channel.kind;
  requested.topic := btrim(coalesce(create_channel.topic, ''));
  requested.description := btrim(coalesce(create_channel.description, ''));
  requested.posting := coalesce(create_channel.posting, 'everyone');
  perform app.require_valid_channel(requested);
  if exists (select from public.channels c where c.id = create_channel.id) then
    -- A repeated call returns the channel, even if its kind or name has changed since.
    if exists (
      select from public.channels c
      where c.id = create_channel.id and c.created_by = me and c.workspace_id = workspace
        and c.kind in ('public', 'private')
    ) and (app.channel_access_of(create_channel.id)).member then
      return app.channel_entry_as_json(me, create_channel.id);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  perform app.require_free_name(workspace, requested.name, create_channel.id);
  perform app.insert_channel(create_channel.id, workspace, requested.kind, requested.name, requested.topic, me,
    requested.description, requested.posting);
  return app.channel_entry_as_json(me, create_channel.id);
end
$$;
comment on function public.create_channel is
  'Creates a channel with an id that the client chose: repeated calls create it once. A member creates at most 500.';

create function app.direct_key(people uuid[]) returns text
language sql immutable set search_path = ''
as $$
  select case when cardinality(people) > 2 then app.hash_token(k.key) else k.key end
  from (select string_agg(p::text, ':' order by p) as key from (select distinct unnest(people) as p) d) k
$$;
comment on function app.direct_key is 'channels.direct_key of a conversation of these people, who are in the list once.';

create function public.open_direct(workspace uuid, people uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  everyone constant uuid[] := array(select distinct p from unnest(people || me) p where p is not null order by p);
  key constant text := app.direct_key(everyone);
  direct uuid;
begin
  if cardinality(everyone) > 12 then
    raise exception using errcode = 'PT400', message = 'direct_too_many';
  end if;
  select c.id into direct from public.channels c where c.workspace_id = workspace and c.direct_key = key;
  if direct is null then
    -- People whom the caller may not see, and former members, are reported as not found.
    if exists (
      select from unnest(everyone) p (id)
      where p.id not in (select app.my_visible_profile_ids()) or not exists (
        select from public.workspace_members w
        where w.workspace_id = workspace and w.profile_id = p.id
          and w.state = 'active' and (w.expires_at is null or w.expires_at > now()))
    ) then
      raise exception using errcode = 'PT404', message = 'not_found';
    end if;
    insert into public.channels (id, workspace_id, kind, direct_key, created_by)
    values (gen_random_uuid(), workspace, case when cardinality(everyone) > 2 then 'group' else 'direct' end, key, me)
    on conflict (workspace_id, direct_key) do nothing returning id into direct;
    if direct is null then
      -- A concurrent call created it.
      select c.id into direct from public.channels c where c.workspace_id = workspace and c.direct_key = key;
    else
      insert into public.channel_counters (channel_id) values (direct);
      -- Hidden from the others until the first message.
      insert into public.channel_member_state (channel_id, profile_id, notify, hidden)
      select direct, p, 'all', p <> me from unnest(everyone) p;
      insert into public.channel_members (channel_id, profile_id) select direct, p from unnest(everyone) p;
    end if;
  end if;
  update public.channel_member_state s set hidden = false
  where s.channel_id = direct and s.profile_id = me and s.hidden;
  return app.channel_entry_as_json(me, direct);
end
$$;
comment on function public.open_direct is
  'The conversation of the caller with these people, created if it does not exist and shown again if it was hidden. '
  'Without other people it is the caller''s own notes.';

-- Listing ----------------------------------------------------------------------------------------------

create function public.browse_channels(workspace uuid) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  listed constant uuid[] := array(
    select c.id
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = me
    where c.workspace_id = workspace and c.kind in ('public', 'private')
      and c.id = any (array(select r.channel_id from app.my_readable_channels() r))
    order by m.profile_id is null, k.last_at desc nulls last, c.id
    limit 2000);
begin
  return json_build_object('channels', coalesce((
    select json_agg((
      select o from (
        select
          -- As channel_as_json, of all channels at once; `people` is for direct conversations and groups.
          (select d from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.created_by, c.created_at, null as people) d) as channel,
          coalesce(n.members, 0) as members, coalesce(n.member, false) as member, k.last_at as last_message_at) o)
      order by lower(c.name))
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    left join (
      select m.channel_id, count(*) as members, bool_or(m.profile_id = me) as member
      from public.channel_members m where m.channel_id = any (listed) group by m.channel_id) n on n.channel_id = c.id
    where c.id = any (listed)
  ), '[]'));
end
$$;
comment on function public.browse_channels is
  'The channels that the caller may read, with the number of members and the time of the latest message, which is that '
  'of channel_counters: the cost does not depend on the number of messages. For guests only those of which they are '
  'members. At most 2,000: those of the caller first, then the most recently active. json, which takes half of the time '
  'of jsonb.';

create function public.channel_people(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
begin
  return jsonb_build_object('people', coalesce((
    select jsonb_agg(jsonb_build_object('profile_id', m.profile_id, 'role', m.role) order by m.created_at, m.profile_id)
    from public.channel_members m
    join public.workspace_members w on w.workspace_id = access.workspace_id and w.profile_id = m.profile_id
    where m.channel_id = channel and (m.expires_at is null or m.expires_at > now())
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ), '[]'));
end
$$;
comment on function public.channel_people is 'The members of a channel.';

-- Changing ---------------------------------------------------------------------------------------------

create function app.make_channel_private(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  others uuid[];
begin
  -- First: those who lose access receive neither a new name nor the message that the channel became private.
  others := array(
    select w.profile_id
    from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.role <> 'guest'
    where c.id = channel and not exists (
      select from public.channel_members m where m.channel_id = c.id and m.profile_id = w.profile_id));
  perform app.end_channel_subscriptions(channel, app.accounts_of(others));
  perform app.recheck_sockets(o) from unnest(others) o;
  -- In a public channel a full member's history start has no effect: members keep what they could read until now.
  update public.channel_members m set history_from_seq = 1
  where m.channel_id = channel and m.history_from_seq > 1 and exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = m.profile_id
    where c.id = channel and w.role <> 'guest');
  -- An invitation created before no longer opens the channel if its author is not a member.
  delete from public.invitation_channels o
  where o.channel_id = channel and not exists (
    select from public.invitations i
    join public.channel_members m on m.channel_id = o.channel_id and m.profile_id = i.invited_by
    where i.id = o.invitation_id);
end
$$;
comment on function app.make_channel_private is
  'What happens besides when a public channel becomes private: others lose access at once, full members who are in it '
  'keep theirs to the whole history. Guests keep their history start, as in either kind.';

create function public.update_channel(
  channel uuid, name text default null, topic text default null, posting text default null,
  description text default null, kind text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_participant(channel);
  before public.channels;
  requested public.channels;
begin
  perform app.lock_channels(array[channel]);
  access := app.require_participant(channel);
  -- Any member who may post can change topic and description, which system messages announce; name, visibility and
  -- posting are for those who manage the channel.
  if access.kind not in ('public', 'private') or access.workspace_role = 'guest'
    or (not app.can_manage_channel(access) and (access.posting = 'admins' or update_channel.name is not null
      or update_channel.posting is not null or update_channel.kind is not null))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  select * into before from public.channels c where c.id = channel;
  requested := before;
  if update_channel.name is not null then
    requested.name := app.require_name(update_channel.name, 'channels_name_length');
  end if;
  requested.topic := btrim(coalesce(update_channel.topic, before.topic));
  requested.description := btrim(coalesce(update_channel.description, before.description));
  requested.posting := coalesce(update_channel.posting, before.posting);
  requested.kind := coalesce(update_channel.kind, before.kind);
  perform app.require_valid_channel(requested);
  if requested.name <> before.name or (requested.kind = 'public' and before.kind <> 'public') then
    perform app.require_free_name(before.workspace_id, requested.name, channel);
  end if;
  if requested is distinct from before then
    if requested.kind = 'private' and before.kind = 'public' then perform app.make_channel_private(channel); end if;
    update public.channels c
    set name = requested.name, topic = requested.topic, description = requested.description,
      posting = requested.posting, kind = requested.kind
    where c.id = channel;
    perform app.post_system_message(channel, access.profile_id, note) from (values
      (requested.name <> before.name, jsonb_build_object('event', 'renamed', 'name', requested.name)),
      (requested.topic <> before.topic, jsonb_build_object('event', 'topic', 'topic', requested.topic)),
      (requested.description <> before.description,
        jsonb_build_object('event', 'description', 'description', requested.description)),
      (requested.posting <> before.posting, jsonb_build_object('event', 'posting', 'posting', requested.posting)),
      (requested.kind <> before.kind, jsonb_build_object('event', 'visibility', 'kind', requested.kind))
    ) changed (is_so, note) where is_so;
  end if;
  return app.channel_entry_as_json(access.profile_id, channel);
end
$$;
comment on function public.update_channel is
  'Changes the given properties of a channel. When it becomes private, everyone who is not a member loses access with '
  'the transaction; when it becomes public, all full members gain it.';

create function public.archive_channel(channel uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_channel_member(channel);
begin
  perform app.lock_channels(array[channel]);
  access := app.require_channel_member(channel);
  if not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif archive_channel."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  if archive_channel."on" is distinct from (access.archived_at is not null) then
    update public.channels c set archived_at = case when archive_channel."on" then clock_timestamp() end
    where c.id = channel;
    perform app.post_system_message(channel, access.profile_id,
      jsonb_build_object('event', case when archive_channel."on" then 'archived' else 'unarchived' end));
  end if;
  return app.channel_entry_as_json(access.profile_id, channel);
end
$$;
comment on function public.archive_channel is
  'Archives a channel, or restores it. An archived channel stays readable, but accepts no messages, reactions, changes '
  'or new members. Read markers still move, authors can delete their messages, and members can leave or be removed.';

-- Members ----------------------------------------------------------------------------------------------

create function app.add_channel_member(channel uuid, person uuid, actor uuid, with_role text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  history_start bigint := 1;
  seq bigint;
begin
  perform app.lock_channels(array[channel]);
  -- Archived by a concurrent command: an invitation that opens other channels too continues with those.
  if exists (select from public.channels c where c.id = channel and c.archived_at is not null) then
    return false;
  end if;
  if exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = person
    where c.id = channel and w.role = 'guest'
  ) then
    -- A guest's history starts with the system message about their joining.
    select k.last_seq + 1 into history_start from public.channel_counters k where k.channel_id = channel;
  end if;
  insert into public.channel_members (channel_id, profile_id, role, history_from_seq)
  values (channel, person, with_role, history_start) on conflict do nothing;
  if not found then return false; end if;
  delete from public.channel_removals r where r.channel_id = channel and r.profile_id = person;
  seq := app.post_system_message(channel, actor, case when actor = person then '{"event": "joined"}'
    else jsonb_build_object('event', 'added', 'profile_id', person) end);
  insert into public.channel_member_state (channel_id, profile_id, last_read_seq) values (channel, person, seq)
  on conflict (channel_id, profile_id) do update
  set last_read_seq = excluded.last_read_seq, read_version = channel_member_state.read_version + 1, hidden = false
  where channel_member_state.profile_id = excluded.profile_id;
  perform app.increment_meta_rev(channel);
  return true;
end
$$;
comment on function app.add_channel_member is
  'Adds a person to a channel with everything marked as read; returns false if they were a member or the channel is '
  'archived.';

create function public.join_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_reader(channel);
begin
  perform app.lock_channels(array[channel]);
  access := app.require_reader(channel);
  if access.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  -- Only full members can read a channel without being its members, and only public ones.
  perform app.add_channel_member(channel, access.profile_id, access.profile_id, 'member');
  return app.channel_entry_as_json(access.profile_id, channel);
end
$$;
comment on function public.join_channel is 'Adds the caller to a public channel; does nothing for members.';

create function public.leave_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
begin
  if access.kind in ('direct', 'group') then
    update public.channel_member_state s set hidden = true
    where s.channel_id = channel and s.profile_id = access.profile_id and not s.hidden;
  elsif access.member then
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.profile_id = access.profile_id;
    if found then
      perform app.post_system_message(channel, access.profile_id, '{"event": "left"}');
      perform app.increment_meta_rev(channel);
    end if;
  end if;
  return jsonb_build_object('channel_id', channel);
end
$$;
comment on function public.leave_channel is
  'Removes the caller from a channel. A direct or group conversation, whose members are fixed, is hidden until its '
  'next message.';

create function public.add_members(channel uuid, people uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_participant(channel);
  person uuid;
  added uuid[] := '{}';
begin
  perform app.lock_channels(array[channel]);
  access := app.require_participant(channel);
  if access.kind not in ('public', 'private') or access.workspace_role = 'guest' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if cardinality(people) > 1000 then
    raise exception using errcode = 'PT400', message = 'too_many_people';
  end if;
  if exists (
    select from unnest(people) p (id) where not exists (
      select from public.workspace_members w
      where w.workspace_id = access.workspace_id and w.profile_id = p.id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now()))
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  for person in select distinct p from unnest(people) p order by p loop
    if app.add_channel_member(channel, person, access.profile_id, 'member') then added := added || person; end if;
  end loop;
  return jsonb_build_object('channel_id', channel, 'people', to_jsonb(added));
end
$$;
comment on function public.add_members is 'Adds people of the workspace to a channel; returns whom it added.';

create function public.set_channel_role(channel uuid, person uuid, role text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_participant(channel);
begin
  perform app.lock_channels(array[channel]);
  access := app.require_participant(channel);
  -- Any full member of a channel that nobody manages may appoint an admin: owners and admins of the workspace cannot
  -- see a private channel, so it would stay unmanaged.
  if access.kind not in ('public', 'private') or access.workspace_role = 'guest'
    or not (app.can_manage_channel(access) or app.is_unmanaged(channel))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if set_channel_role.role is null or set_channel_role.role not in ('admin', 'member') then
    raise exception using errcode = 'PT400', message = 'channel_members_role_known';
  end if;
  if not exists (select from public.channel_members m where m.channel_id = channel and m.profile_id = person) then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif exists (
    select from public.workspace_members w
    where w.workspace_id = access.workspace_id and w.profile_id = person and (w.role = 'guest' or w.state <> 'active')
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.channel_members m set role = set_channel_role.role
  where m.channel_id = channel and m.profile_id = person and m.role <> set_channel_role.role;
  if found then perform app.increment_meta_rev(channel); end if;
  return jsonb_build_object('channel_id', channel, 'person', person, 'role', set_channel_role.role);
end
$$;
comment on function public.set_channel_role is
  'Makes a member of a channel its admin, or no longer; guests cannot be admins. The last admin may step down.';

create function public.remove_member(channel uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_reader(channel);
begin
  perform app.lock_channels(array[channel]);
  access := app.require_reader(channel);
  if not app.can_manage_channel(access) or person = access.profile_id then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  delete from public.channel_members m where m.channel_id = channel and m.profile_id = person;
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  insert into public.channel_removals (channel_id, profile_id) values (channel, person)
  on conflict (channel_id, profile_id) do update set removed_at = excluded.removed_at
  where channel_removals.profile_id = excluded.profile_id;
  perform app.post_system_message(channel, access.profile_id,
    jsonb_build_object('event', 'removed', 'profile_id', person));
  perform app.increment_meta_rev(channel);
  return jsonb_build_object('channel_id', channel, 'person', person);
end
$$;
comment on function public.remove_member is
  'Removes a person from a channel: they lose access with the transaction, and the channel moves to a new topic.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_channel, public.open_direct, public.browse_channels, public.channel_people,
  public.update_channel, public.archive_channel, public.join_channel, public.leave_channel, public.add_members,
  public.set_channel_role, public.remove_member from public, anon, authenticated, service_role;
grant execute on function public.create_channel, public.open_direct, public.browse_channels, public.channel_people,
  public.update_channel, public.archive_channel, public.join_channel, public.leave_channel, public.add_members,
  public.set_channel_role, public.remove_member to authenticated;
